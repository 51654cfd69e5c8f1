#!/usr/bin/env node
// @ts-check
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import ts from "typescript";
import { publishedJson } from "./lib/published-json.mjs";

const root = join(import.meta.dirname, "..");
/** Place of the schema in the package, from which the plugin serves it. */
export const SCHEMA = join(root, "schemas", "provider.schema.json");

const RESOURCES = ["PrefixSet", "PrefixSetGroup", "PrefixSetEntry", "CloudSignaling"];
/** Languages whose SDKs carry the version of the package. */
const LANGUAGES = ["csharp", "go", "nodejs", "python"];
const TYPES = "#/types/packetfilter:index:";
const ANY = { $ref: "pulumi.json#/Any" };
/** Functions of the plugin: their arguments, and the member under which they answer with what. */
const FUNCTIONS = {
  getProfiles: ["GetProfilesArgs", "profiles", { type: "array", items: { $ref: `${TYPES}Profile` } }],
  getRules: ["GetRulesArgs", "rules", { type: "array", items: { $ref: `${TYPES}Rule` } }],
  getMarks: ["GetMarksArgs", "marks", { type: "array", items: { $ref: `${TYPES}Mark` } }],
  getPrefixSet: ["GetPrefixSetArgs", "entries", { type: "object", additionalProperties: ANY }],
  getSignalings: ["GetSignalingsArgs", "prefixes", { type: "array", items: { type: "string" } }],
  readPrefixFile: ["PrefixFileOptions", "entries", { type: "object", additionalProperties: { $ref: `${TYPES}Entry` } }],
};
/**
 * Resources of which a node or receiver lists those that are there, with the arguments that say where.
 *
 * @type {Readonly<Record<string, readonly string[]>>}
 */
const LISTED = { PrefixSetEntry: ["arena", "profile", "set", "node"], CloudSignaling: ["receiver"] };
/** Members that are the same everywhere, however a type puts it, with the interface of their object. */
const PLACES = { node: "NodeArgs", receiver: "ReceiverArgs" };
/**
 * Types of words of which one is chosen, where the name of the member says too little.
 *
 * @type {Readonly<Record<string, string>>}
 */
const CHOICES = { type: "MarkType", format: "PrefixFileFormat", stops: "SignalingStops" };
/** Types in answers of functions: numbers there may be fractions; those that a program gives are integers. */
const ANSWERS = ["Profile", "Rule", "Mark"];
/** Members above 2³¹−1: an integer of a schema has 32 bits with a sign. The provider checks that they are integers. */
const WIDE = ["value", "maxValue"];
/** Members of nodes and receivers that are secrets. */
const SECRETS = ["headers", "secretKey", "tls"];

/**
 * The schema of the plugin `packetfilter`, made from the types and comments of the TypeScript classes: whatever they say, all languages say.
 *
 * @returns {object}
 */
export function providerSchema() {
  const entry = join(root, "provider", "index.ts");
  const config = ts.readConfigFile(join(root, "tsconfig.json"), ts.sys.readFile).config.compilerOptions;
  const { options } = ts.convertCompilerOptionsFromJson(config, root);
  const program = ts.createProgram([entry], options);
  const reader = new Reader(program, entry);
  const resources = Object.fromEntries(RESOURCES.map((name) => [`packetfilter:index:${name}`, reader.resource(name)]));
  const functions = Object.fromEntries(
    Object.entries(FUNCTIONS).map(([name, [args, member, type]]) => [
      `packetfilter:index:${name}`,
      reader.function(name, String(args), String(member), type),
    ]),
  );
  for (const name of ANSWERS) reader.answer(name);
  // What a file of prefixes holds, and how an entry is written where it has more than a value.
  reader.declared("EntryArgs");
  const provider = reader.membersOf("ProviderArgs");
  for (const name of reader.constant("engine/secret-names.ts", "SECRET_SETTINGS"))
    Object.assign(provider.properties[name] ?? {}, { secret: true });
  const { version, description, license } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  return {
    name: "packetfilter",
    version,
    displayName: "Packet filter",
    description,
    license,
    keywords: ["pulumi", "ddos", "category/network", "kind/native"],
    meta: { moduleFormat: "(.*)" },
    language: Object.fromEntries(LANGUAGES.map((language) => [language, { respectSchemaVersion: true }])),
    config: { variables: withoutTypes(provider.properties) },
    provider: {
      description: "Where the nodes and receivers are, and what holds for all sets.",
      inputProperties: provider.properties,
    },
    resources,
    types: reader.types,
    functions,
  };
}

