import { z } from "zod";
import { MAX_VALUE } from "../../model/entry-value";
import { pick, seededRandom } from "../time/random";

/** One point that the contract leaves open: what the emulator does by default, and what other nodes might do. */
export interface Switch<Schema extends z.ZodType = z.ZodType> {
  readonly schema: Schema;
  /** Settings other than the default that are worth testing a client against. */
  readonly alternatives: readonly z.output<Schema>[];
  /** Alternatives under which a correct client must refuse or fail; a dialect drawn by seed has none of them. */
  readonly refusals?: readonly z.output<Schema>[];
}

function choice<const T extends readonly [string, ...string[]]>(options: T, about: string, refusals?: T[number][]) {
  const [normal, ...rest] = options;
  const alternatives = rest.filter((option) => !refusals?.some((refusal) => refusal === option));
  return {
    schema: z
      .enum(options)
      .default(normal as z.output<z.ZodEnum<{ [K in T[number]]: K }>>)
      .describe(about),
    alternatives,
    refusals,
  };
}

function amount(normal: number, options: { alternatives: number[]; refusals?: number[] }, about: string) {
  return { schema: z.int().min(0).default(normal).describe(about), ...options };
}

/**
 * Every open point of the contract as a switch. The first option is the default. Nothing here is a vendor's behaviour;
 * each is what some node could do without breaking the contract.
 */
export const SWITCHES = {
  listEnvelope: choice(
    ["data", "array", "result", "entries", "records", "items", "list", "keyed"],
    "Where a list stands in its answer: under a member of this name, as a bare array, or (prefix-sets only) as an object keyed by prefix, whose empty form is [].",
  ),
  emptyList: choice(["array", "null"], "An empty list inside an envelope: an empty array or null."),
  prefixKey: choice(
    ["p", "a", "prefix", "addr", "address", "ip", "cidr"],
    "Member of a listed entry that holds its prefix.",
  ),
  valueKey: choice(["v", "value", "val"], "Member of a listed entry that holds its value."),
  entryForm: choice(["object", "string"], "Form of a listed entry; with string, entries of value 1 are plain strings."),
  singleAddress: choice(["cidr", "bare"], "How a prefix-set lists a single address: 192.0.2.1/32 or 192.0.2.1."),
  markKeys: choice(["short", "long"], "Member names of mark records: a, id, v, t or address, id, value, lifetime."),
  markAge: choice(["hidden", "shown"], "Whether mark records carry their age in seconds."),
  markExpired: choice(["hidden", "shown"], "Whether expired mark records are listed for a while, with status expired."),
  success: choice(
    ["status", "empty", "text", "count"],
    "Answer to insert, delete and commit: {status: ok}, nothing, the text ok, or {count: n}.",
  ),
  errorForm: choice(
    ["json", "json-200", "status-200", "success-200", "text", "html"],
    "Form of node API errors: JSON member error with a status, one of three JSON forms with status 200, plain text, or a page of HTML.",
  ),
  listShows: choice(["applied", "staged"], "Whether list shows applied entries or what a commit would make of them."),
  insertExisting: choice(["overwrite", "error"], "Insert of a prefix that is in the set."),
  deleteAbsent: choice(["success", "error"], "Delete of a prefix that is not in the set."),
  emptyCommit: choice(["success", "error"], "Commit with nothing staged."),
  maxEntriesPerRequest: amount(0, { alternatives: [100] }, "Most data items of a request; 0 is any number."),
  maxBodyBytes: amount(
    64 * 2 ** 20,
    { alternatives: [16_384] },
    "Largest body of a request in bytes; larger ones are answered without being read.",
  ),
  capStatus: choice(["413", "400"], "Status of a request with too many data items."),
  setCapacity: amount(
    0,
    { alternatives: [] },
    "Most entries that a set can hold, staged ones counted; 0 is any number. More is answered with 507.",
  ),
  trailingSlash: choice(
    ["any", "strict"],
    "Whether a url may end with / at will, or (as the contract shows it) only and always in the commit of a global set.",
  ),
  userArena: choice(
    ["ignored", "required"],
    "Whether the list of marks needs the header User-Arena with the arena of the url.",
  ),
  redirect: choice(
    ["none", "307", "308", "301", "302", "307-elsewhere"],
    "Whether /fapi redirects, and to the same origin or another.",
    ["301", "302", "307-elsewhere"],
  ),
  ipv6: choice(["accepted", "error"], "IPv6 entries in a prefix-set.", ["error"]),
  hostBits: choice(
    ["error", "mask", "keep"],
    "An entry with host bits: refused, masked, or kept and listed in its own spelling, in which it must be deleted.",
  ),
  refusedEntry: choice(["nothing", "rest"], "What is staged of a request in which one entry is refused."),
  commitDelay: amount(
    0,
    { alternatives: [50] },
    "Milliseconds of virtual time from the answer of a commit to its effect.",
  ),
  maxValue: { ...amount(MAX_VALUE, { alternatives: [], refusals: [255] }, "Largest value of an entry.") },
  nested: choice(
    ["apart", "merged"],
    "Whether list shows nested prefixes as they are, or merges covered and adjacent ones of equal value.",
    ["merged"],
  ),
  deleteCovers: choice(
    ["exact", "covered"],
    "Whether delete removes the exact prefix only, or every prefix that it covers.",
  ),
  signalingErrors: choice(
    ["status", "text-200", "json", "json-message", "json-detail", "json-200"],
    "Form of signaling errors: text with a status, text with status 200, JSON member error, message or detail with a status, JSON member error with status 200.",
  ),
  statusWrongSecret: choice(
    ["error", "not-found", "empty"],
    "Answer to status with a wrong secret: the error, 404, or an empty list.",
    ["empty"],
  ),
  signalingPartial: choice(
    ["all-or-nothing", "valid-ones"],
    "Start or stop of several prefixes when one is not possible; valid-ones carries out the others and answers the error.",
  ),
  statusForm: choice(["cidr", "bare"], "How status writes a single address: 192.0.2.1/32 or 192.0.2.1."),
  statusDelay: amount(0, { alternatives: [50] }, "Milliseconds of virtual time until status shows a start."),
  lease: {
    ...amount(
      0,
      { alternatives: [], refusals: [60_000] },
      "Milliseconds of virtual time after which a signaling ends by itself; 0 is never.",
    ),
  },
} satisfies Record<string, Switch>;

