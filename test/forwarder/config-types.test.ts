import { join } from "node:path";
import ts from "typescript";
import { expect, test } from "vitest";
import { z } from "zod";
import { configSchema } from "../../provider/forwarder/config/schema";
import { SINK_KINDS } from "../../provider/forwarder/sinks/kinds";
import { commonFields } from "../../provider/forwarder/sinks/sink";

const file = join(__dirname, "../../provider/forwarder/config/types.ts");
const program = ts.createProgram([file], {
  strict: true,
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
});
const checker = program.getTypeChecker();
const source = program.getSourceFile(file);
const exported = (source && checker.getExportsOfModule(checker.getSymbolAtLocation(source) as ts.Symbol)) ?? [];
const typeOf = (name: string) =>
  checker.getDeclaredTypeOfSymbol(exported.find((symbol) => symbol.name === name) as ts.Symbol);

/** The members of an object type, deeper ones with their path; `?` behind those that may be left out. */
function written(type: ts.Type, path = ""): string[] {
  const objects = type.isUnion() ? type.types.filter((one) => one.flags & ts.TypeFlags.Object) : [type];
  // Of a text or a file, the file stands for the text.
  const [object] = objects.filter((one) => one.symbol?.name !== "FromFile");
  if (!object || !(object.flags & ts.TypeFlags.Object)) return [];
  const element = checker.getIndexTypeOfType(object, ts.IndexKind.Number);
  if (element) return written(element, path);
  if (checker.getIndexTypeOfType(object, ts.IndexKind.String)) return [];
  return checker.getPropertiesOfType(object).flatMap((member) => {
    const isOptional = (member.flags & ts.SymbolFlags.Optional) !== 0;
    const name = `${path}${member.name}`;
    return [`${name}${isOptional ? "?" : ""}`, ...written(checker.getTypeOfSymbol(member), `${name}.`)];
  });
}

/** The same of a schema. */
function checked(schema: unknown, path = ""): string[] {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) return checked(schema.unwrap(), path);
  if (schema instanceof z.ZodPipe)
    return [...checked(schema.out, path), ...(schema.out instanceof z.ZodTransform ? checked(schema.in, path) : [])];
  if (schema instanceof z.ZodUnion) return schema.options.flatMap((option) => checked(option, path));
  if (schema instanceof z.ZodArray) return checked(schema.element, path);
  if (!(schema instanceof z.ZodObject)) return [];
  return Object.entries(schema.shape).flatMap(([name, member]) => {
    const isOptional = (member as z.ZodType).safeParse(undefined).success;
    return [`${path}${name}${isOptional ? "?" : ""}`, ...checked(member, `${path}${name}.`)];
  });
}

test("the type of a configuration has the members that its schema takes, and no others", () => {
  const sinks = (name: string) => !name.startsWith("sinks.") && !name.startsWith("nodes.");
  expect(written(typeOf("ForwarderConfig")).filter(sinks).toSorted()).toEqual(checked(configSchema).toSorted());
});

test.each(Object.keys(SINK_KINDS))("so does that of a sink of the type %s", (kind) => {
  const type = typeOf("SinkConfig");
  const isOfKind = (one: ts.Type) => {
    const member = one.getProperty("type");
    return member !== undefined && checker.typeToString(checker.getTypeOfSymbol(member)) === JSON.stringify(kind);
  };
  const sink = type.isUnion() ? type.types.find(isOfKind) : undefined;
  const wanted = [...checked(z.object(commonFields)), ...checked(SINK_KINDS[kind]?.schema), "type"];
  expect(written(sink as ts.Type).toSorted()).toEqual(wanted.toSorted());
});

test("every member of it has a comment that an editor shows", () => {
  const silent: string[] = [];
  const seen = new Set<ts.Type>();
  const visit = (type: ts.Type, path: string): void => {
    if (type.isUnion()) for (const one of type.types) visit(one, path);
    if (!(type.flags & ts.TypeFlags.Object) || seen.has(type)) return;
    seen.add(type);
    for (const { type: inside } of checker.getIndexInfosOfType(type)) visit(inside, path);
    if (checker.isArrayLikeType(type)) return;
    for (const member of checker.getPropertiesOfType(type)) {
      const comment = ts.displayPartsToString(member.getDocumentationComment(checker));
      // What stands for each of some words has no place of its own that a comment could have.
      if (comment === "" && member.declarations !== undefined) silent.push(`${path}.${member.name}`);
      visit(checker.getTypeOfSymbol(member), `${path}.${member.name}`);
    }
  };
  visit(typeOf("ForwarderConfig"), "config");
  expect(seen.size).toBeGreaterThan(20);
  expect(silent).toEqual([]);
});
