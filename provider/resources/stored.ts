import { z } from "zod";
import type { ListedValue } from "../model/entry";
import { type CanonicalPrefix, Prefix } from "../model/prefix";
import { isObject, type JsonObject, UNKNOWN, without } from "./json";

/**
 * Reads what states and checked inputs hold. In states of earlier versions and in those that people wrote by hand a member
 * that is absent has its default. One that this version cannot read is refused by name: a newer version may have written
 * it, and a default in its place could empty a set that is to stay.
 */
export class Stored {
  /** @param resource What messages call it: `PrefixSet prefixset://edge/blocked`. */
  constructor(
    private readonly json: JsonObject,
    private readonly resource: string,
  ) {}

  /** Arguments by a schema whose errors are half sentences, such as "is not a text". @throws {Error} naming the member */
  words<S extends z.ZodRawShape>(schema: z.ZodObject<S>): z.output<z.ZodObject<S>> {
    return this.members(schema, wayOut);
  }

  /** What is held, by a schema as above: no program can give it. @throws {Error} naming the member */
  facts<S extends z.ZodRawShape>(schema: z.ZodObject<S>): z.output<z.ZodObject<S>> {
    return this.members(schema, () => NEWER);
  }

  /** Prefix to value. @throws {Error} naming the member; {PrefixError} for a key that is no prefix */
  entries(): Map<CanonicalPrefix, ListedValue> {
    const entries = new Map<CanonicalPrefix, ListedValue>();
    const members = this.object("entries");
    for (const prefix of Object.keys(members)) {
      const listed = members[prefix];
      if (isListedValue(listed)) entries.set(Prefix.canonical(prefix), listed);
      else if (listed !== UNKNOWN) throw this.unread(`entries["${prefix}"]`, listed, NO_VALUE);
    }
    return entries;
  }

  /** Prefix to note, as text. @throws {Error} naming the member; {PrefixError} for a key that is no prefix */
  notes(): Map<CanonicalPrefix, string> {
    const notes = new Map<CanonicalPrefix, string>();
    for (const [prefix, note] of Object.entries(this.object("notes"))) {
      if (typeof note !== "string") throw this.unread(`notes["${prefix}"]`, note, NO_TEXT);
      notes.set(Prefix.canonical(prefix), note);
    }
    return notes;
  }

  /** Prefixes in their order. @throws {Error} naming the member; {PrefixError} for a text that is no prefix */
  prefixes(name: string): CanonicalPrefix[] {
    const listed = this.json[name] ?? [];
    const texts = textsSchema.safeParse(listed);
    if (!texts.success) throw this.unread(name, listed, "is not a list of texts");
    return texts.data.map((prefix) => Prefix.canonical(prefix));
  }

  private members<S extends z.ZodRawShape>(schema: z.ZodObject<S>, remedy: (name: string) => string) {
    const result = schema.safeParse(present(schema, this.json));
    if (result.success) return result.data;
    const [issue] = result.error.issues;
    const name = String(issue?.path[0]);
    throw this.unread(name, this.json[name], issue?.message ?? "", remedy(name));
  }

  /** Without a schema, which copies what it reads and costs more than all the rest: states hold ten thousand entries. */
  private object(name: string): Readonly<Record<string, unknown>> {
    const value = this.json[name] ?? {};
    if (isObject(value)) return value;
    throw this.unread(name, value, "is not an object");
  }

  private unread(name: string, value: unknown, problem: string, remedy = NEWER): Error {
    return new Error(
      `The state of ${this.resource}: ${name} is ${inWords(value)}, which ${problem}. Nothing was sent. ${remedy}.`,
    );
  }
}

/**
 * A state that an update replaces, without the arguments in it that this version cannot read: the program gives them anew.
 *
 * @param schema of these arguments
 */
export function replaced(json: JsonObject, schema: z.ZodObject): JsonObject {
  const result = schema.safeParse(present(schema, json));
  if (result.success) return json;
  return without(
    json,
    result.error.issues.map(({ path }) => String(path[0])),
  );
}

/** The members that a schema knows, as far as they are there. */
function present(schema: z.ZodObject, json: JsonObject): JsonObject {
  const names = Object.keys(schema.shape).filter((name) => json[name] !== null && json[name] !== undefined);
  return Object.fromEntries(names.map((name) => [name, json[name]]));
}

const NEWER = "Use the version of the package that wrote it, or a newer one";

function wayOut(name: string): string {
  return `${NEWER}; or give ${name} in the program and run pulumi up without --refresh`;
}

function inWords(value: unknown): string {
  if (Array.isArray(value)) return "an array";
  return typeof value === "object" ? "an object" : JSON.stringify(value);
}

const NO_TEXT = "is not a text";
const NO_VALUE = "is neither a number nor a text";
const textsSchema = z.array(z.string());

/** A text, where there is one. */
export const optionalText = z.string({ error: NO_TEXT }).optional();
/** True or false; false where it is absent. */
export const flag = z.boolean({ error: "is neither true nor false" }).default(false);

/** The value of an entry: one of ours, or one that another writer put there and a refresh found. Not the unknown marker. */
export const listedValue = z.custom<ListedValue>(isListedValue, { error: NO_VALUE });

function isListedValue(value: unknown): value is ListedValue {
  return typeof value === "number" || (typeof value === "string" && value !== UNKNOWN);
}
