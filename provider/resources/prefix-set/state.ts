import { z } from "zod";
import type { SetResult } from "../../apply/set-operation";
import { type JsonObject, type Verbatim, without } from "../../model/json";
import { parseShareLimit } from "../../model/limits";
import type { CanonicalPrefix } from "../../model/prefix";
import type { ListedMap } from "../../model/prefix-map";
import { formatUrl, readAddress } from "../../model/resource-url";
import {
  connectionSchema,
  entryLimitShape,
  hostBitsSchema,
  type OnDestroy,
  onDestroySchema,
  onExistingSchema,
  optionalText,
  prefixListSchema,
  replaced,
  Stored,
  setShape,
} from "../../reconcile/arguments";
import type { ContentArguments } from "../../reconcile/limits/content";
import type { RemovalArguments } from "../../reconcile/limits/removals";
import type { UsedBefore } from "../changes";
import type { SetPlace } from "../resource-set";

/** Schema of a number or percentage. A number as a text is for the configuration, where everything is text. */
export function shareSchema(of: "entries" | "nodes") {
  const isShare = (value: unknown) =>
    (typeof value === "number" || (typeof value === "string" && value.endsWith("%"))) &&
    parseShareLimit(value) !== undefined;
  const error = ({ input }: { readonly input?: unknown }) =>
    typeof input === "string" && /^\d+$/.test(input)
      ? `is a text: write the number ${input}, or "${input}%"`
      : `is neither a number of ${of} nor a percentage such as "20%"`;
  return z.custom<number | string>(isShare, { error }).optional();
}

/** The arguments that limit the set. */
export const limitShape = {
  ...entryLimitShape,
  requiredPrefixes: prefixListSchema.optional(),
  maxEntries: z.number({ error: "is not a number" }).int("is not an integer").min(0, "is negative").optional(),
  maxRemovals: shareSchema("entries"),
  maxChanges: shareSchema("entries"),
  allowEmpty: z.boolean({ error: "is neither true nor false" }).optional(),
};

/** The arguments of a `PrefixSet`. `entries` and `node` are checked by modules of their own. */
export const prefixSetSchema = z.strictObject({
  ...setShape,
  entries: z.unknown(),
  exclusive: z.boolean({ error: "is neither true nor false" }).optional(),
  onExisting: onExistingSchema.optional(),
  onDestroy: onDestroySchema.optional(),
  hostBits: hostBitsSchema.optional(),
  ...limitShape,
  node: connectionSchema.optional(),
});

/** Outputs that are not arguments. */
export const PREFIX_SET_OUTPUTS = [
  "url",
  "count",
  "endpoint",
  "adopted",
  "found",
  "existed",
  "unsettled",
  "lost",
] as const;

/** Members that inputs and state of one set of one node share. */
interface SetMembers extends SetPlace {
  readonly entries: ListedMap;
  readonly notes: ReadonlyMap<CanonicalPrefix, string>;
  readonly exclusive: boolean;
  readonly onExisting: "fail" | "adopt";
  readonly onDestroy: OnDestroy;
}

/** Inputs of one set of one node. */
export interface SetInputs extends SetMembers {
  readonly limits: ContentArguments & RemovalArguments;
}

/** State of one set of one node. */
export interface SetState extends SetMembers, UsedBefore {
  /** Prefixes whose last write ended without a known result. */
  readonly unsettled: ReadonlySet<CanonicalPrefix>;
  /** Entries of the last program that a refresh did not find, or found with another value; they belong to `entries` too. */
  readonly lost?: ListedMap;
  /** Entries of the state that come from an adoption or a refresh, and not from a program. */
  readonly foreign: ReadonlySet<CanonicalPrefix>;
  /** Prefixes that the node held before this resource declared them. */
  readonly existed: ReadonlySet<CanonicalPrefix>;
  /** True if the last `up` skipped the node or failed there: withdrawn entries of its notes are still to be removed. */
  readonly isOpen?: boolean;
}

