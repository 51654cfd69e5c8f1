import type { z } from "zod";
import { nearest } from "./nearest";

/**
 * zod, loaded with the first schema: it takes as long to load as all else that a program needs of this package. Modules that
 * programs load take it from here; those that only providers, commands and clients load import it as usual.
 */
export function zod(): typeof z {
  return (require("zod") as typeof import("zod")).z;
}

/** A schema that is made at its first use, and once, since zod compiles every new schema. */
export function schema<S>(make: () => S): () => S {
  let made: S | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

type Issue = z.core.$ZodIssue | z.core.$ZodRawIssue;

/**
 * Errors of a strict object, in place of zod's own texts. They never show a value, which may be a misplaced secret.
 *
 * @param otherwise Error for a value that is not an object.
 * @example
 * ```ts
 * z.strictObject({ endpoint: z.string() }, { error: objectError() });   // has no member `enpoint`
 * ```
 */
export function objectError(otherwise = "must be an object"): (issue: Issue) => string {
  return (issue) => unknownMembers(issue) ?? otherwise;
}

/** Names unknown members; `undefined` for any other issue. */
export function unknownMembers(issue: Issue): string | undefined {
  if (issue.code !== "unrecognized_keys" || !Array.isArray(issue.keys)) return undefined;
  const known = schemaMembers(Reflect.get(issue, "inst"));
  const meant = issue.keys.flatMap((key) => nearest(String(key), known) ?? []);
  const more = meant.length === 0 ? "" : `: ${quoted(meant)} ${meant.length === 1 ? "is" : "are"} likely meant`;
  return `has no member ${quoted(issue.keys)}${more}`;
}

/** Names of the members of an object's schema; none for any other schema. */
export function schemaMembers(schema: unknown): string[] {
  const definition: unknown = schema instanceof Object && "def" in schema ? schema.def : undefined;
  return definition instanceof Object && "shape" in definition && definition.shape instanceof Object
    ? Object.keys(definition.shape)
    : [];
}

function quoted(names: readonly unknown[]): string {
  return names.map((name) => `\`${String(name)}\``).join(", ");
}

/** Path of an issue as people write it: `sinks[2].url`. Empty for the whole value. */
export function issuePath(path: readonly PropertyKey[]): string {
  return path.reduce<string>(
    (text, part) => (typeof part === "number" ? `${text}[${part}]` : `${text}${text && "."}${String(part)}`),
    "",
  );
}

/** All issues of a value in one text, each with its path in backticks. */
export function describeIssues({ issues }: z.ZodError): string {
  return issues
    .map(({ path, message }) => (path.length === 0 ? message : `\`${issuePath(path)}\` ${message}`))
    .join("; ");
}

/** Message of the first issue, and its place within the value called `name`. */
export function firstIssue({ issues }: z.ZodError, name: string): { readonly place: string; readonly message: string } {
  const [{ path, message } = { path: [], message: "is not valid" }] = issues;
  return { place: issuePath([name, ...path]), message };
}
