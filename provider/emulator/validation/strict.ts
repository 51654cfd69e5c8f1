import { z } from "zod";
import { messageOf } from "../../model/errors";
import { nearest } from "../../model/nearest";
import { Prefix } from "../../model/prefix";
import { WRONG_PLACES } from "../defaults";
import { unreportedCount } from "./bounded";
import { markType } from "./mark-type";

/**
 * Checks external values by a schema: options and arguments in plain JavaScript, states, bodies of the control API. An error
 * names the wrong place and, for a misspelt name, the likely spelling.
 *
 * @param about Beginning of the message, such as `The fault is not valid`.
 * @param Failure Class of the error. Default: `TypeError`.
 * @throws {TypeError} or what `Failure` names.
 * @example
 * ```ts
 * strictly(journalFilter, { comand: "list" }, "requests()");
 * // TypeError: requests(): there is no "comand"; did you mean "cmd"?
 * ```
 */
export function strictly<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  about: string,
  Failure: new (message: string) => Error = TypeError,
): z.output<Schema> {
  const inherited = inheritedPlace(value);
  if (inherited)
    throw new Failure(`${about}: ${inherited.join(".")}: the name "${PROTO}" ${inheritedNameProblem(PROTO)}.`);
  const result = schema.safeParse(value, { error: wording, reportInput: true });
  if (result.success) return result.data;
  const { issues } = result.error;
  const reported = unknownFirst(issues.filter((issue) => unreportedCount(issue) === 0));
  const problems = [...new Set(reported.flatMap((issue) => describe(issue, [])))];
  const others = issues.reduce(
    (sum, issue) => sum + unreportedCount(issue),
    Math.max(0, problems.length - WRONG_PLACES),
  );
  const more = others > 0 ? `; and ${others} more` : "";
  throw new Failure(sentence(`${about}: ${problems.slice(0, WRONG_PLACES).join("; ")}${more}`));
}

/** A refinement of a schema: an error of `read` becomes an issue. */
export function readBy<Value>(read: (value: Value) => unknown) {
  return (value: Value, context: z.RefinementCtx): void => {
    try {
      read(value);
    } catch (error) {
      context.addIssue({ code: "custom", message: messageOf(error) });
    }
  };
}

export const prefixText = z.string().superRefine(readBy((text: string) => Prefix.parse(text)));

/** Converts texts to numbers if the schema has numbers; others, also an empty one, are left for the schema to refuse. */
export function fromTexts(schema: z.ZodObject, texts: Readonly<Record<string, string>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(texts).map(([name, text]) => {
      const member = Object.hasOwn(schema.shape, name) ? (schema.shape[name] as z.ZodType) : undefined;
      // Number("") is 0.
      const isNumber = /\d/.test(text) && !Number.isNaN(Number(text));
      const isText = member === undefined || member.safeParse(text).success || !isNumber;
      return [name, isText ? text : Number(text)];
    }),
  );
}

/** Reason why a name cannot be used in a state; `undefined` if it can. */
export function inheritedNameProblem(name: string): string | undefined {
  return name in {} ? "is reserved, since every object has a member of this name" : undefined;
}

/** Better texts than zod's for unknown members and values, with the nearest existing ones. */
const wording: z.core.$ZodErrorMap = (issue) => {
  if (issue.code === "unrecognized_keys") {
    const members = issue.inst instanceof z.ZodObject ? Object.keys(issue.inst.shape) : [];
    return issue.keys.map((key) => `there is no ${quoted(key)}${advice(key, members)}`).join("; ");
  }
  if (issue.code === "invalid_value") {
    const near = typeof issue.input === "string" ? meant(issue.input, issue.values.map(String)) : undefined;
    const values = issue.values.map((each) => (typeof each === "string" ? quoted(each) : String(each))).join(", ");
    const one = issue.values.length === 1 ? "" : "one of ";
    return `must be ${one}${values}${issue.input === undefined ? "" : `, not ${choice(issue.input)}`}${near === undefined ? "" : `; did you mean ${quoted(near)}?`}`;
  }
  if (issue.code === "invalid_type") {
    if (issue.input === undefined) return `is missing: it must be ${article(issue.expected)}`;
    return `must be ${article(issue.expected)}, not ${kind(issue.input)}`;
  }
  if (issue.code === "too_small" || issue.code === "too_big") return bound(issue);
  return undefined;
};

/** Text for a number or length out of bounds. */
function bound(issue: z.core.$ZodRawIssue<z.core.$ZodIssueTooSmall | z.core.$ZodIssueTooBig>): string {
  const [side, limit] = issue.code === "too_small" ? ["at least", issue.minimum] : ["at most", issue.maximum];
  if (issue.origin === "string") return limit === 1 ? "must not be empty" : `must have ${side} ${limit} characters`;
  if (issue.origin === "array") return limit === 1 ? "must not be empty" : `must have ${side} ${limit} items`;
  return `must be ${issue.inclusive === false ? (side === "at least" ? "above" : "below") : side} ${limit}, not ${kind(issue.input)}`;
}