/** The state for an update: where the program begins to share the set, what a refresh or an adoption brought belongs to others. */
export function shareable<S extends SetState>(
  state: S,
  { exclusive, entries: desired }: Pick<SetInputs, "exclusive" | "entries">,
): S {
  if (exclusive || !state.exclusive || state.foreign.size === 0) return state;
  const isOwn = ([prefix]: [CanonicalPrefix, unknown]) => !state.foreign.has(prefix) || desired.has(prefix);
  return { ...state, entries: new Map([...state.entries].filter(isOwn)) };
}

export type PrefixSetInputs = ReturnType<typeof readInputs>;

export type PrefixSetState = ReturnType<typeof readState>;

const { exclusive, onExisting, onDestroy } = prefixSetSchema.shape;
const givenSchema = z.object({
  node: z.unknown().optional(),
  exclusive: exclusive.default(true),
  onExisting: onExisting.default("fail"),
  onDestroy: onDestroy.default("remove"),
});
const limits = z.object(limitShape);
const usedBefore = z.object({ endpoint: optionalText });

/** Reads inputs that `check` made. */
export function readInputs(json: JsonObject) {
  return { ...readMembers(json), limits: limits.parse(json) };
}

/** Reads outputs, of this version or of an earlier one. @throws {Error} naming what this version cannot read */
export function readState(json: JsonObject) {
  const stored = storedSet(json);
  const members = readMembers(json);
  const lost = stored.entries("lost");
  return {
    ...members,
    entries: lost.size > 0 ? new Map([...members.entries, ...lost]) : members.entries,
    lost,
    ...stored.facts(usedBefore),
    unsettled: new Set(stored.prefixes("unsettled")),
    existed: new Set(stored.prefixes("existed")),
    foreign: new Set([...stored.prefixes("adopted"), ...stored.prefixes("found")]),
  };
}

/** {@link readState} for an update, whose program gives the arguments again. */
export function readReplaced(json: JsonObject): PrefixSetState {
  return readState(replaced(json, givenSchema));
}

/** Outputs or inputs with a name for messages. @throws {Error} when they name no set */
export function storedSet(json: JsonObject): Stored {
  return new Stored(json, `PrefixSet ${formatUrl(readAddress(json))}`);
}

function readMembers(json: JsonObject) {
  const stored = storedSet(json);
  return {
    ...stored.given(givenSchema),
    address: readAddress(json),
    entries: stored.entries(),
    notes: stored.notes(),
    /** The arguments for the engine, unchanged. */
    verbatim: without(json, PREFIX_SET_OUTPUTS) as Verbatim,
  };
}

/** A set in the state. */
export interface KeptSet {
  readonly entries: ListedMap;
  readonly endpoint: string;
  /** Prefixes that were adopted as they are. */
  readonly adopted?: Iterable<CanonicalPrefix> | undefined;
  /** Prefixes that a refresh found undeclared or with another value, and those adopted before it. */
  readonly found?: Iterable<CanonicalPrefix> | undefined;
  /** Entries of the last program that a refresh did not find, or found with another value. */
  readonly lost?: ListedMap | undefined;
  /** Prefixes that the node held before this resource declared them. */
  readonly existed?: Iterable<CanonicalPrefix> | undefined;
  /** Prefixes whose write ended without a known result. */
  readonly unsettled?: Iterable<CanonicalPrefix> | undefined;
  /** Changes of the run at the node, by its list. */
  readonly changes?: SetResult["changes"];
}

/** The outputs of a resource with these arguments. */
export function writeState(
  { verbatim, address }: Pick<PrefixSetInputs, "verbatim" | "address">,
  { entries, endpoint, adopted, found, existed, lost, unsettled }: KeptSet,
): JsonObject {
  return {
    ...verbatim,
    entries: Object.fromEntries(entries),
    url: formatUrl(address),
    count: entries.size,
    endpoint,
    ...(adopted && { adopted: [...adopted] }),
    ...(found && { found: [...found] }),
    ...some("existed", existed),
    ...(lost && lost.size > 0 && { lost: Object.fromEntries(lost) }),
    ...(unsettled && { unsettled: [...unsettled] }),
  };
}

/** A list, where it has members. */
function some(key: string, prefixes: Iterable<CanonicalPrefix> = []): JsonObject {
  const list = [...prefixes];
  return list.length > 0 ? { [key]: list } : {};
}