class Reader {
  /** @type {Record<string, object>} */
  types = {};
  /** @type {"integer" | "number"} */
  numbers = "integer";
  /** The resource whose members are read. */
  owner = "";

  constructor(/** @type {ts.Program} */ program, /** @type {string} */ entry) {
    this.program = program;
    this.checker = program.getTypeChecker();
    // Types of arguments have names in every language, also those that no program in TypeScript has to write.
    const files = [join(root, "provider", "pulumi", "types.ts"), entry];
    const all = files.flatMap((file) => {
      const source = program.getSourceFile(file);
      const module = source && this.checker.getSymbolAtLocation(source);
      if (!module) throw new Error(`${file} exports nothing`);
      return this.checker.getExportsOfModule(module);
    });
    this.exported = new Map(all.map((symbol) => [symbol.name, this.original(symbol)]));
  }

  /** The texts of a constant of `provider/engine`. */
  constant(/** @type {string} */ file, /** @type {string} */ name) {
    const source = this.program.getSourceFile(join(root, "provider", file));
    const module = source && this.checker.getSymbolAtLocation(source);
    const symbol = module?.exports?.get(ts.escapeLeadingUnderscores(name));
    if (!symbol) throw new Error(`${file} exports no ${name}`);
    const type = /** @type {ts.TypeReference} */ (this.checker.getTypeOfSymbol(symbol));
    return this.checker.getTypeArguments(type).map((one) => String(/** @type {ts.StringLiteralType} */ (one).value));
  }

  resource(/** @type {string} */ name) {
    this.owner = name;
    const { properties: inputs, required } = this.membersOf(`${name}Args`);
    const type = this.checker.getDeclaredTypeOfSymbol(this.symbol(name));
    const outputs = this.checker.getPropertiesOfType(type).filter((member) => this.isOutput(member));
    const properties = this.asListed(() =>
      Object.fromEntries(outputs.map((member) => [member.name, this.property(member)])),
    );
    if (properties.count) Object.assign(properties.count, { type: "integer" });
    const listed = Object.entries(inputs).filter(([member]) => LISTED[name]?.includes(member));
    const listInputs = {
      properties: Object.fromEntries(listed),
      required: required.filter((member) => LISTED[name]?.includes(member)),
    };
    return {
      description: this.comment(this.symbol(name)),
      inputProperties: inputs,
      requiredInputs: required,
      properties,
      required: outputs.filter((member) => !this.isOptional(member)).map(({ name }) => name),
      ...(listed.length > 0 && { listInputs }),
      aliases: [{ type: `pulumi-nodejs:dynamic/packetfilter:${name}` }],
    };
  }

  function(
    /** @type {string} */ name,
    /** @type {string} */ args,
    /** @type {string} */ member,
    /** @type {unknown} */ type,
  ) {
    const { properties, required } = this.membersOf(args);
    const file = { type: "string", description: "Path of the file, from the folder of the program." };
    const isFile = name === "readPrefixFile";
    return {
      description: this.comment(this.symbol(name)),
      inputs: { properties: isFile ? { ...properties, file } : properties, required: isFile ? ["file"] : required },
      outputs: { properties: { [member]: type }, required: [member] },
    };
  }

  answer(/** @type {string} */ name) {
    this.asListed(() => this.named(name, this.checker.getDeclaredTypeOfSymbol(this.symbol(name))));
  }

  /**
   * A value from a node: its numbers may be fractions.
   *
   * @template T
   * @param {() => T} work
   */
  asListed(work) {
    this.numbers = "number";
    try {
      return work();
    } finally {
      this.numbers = "integer";
    }
  }

  /** The members of an exported interface, with their comments. */
  membersOf(/** @type {string} */ name) {
    const type = this.checker.getDeclaredTypeOfSymbol(this.symbol(name));
    return this.members(type);
  }

  members(/** @type {ts.Type} */ type) {
    const members = this.checker.getPropertiesOfType(type);
    const properties = Object.fromEntries(members.map((member) => [member.name, this.property(member)]));
    const required = members.filter((member) => !this.isOptional(member)).map(({ name }) => name);
    return { properties, required };
  }

  property(/** @type {ts.Symbol} */ member) {
    const description = this.comment(member);
    const secret = SECRETS.includes(member.name) ? { secret: true } : {};
    return {
      ...this.schemaOf(this.checker.getTypeOfSymbol(member), member),
      ...(description && { description }),
      ...secret,
    };
  }

