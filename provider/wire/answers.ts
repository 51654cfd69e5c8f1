import type { z } from "zod";
import { objectError, schema, zod } from "../model/schema";

/** The four kinds of lists of the node API (docs/contract.md#node-endpoint), as `answers.path` names them. */
const LIST_KINDS = ["prefixset", "profiles", "rules", "marks"] as const;

/** One of `LIST_KINDS`. */
export type ListKind = (typeof LIST_KINDS)[number];

/** What members of entries, marks, profiles and rules mean, as `answers.names` names it. */
export const MEMBERS = [
  "prefix",
  "prefixLength",
  "value",
  "id",
  "name",
  "lifetime",
  "age",
  "status",
  "address",
  "source",
  "destination",
  "sourcePort",
  "destinationPort",
  "protocol",
] as const;

/** One of `MEMBERS`. */
export type Member = (typeof MEMBERS)[number];

/**
 * How a node answers where the natural shapes do not fit (docs/contract.md#node-answers).
 *
 * @example
 * ```ts
 * // {"payload":{"rows2":[{"subnet":"192.0.2.0","size":24,"weight":7}]}}
 * const answers: Answers = {
 *   path: { prefixset: "payload.rows2" },
 *   names: { prefix: "subnet", prefixLength: "size", value: "weight" },
 * };
 * ```
 */
export interface Answers {
  /** Where the list is in an answer, dotted (`"result.items"`): for every kind of list, or for those that are named. */
  readonly path?: string | Readonly<Partial<Record<ListKind, string>>>;
  /** The node's own names of members. Case does not matter. A record without the named member is read by natural names. */
  readonly names?: Readonly<Partial<Record<Member, string>>>;
  /** What stands for an empty list: `"{}"` an empty object, `""` also an answer without a body. Default: neither. */
  readonly empty?: "{}" | "";
}

/** What is known about a node when one of its answers is read. */
export interface NodeHabits {
  readonly answers?: Answers;
  /** Places where this node listed keyed objects before: there, an empty object is an empty list. Readers add to it. */
  readonly keyedPlaces?: Set<string>;
  /** A longer list is refused. Default: no limit. */
  readonly maxListRecords?: number;
}

/** Checks {@link Answers} from arguments, config or a file. Unknown members are refused by name. Writes no defaults. */
export const answersSchema = schema((): z.ZodType<Answers> => {
  const z = zod();
  const text = z.string({ error: "must be a text" }).min(1, { error: "must not be empty" });
  const path = z
    .string({ error: "must be a text" })
    .regex(/^[^.]+(\.[^.]+)*$/, { error: "must be names of members with dots between them" });
  const paths = z.strictObject(
    { prefixset: path.optional(), profiles: path.optional(), rules: path.optional(), marks: path.optional() },
    { error: objectError("must be a text, or an object of texts by kind of list") },
  );

  const names = z
    .strictObject(
      Object.fromEntries(MEMBERS.map((member) => [member, text.optional()])) as Record<
        Member,
        z.ZodOptional<typeof text>
      >,
      { error: objectError("must be an object of texts") },
    )
    .superRefine((given, context) => {
      const seen = new Map<string, string>();
      for (const [member, name] of Object.entries(given)) {
        if (name === undefined) continue;
        const other = seen.get(name.toLowerCase());
        if (other) context.addIssue({ code: "custom", path: [member], message: `is the name of \`${other}\` already` });
        seen.set(name.toLowerCase(), member);
      }
    });

  return z.strictObject(
    {
      path: z
        .unknown()
        .transform((value, context) => {
          const result = (typeof value === "string" ? path : paths).safeParse(value);
          if (result.success) return result.data;
          for (const { message, path: at } of result.error.issues) {
            context.addIssue({ code: "custom", path: [...at], message });
          }
          return z.NEVER;
        })
        .optional(),
      names: names.optional(),
      empty: z.enum(["{}", ""], { error: 'must be "{}" or ""' }).optional(),
    },
    { error: objectError("must be an object") },
  );
});

/**
 * The setting that makes a list be looked for at `path`: `answers.path: "payload"`. A path that holds for all kinds
 * already goes on to hold for the others.
 */
export function pathSetting(answers: Answers | undefined, kind: ListKind, path: string): string {
  if (answers?.path === undefined) return `answers.path: ${JSON.stringify(path)}`;
  const { path: given } = answers;
  const others = typeof given === "string" ? Object.fromEntries(LIST_KINDS.map((each) => [each, given])) : given;
  return `answers.path: ${literal({ ...others, [kind]: path })}`;
}

/** The setting that names members, those that are named already included: `answers.names: { prefix: "subnet" }`. */
export function namesSetting(answers: Answers | undefined, given: Answers["names"]): string {
  return `answers.names: ${literal({ ...answers?.names, ...given })}`;
}

function literal(members: Readonly<Record<string, string | undefined>>): string {
  const parts = Object.entries(members).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}: ${JSON.stringify(value)}`],
  );
  return `{ ${parts.join(", ")} }`;
}
