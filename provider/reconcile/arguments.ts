import { z } from "zod";
import type { ListedValue } from "../model/entry";
import { hasUnknown, isObject, type JsonObject, UNKNOWN, without } from "../model/json";
import { nearest } from "../model/nearest";
import { type CanonicalPrefix, Prefix } from "../model/prefix";
import type { ListedMap } from "../model/prefix-map";
import { declaredNameProblem } from "../model/resource-url";
import { issuePath } from "../model/schema";

/** A name of an arena, profile or set. */
const nameSchema = z.string({ error: "is not a text" }).superRefine((name, context) => {
  const problem = declaredNameProblem(name);
  if (problem !== undefined) context.addIssue({ code: "custom", message: `${JSON.stringify(name)} ${problem}` });
});

export const hostBitsSchema = z.enum(["reject", "mask"], { error: 'is neither "reject" nor "mask"' });
/** Entries that a destroy removes, or that leave with a node of a group: all, none, or those that the resource inserted. */
export const onDestroySchema = z.enum(["remove", "keep", "created"], {
  error: 'is not one of "remove", "keep", "created"',
});
export type OnDestroy = z.output<typeof onDestroySchema>;
export const onExistingSchema = z.enum(["fail", "adopt"], { error: 'is neither "fail" nor "adopt"' });
export const prefixListSchema = z.array(z.string({ error: "is not a text" }), { error: "is not an array of prefixes" });
/** A prefix length. */
function lengthSchema(longest: number) {
  const error = `is not an integer from 0 to ${longest}`;
  return z.number({ error }).int(error).min(0, error).max(longest, error);
}

const shortestSchema = z.strictObject(
  {
    ipv4: lengthSchema(32).optional(),
    ipv6: lengthSchema(128).optional(),
  },
  { error: (issue) => (issue.code === "invalid_type" ? "is not an object such as { ipv4: 16, ipv6: 32 }" : undefined) },
);
/** Connections are checked by the settings, which know names and secrets. */
export const connectionSchema = z.unknown();

export const setShape = { arena: nameSchema, profile: nameSchema.optional(), set: nameSchema };

/** Arguments that limit entries, for sets and for single entries. */
export const entryLimitShape = {
  forbiddenPrefixes: prefixListSchema.optional(),
  shortestPrefix: shortestSchema.optional(),
};

/** Unchecked arguments by the names of a schema. */
type Given<S> = { readonly [K in keyof S]?: unknown };

/**
 * Checks arguments member by member; a member with an unknown part is not checked. A member that is checked elsewhere, with
 * its unknown parts, has the schema `z.unknown()`.
 *
 * @returns `given`: all arguments, unchanged; `args`: the known ones, `undefined` if there are problems
 */
export function checkArguments<S extends z.ZodRawShape>(schema: z.ZodObject<S>, news: JsonObject) {
  const unknown = Object.keys(news).filter((key) => hasUnknown(news[key]) && key in schema.shape);
  const checkable = Object.fromEntries(Object.entries(news).filter(([key]) => !unknown.includes(key)));
  // A schema compiles itself at its first use, so a new one is made only if needed.
  const narrowed =
    unknown.length === 0
      ? schema
      : new z.ZodObject({
          ...schema.def,
          shape: Object.fromEntries(Object.entries(schema.shape).filter(([key]) => !unknown.includes(key))),
        });
  const result = narrowed.safeParse(checkable);
  const problems = result.error?.issues.map((issue) => sentence(issue, checkable, Object.keys(schema.shape))) ?? [];
  return { given: news as Given<S>, args: result.data as Partial<z.output<z.ZodObject<S>>> | undefined, problems };
}

function sentence(issue: z.core.$ZodIssue, args: JsonObject, known: readonly string[]): string {
  const path = issuePath(issue.path);
  if (issue.code === "unrecognized_keys") {
    const where = path === "" ? "" : `${path}: `;
    return `${where}there is no argument ${issue.keys.map((key) => JSON.stringify(key)).join(", ")}: ${meant(path === "" ? issue.keys.map((key) => nearest(key, known)) : [])}.`;
  }
  const [name] = issue.path;
  if (issue.path.length === 1 && typeof name === "string" && args[name] === undefined) return `${path}: is missing.`;
  return `${path}: ${issue.message}.`;
}

function meant(near: readonly (string | undefined)[]): string {
  const names = near.flatMap((name) => (name === undefined ? [] : JSON.stringify(name)));
  return names.length === 0
    ? "check the spelling"
    : `${names.join(" and ")} ${names.length === 1 ? "is" : "are"} likely meant`;
}