  /** @returns {Record<string, unknown>} */
  schemaOf(/** @type {ts.Type} */ type, /** @type {ts.Symbol | undefined} */ member) {
    // A record or a list, of numbers, texts or entries: generators of SDKs and programs mistake alternatives with a list of texts.
    if (member?.name === "entries" && this.mentions(type, "EntryLike", "EntriesInput")) return ANY;
    const place = PLACES[/** @type {keyof typeof PLACES} */ (member?.name ?? "")];
    if (place && this.parts(type).some((part) => part.flags & ts.TypeFlags.StringLike))
      return { oneOf: [{ type: "string" }, { $ref: this.declared(place) }] };
    const parts = this.parts(type);
    const texts = parts.filter((part) => part.flags & ts.TypeFlags.StringLike);
    const others = parts.filter((part) => !(part.flags & ts.TypeFlags.StringLike));
    const values = texts.flatMap((part) => (part.isStringLiteral() ? part.value : []));
    if (member && values.length > 1 && values.length === texts.length && others.every((part) => this.isNothing(part)))
      return { $ref: this.choice(CHOICES[member.name] ?? capitalised(member.name), values.toSorted()) };
    const found = others.flatMap((part) => this.single(part, member?.name) ?? []);
    const unique = new Map(
      [...(texts.length > 0 ? [{ type: "string" }] : []), ...found].map((one) => [JSON.stringify(one), one]),
    );
    const all = [...unique.values()];
    if (all.length === 1) return /** @type {Record<string, unknown>} */ (all[0]);
    return all.length === 0 ? ANY : { oneOf: all };
  }

