import { join } from "node:path";
import ts from "typescript";

/** A JSON Schema, as far as one is made here. */
export type JsonSchema = { readonly [keyword: string]: unknown };

const file = join(__dirname, "../../../provider/forwarder/config/types.ts");
const program = ts.createProgram([file], {
  strict: true,
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
});
/** Checker of the types of a configuration. */
export const checker = program.getTypeChecker();
const source = program.getSourceFile(file);
const exported = (source && checker.getExportsOfModule(checker.getSymbolAtLocation(source) as ts.Symbol)) ?? [];

/** A type that `config/types.ts` exports. */
export const typeOf = (name: string) =>
  checker.getDeclaredTypeOfSymbol(exported.find((symbol) => symbol.name === name) as ts.Symbol);

const isIn = (type: ts.Type, flags: ts.TypeFlags) => (type.flags & flags) !== 0;

/** A variable in place of any value: its text is known when the configuration is read. */
const VARIABLE = "\\$\\{[A-Za-z_][A-Za-z0-9_]*\\}";

const FIRST_DEFS: Record<string, JsonSchema> = {
  file: {
    description: "The content of a file without the line end. For secrets above all.",
    type: "object",
    properties: { file: { type: "string", description: "Its path, from the folder of the configuration." } },
    required: ["file"],
    additionalProperties: false,
  },
  text: { anyOf: [{ type: "string" }, { $ref: "#/$defs/file" }] },
  number: { anyOf: [{ type: "number" }, { type: "string", pattern: `^\\d+$|${VARIABLE}` }] },
};

/** The JSON Schema of a configuration file, from the types that programs use, with their comments: for editors. */
export function configJsonSchema(): JsonSchema {
  const defs = { ...FIRST_DEFS };
  const schema = new Schemas(defs).of(typeOf("ForwarderConfig"));
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "Configuration of pulumi-packetfilter forward",
    ...schema,
    $defs: defs,
  };
}

class Schemas {
  private readonly names = new Map<ts.Type, string>();

  constructor(private readonly defs: Record<string, JsonSchema>) {}

  /** @param member Whose it is: an object without a name is called so. */
  of(type: ts.Type, member = "ForwarderConfig"): JsonSchema {
    if (type.isUnion())
      return this.union(
        type.types.filter((one) => !isIn(one, ts.TypeFlags.Undefined)),
        member,
      );
    if (type.isStringLiteral()) return { const: type.value };
    if (isIn(type, ts.TypeFlags.String)) return { type: "string" };
    if (isIn(type, ts.TypeFlags.Number)) return { $ref: "#/$defs/number" };
    if (isIn(type, ts.TypeFlags.Null)) return { type: "null" };
    if (type.symbol?.name === "FromFile") return { $ref: "#/$defs/file" };
    const element = checker.getIndexTypeOfType(type, ts.IndexKind.Number);
    if (element) return { type: "array", items: this.of(element, member) };
    const value = checker.getIndexTypeOfType(type, ts.IndexKind.String);
    if (value) return { type: "object", additionalProperties: this.of(value, member) };
    if (!isIn(type, ts.TypeFlags.Object)) throw new TypeError(`no JSON Schema of ${checker.typeToString(type)}`);
    if (member === "ForwarderConfig") return this.object(type);
    const known = this.names.get(type);
    if (known !== undefined) return { $ref: `#/$defs/${known}` };
    const wanted = nameOf(type) ?? member;
    const taken = [...this.names.values()].filter((name) => name.replace(/\d+$/, "") === wanted).length;
    const name = taken === 0 ? wanted : `${wanted}${taken + 1}`;
    this.names.set(type, name);
    this.defs[name] = this.object(type);
    return { $ref: `#/$defs/${name}` };
  }

  private object(type: ts.Type): JsonSchema {
    const members = checker.getPropertiesOfType(type);
    const properties = members.map((member) => {
      const comment = ts.displayPartsToString(member.getDocumentationComment(checker));
      const description = comment.replaceAll("\n", " ").replaceAll(/\{@link (.*?)\}/g, "`$1`");
      return [
        member.name,
        { ...(description && { description }), ...this.of(checker.getTypeOfSymbol(member), member.name) },
      ];
    });
    const required = members.filter(({ flags }) => (flags & ts.SymbolFlags.Optional) === 0).map(({ name }) => name);
    return { type: "object", properties: Object.fromEntries(properties), required, additionalProperties: false };
  }

  private union(types: readonly ts.Type[], member: string): JsonSchema {
    const units = types.flatMap((one) => (isTemplate(one) ? (one.texts.at(-1) ?? []) : []));
    if (units.length > 0) {
      const pattern = `^\\d+(\\.\\d+)? ?(${units.join("|")})?$|${VARIABLE}`;
      return { anyOf: [{ type: "number" }, { type: "string", pattern }] };
    }
    const words = types.flatMap((one): unknown[] => (one.isStringLiteral() ? [one.value] : []));
    if (types.some((one) => isIn(one, ts.TypeFlags.BooleanLiteral))) words.push(true, false, "true", "false");
    const rest = types.filter((one) => !one.isStringLiteral() && !isIn(one, ts.TypeFlags.BooleanLiteral));
    const hasText = rest.some((one) => isIn(one, ts.TypeFlags.String));
    const isText = hasText && rest.some(({ symbol }) => symbol?.name === "FromFile");
    const others = rest.filter(
      (one) => !isText || !(isIn(one, ts.TypeFlags.String) || one.symbol?.name === "FromFile"),
    );
    const choices: JsonSchema[] = [
      ...(words.length > 0 ? [{ enum: words }] : []),
      ...(words.length > 0 && !hasText ? [{ type: "string", pattern: VARIABLE }] : []),
      ...(isText ? [{ $ref: "#/$defs/text" }] : []),
      ...others.map((one) => this.of(one, member)),
    ];
    return choices.length === 1 && choices[0] ? choices[0] : { anyOf: choices };
  }
}

function isTemplate(type: ts.Type): type is ts.TemplateLiteralType {
  return isIn(type, ts.TypeFlags.TemplateLiteral);
}

/** The name of a type, also where texts of it may stand in files. */
function nameOf({ symbol, aliasSymbol, aliasTypeArguments }: ts.Type): string | undefined {
  const named = aliasSymbol?.name === "Written" ? aliasTypeArguments?.[0]?.symbol : symbol;
  return named && named.name !== "__type" ? named.name : undefined;
}
