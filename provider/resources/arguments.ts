import { z } from "zod";
import { declaredNameProblem } from "../model/resource-url";
import { issuePath } from "../model/schema";
import { hasUnknown, type JsonObject } from "./json";

/** A name of an arena, profile or set. */
const nameSchema = z.string({ error: "is not a text" }).superRefine((name, context) => {
  const problem = declaredNameProblem(name);
  if (problem !== undefined) context.addIssue({ code: "custom", message: `${JSON.stringify(name)} ${problem}` });
});

export const hostBitsSchema = z.enum(["reject", "mask"], { error: 'is neither "reject" nor "mask"' });
export const onExistingSchema = z.enum(["fail", "adopt"], { error: 'is neither "fail" nor "adopt"' });
export const prefixListSchema = z.array(z.string({ error: "is not a text" }), { error: "is not an array of prefixes" });
const shortestSchema = z.strictObject({
  ipv4: z.number().int().min(0).max(32).optional(),
  ipv6: z.number().int().min(0).max(128).optional(),
});
/** Connections are checked by the settings, which know names and secrets. */
export const connectionSchema = z.unknown();

/** The arguments that identify a set. */
export const setShape = { arena: nameSchema, profile: nameSchema.optional(), set: nameSchema };

/** The arguments that limit which entries an entry's set may be given. */
export const entryLimitShape = {
  forbiddenPrefixes: prefixListSchema.optional(),
  shortestPrefix: shortestSchema.optional(),
};

/** Arguments by the names that a schema knows, and not checked. */
type Given<S> = { readonly [K in keyof S]?: unknown };

/** Arguments split into those that can be checked now and those that a preview does not know yet. */
export interface CheckedArguments<S, A> {
  /** All of them, as they came. */
  readonly given: Given<S>;
  /** What is known and valid; `undefined` if there are problems. */
  readonly args: Partial<A> | undefined;
  readonly problems: readonly string[];
}

/**
 * Checks arguments member by member; a member that is unknown, or holds something unknown, is not checked.
 * A member that may hold unknown parts and is checked elsewhere has the schema `z.unknown()`.
 */
export function checkArguments<S extends z.ZodRawShape>(
  schema: z.ZodObject<S>,
  news: JsonObject,
): CheckedArguments<S, z.output<z.ZodObject<S>>> {
  const unknown = Object.keys(news).filter((key) => hasUnknown(news[key]) && key in schema.shape);
  const checkable = Object.fromEntries(Object.entries(news).filter(([key]) => !unknown.includes(key)));
  // A schema compiles itself at its first use, so a new one is made only where something is unknown.
  const narrowed =
    unknown.length === 0
      ? schema
      : new z.ZodObject({
          ...schema.def,
          shape: Object.fromEntries(Object.entries(schema.shape).filter(([key]) => !unknown.includes(key))),
        });
  const result = narrowed.safeParse(checkable);
  if (!result.success) {
    const problems = result.error.issues.map((issue) => sentence(issue, checkable));
    return { given: news as Given<S>, args: undefined, problems };
  }
  return { given: news as Given<S>, args: result.data as Partial<z.output<z.ZodObject<S>>>, problems: [] };
}

function sentence(issue: z.core.$ZodIssue, args: JsonObject): string {
  const path = issuePath(issue.path);
  if (issue.code === "unrecognized_keys") {
    const where = path === "" ? "" : `${path}: `;
    return `${where}there is no argument ${issue.keys.map((key) => JSON.stringify(key)).join(", ")}: check the spelling.`;
  }
  const [name] = issue.path;
  if (issue.path.length === 1 && typeof name === "string" && args[name] === undefined) return `${path}: is missing.`;
  return `${path}: ${issue.message}.`;
}
