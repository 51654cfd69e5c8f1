import { z } from "zod";
import type { ListedValue } from "../../model/entry";
import { isObject, type JsonObject, type Verbatim, without } from "../../model/json";
import { parseShareLimit } from "../../model/limits";
import { type CanonicalPrefix, Prefix } from "../../model/prefix";
import { type ListedMap, NOTHING } from "../../model/prefix-map";
import { formatUrl, readAddress } from "../../model/resource-url";
import { objectError } from "../../model/schema";
import { compareNames } from "../../model/text";
import { listedValue, replaced, Stored } from "../../reconcile/arguments";
import type { HeldEntries } from "../../reconcile/entries";
import {
  type KeptSet,
  limitShape,
  prefixSetSchema,
  type SetInputs,
  type SetState,
  shareSchema,
} from "../prefix-set/state";
import { differing, overridden, readDiffers } from "./content";
import { readRollout, rolloutSchema } from "./rollout/arguments";

/** Overrides of one node; `given-nodes.ts` checks `entries` and makes `notes` of them. */
export const overrideSchema = z.strictObject(
  {
    entries: z.unknown().optional(),
    notes: z.record(z.string(), z.string()).optional(),
    exclusive: prefixSetSchema.shape.exclusive,
    maxRemovals: prefixSetSchema.shape.maxRemovals,
    onExisting: prefixSetSchema.shape.onExisting,
  },
  { error: objectError("is not an object") },
);

/** The arguments of a `PrefixSetGroup`; `entries` and `nodes` may hold unknown parts. */
export const prefixSetGroupSchema = prefixSetSchema.omit({ node: true }).extend({
  nodes: z.unknown(),
  atOnce: z
    .number({ error: "is not a number of nodes" })
    .int("is not an integer")
    .min(1, "is less than one node")
    .optional(),
  maxUnreachable: shareSchema("nodes"),
  rollout: rolloutSchema.optional(),
});

const AT_ONCE = 16;

/** Outputs that are not arguments. `differs` is not among them: a refresh makes it an input, so that a preview shows its lines. */
export const GROUP_OUTPUTS = [
  "url",
  "count",
  "endpoints",
  "adopted",
  "found",
  "existed",
  "unsettled",
  "unreached",
  "failed",
  "history",
  "lost",
] as const;

/** Members that inputs and state of a group share. */
export type GroupMembers = ReturnType<typeof readMembers>["members"];

export type GroupInputs = ReturnType<typeof readInputs>;

export type GroupState = ReturnType<typeof readState>;

/** A node's set in the state; without an address if this group never wrote it. */
export interface KeptNode extends Omit<KeptSet, "endpoint"> {
  readonly endpoint: string | undefined;
  /** The last `up` went on without it, or failed there. */
  readonly open?: "unreached" | "failed" | undefined;
  /** Digests of the contents that were live there before, the last one first. */
  readonly history?: readonly string[];
}

const { exclusive, onExisting, onDestroy, atOnce, maxUnreachable } = prefixSetGroupSchema.shape;
const givenSchema = z.object({
  exclusive: exclusive.default(true),
  onExisting: onExisting.default("fail"),
  onDestroy: onDestroy.default("remove"),
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
  adopted: listsSchema,
  found: listsSchema,
  existed: listsSchema,
  unsettled: listsSchema,
  history: byName(z.string()),
  lost: byName(z.record(z.string(), listedValue)),
});

/** Reads inputs that `check` made. */
export function readInputs(json: JsonObject) {
  const { members, given } = readMembers(json);
  const limits = limitsSchema.parse(json);
  const limitsOf = (maxRemovals: number | string | undefined) =>
    maxRemovals === undefined ? limits : { ...limits, maxRemovals };
  return {
    ...members,
    /** Inputs of one node's set. */
    of: (node: string): SetInputs => ({
      ...setOf(members, given, node),
      limits: limitsOf(members.nodes.get(node)?.maxRemovals),
    }),
  };
}

