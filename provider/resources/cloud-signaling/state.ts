import { z } from "zod";
import { type JsonObject, type Verbatim, without } from "../../model/json";
import { type CanonicalPrefix, Prefix } from "../../model/prefix";
import { connectionSchema, hostBitsSchema, optionalText, replaced, Stored } from "../../reconcile/arguments";
import { noteShape } from "../../reconcile/entries";

const { reason, ticket } = noteShape();

/** The arguments of a `CloudSignaling`. The single prefixes and `receiver` are checked by modules of their own. */
export const cloudSignalingSchema = z.strictObject({
  prefixes: z.array(z.unknown(), { error: "is not an array of prefixes" }).min(1, "is empty: name at least one prefix"),
  stops: z.enum(["started", "all", "none"], { error: 'is not one of "started", "all", "none"' }).optional(),
  reason,
  ticket,
  hostBits: hostBitsSchema.optional(),
  receiver: connectionSchema.optional(),
});

/** Outputs that are not arguments. */
export const CLOUD_SIGNALING_OUTPUTS = ["started", "endpoint", "unsettled", "lost"] as const;

export type CloudSignalingInputs = ReturnType<typeof readInputs>;

export type CloudSignalingState = ReturnType<typeof readState>;

const givenSchema = z.object({
  receiver: z.unknown().optional(),
  reason: optionalText,
  stops: cloudSignalingSchema.shape.stops.default("started"),
});
const usedBefore = z.object({ endpoint: optionalText });

/** Reads inputs that `check` made. */
export function readInputs(json: JsonObject) {
  const stored = storedSignaling(json);
  return {
    ...stored.given(givenSchema),
    prefixes: stored.prefixes("prefixes"),
    /** The arguments for the engine, unchanged. */
    verbatim: without(json, CLOUD_SIGNALING_OUTPUTS) as Verbatim,
  };
}

/** Reads outputs, of this version or of an earlier one. @throws {Error} naming what this version cannot read */
export function readState(json: JsonObject) {
  const stored = storedSignaling(json);
  const inputs = readInputs(json);
  const lost = stored.prefixes("lost");
  return {
    ...inputs,
    prefixes: inOrder([...inputs.prefixes, ...lost]),
    /** Those of `prefixes` that a refresh found not active. */
    lost,
    ...stored.facts(usedBefore),
    /** Prefixes that this resource started. */
    started: stored.prefixes("started"),
    /** Prefixes whose last start or stop ended without a known result. */
    unsettled: stored.prefixes("unsettled"),
  };
}

/** {@link readState} for an update, whose program gives the arguments again. */
export function readReplaced(json: JsonObject): CloudSignalingState {
  return readState(replaced(json, givenSchema));
}

function storedSignaling(json: JsonObject): Stored {
  return new Stored(json, `CloudSignaling at ${json.endpoint}`);
}

/** The arguments with these prefixes. */
export function writeInputs({ verbatim }: CloudSignalingInputs, prefixes: Iterable<CanonicalPrefix>): JsonObject {
  return { ...verbatim, prefixes: inOrder(prefixes) };
}

/** Members of the state other than the arguments. */
interface CloudSignalingOutputs {
  readonly endpoint: string;
  readonly prefixes: Iterable<CanonicalPrefix>;
  readonly started: Iterable<CanonicalPrefix>;
  readonly unsettled?: readonly CanonicalPrefix[];
  /** Prefixes of the last program that a refresh found not active. */
  readonly lost?: readonly CanonicalPrefix[];
}

/** The outputs of a resource with these arguments. */
export function writeState(
  resource: CloudSignalingInputs,
  { endpoint, prefixes, started, unsettled = [], lost = [] }: CloudSignalingOutputs,
): JsonObject {
  return {
    ...writeInputs(resource, prefixes),
    started: inOrder(started),
    endpoint,
    ...(unsettled.length > 0 && { unsettled: inOrder(unsettled) }),
    ...(lost.length > 0 && { lost: inOrder(lost) }),
  };
}

/** Distinct prefixes in the order of {@link Prefix.compare}. */
export function inOrder(prefixes: Iterable<CanonicalPrefix>): CanonicalPrefix[] {
  const parsed = [...new Set(prefixes)].map((prefix) => Prefix.fromCanonical(prefix));
  return parsed.sort(Prefix.compare).map((prefix) => prefix.toString());
}
