import { z } from "zod";
import { MAX_VALUE } from "../../model/entry-value";

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

/** A name that a node chose: one of the usual ones, or any other. */
function named(normal: string, alternatives: string[], about: string) {
  const schema = z
    .string()
    .regex(
      /^[A-Za-z_][\w-]*(\.[A-Za-z_][\w-]*)*$/,
      "must be a name of letters, digits, _ and -; names within one another are joined by dots",
    )
    .default(normal)
    .describe(about);
  return { schema, alternatives };
}

/** Kinds of refusals of the node API, each with the status that it has by default (our choice). */
export const REFUSALS = {
  unknown: 404,
  exists: 400,
  absent: 400,
  nothingStaged: 400,
  refusedEntry: 400,
  userArena: 400,
  credentials: 401,
} as const;

/** Why the node API refuses a request that has the form of the contract. */
export type RefusalKind = keyof typeof REFUSALS;

const errorStatus = (normal: RefusalKind, alternatives: number[], about: string) => ({
  schema: z
    .int()
    .min(200)
    .max(599)
    .default(REFUSALS[normal])
    .describe(`Status of the error ${about}; errorForm says how it is written.`),
  alternatives,
});

/** With a status of 200 the form must say that it is an error; so it is no alternative here. */
const refusals = {
  unknownStatus: errorStatus("unknown", [400, 410], "for an arena, profile or set that does not exist"),
  existsStatus: errorStatus("exists", [409], "for an insert of what is there (insertExisting: error)"),
  absentStatus: errorStatus("absent", [404], "for a delete of what is not there (deleteAbsent: error)"),
  nothingStagedStatus: errorStatus("nothingStaged", [409], "for a commit of nothing (emptyCommit: error)"),
  refusedEntryStatus: errorStatus("refusedEntry", [422], "for an entry that is not accepted"),
  userArenaStatus: errorStatus("userArena", [403], "for a list of marks without its User-Arena"),
  credentialsStatus: errorStatus("credentials", [403], "for missing or wrong credentials"),
};

/**
 * Every open point of the contract as a switch. The first option is the default. Nothing here is a vendor's behaviour;
 * each is what some node could do without breaking the contract.
 */
export const SWITCHES = {
  listEnvelope: named(
    "data",
    [
      "array",
      "result",
      "results",
      "response",
      "entries",
      "records",
      "items",
      "list",
      "rows",
      "DATA",
      "data.items",
      "keyed",
    ],
    "Where a list stands in its answer: under a member of this name (any name; names within one another are joined by dots), as a bare array, or (keyed, prefix-sets only) as an object keyed by prefix.",
  ),
  emptyList: choice(
    ["own", "array", "null"],
    "An empty list: in the form of a full one ([], or {} where it is keyed), always [], or null where it stands in an envelope.",
  ),
  prefixKey: named(
    "p",
    ["a", "prefix", "addr", "address", "ip", "cidr", "net", "network", "Prefix"],
    "Member of a listed entry that holds its prefix; any name.",
  ),
  valueKey: named("v", ["value", "val"], "Member of a listed entry that holds its value; any name."),
  lengthKey: named(
    "none",
    ["m", "mask", "len", "prefix_len", "bits"],
    "Member of a listed entry that holds the length of its prefix beside the address; any name; none: the length stands in the prefix.",
  ),
  lengthForm: choice(["number", "netmask"], "A length beside its address: 24, or (IPv4 only) 255.255.255.0."),
  entryForm: choice(
    ["object", "string", "pair", "keyed"],
    "Form of listed entries: objects; plain strings where the value is 1; pairs [prefix, value]; or one object keyed by prefix in the place of the list.",
  ),
  singleAddress: choice(["cidr", "bare"], "How a prefix-set lists a single address: 192.0.2.1/32 or 192.0.2.1."),
  markKeys: choice(["short", "long"], "Member names of mark records: a, id, v, t or address, id, value, lifetime."),
  markAge: choice(["hidden", "shown"], "Whether mark records carry their age in seconds."),
  markAddress: choice(["bare", "cidr"], "How mark records write an address: 192.0.2.1 or 192.0.2.1/32."),
  missingTable: choice(
    ["empty", "error"],
    "A list of marks of a type that neither the rules nor the state of the profile speak of: an empty list, or 404.",
    ["error"],
  ),
  markExpired: choice(["hidden", "shown"], "Whether expired mark records are listed for a while, with status expired."),
  success: choice(
    ["status", "empty", "text", "count", "ok", "code", "no-content"],
    "Answer to insert, delete and commit: {status: ok}, nothing, the text ok, {count: n}, {ok: true}, {code: 0, msg: ok}, or nothing with status 204.",
  ),
  errorForm: choice(
    ["json", "json-200", "status-200", "success-200", "code-200", "text", "text-200", "html"],
    "Form of node API errors: JSON member error with a status, one of four JSON forms with status 200, plain text, the text error: … with status 200, or a page of HTML.",
  ),
  ...refusals,
  unknownSet: choice(
    ["refused", "made"],
    "First insert into a set that does not exist, in an arena or profile that does: refused, or it makes the set.",
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
  capStatus: choice(["413", "400"], "Status of a request with too many data items or bytes."),
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
    ["present", "ignored", "required"],
    "The header User-Arena of a list of marks: must be there with any value, is not looked at, or must be the arena of the url.",
  ),
  markPace: choice(
    ["noted", "table", "node"],
    "A list of marks less than three seconds after the end of the last one of its table: noted in the journal (tooSoon), or refused with 429 and Retry-After; with node, the last one of any table counts.",
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
  signalingAddress: choice(
    ["cidr", "any"],
    "A single address in start and stop: only as 192.0.2.1/32, or also as 192.0.2.1; else ip_prefix invalid.",
  ),
  signalingIpv6: choice(["accepted", "error"], "IPv6 prefixes in start and stop: accepted, or ip_prefix invalid."),
  signalingPrefixes: choice(
    ["within", "registered"],
    "Which prefixes a client may signal: its registered ones and all within them, or the registered ones exactly.",
    ["registered"],
  ),
  signalingOverlap: choice(
    ["accepted", "invalid"],
    "Start of a prefix that lies within an active one or around it: a signaling of its own, or ip_prefix invalid.",
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