/** Reads outputs. @throws {Error} naming what this version cannot read */
export function readState(json: JsonObject) {
  const { members, given } = readMembers(json);
  const facts = storedGroup(json).facts(factsSchema);
  const open = new Map<string, NonNullable<KeptNode["open"]>>([
    ...facts.unreached.map((node) => [node, "unreached"] as const),
    ...facts.failed.map((node) => [node, "failed"] as const),
  ]);
  const losses = new Map(Object.entries(facts.lost).map(([node, lost]) => [node, mapOf(lost)] as const));
  const held = (node: string) => setOf(members, given, node).entries;
  return {
    ...members,
    /** Nodes that the last `up` went on without, or failed at. */
    open,
    /** True if all nodes hold the entries of the arguments. */
    isEven: Object.keys(facts.unsettled).length === 0 && members.differs.size === 0,
    /** Digests of the contents that were live on a node before, the last one first. */
    historyOf: (node: string): readonly string[] => facts.history[node]?.split(" ") ?? [],
    /** Entries by the last list or write of a node. */
    heldBy: held,
    /** Addresses of the nodes with a set in the state, also of those that could not be cleared yet. */
    endpoints: new Map(inOrder(facts.endpoints)),
    /** State of one node's set. */
    of: (node: string): SetState => {
      const set = setOf(members, given, node);
      const lost = losses.get(node);
      return {
        ...set,
        entries: lost ? new Map([...set.entries, ...lost]) : set.entries,
        ...(lost && { lost }),
        isOpen: open.has(node),
        endpoint: facts.endpoints[node],
        unsettled: prefixesOf(facts.unsettled[node]),
        existed: prefixesOf(facts.existed[node]),
        foreign: prefixesOf([...(facts.adopted[node] ?? []), ...(facts.found[node] ?? [])]),
      };
    },
  };
}

/** {@link readState} for an update, whose program gives the arguments again. */
export function readReplaced(json: JsonObject): GroupState {
  return readState(replaced(json, givenSchema));
}

/** Outputs or inputs with a name for messages. @throws {Error} when they name no set */
function storedGroup(json: JsonObject): Stored {
  return new Stored(json, `PrefixSetGroup ${formatUrl(readAddress(json))}`);
}

function readMembers(json: JsonObject) {
  const stored = storedGroup(json);
  const given = stored.given(givenSchema);
  const common = { entries: stored.entries(), notes: stored.notes() };
  const nodes = readNodes(json.nodes);
  const contents = new Map<string, HeldEntries>();
  const rollout = readRollout(json.rollout);
  const members = {
    address: readAddress(json),
    common,
    nodes,
    onDestroy: given.onDestroy,
    atOnce: given.atOnce,
    /** Number of nodes that may not answer. */
    maxUnreachable: parseShareLimit(given.maxUnreachable)?.of(nodes.size) ?? 0,
    differs: readDiffers(json.differs),
    /** Order of the nodes' changes, and the wave that has not passed. */
    rollout,
    /** The arguments for the engine, unchanged. */
    verbatim: {
      ...without(json, [...GROUP_OUTPUTS, "differs", "rollout"]),
      ...(rollout.given && { rollout: rollout.given }),
    } as Verbatim,
    /** Entries of a node by these arguments: none for a node that left them. */
    contentOf: (node: string) => {
      const given = nodes.get(node);
      const content = contents.get(node) ?? (given ? overridden(common, given.own) : { ...common, entries: NOTHING });
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

/** The engine sorts names as texts; people expect `n2` before `n10`. */
function inOrder<T>(members: Readonly<Record<string, T>>): [name: string, T][] {
  return Object.entries(members).sort(([a], [b]) => compareNames(a, b));
}

/** Nodes as `check` writes them: names to overrides. */
function readNodes(nodes: unknown) {
  if (!isObject(nodes)) throw new Error("The group has no nodes.");
  return new Map(
    inOrder(nodes).map(([name, override]) => {
      const { entries, notes, ...rest } = overrideSchema.parse(override);
      const stored = new Stored({ entries, notes }, `the node ${name}`);
      const isOwn = entries !== undefined || notes !== undefined;
      return [name, { ...rest, own: isOwn ? { entries: stored.entries(), notes: stored.notes() } : undefined }];
    }),
  );
}

/** The node's set by the state. */
export function keptBefore(state: GroupState | undefined, node: string | undefined): KeptNode {
  const endpoint = node === undefined ? undefined : state?.endpoints.get(node);
  if (!state || node === undefined || endpoint === undefined) return NOTHING_KEPT;
  const { lost, unsettled, foreign, existed } = state.of(node);
  const [entries, open, history] = [state.heldBy(node), state.open.get(node), state.historyOf(node)];
  return { entries, lost, unsettled, found: foreign, existed, endpoint, open, history };
}

/** Entries that a program declared, without those that a refresh found or a create adopted. */
export function withoutFound({ entries, foreign }: SetState): ListedMap {
  return foreign.size === 0 ? entries : new Map([...entries].filter(([prefix]) => !foreign.has(prefix)));
}

/** Set of a node that this group never wrote. */
export const NOTHING_KEPT: KeptNode = { entries: NOTHING, endpoint: undefined };

function mapOf(entries: Readonly<Record<string, ListedValue>>): ListedMap {
  return new Map(Object.entries(entries).map(([prefix, value]) => [Prefix.canonical(prefix), value]));
}

function prefixesOf(texts: readonly string[] = []): ReadonlySet<CanonicalPrefix> {
  return new Set(texts.map((prefix) => Prefix.canonical(prefix)));
}
