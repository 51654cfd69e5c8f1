import type { z } from "zod";

/**
 * zod, loaded when the first schema is made: it takes as long to load as all that a program needs of this package. What
 * programs load takes it from here; what only providers, commands and clients load imports it as usual.
 */
export function zod(): typeof z {
  return (require("zod") as typeof import("zod")).z;
}

/** A schema that is made when it is first asked for, and once: it compiles itself at its first use. */
export function schema<S>(make: () => S): () => S {
  let made: S | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

type Issue = z.core.$ZodIssue | z.core.$ZodRawIssue;

/**
 * How an object that takes no other members words what is wrong, in place of zod's own texts. Never shows a value, which
 * may be a secret that stands in the wrong place.
 *
 * @param otherwise What is said of a value that is no such object.
 * @example
 * ```ts
 * z.strictObject({ endpoint: z.string() }, { error: objectError() });   // has no member `enpoint`
 * ```
 */
export function objectError(otherwise = "must be an object"): (issue: Issue) => string {
  return (issue) => unknownMembers(issue) ?? otherwise;
}

/** Names members that are not known; `undefined` for any other issue. */
export function unknownMembers(issue: Issue): string | undefined {
  if (issue.code !== "unrecognized_keys" || !Array.isArray(issue.keys)) return undefined;
  return `has no member ${issue.keys.map((key) => `\`${String(key)}\``).join(", ")}`;
}

/** Where an issue is, as people write it: `sinks[2].url`. Empty for the whole value. */
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

/** The first issue: what it says, and where it is within what is called `name`. */
export function firstIssue({ issues }: z.ZodError, name: string): { readonly place: string; readonly message: string } {
  const [{ path, message } = { path: [], message: "is not valid" }] = issues;
  return { place: issuePath([name, ...path]), message };
}
