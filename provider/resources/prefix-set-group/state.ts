import { z } from "zod";
import type { ListedValue } from "../../model/entry";
import { isObject, type JsonObject, type Verbatim, without } from "../../model/json";
import { type CanonicalPrefix, Prefix } from "../../model/prefix";
import { formatUrl, type PrefixSetUrl, readAddress } from "../../model/resource-url";
import { compareNames } from "../../model/text";
import { listedValue, replaced, Stored } from "../arguments";
import { parseShareLimit } from "../limits/removals";
import type { KeptSet, SetInputs, SetState } from "../prefix-set/state";
import { limitShape } from "../prefix-set/state";
import { AT_ONCE, overrideSchema, prefixSetGroupSchema } from "./arguments";
import { type Content, type Differences, differencesOf, differing, overridden } from "./content";

/** Outputs that are no arguments. `differs` is one that a refresh makes an input, so that a preview shows its lines. */
export const GROUP_OUTPUTS = [
  "url",
  "count",
  "endpoints",
  "adopted",
  "found",
  "unsettled",
  "unreached",
  "failed",
  "mates",
] as const;

/** What is different at one node. */
interface NodeOverride {
  readonly own: Content | undefined;
  readonly exclusive?: boolean | undefined;
  readonly maxRemovals?: number | string | undefined;
  readonly onExisting?: "fail" | "adopt" | undefined;
}

/** What inputs and state of a group have in common. */
interface GroupMembers {
  readonly address: PrefixSetUrl;
  readonly common: Content;
  readonly nodes: ReadonlyMap<string, NodeOverride>;
  readonly onDestroy: "clear" | "keep";
  readonly differs: ReadonlyMap<string, Differences>;
  /** The arguments as they came, which go back to the engine unchanged. */
  readonly verbatim: Verbatim;
  /** What a node is to hold by these arguments. */
  contentOf(node: string): Content;
}

/** What the program wants. */
export interface GroupInputs extends GroupMembers {
  readonly atOnce: number;
  /** How many nodes may not answer. */
  readonly maxUnreachable: number;
  /** What it wants of one node's set. */
  of(node: string): SetInputs;
}

/** What the state says. */
export interface GroupState extends GroupMembers {
  readonly atOnce: number;
  readonly maxUnreachable: number;
  /** Nodes whose set is held, those included that could not be cleared so far, with their addresses. */
  readonly endpoints: ReadonlyMap<string, string>;
  /** Nodes that the last `up` went on without, or failed at. */
  readonly open: ReadonlyMap<string, NonNullable<KeptNode["open"]>>;
  /** Nodes that other waves of its fleet held. */
  readonly mates: ReadonlySet<string>;
  /** What it says of one node's set. */
  of(node: string): SetState;
}

/** What a node's set is kept as; without an address where this group never wrote it. */
export interface KeptNode extends Omit<KeptSet, "endpoint"> {
  readonly endpoint: string | undefined;
  /** The last `up` went on without it, or failed there. */
  readonly open?: "unreached" | "failed" | undefined;
}

const { exclusive, onExisting, onDestroy, atOnce, maxUnreachable } = prefixSetGroupSchema.shape;
const givenSchema = z.object({
  exclusive: exclusive.default(true),
  onExisting: onExisting.default("fail"),
  onDestroy: onDestroy.default("clear"),
  atOnce: atOnce.default(AT_ONCE),
  maxUnreachable: maxUnreachable.default(0),
});
const limitsSchema = z.object(limitShape);
const byName = <T extends z.ZodType>(member: T) => z.record(z.string(), member).default({});
const names = z.array(z.string(), { error: "is not a list of names" }).default([]);
const listsSchema = byName(z.array(z.string()));
const factsSchema = z.object({
  endpoints: byName(z.string()),
  unreached: names,
  failed: names,
  mates: names,
  adopted: listsSchema,
  found: listsSchema,
  unsettled: listsSchema,
});

/** Reads inputs that `check` made. */
export function readInputs(json: JsonObject): GroupInputs {
  const { members, given } = readMembers(json);
  const limits = limitsSchema.parse(json);
  return {
    ...members,
    of: (node) => {
      const override = members.nodes.get(node);
      const own = override?.maxRemovals;
      const ofNode = own === undefined ? limits : { ...limits, maxRemovals: own };
      return { ...setOf(members, given, node), limits: ofNode };
    },
  };
}

/** Reads outputs. @throws {Error} naming what this version cannot read */
export function readState(json: JsonObject): GroupState {
  const { members, given } = readMembers(json);
  const facts = storedGroup(json).facts(factsSchema);
  const open = new Map([
    ...facts.unreached.map((node) => [node, "unreached"] as const),
    ...facts.failed.map((node) => [node, "failed"] as const),
  ]);
  return {
    ...members,
    open,
    mates: new Set(facts.mates),
    endpoints: new Map(inOrder(facts.endpoints)),
    of: (node) => ({
      ...setOf(members, given, node),
      isOpen: open.has(node),
      endpoint: facts.endpoints[node],
      unsettled: prefixesOf(facts.unsettled[node]),
      foreign: prefixesOf([...(facts.adopted[node] ?? []), ...(facts.found[node] ?? [])]),
    }),
  };
}

/** {@link readState} for an update, whose program gives the arguments anew. */
export function readReplaced(json: JsonObject): GroupState {
  return readState(replaced(json, givenSchema));
}