  /** @returns {Record<string, unknown> | undefined} */
  single(/** @type {ts.Type} */ type, /** @type {string | undefined} */ member) {
    if (type.flags & ts.TypeFlags.NumberLike) return { type: WIDE.includes(member ?? "") ? "number" : this.numbers };
    if (type.flags & ts.TypeFlags.BooleanLike) return { type: "boolean" };
    if (this.isNothing(type)) return undefined;
    if (!(type.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection))) return ANY;
    const { checker } = this;
    const name = type.aliasSymbol?.name ?? type.symbol?.name ?? "";
    // A parsed prefix is a text for every other language.
    if (name === "Prefix") return { type: "string" };
    const element = checker.getIndexTypeOfType(type, ts.IndexKind.Number);
    if (checker.isArrayLikeType(type) && element) return { type: "array", items: this.schemaOf(element, undefined) };
    const values = checker.getIndexTypeOfType(type, ts.IndexKind.String);
    // An entry of another writer may hold a text, and a difference is null where an entry is missing.
    const isListed =
      this.numbers === "number" && this.parts(values ?? type).some((one) => one.flags & ts.TypeFlags.NumberLike);
    if (values) return { type: "object", additionalProperties: isListed ? ANY : this.schemaOf(values, undefined) };
    if (this.exported.has(name)) return { $ref: this.named(name, type) };
    if (member !== undefined && this.isPlain(type)) return { $ref: this.named(`${capitalised(member)}Args`, type) };
    // Deeper types without a name, such as those of answers, stay open.
    return ANY;
  }

  isNothing(/** @type {ts.Type} */ type) {
    return (type.flags & (ts.TypeFlags.Null | ts.TypeFlags.Undefined)) !== 0;
  }

  /** One of a few words, as a type of its own; what resources choose otherwise under the same name has theirs before it. */
  choice(/** @type {string} */ name, /** @type {string[]} */ values) {
    const choices = { type: "string", enum: values.map((value) => ({ value })) };
    const tokens = ["", this.owner].map((owner) => `packetfilter:index:${owner}${name}`);
    const isFree = (/** @type {string} */ token) =>
      !(token in this.types) || JSON.stringify(this.types[token]) === JSON.stringify(choices);
    const token = tokens.find(isFree);
    if (!token) throw new Error(`${name} chooses among other words than under the same name elsewhere`);
    this.types[token] = choices;
    return `#/types/${token}`;
  }

  /** True for an object of texts, numbers and switches alone. */
  isPlain(/** @type {ts.Type} */ type) {
    const members = this.checker.getPropertiesOfType(type);
    const flat = ts.TypeFlags.StringLike | ts.TypeFlags.NumberLike | ts.TypeFlags.BooleanLike | ts.TypeFlags.Undefined;
    const parts = members.flatMap((member) => this.parts(this.checker.getTypeOfSymbol(member)));
    return members.length > 0 && parts.every((part) => part.flags & flat);
  }

  /** An exported interface as a type. */
  declared(/** @type {string} */ name) {
    return this.named(name, this.checker.getDeclaredTypeOfSymbol(this.symbol(name)));
  }

  named(/** @type {string} */ name, /** @type {ts.Type} */ type) {
    // Every language adds a word of its own to what is given; what a state holds under the same name gets one here.
    const isState = !name.endsWith("Args") && this.exported.has(`${name}Args`);
    const token = `packetfilter:index:${isState ? `${name}State` : name.replace(/Args$/, "")}`;
    if (!(token in this.types)) {
      this.types[token] = {};
      const symbol = this.exported.get(name);
      const description = symbol ? this.comment(symbol) : "";
      this.types[token] = { type: "object", ...(description && { description }), ...this.members(type) };
    }
    return `#/types/${token}`;
  }

  /** The alternatives of a type that a program may give, without those of Outputs and promises of them. @returns {ts.Type[]} */
  parts(/** @type {ts.Type} */ type) {
    if (type.aliasSymbol?.name === "Output") return this.insideOutput(type);
    const all = type.isUnion() ? type.types : [type];
    /** @type {ts.Type[]} */
    const found = [];
    for (const part of all) {
      const name = part.symbol?.name ?? part.aliasSymbol?.name;
      if (name === "Promise") continue;
      if (name === "OutputInstance" || part.aliasSymbol?.name === "Output") {
        if (all.length === 1 || part.aliasSymbol?.name === "Output") found.push(...this.insideOutput(part));
        continue;
      }
      if (part.isUnion()) found.push(...this.parts(part));
      else found.push(part);
    }
    return found;
  }

  /** @returns {ts.Type[]} */
  insideOutput(/** @type {ts.Type} */ type) {
    const [inner] = type.aliasTypeArguments ?? this.checker.getTypeArguments(/** @type {ts.TypeReference} */ (type));
    return inner ? this.parts(inner) : [];
  }

  isOutput(/** @type {ts.Symbol} */ member) {
    const text = this.checker.typeToString(this.checker.getTypeOfSymbol(member));
    return /Output(Instance)?</.test(text) && !["urn", "id"].includes(member.name);
  }

  isOptional(/** @type {ts.Symbol} */ member) {
    if (member.flags & ts.SymbolFlags.Optional) return true;
    const text = this.checker.typeToString(
      this.checker.getTypeOfSymbol(member),
      undefined,
      ts.TypeFormatFlags.NoTruncation,
    );
    return /\| undefined>/.test(text);
  }

  mentions(/** @type {ts.Type} */ type, /** @type {string[]} */ ...names) {
    const text = this.checker.typeToString(type, undefined, ts.TypeFormatFlags.NoTruncation);
    return names.some((name) => text.includes(name));
  }

  /** The comment of a name, without links to files of the package, which an SDK in another language does not have. */
  comment(/** @type {ts.Symbol} */ symbol) {
    const text = ts.displayPartsToString(symbol.getDocumentationComment(this.checker));
    return text
      .replaceAll(/\{@link ([^}|]+?)\}/g, "`$1`")
      .replaceAll(/\s*\n\s*/g, " ")
      .replaceAll(/ \(docs\/[^)]*\)/g, "")
      .trim();
  }

  symbol(/** @type {string} */ name) {
    const found = this.exported.get(name);
    if (!found) throw new Error(`The package exports no ${name}.`);
    return found;
  }

  original(/** @type {ts.Symbol} */ symbol) {
    return symbol.flags & ts.SymbolFlags.Alias ? this.checker.getAliasedSymbol(symbol) : symbol;
  }
}

/**
 * Variables of a configuration with objects left open: the generator of Java (0.9.9) writes one class twice that a variable and an argument of
 * a function have in common, and fails.
 *
 * @param {Record<string, object>} properties
 */
function withoutTypes(properties) {
  const open = (/** @type {string} */ text) =>
    text.replaceAll(/\{"\$ref":"#\/types\/packetfilter:index:(Node|Receiver)"\}/g, JSON.stringify(ANY));
  return JSON.parse(open(JSON.stringify(properties)));
}

/** @returns {string} */
function capitalised(/** @type {string} */ name) {
  return name.slice(0, 1).toUpperCase() + name.slice(1);
}

if (process.argv[1] === import.meta.filename) {
  writeFileSync(SCHEMA, publishedJson(providerSchema()));
}
