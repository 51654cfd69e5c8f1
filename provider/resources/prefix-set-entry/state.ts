import { z } from "zod";
import { isEntryValue, type ListedValue } from "../../model/entry";
import { type JsonObject, type Verbatim, without } from "../../model/json";
import { type CanonicalPrefix, Prefix } from "../../model/prefix";
import type { ListedMap } from "../../model/prefix-map";
import { formatUrl, readAddress } from "../../model/resource-url";
import {
  connectionSchema,
  entryLimitShape,
  flag,
  hostBitsSchema,
  listedValue,
  onDestroySchema,
  onExistingSchema,
  optionalText,
  replaced,
  Stored,
  setShape,
} from "../../reconcile/arguments";
import { noteShape, valueSchema } from "../../reconcile/entries";

/** The arguments of a `PrefixSetEntry`. `node` is checked by a module of its own. */
export const prefixSetEntrySchema = z.strictObject({
  ...setShape,
  prefix: z.string({ error: "is not a text with a prefix in it" }),
  value: valueSchema().optional(),
  ...noteShape(),
  onExisting: onExistingSchema.optional(),
  onDestroy: onDestroySchema.optional(),
  hostBits: hostBitsSchema.optional(),
  ...entryLimitShape,
  node: connectionSchema.optional(),
});

/** Outputs that are not arguments; `expired` is an input that `check` adds once the time has come. */
export const PREFIX_SET_ENTRY_OUTPUTS = ["url", "endpoint", "adopted", "existed", "absent", "unsettled"] as const;

export type PrefixSetEntryInputs = ReturnType<typeof readInputs>;

export type PrefixSetEntryState = ReturnType<typeof readState>;

const { onExisting, onDestroy } = prefixSetEntrySchema.shape;
const givenSchema = z.object({
  node: z.unknown().optional(),
  reason: optionalText,
  expires: optionalText,
  onExisting: onExisting.default("fail"),
  onDestroy: onDestroy.default("remove"),
});
const heldSchema = z.object({
  value: listedValue.default(1),
  /** True once the time of `expires` has come. */
  expired: flag,
  /** Value with which `block --now` put the expired entry here. */
  put: z.number().refine(isEntryValue).optional(),
});
const outputs = z.object({
  endpoint: optionalText,
  /** True if a failure left the entry out. */
  absent: flag,
  /** True if the set held the prefix before this resource did. */
  existed: flag,
  /** True if the entry was adopted with another value, and no update has followed. */
  adopted: flag,
});

/** Reads inputs that `check` made. */
export function readInputs(json: JsonObject) {
  const stored = storedEntry(json);
  return {
    address: readAddress(json),
    prefix: Prefix.canonical(String(json.prefix)),
    ...stored.given(givenSchema),
    ...stored.facts(heldSchema),
    /** The arguments for the engine, unchanged. */
    verbatim: without(json, PREFIX_SET_ENTRY_OUTPUTS) as Verbatim,
  };
}

/** Reads outputs, of this version or of an earlier one. @throws {Error} naming what this version cannot read */
export function readState(json: JsonObject) {
  const stored = storedEntry(json);
  return {
    ...readInputs(json),
    ...stored.facts(outputs),
    /** Prefixes whose last write ended without a known result. */
    unsettled: new Set(stored.prefixes("unsettled")),
  };
}

/** {@link readState} for an update, whose program gives the arguments again. */
export function readReplaced(json: JsonObject): PrefixSetEntryState {
  return readState(replaced(json, givenSchema));
}

function storedEntry(json: JsonObject): Stored {
  return new Stored(json, `PrefixSetEntry ${formatUrl(readAddress(json))}#${json.prefix}`);
}

/** Entries that the set must hold for this resource: none once it has expired. */
export function desiredOf({ prefix, value, expired }: PrefixSetEntryInputs): ListedMap {
  return expired ? new Map() : new Map([[prefix, value]]);
}

/**
 * An expired entry of `block --now` in the set. If the state has it as expired, it was removed before: then another writer put
 * it there again.
 */
export function withdrawnOf(inputs: PrefixSetEntryInputs, before?: PrefixSetEntryState): ListedMap {
  const { prefix, expired, expires, put } = inputs;
  const isDone = before?.expired === true && before.expires === expires;
  return expired && put !== undefined && !isDone ? new Map([[prefix, put]]) : new Map();
}

/** Entries of the set by the state: none if it expired or a failure left it out. */
export function heldOf(state: PrefixSetEntryState): ListedMap {
  return state.absent ? new Map() : desiredOf(state);
}

/** The arguments with the value that the set holds: the inputs of a refreshed resource. */
export function writeInputs({ verbatim, value }: PrefixSetEntryInputs, observed: ListedValue): JsonObject {
  return { ...without({ ...verbatim }, ["expired", "put"]), ...(observed === value ? {} : { value: observed }) };
}

/** Members of the state other than the arguments. */
export interface PrefixSetEntryOutputs {
  readonly endpoint: string;
  /** The value in the set, if it is not the wanted one. */
  readonly value?: ListedValue | undefined;
  /** The entry was adopted with another value. */
  readonly adopted?: boolean;
  /** The set held the prefix before this resource did. */
  readonly existed?: boolean;
  /** The entry is not there. */
  readonly absent?: boolean;
  /** Prefixes whose write ended without a known result. */
  readonly unsettled?: Iterable<CanonicalPrefix> | undefined;
}

/** The outputs of a resource with these arguments. */
export function writeState(
  { verbatim, address }: Pick<PrefixSetEntryInputs, "verbatim" | "address">,
  { value, unsettled, adopted, existed, absent, endpoint }: PrefixSetEntryOutputs,
): JsonObject {
  return {
    ...verbatim,
    ...(value !== undefined && { value }),
    url: formatUrl(address),
    endpoint,
    ...(adopted && { adopted }),
    ...(existed && { existed }),
    ...(absent && { absent }),
    ...(unsettled && { unsettled: [...unsettled] }),
  };
}
