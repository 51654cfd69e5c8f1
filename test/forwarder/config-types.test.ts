import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { LiveConfig } from "../../provider/forwarder/config/config";
import { configSchema } from "../../provider/forwarder/config/schema";
import { SINK_KINDS } from "../../provider/forwarder/sinks/kinds";
import { commonFields } from "../../provider/forwarder/sinks/sink";
import { publishedJson } from "../support/published-json";
import { temporaryFolder } from "./support/forward";
import { checker, configJsonSchema, typeOf } from "./support/json-schema";

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

describe("the published JSON Schema", () => {
  const root = join(__dirname, "../..");
  const read = (file: string) => readFileSync(join(root, file), "utf8");
  const published = () => z.fromJSONSchema(JSON.parse(read("schemas/forwarder.schema.json")));

  test("is that of the types", async () => {
    await expect(await publishedJson(configJsonSchema())).toMatchFileSnapshot("../../schemas/forwarder.schema.json");
  });

  test("takes every configuration of the documentation and of the examples", () => {
    const blocks = [
      "docs/forwarder.md",
      "docs/guides/forwarding-marks.md",
      "docs/guides/several-forwarders.md",
    ].flatMap((page) => [...read(page).matchAll(/^```yaml.*\n([\s\S]*?)^```/gm)].map(([, text = ""]) => text));
    const files = ["marks-to-victorialogs", "forwarder-service"].map((name) => read(`examples/${name}/forwarder.yaml`));
    const configurations = [...files, ...blocks].map((text) => parse(text)).filter((one) => one?.nodes && one.watch);
    expect(configurations.length).toBeGreaterThan(7);
    const schema = published();
    for (const one of configurations) expect(schema.safeParse(one).error?.message).toBeUndefined();
  });

  const variable = (name: string) => `\${${name}}`;
  const sound = { nodes: { fra1: { endpoint: "http://192.0.2.10" } }, watch: [{ arena: "edge" }] };
  const web = { name: "web", type: "http", url: "https://logs.example.net" };
  test.each([
    [{ everyMs: "5s", reserveBytes: "1GiB", records: variable("RECORDS"), listen: "[::1]:9464" }, true],
    [{ sinks: [{ ...web, url: variable("URL"), gzip: "true", headers: { authorization: { file: "token" } } }] }, true],
    [{ everyMs: "5 seconds" }, false],
    [{ reserveBytes: "1s" }, false],
    [{ records: "some" }, false],
    [{ listen: 9464 }, false],
    [{ nodes: undefined }, false],
    [{ watches: [] }, false],
    [{ sinks: [{ ...web, index: "marks" }] }, false],
    [{ sinks: [{ ...web, type: "htpp" }] }, false],
  ])("judges as the forwarder does: %j", async (members, isSound) => {
    expect(published().safeParse({ ...sound, ...members }).success).toBe(isSound);
    using folder = temporaryFolder();
    writeFileSync(join(folder.path, "token"), "Bearer abc");
    const env = { RECORDS: "all", URL: "https://logs.example.net" };
    const read = LiveConfig.ofObject({ ...sound, ...members }, env, folder.path);
    expect(
      await read.then(
        () => true,
        () => false,
      ),
    ).toBe(isSound);
  });
});
