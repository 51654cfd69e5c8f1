import { z } from "zod";

/** The types of a file. */
export interface Made {
  /** The schemas of the types, by their names. */
  readonly types: Readonly<Record<string, z.ZodType>>;
  /** Types are of what people write, or of what is read of it. Default: of what people write. */
  readonly io?: "input" | "output";
  /** Names of the types of schemas within them, by the `id` of their `meta`; those that are not imported stand in the file, too. */
  readonly named?: Readonly<Record<string, string>>;
  /** Types of members that a schema does not tell, by their path. */
  readonly members?: Readonly<Record<string, string>>;
  readonly imports?: readonly string[];
}

/** TypeScript in which each member of a schema has its description as a comment: what an editor shows. */
export function typesOf(made: Made): string {
  const writer = new Writer(made);
  for (const [name, schema] of Object.entries(made.types)) writer.add(name, schema);
  return ["// Made by tools/build-types.mjs.", ...(made.imports ?? []), "", writer.text].join("\n");
}

/** Characters of a type that fits no line: where it stands again, it refers to its first member. */
const LONG = 100;

class Writer {
  private readonly types = new Map<string, string>();
  /** Long types of members of an interface, and where they stand first. */
  private readonly first = new Map<string, string>();

  constructor(private readonly made: Made) {}

  get text(): string {
    return [...this.types.values()].join("\n");
  }

  add(name: string, schema: z.ZodType): void {
    if (this.types.has(name) || this.made.imports?.some((line) => new RegExp(`\\b${name}\\b`).test(line))) return;
    this.types.set(name, "");
    const { inner } = unwrapped(schema);
    const type = this.written(inner, "", name);
    const head = inner instanceof z.ZodObject ? `interface ${name} ${type}` : `type ${name} = ${type};`;
    this.types.set(name, `${commentOf(describing(schema))}export ${head}\n`);
  }

  /** The members of an object, in braces; `owner` is the name of an interface. */
  private members(schema: z.ZodObject, path: string, owner?: string): string {
    const lines = Object.entries(schema.shape).map(([name, member]) => {
      const { inner, canLack } = unwrapped(member);
      const isOptional = canLack === "always" || (canLack === "in input" && this.made.io !== "output");
      const whole = this.made.members?.[path + name] ?? this.type(member, `${path}${name}.`);
      const type = owner === undefined ? whole : this.once(whole, `${owner}[${JSON.stringify(name)}]`);
      const key = /^\$?\w+$/.test(name) ? name : JSON.stringify(name);
      return `${commentOf(describing(member) ?? describing(inner))}readonly ${key}${isOptional ? "?" : ""}: ${type};`;
    });
    return `{\n${lines.join("\n")}\n}`;
  }

  /** A type, or where it stands already, alone or beside the word `same`. */
  private once(type: string, place: string): string {
    const same = '"same" | ';
    const [word, rest] = type.startsWith(same) ? [same, type.slice(same.length)] : ["", type];
    const earlier = rest.length < LONG ? undefined : this.first.get(rest);
    if (earlier === undefined) this.first.set(type, place);
    return earlier === undefined ? type : word + earlier;
  }

  private type(schema: z.ZodType, path: string): string {
    const { inner, isNullable } = unwrapped(schema);
    const later = inner instanceof z.ZodLazy ? (inner.unwrap() as z.ZodType) : inner;
    const id = [schema, later].map((one) => z.globalRegistry.get(one)?.id).find((one) => one !== undefined);
    const name = this.made.named?.[String(id)];
    if (name !== undefined) this.add(name, later);
    const type = name ?? this.written(inner, path);
    return isNullable ? `${type} | null` : type;
  }

  private written(schema: z.ZodType, path: string, owner?: string): string {
    if (schema instanceof z.ZodObject)
      return Object.keys(schema.shape).length === 0 ? "Record<string, never>" : this.members(schema, path, owner);
    if (schema instanceof z.ZodArray) return `readonly (${this.type(schema.element as z.ZodType, path)})[]`;
    if (schema instanceof z.ZodRecord)
      return `{ readonly [name: string]: ${this.type(schema.valueType as z.ZodType, path)} }`;
    if (schema instanceof z.ZodEnum) return schema.options.map((one) => JSON.stringify(one)).join(" | ");
    if (schema instanceof z.ZodLiteral) return [...schema.values].map((one) => JSON.stringify(one)).join(" | ");
    if (schema instanceof z.ZodUnion) return this.union(schema.options as z.ZodType[], path);
    if (schema instanceof z.ZodNumber) return "number";
    if (schema instanceof z.ZodString || schema instanceof z.ZodStringFormat) return "string";
    if (schema instanceof z.ZodBoolean) return "boolean";
    if (schema instanceof z.ZodNever) return "never";
    // What refers to itself and has no name is any JSON.
    if (schema instanceof z.ZodUnknown || schema instanceof z.ZodLazy) return "unknown";
    throw new Error(`${path} is of a kind that no type is made of: ${schema.type}`);
  }

  private union(options: readonly z.ZodType[], path: string): string {
    // A text beside words stands for other spellings of them.
    const hasWords = options.some((one) => one instanceof z.ZodEnum);
    const meant = options.filter((one) => !(hasWords && one instanceof z.ZodString));
    return [...new Set(meant.map((one) => this.type(one, path)))].join(" | ");
  }
}

/** A schema without what only says whether it may be left out, and what is read of it. */
function unwrapped(schema: z.ZodType) {
  let inner = schema;
  let canLack: "never" | "in input" | "always" = "never";
  let isNullable = false;
  for (;;) {
    if (inner instanceof z.ZodOptional) canLack = "always";
    else if (inner instanceof z.ZodDefault) canLack = "in input";
    else if (inner instanceof z.ZodNullable) isNullable = true;
    else if (inner instanceof z.ZodPipe) {
      // What is read in other spellings has the type of the usual one.
      inner = (inner.in instanceof z.ZodTransform ? inner.out : inner.in) as z.ZodType;
      continue;
    } else return { inner, canLack, isNullable };
    inner = inner.unwrap() as z.ZodType;
  }
}

/** The description of a member, or of what it holds. */
function describing(schema: z.ZodType): string | undefined {
  const { inner } = unwrapped(schema);
  const element = inner instanceof z.ZodArray ? (inner.element as z.ZodType) : undefined;
  return schema.description ?? inner.description ?? element?.description;
}

/** The words of a comment in lines. */
function commentOf(text: string | undefined): string {
  if (text === undefined) return "";
  const sentence = (text[0]?.toUpperCase() ?? "") + text.slice(1) + (/[.?]$/.test(text) ? "" : ".");
  const lines = sentence.replaceAll("*/", "*\\/").match(/.{1,110}(?:\s|$)/g) ?? [];
  if (lines.length === 1) return `/** ${sentence} */\n`;
  return ["/**", ...lines.map((line) => ` * ${line.trim()}`), " */\n"].join("\n");
}
