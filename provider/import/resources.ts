import { providerText } from "../engine/provider-text";
import type { JsonObject } from "../model/json";
import { nativeToken, type ResourceKind, typeToken } from "../model/resource-kind";
import { formatUrl } from "../model/resource-url";
import * as signalingState from "../resources/cloud-signaling/state";
import * as setState from "../resources/prefix-set/state";
import * as entryState from "../resources/prefix-set-entry/state";
import * as groupOutputs from "../resources/prefix-set-group/outputs";
import * as groupState from "../resources/prefix-set-group/state";
import { entryName } from "./names";
import type { HeldSet } from "./source";

/** A resource in the file that `pulumi import --file` reads: with both of these it needs no read. */
export interface ImportedResource {
  /** The kind, or as {@link asDynamic} and {@link asNative} make it, the type token. */
  readonly type: string;
  readonly name: string;
  readonly id: string;
  readonly inputs: JsonObject;
  readonly outputs: JsonObject;
}

/** The arguments that say where a set is, in the order of the documentation. */
export function placeArguments(
  { node, url: { arena, profile, set } }: HeldSet,
  nodes?: readonly string[] | undefined,
): JsonObject {
  return {
    ...(nodes ? { nodes: [...nodes] } : node !== undefined && { node }),
    arena,
    ...(profile !== undefined && { profile }),
    set,
  };
}

/** The arguments that the program has beyond place and entries. */
export function limitArguments({ shortest }: HeldSet): JsonObject {
  return Object.keys(shortest).length === 0 ? {} : { shortestPrefix: { ...shortest } };
}

/** A whole set as one `PrefixSet`, in the state in which a refresh would leave it. */
export function wholeSet(held: HeldSet, name: string): ImportedResource {
  const { entries, url, endpoint } = held;
  const inputs = {
    ...placeArguments(held),
    entries: Object.fromEntries(entries),
    ...limitArguments(held),
  };
  const outputs = setState.writeState(setState.readInputs(inputs), { entries, endpoint, existed: [...entries.keys()] });
  return resource("PrefixSet", name, formatUrl(url), inputs, outputs);
}

/** A set that several nodes hold equally as one `PrefixSetGroup`. */
export function equalSets(all: readonly [HeldSet, ...HeldSet[]], name: string): ImportedResource {
  const [held] = all;
  const { entries, url } = held;
  const existed = [...entries.keys()];
  const nodes = new Map(all.map(({ node = "", endpoint }) => [node, { entries, endpoint, existed }]));
  const inputs = {
    ...placeArguments(held, [...nodes.keys()]),
    // Names to the arguments of each node: these have none.
    nodes: Object.fromEntries([...nodes.keys()].map((name) => [name, {}])),
    entries: Object.fromEntries(entries),
    ...limitArguments(held),
  };
  const outputs = groupOutputs.writeState(groupState.readInputs(inputs), nodes);
  return resource("PrefixSetGroup", name, formatUrl(url), inputs, outputs);
}

/** Each entry as a `PrefixSetEntry`, which was there before its resource. */
export function singleEntries(held: HeldSet, name: string): ImportedResource[] {
  const { endpoint } = held;
  const url = formatUrl(held.url);
  return [...held.entries].map(([prefix, value]) => {
    const inputs = { ...placeArguments(held), prefix, value, ...limitArguments(held) };
    const outputs = entryState.writeState(entryState.readInputs(inputs), { endpoint, existed: true });
    return resource("PrefixSetEntry", entryName(name, prefix), `${url}#${prefix}`, inputs, outputs);
  });
}

/** The active prefixes of a receiver as one `CloudSignaling`, which started none of them. */
export function signaling(
  active: readonly string[],
  at: { name: string; receiver?: string; endpoint: string; id: string },
): ImportedResource {
  const given = { prefixes: active, ...(at.receiver !== undefined && { receiver: at.receiver }) };
  const parsed = signalingState.readInputs(given);
  const inputs = signalingState.writeInputs(parsed, parsed.prefixes);
  const outputs = signalingState.writeState(parsed, { endpoint: at.endpoint, prefixes: parsed.prefixes, started: [] });
  return resource("CloudSignaling", at.name, at.id, inputs, outputs);
}

function resource(type: ResourceKind, name: string, id: string, inputs: JsonObject, outputs: JsonObject) {
  return { type, name, id, inputs, outputs };
}

/** As dynamic resources have it in their state: each with the text of its provider. */
export function asDynamic({ type, inputs, outputs, ...rest }: ImportedResource): ImportedResource {
  const text = { __provider: providerText(type) };
  return { type: typeToken(type), ...rest, inputs: { ...inputs, ...text }, outputs: { ...outputs, ...text } };
}

/** As the plugin has it. */
export function asNative({ type, ...rest }: ImportedResource): ImportedResource {
  return { type: nativeToken(type), ...rest };
}
