import { isEntryValue, MAX_VALUE } from "../model/entry";
import { isRecord } from "../model/given-entries";
import type { HostBits } from "../model/prefix";
import { firstIssue, issuePath, objectError, schema, zod } from "../model/schema";

export const FORMATS = ["txt", "csv", "json", "ndjson", "yaml"] as const;

export const DUPLICATE_RULES = ["fail", "first", "last", "max"] as const;
/** The parts of an entry that can have columns. */
export const COLUMNS = ["prefix", "prefixLength", "end", "value", "reason", "ticket", "expires"] as const;

/** As `columns.prefixLength`: lengths follow a slash, and no column is one. */
export const IN_TEXT = "/";

/** Format of a file. */
export type PrefixFileFormat = (typeof FORMATS)[number];

/** Treatment of a prefix that a file holds with different values. */
export type DuplicateRule = (typeof DUPLICATE_RULES)[number];

/** Columns of the parts of an entry: names of a head line or of members, or numbers from 0. */
export interface PrefixColumns {
  /** The prefix or address, or the first address of a range. Default: a column with a usual name, such as `prefix` or `ip`. */
  readonly prefix?: string | number;
  /**
   * Length of the prefix, or its netmask; `"/"`: lengths follow a slash in `prefix`, and no other column is one. Default: a
   * column with a usual name, such as `mask`, `netmask`, `prefixlen` or `bits`.
   */
  readonly prefixLength?: string | number;
  /** Last address of the range; default: a column with a usual name, such as `end`, `last` or `end_ip`. */
  readonly end?: string | number;
  /** Its value; default: none, all get the option `value`. */
  readonly value?: string | number;
  /** The reason; default: none, all get the option `reason`. */
  readonly reason?: string | number;
  /** Ticket; default: none. */
  readonly ticket?: string | number;
  /** ISO time with zone after which the entry is no longer wanted; default: none. */
  readonly expires?: string | number;
}

/** Options of `readPrefixFile` and `parsePrefixes`. */
export interface PrefixFileOptions {
  /** Format. Default: by the file's extension and content. */
  readonly format?: PrefixFileFormat;
  /** Columns, for CSV, JSON, NDJSON and YAML. Default: the members of the published lists, then those named as the parts. */
  readonly columns?: PrefixColumns;
  /**
   * Place of the records in a JSON or YAML document, names of members with dots between them: `"roas"`, `"data.entries"`. What
   * stands beside them is ignored, but for signs that they are only a part. Default: the published lists, or the whole document.
   */
  readonly records?: string;
  /**
   * `true` if the first row of a CSV file is a head line. Default: with names in `columns` it is; with numbers only it is not;
   * without `columns`, if it holds the usual names.
   */
  readonly header?: boolean;
  /** Value of entries that have none; default 1. */
  readonly value?: number;
  /** Reason of entries that have none. */
  readonly reason?: string;
  /** `"reject"` (default): `192.0.2.1/24` is a problem. `"mask"`: it is `192.0.2.0/24`. */
  readonly hostBits?: HostBits;
  /**
   * Entry that is kept if a prefix appears again with another value: none, an error (`"fail"`, default), the `"first"`, the
   * `"last"`, or the one with the largest value (`"max"`). With equal values, the first is kept unless the other expires later. An
   * entry that has expired never takes the place of another one.
   */
  readonly onDuplicate?: DuplicateRule;
  /**
   * `true` returns the fewest entries with the same content for each address; default `false`. A list of a million lines then
   * takes half of the memory and of the time, since only the entries that are left become an object.
   */
  readonly aggregate?: boolean;
  /** Most entries of a file, before any are joined; more are an error. Default: no limit. */
  readonly maxEntries?: number;
  /** Most bytes of a file; a larger one is an error, and is not read to its end. Default: 268 435 456 (256 MiB). */
  readonly maxBytes?: number;
  /** `true` allows a file without prefixes, or with fewer than it announces; default `false`. */
  readonly allowEmpty?: boolean;
  /**
   * Selects records by members, compared as texts. Of several values one must match; of a member that is an array, one element
   * is enough. For example `{ service: "EC2", region: ["eu-west-1", "eu-west-2"] }` or `{ simulated: false }`.
   */
  readonly select?: Readonly<Record<string, string | boolean | readonly (string | boolean)[]>>;
  /** Name of the text in errors; default: the file's name as given, or `text`. */
  readonly file?: string;
}

const optionsSchema = schema(() => {
  const z = zod();
  const column = z
    .unknown()
    .refine(
      (given): given is string | number => typeof given === "string" || (Number.isInteger(given) && Number(given) >= 0),
      {
        error: "is neither a name nor a number from 0",
      },
    );

  const memberValue = z.union([z.string(), z.boolean()]);

  return z.strictObject({
    format: z.enum(FORMATS, { error: `is not one of ${FORMATS.join(", ")}` }).optional(),
    columns: z
      .strictObject(
        {
          prefix: column.optional(),
          prefixLength: column.optional(),
          end: column.optional(),
          value: column.optional(),
          reason: column.optional(),
          ticket: column.optional(),
          expires: column.optional(),
        },
        { error: objectError('is not an object, such as { prefix: "cidr" }') },
      )
      .optional(),
    records: z.string({ error: "is not a text" }).min(1, "is empty").optional(),
    header: z.boolean({ error: "is neither true nor false" }).optional(),
    value: z.unknown().refine(isEntryValue, `is not an integer from 0 to ${MAX_VALUE}`).optional(),
    reason: z.string({ error: "is not a text" }).optional(),
    hostBits: z.enum(["reject", "mask"], { error: 'is neither "reject" nor "mask"' }).optional(),
    onDuplicate: z.enum(DUPLICATE_RULES, { error: `is not one of ${DUPLICATE_RULES.join(", ")}` }).optional(),
    aggregate: z.boolean({ error: "is neither true nor false" }).optional(),
    maxEntries: z.number({ error: "is not a number" }).int("is not an integer").min(0, "is negative").optional(),
    maxBytes: z.number({ error: "is not a number" }).int("is not an integer").min(1, "is below 1").optional(),
    allowEmpty: z.boolean({ error: "is neither true nor false" }).optional(),
    select: z
      .record(
        z.string(),
        z.union([memberValue, z.array(memberValue).readonly()], { error: "is neither a text nor a boolean" }),
        {
          error: 'is not an object of texts and booleans, such as { service: "EC2" }',
        },
      )
      .optional(),
    file: z.string({ error: "is not a text" }).optional(),
  });
});

/** @throws {TypeError} naming the option. */
export function parseOptions(given: unknown): PrefixFileOptions {
  if (given !== undefined && !isRecord(given)) throw new TypeError("The options are not an object.");
  const result = optionsSchema().safeParse(given ?? {});
  if (result.success) {
    const { header, columns } = result.data;
    if (header === false && namesColumns(columns))
      throw new TypeError("The option `columns` has names, and `header` is false: number the columns from 0.");
    return result.data;
  }
  const [issue] = result.error.issues;
  if (issue?.code === "unrecognized_keys") {
    throw new TypeError(`There is no option \`${issuePath([...issue.path, ...issue.keys.slice(0, 1)])}\`.`);
  }
  const { place, message } = firstIssue(result.error, "");
  throw new TypeError(`The option \`${place}\` ${message}.`);
}

/** True for columns of which one has a name, which a head line or a member has. */
export function namesColumns(columns: PrefixColumns | undefined): boolean {
  return Object.values(columns ?? {}).some((column) => typeof column === "string" && column !== IN_TEXT);
}