/** An issue with its place: for a union that of the alternative that fits best, for a bad key the reason. */
function describe(issue: z.core.$ZodIssue, before: readonly PropertyKey[]): string[] {
  const path = [...before, ...issue.path];
  if (issue.code === "invalid_union" && issue.errors.length > 0) return describeUnion(issue.errors, path);
  const reason = issue.code === "invalid_key" ? (issue.issues[0]?.message ?? issue.message) : issue.message;
  if (path.length > 0) return [`${path.join(".")}: ${reason}`];
  return [reason.startsWith("is missing") ? `the argument ${reason}` : reason];
}

/** Issues of the alternative that fits furthest; if none fits at all, the description of each. */
function describeUnion(alternatives: readonly (readonly z.core.$ZodIssue[])[], path: readonly PropertyKey[]): string[] {
  const inside = alternatives.filter((issues) => issues.some((it) => it.path.length > 0 || isMember(it)));
  const [best] = inside.toSorted((a, b) => a.length - b.length);
  if (best) return unknownFirst(best).flatMap((issue) => describe(issue, path));
  const meant = alternatives.flat().find(({ message }) => message.includes("; did you mean "));
  if (meant) return describe(meant, path);
  const all = alternatives.flatMap((issues) => issues.flatMap((issue) => describe(issue, path)));
  return [[...new Set(all)].map((text, at) => (at === 0 ? text : text.replace(/^.*: (?=must be)/, ""))).join(", or ")];
}

/** A missing member is often a misspelt one: unknown members are reported first. */
function unknownFirst(issues: readonly z.core.$ZodIssue[]): z.core.$ZodIssue[] {
  return issues.toSorted((a, b) => Number(isUnknown(b)) - Number(isUnknown(a)));
}

function isMember(issue: z.core.$ZodIssue): boolean {
  return isUnknown(issue) || issue.code === "custom";
}

function isUnknown({ code }: z.core.$ZodIssue): boolean {
  return code === "unrecognized_keys";
}

/**
 * The place of a member `__proto__`, which JSON and YAML make an own member, and code a prototype. zod ignores both, so this
 * check comes first.
 */
function inheritedPlace(value: unknown): string[] | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  if (!Array.isArray(value)) {
    const prototype: unknown = Object.getPrototypeOf(value);
    // An object of a class is not plain data; its schema checks it.
    if (prototype !== null && prototype !== Object.prototype) return isWrittenDown(prototype) ? [PROTO] : undefined;
    if (Object.hasOwn(value, PROTO)) return [PROTO];
  }
  for (const name in value) {
    const member: unknown = value[name as keyof typeof value];
    if (typeof member !== "object") continue;
    const place = inheritedPlace(member);
    if (place) return [name, ...place];
  }
  return undefined;
}

const PROTO = "__proto__";

/** True for a prototype that is an object literal, not that of a class. */
function isWrittenDown(prototype: unknown): boolean {
  return typeof prototype === "object" && prototype !== null && !Object.hasOwn(prototype, "constructor");
}

function advice(name: string, known: readonly string[]): string {
  const near = meant(name, known);
  if (near !== undefined) return `; did you mean ${quoted(near)}?`;
  return known.length > 0 && known.length <= 12 ? `; there are ${known.join(", ")}` : "";
}

/** The known name for an alias, or the known name with the fewest changed letters. */
function meant(name: string, known: readonly string[]): string | undefined {
  const synonyms = [SYNONYMS[name.toLowerCase()], markType(name)];
  return known.find((each) => synonyms.includes(each)) ?? nearest(name, known);
}

/** Names of other tools for members of this package. */
const SYNONYMS: Readonly<Record<string, string>> = {
  src: "from",
  source: "from",
  dst: "to",
  dest: "to",
  destination: "to",
  protocol: "proto",
  command: "cmd",
  comand: "cmd",
  operation: "op",
};

const sentence = (text: string) => (/[.?]$/.test(text) ? text : `${text}.`);

const quoted = (text: string) => JSON.stringify(text);

/** A wrong choice, shortened. */
function choice(value: unknown): string {
  if (typeof value !== "string") return kind(value);
  return quoted(value.length > 60 ? `${value.slice(0, 60)}…` : value);
}

/** The kind of a wrong value: a text may be a secret in the wrong place. */
function kind(value: unknown): string {
  if (typeof value === "string") return "a text";
  if (Array.isArray(value)) return "an array";
  return typeof value === "object" && value !== null ? "an object" : String(value);
}

const ARTICLES: Record<string, string> = {
  int: "a whole number",
  number: "a number",
  string: "a text",
  boolean: "true or false",
  array: "an array",
  object: "an object",
  record: "an object",
  function: "a function",
};

function article(expected: string): string {
  return ARTICLES[expected] ?? expected;
}
