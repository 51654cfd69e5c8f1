import { jsonIn } from "./readable";
import { schema, zod } from "./schema";

/**
 * The largest value of an entry, of a mark and of an id; the smallest is 0. The contract names no range: 32 bits are our
 * choice.
 */
export const MAX_VALUE = 2 ** 32 - 1;

/** True for a value that an entry may have: an integer from 0 to {@link MAX_VALUE}. */
export function isEntryValue(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= MAX_VALUE;
}

/**
 * The value of an entry as a node lists it. This package writes integers from 0 to 2³²−1. The value of another writer may be
 * any number or text, such as the digits of an integer beyond ±(2⁵³−1); it is kept unchanged and only compared.
 */
export type ListedValue = number | string;

/** The note of an entry: its reason, ticket and time. Notes never cause a request. */
export interface EntryNote {
  /** Reason of the entry, for people. */
  readonly reason?: string | undefined;
  /** A reference into another system, for example `INC-4711`. */
  readonly ticket?: string | undefined;
  /** ISO 8601 time with zone, after which the entry is no longer wanted. */
  readonly expires?: string | undefined;
  /** Of an expired entry: the value with which `block --now` inserted it into this set, if it did; of a group by node. */
  readonly sent?: number | Readonly<Record<string, number>> | undefined;
}

/**
 * Values with which `block --now` inserted an entry, by {@link sentPlace}. A prefix file keeps them, so that an entry can still be
 * removed if it expires or leaves the file before the next `up`.
 */
export type SentTo = Readonly<Record<string, number>>;

/**
 * Key under which an entry of a prefix file carries the text of {@link formatSent}. It survives when programs spread and merge
 * entries, and never appears in JSON or in outputs of a stack. All copies of the package share the symbol.
 */
export const SENT: unique symbol = Symbol.for("pulumi-packetfilter.sent");

/** The text of an entry under {@link SENT}. */
export function sentIn(entry: unknown): string | undefined {
  const found: unknown = typeof entry === "object" && entry !== null ? Reflect.get(entry, SENT) : undefined;
  return typeof found === "string" ? found : undefined;
}

/** A set at a node, as a prefix file names it: `http://192.0.2.10 prefixset://edge/blocked`. */
export function sentPlace(endpoint: string, url: string): string {
  return `${endpoint} ${url}`;
}

/**
 * Places of an entry on one line: value, url of the set and addresses of nodes. Places with another value or set follow after
 * a semicolon.
 *
 * @example
 * ```ts
 * formatSent({ "http://192.0.2.10 prefixset://edge/blocked": 1, "http://192.0.2.11 prefixset://edge/blocked": 1 });
 * // "1 prefixset://edge/blocked http://192.0.2.10 http://192.0.2.11"
 * ```
 */
export function formatSent(sent: SentTo): string {
  const groups = new Map<string, string[]>();
  for (const [place, value] of Object.entries(sent)) {
    const [endpoint = "", url = ""] = place.split(" ");
    const key = `${value} ${url}`;
    groups.set(key, [...(groups.get(key) ?? []), endpoint]);
  }
  return [...groups].map(([key, endpoints]) => `${key} ${endpoints.join(" ")}`).join("; ");
}

/** The inverse of {@link formatSent}; `undefined` for any other text. */
export function parseSent(text: string | undefined): SentTo | undefined {
  const sent: Record<string, number> = {};
  for (const group of text?.split("; ") ?? []) {
    const [value = "", url, ...endpoints] = group.split(" ");
    const number = /^\d{1,10}$/.test(value) ? Number(value) : Number.NaN;
    if (!isEntryValue(number) || !url || endpoints.length === 0 || endpoints.includes("")) return undefined;
    for (const endpoint of endpoints) sent[sentPlace(endpoint, url)] = number;
  }
  return sent;
}

/** Error for a text that {@link parseSent} does not read. */
export const NO_SENT = "is not where block --now put it: <value> <url of the set> <address of a node> …";

/**
 * Reads {@link SentTo} from its text.
 *
 * @internal
 */
export const sentSchema = schema(() =>
  zod().string({ error: NO_SENT }).refine(parseSent, NO_SENT).transform(parseSent),
);

const sentValue = schema(() => zod().unknown().refine(isEntryValue, `is not an integer from 0 to ${MAX_VALUE}`));

/**
 * An ISO 8601 time with zone: without one, it would be a different moment on another machine.
 *
 * @internal
 */
export const expiresSchema = schema(() =>
  zod().iso.datetime({
    offset: true,
    error: 'is not an ISO time with zone: write for example "2030-01-31T18:00:00Z"',
  }),
);

const noteSchema = schema(() => {
  const z = zod();
  const said = z.string().regex(/\S/).optional().catch(undefined);
  return z.object({
    reason: said,
    ticket: said,
    expires: expiresSchema().optional().catch(undefined),
    sent: z
      .union([sentValue(), z.record(z.string(), sentValue())])
      .optional()
      .catch(undefined),
  });
});

/**
 * A note as the state keeps it: JSON with its members in a fixed order; `undefined` for an empty one.
 *
 * @example
 * ```ts
 * formatNote({ ticket: "INC-4711", reason: "SYN flood" });   // '{"reason":"SYN flood","ticket":"INC-4711"}'
 * ```
 */
export function formatNote({ reason, ticket, expires, sent }: EntryNote): string | undefined {
  const text = JSON.stringify({ reason, ticket, expires, sent });
  return text === "{}" ? undefined : text;
}

/**
 * The inverse of {@link formatNote}; it also takes the members as an object. It never fails, since a bad note must not block a
 * state: a member that is blank or cannot be read is left out.
 */
export function parseNote(note: unknown): EntryNote {
  const read = noteSchema().safeParse(typeof note === "string" ? jsonIn(note) : note);
  if (!read.success) return {};
  const { reason, ticket, expires, sent } = read.data;
  return {
    ...(reason && { reason }),
    ...(ticket && { ticket }),
    ...(expires && { expires }),
    ...(sent !== undefined && { sent }),
  };
}