/** Entries by the object that they were read from: a call of the engine reads the same ones several times. */
const READ = new WeakMap<object, ListedMap>();

/** Entries as a state has them; they need not be read again. @param flat The same ones as an object, where there is one */
export function stored(entries: ListedMap, flat: JsonObject = Object.fromEntries(entries)): JsonObject {
  // One that is unknown is in no state.
  if (![...entries.values()].includes(UNKNOWN)) READ.set(flat, entries);
  return flat;
}

/**
 * Reads states and checked inputs. An absent member has its default, as in states of earlier versions or written by hand.
 * An unreadable member is an error that names it: a newer version may have written it, and a default could empty a set.
 */
export class Stored {
  /** @param resource Name in messages: `PrefixSet prefixset://edge/blocked`. */
  constructor(
    private readonly json: JsonObject,
    private readonly resource: string,
  ) {}

  /** Arguments by a schema whose errors are half sentences, such as "is not a text". @throws {Error} naming the member */
  given<S extends z.ZodRawShape>(schema: z.ZodObject<S>): z.output<z.ZodObject<S>> {
    return this.members(schema, remedy);
  }

  /** Facts of the state by a schema as above: no program can give them. @throws {Error} naming the member */
  facts<S extends z.ZodRawShape>(schema: z.ZodObject<S>): z.output<z.ZodObject<S>> {
    return this.members(schema, () => NEWER);
  }

  /**
   * Prefix to value.
   *
   * @param name `lost`: entries of the last program that a refresh did not find, or found with another value.
   * @throws {Error} naming the member; {PrefixError} for a key that is not a prefix
   */
  entries(name: "entries" | "lost" = "entries"): ListedMap {
    const members = this.object(name);
    const earlier = READ.get(members);
    if (earlier) return earlier;
    const entries = new Map<CanonicalPrefix, ListedValue>();
    Object.keys(members).forEach((prefix) => {
      const listed = members[prefix];
      if (isListedValue(listed)) entries.set(Prefix.canonical(prefix), listed);
      else if (listed !== UNKNOWN) throw this.unread(`${name}["${prefix}"]`, listed, NO_VALUE);
    });
    READ.set(members, entries);
    return entries;
  }

  /** Prefix to note, as text. @throws {Error} naming the member; {PrefixError} for a key that is not a prefix */
  notes(): Map<CanonicalPrefix, string> {
    const notes = new Map<CanonicalPrefix, string>();
    for (const [prefix, note] of Object.entries(this.object("notes"))) {
      if (typeof note !== "string") throw this.unread(`notes["${prefix}"]`, note, NO_TEXT);
      notes.set(Prefix.canonical(prefix), note);
    }
    return notes;
  }

  /** Prefixes in their order. @throws {Error} naming the member; {PrefixError} for a text that is not a prefix */
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

  /** Without a schema, which would copy the ten thousand entries of a state. */
  private object(name: string): JsonObject {
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

/** The state for an update, without arguments that this version cannot read: the program gives them again. */
export function replaced(json: JsonObject, schema: z.ZodObject): JsonObject {
  const result = schema.safeParse(present(schema, json));
  if (result.success) return json;
  return without(
    json,
    result.error.issues.map(({ path }) => String(path[0])),
  );
}

function present(schema: z.ZodObject, json: JsonObject): JsonObject {
  const names = Object.keys(schema.shape).filter((name) => json[name] !== null && json[name] !== undefined);
  return Object.fromEntries(names.map((name) => [name, json[name]]));
}

const NEWER = "Use the version of the package that wrote it, or a newer one";

function remedy(name: string): string {
  return `${NEWER}; or give ${name} in the program and run pulumi up without --refresh`;
}

function inWords(value: unknown): string {
  if (Array.isArray(value)) return "an array";
  return typeof value === "object" ? "an object" : JSON.stringify(value);
}

const NO_TEXT = "is not a text";
const NO_VALUE = "is neither a number nor a text";
const textsSchema = z.array(z.string());

export const optionalText = z.string({ error: NO_TEXT }).optional();
export const flag = z.boolean({ error: "is neither true nor false" }).default(false);

/** The value of an entry, also one that another writer put there and a refresh found. Not the unknown marker. */
export const listedValue = z.custom<ListedValue>(isListedValue, { error: NO_VALUE });

function isListedValue(value: unknown): value is ListedValue {
  return typeof value === "number" || (typeof value === "string" && value !== UNKNOWN);
}