/** Name of a switch. */
export type SwitchName = keyof typeof SWITCHES;

type Schemas = { [K in SwitchName]: (typeof SWITCHES)[K]["schema"] };

/** The settings of all switches: strict, each with its default. */
export const dialectSchema = z
  .strictObject(Object.fromEntries(Object.entries(SWITCHES).map(([name, { schema }]) => [name, schema])) as Schemas)
  .meta({ id: "Dialect", description: "How the open points of the contract are settled: each switch has a default." });

/** How an emulator behaves where the contract leaves a choice. */
export type Dialect = z.output<typeof dialectSchema>;

/** Some switches; the others have their defaults. */
export type DialectSettings = z.input<typeof dialectSchema>;

/** Sensible sets of switches, by name. */
export const DIALECTS = {
  default: {},
  /** Long member names and a bare array: a node written for people. */
  verbose: {
    listEnvelope: "array",
    prefixKey: "prefix",
    valueKey: "value",
    markKeys: "long",
    markAge: "shown",
    markExpired: "shown",
    success: "count",
  },
  /** As few bytes as possible. */
  terse: {
    listEnvelope: "array",
    entryForm: "string",
    singleAddress: "bare",
    success: "empty",
    statusForm: "bare",
    errorForm: "text",
  },
  /** Errors and successes all with status 200. */
  "always-200": { errorForm: "json-200", signalingErrors: "text-200", success: "text" },
  /** Refuses whatever it can refuse. */
  strict: {
    insertExisting: "error",
    deleteAbsent: "error",
    emptyCommit: "error",
    trailingSlash: "strict",
    userArena: "required",
  },
  /** Accepts and repairs whatever it can. */
  lenient: { hostBits: "mask", refusedEntry: "rest", signalingPartial: "valid-ones", listShows: "staged" },
  /** Answers before things have happened. */
  eventual: { commitDelay: 200, statusDelay: 200 },
  /** Small limits. */
  small: { maxEntriesPerRequest: 100, maxBodyBytes: 16_384 },
} as const satisfies Record<string, DialectSettings>;

/** Name of a set of switches, or `seed:N`: one drawn at random, the same for the same N. */
export type DialectName = keyof typeof DIALECTS | `seed:${number}`;

/**
 * The dialect that a name or some settings mean.
 *
 * @throws {TypeError} for an unknown name, switch or setting.
 * @example
 * ```ts
 * dialect("seed:42");
 * dialect({ listShows: "staged" });
 * ```
 */
export function dialect(choice: string | DialectSettings = "default"): Dialect {
  if (typeof choice !== "string") return parse(choice);
  const seed = /^seed:(\d{1,10})$/.exec(choice)?.[1];
  if (seed !== undefined) return randomDialect(Number(seed));
  const named = Object.entries(DIALECTS).find(([name]) => name === choice);
  if (named) return parse(named[1]);
  throw new TypeError(
    `Unknown dialect ${JSON.stringify(choice)}: write ${Object.keys(DIALECTS).join(", ")} or seed:N.`,
  );
}

/** The switches that differ from their default: what a report of a failing dialect prints. */
export function deviations(of: Dialect): DialectSettings {
  const normal = parse({});
  return Object.fromEntries(Object.entries(of).filter(([name, value]) => normal[name as SwitchName] !== value));
}

/** One dialect for each alternative of each switch, that one alone set: what a client's contract tests walk. */
export function singleSwitchDialects(): { name: SwitchName; setting: string | number; refused: boolean }[] {
  return Object.entries(SWITCHES).flatMap(([name, it]: [string, Switch]) => {
    const settings = (values: readonly unknown[] = [], refused: boolean) =>
      values.map((setting) => ({ name: name as SwitchName, setting: setting as string | number, refused }));
    return [...settings(it.alternatives, false), ...settings(it.refusals, true)];
  });
}

function randomDialect(seed: number): Dialect {
  const random = seededRandom(seed);
  const drawn = Object.entries(SWITCHES).map(([name, { schema, alternatives }]: [string, Switch]) => [
    name,
    pick(random, [schema.parse(undefined), ...alternatives]),
  ]);
  return parse(Object.fromEntries(drawn));
}

function parse(settings: unknown): Dialect {
  const result = dialectSchema.safeParse(settings);
  if (result.success) return result.data;
  throw new TypeError(`The dialect is not valid: ${z.prettifyError(result.error).replaceAll("\n", " ")}`);
}