/** What outputs or inputs hold, with a name for messages. @throws {Error} when they name no set */
function storedGroup(json: JsonObject): Stored {
  return new Stored(json, `PrefixSetGroup ${formatUrl(readAddress(json))}`);
}

function readMembers(json: JsonObject): {
  members: GroupMembers & Pick<GroupInputs, "atOnce" | "maxUnreachable">;
  given: z.output<typeof givenSchema>;
} {
  const stored = storedGroup(json);
  const given = stored.given(givenSchema);
  const common = { entries: stored.entries(), notes: stored.notes() };
  const nodes = readNodes(json.nodes);
  const contents = new Map<string, Content>();
  const members = {
    address: readAddress(json),
    common,
    nodes,
    onDestroy: given.onDestroy,
    atOnce: given.atOnce,
    maxUnreachable: parseShareLimit(given.maxUnreachable)?.of(nodes.size) ?? 0,
    differs: readDiffers(json.differs),
    verbatim: without(json, [...GROUP_OUTPUTS, "differs"]),
    contentOf: (node: string) => {
      const content = contents.get(node) ?? overridden(common, nodes.get(node)?.own);
      contents.set(node, content);
      return content;
    },
  };
  return { members, given };
}

function setOf(
  { address, nodes, differs, contentOf }: GroupMembers,
  { exclusive, onExisting, onDestroy }: z.output<typeof givenSchema>,
  node: string,
) {
  const { entries, notes } = contentOf(node);
  const own = nodes.get(node);
  return {
    address,
    node,
    entries: differing(entries, differs.get(node)),
    notes,
    exclusive: own?.exclusive ?? exclusive,
    onExisting: own?.onExisting ?? onExisting,
    onDestroy,
  };
}

/** The engine sorts members as texts, people look for names by their numbers. */
function inOrder<T>(members: Readonly<Record<string, T>>): [name: string, T][] {
  return Object.entries(members).sort(([a], [b]) => compareNames(a, b));
}

/** Nodes as `check` writes them: names to overrides. */
function readNodes(nodes: unknown): Map<string, NodeOverride> {
  if (!isObject(nodes)) throw new Error("The group has no nodes.");
  return new Map(
    inOrder(nodes).map(([name, override]): [string, NodeOverride] => {
      const { entries, notes, ...rest } = overrideSchema.parse(override);
      if (entries === undefined && notes === undefined) return [name, { ...rest, own: undefined }];
      const stored = new Stored({ entries, notes }, `the node ${name}`);
      return [name, { ...rest, own: { entries: stored.entries(), notes: stored.notes() } }];
    }),
  );
}

/** Differences by node. @throws {z.ZodError} */
export function readDiffers(differs: unknown): Map<string, Differences> {
  const found = z.record(z.string(), z.record(z.string(), listedValue.nullable())).parse(differs ?? {});
  return new Map(Object.entries(found).map(([node, differences]) => [node, mapOf(differences)]));
}

function mapOf<V extends ListedValue | null>(members: Readonly<Record<string, V>>): Map<CanonicalPrefix, V> {
  return new Map(Object.entries(members).map(([prefix, value]) => [Prefix.canonical(prefix), value]));
}

function prefixesOf(texts: readonly string[] = []): ReadonlySet<CanonicalPrefix> {
  return new Set(texts.map((prefix) => Prefix.canonical(prefix)));
}

/** The outputs of a group with these arguments, whose nodes hold this. */
export function writeState(
  group: GroupMembers,
  nodes: ReadonlyMap<string, KeptNode>,
  mates: readonly string[] = [],
): JsonObject {
  const all = [...nodes];
  const listed = (list: (node: KeptNode) => Iterable<CanonicalPrefix> | undefined) =>
    all.flatMap(([name, node]): [string, string[]][] => {
      const prefixes = [...(list(node) ?? [])];
      return prefixes.length > 0 ? [[name, prefixes]] : [];
    });
  const opened = (how: KeptNode["open"]) => all.flatMap(([name, { open }]) => (open === how ? name : []));
  return {
    ...group.verbatim,
    url: formatUrl(group.address),
    count: group.common.entries.size,
    endpoints: Object.fromEntries(
      all.flatMap(([name, { endpoint }]) => (endpoint === undefined ? [] : [[name, endpoint]])),
    ),
    ...writeDiffers(group, nodes),
    ...some(
      "adopted",
      listed(({ adopted }) => adopted),
    ),
    ...some(
      "found",
      listed(({ found }) => found),
    ),
    ...some(
      "unsettled",
      listed(({ unsettled }) => unsettled),
    ),
    ...named("unreached", opened("unreached")),
    ...named("failed", opened("failed")),
    ...named("mates", mates),
  };
}

/** Where nodes differ from what these arguments want of them, if any does: lines of an input after a refresh. */
export function writeDiffers(group: GroupMembers, nodes: ReadonlyMap<string, KeptNode>): JsonObject {
  const found = [...nodes].flatMap(([name, { entries }]): [string, object][] => {
    const differences = differencesOf(group.contentOf(name).entries, entries);
    return differences.size > 0 ? [[name, Object.fromEntries(differences)]] : [];
  });
  return some("differs", found);
}

function some(key: string, members: readonly (readonly [string, unknown])[]): JsonObject {
  return members.length > 0 ? { [key]: Object.fromEntries(members) } : {};
}

function named(key: string, list: readonly string[]): JsonObject {
  return list.length > 0 ? { [key]: list } : {};
}
