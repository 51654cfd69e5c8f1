import { messageOf } from "../../model/errors";
import type { JsonObject } from "../../model/json";
import { equal, type ListedMap } from "../../model/prefix-map";
import { formatUrl } from "../../model/resource-url";
import { some } from "../../model/text";
import { PartialFailure } from "../handler";
import { WHOLE_SET } from "../node-in-use";
import { type SetLifecycle, UnfinishedWrite } from "../prefix-set/lifecycle";
import type { SetInputs, SetState } from "../prefix-set/state";
import { ResourceSet } from "../resource-set";
import type { Runtime } from "../runtime";
import { type Apart, refined } from "./apart";
import { learnApart, placed } from "./diff";
import { eachSet, failureTexts, GONE_FROM_GROUP, goOnWithout, type NodeFailure } from "./each-node";
import { writeState } from "./outputs";
import type { Former } from "./rollout/former";
import type { Red, RolloutNodes, Written } from "./rollout/rollout";
import { type GroupInputs, type GroupState, type KeptNode, keptBefore, NOTHING_KEPT } from "./state";
import { isStray } from "./stray";

/** The nodes of a group in one run: their contents before it, the work on them, and its results. */
export class GroupNodes implements RolloutNodes {
  readonly names: readonly string[];
  private readonly kept = new Map<string, KeptNode>();
  /** Node of the program to node of the state. */
  private readonly former: ReadonlyMap<string, string>;
  private readonly left: readonly string[];
  private readonly failures: NodeFailure[] = [];
  /** Lists of nodes that differ from the state. */
  private readonly found = new Map<string, ListedMap>();
  /** Nodes that are known to be machines of their own, by the names of the program. */
  private apart: Apart;
  /** Nodes that did not answer when all were looked at. */
  private readonly unseen = new Set<string>();
  /** Nodes that a wave of this run came to. */
  private readonly reached = new Set<string>();
  private readonly unrestored: NodeFailure[] = [];
  private silent = 0;
  private tried = 0;

  constructor(
    private readonly runtime: Runtime,
    private readonly inputs: GroupInputs,
    private readonly state: GroupState | undefined,
    /** State of the group that this one replaces. */
    private readonly replaced?: Former,
  ) {
    this.names = [...inputs.nodes.keys()];
    const { former, left } = placed(runtime, this.names, state);
    this.former = former;
    if (state) learnApart(runtime, state);
    this.left = left;
    const apart = new Map<string, number>();
    for (const node of this.names) {
      const before = keptBefore(state, former.get(node));
      this.kept.set(node, before);
      const number = state?.apart.get(former.get(node) ?? "");
      if (number !== undefined && before.endpoint === runtime.node(node).endpoint) apart.set(node, number);
    }
    for (const node of left) this.kept.set(node, keptBefore(state, node));
    this.apart = refined(apart, this.looked(), this.names);
  }

  /** Lists of the look of this run, without nodes that were written to since. */
  private looked(): ReadonlyMap<string, ListedMap> {
    const seen = this.names.map((node) => [node, this.runtime.node(node).set(this.inputs.address)] as const);
    return new Map(seen.flatMap(([node, { seen, activity }]) => (seen && activity.epoch === 0 ? [[node, seen]] : [])));
  }

  nameNow(node: string): string {
    return [...this.former].find(([, before]) => before === node)?.[0] ?? node;
  }

  hasFailed(node: string): boolean {
    if (this.replaced?.failed.includes(node)) return true;
    const name = this.former.get(node);
    return name !== undefined && this.state?.open.get(name) === "failed";
  }

  needs(node: string): boolean {
    const { entries, endpoint, open } = this.kept.get(node) ?? NOTHING_KEPT;
    const isWritten = endpoint !== undefined && open === undefined;
    return !isWritten || !equal(this.found.get(node) ?? entries, this.inputs.of(node).entries);
  }

  uneven() {
    if (this.state || this.replaced) return undefined;
    const held = this.names.flatMap((node) => {
      const { seen, activity, owned } = this.runtime.node(node).set(this.inputs.address);
      const { entries, exclusive } = this.inputs.of(node);
      // In a shared set, entries of others do not count.
      const ours = [...(seen ?? [])].filter(([prefix]) => exclusive || entries.has(prefix));
      const isOurs = activity.epoch === 0 && ours.length > 0 && ours.every(([prefix]) => !owned.has(prefix));
      return isOurs ? [{ node, isDone: equal(new Map(ours), entries) }] : [];
    });
    const namesOf = (isDone: boolean) => held.flatMap((it) => (it.isDone === isDone ? it.node : []));
    const [done, behind] = [namesOf(true), namesOf(false)];
    return done.length > 0 && behind.length > 0 ? { done, behind } : undefined;
  }

  async strays(): Promise<readonly string[]> {
    const seen = new Map<string, ListedMap>();
    const strays: string[] = [];
    // Nodes that leave in this run: those that left before it belong to no wave.
    const leaving = this.left.filter((node) => this.state?.nodes.has(node));
    await eachSet(this.runtime, "look", this.inputs, [...this.names, ...leaving], async (node) => {
      if (leaving.includes(node)) {
        const state = this.state?.of(node);
        const set = state && ResourceSet.ofState(this.runtime, state);
        const held = await set?.observedSoon();
        // An emptied node is being retired.
        if (set && held?.size && isStray(held, { before: state, wanted: state, owned: set.owned })) strays.push(node);
        return;
      }
      this.unseen.add(node);
      seen.set(node, await this.inspected(node));
    });
    this.apart = refined(this.apart, seen, this.names);
    for (const name of this.state?.strays ?? []) {
      const node = this.nameNow(name);
      const isLeaving = this.state?.nodes.has(name) === true && this.state.of(name).entries.size > 0;
      if (this.names.includes(node) || isLeaving) strays.push(node);
    }
    return [...new Set([...this.found.keys(), ...strays, ...(this.replaced?.strays ?? [])])];
  }

  /** The node's list, if it answers soon; kept in `found` if it differs from the state. */
  private async inspected(node: string): Promise<ListedMap> {
    const before = this.before(node);
    const wanted = this.inputs.of(node);
    const set = ResourceSet.open(this.runtime, wanted, before);
    const observed = await set.observedSoon();
    this.unseen.delete(node);
    const known = before?.endpoint === set.endpoint ? before : undefined;
    if (isStray(observed, { before: known, wanted, owned: set.owned })) this.found.set(node, observed);
    return observed;
  }

  async write(nodes: readonly string[]): Promise<Written> {
    this.tried += nodes.length;
    for (const node of nodes) this.reached.add(node);
    const changed: string[] = [];
    const failures = await eachSet(this.runtime, "write", this.inputs, nodes, async (node, lifecycle) => {
      // A killed run may have written a node that was silent before the first wave.
      const wasUnseen = this.unseen.has(node);
      if (wasUnseen) await this.inspected(node).catch(() => undefined);
      const isLateStray = wasUnseen && this.found.has(node);
      const before = this.before(node);
      const wanted = this.inputs.of(node);
      const set = ResourceSet.open(this.runtime, wanted, before).called(WHOLE_SET, true);
      const kept = await (before ? lifecycle.update(set, before, wanted) : lifecycle.create(set, wanted));
      this.kept.set(node, kept);
      this.found.delete(node);
      if (kept.isChanged || isLateStray) changed.push(node);
    });
    const failed = this.take(failures);
    const [first] = failed;
    return { changed, failed: failed.map(({ node }) => node), reason: first ? messageOf(first.error) : "" };
  }

  /** Restores lost entries on nodes outside the waves of this run, if the program still declares them: they have passed. */
  async restore({ pending, strays = [] }: Red): Promise<void> {
    const former = this.state?.rollout.pending?.nodes.map((node) => this.nameNow(node));
    const unpassed = (pending?.nodes ?? former ?? []).filter((node) => !strays.includes(node));
    const sets = new Map<string, { set: ResourceSet; state: SetState; inputs: SetInputs }>();
    for (const node of this.names) {
      const state = this.state?.of(this.former.get(node) ?? "");
      const wanted = this.inputs.of(node);
      if (state?.endpoint === undefined || this.reached.has(node) || unpassed.includes(node)) continue;
      const set = ResourceSet.open(this.runtime, wanted, state);
      const passed = [...state.entries, ...(this.state?.lost.get(this.former.get(node) ?? "") ?? [])];
      const entries = new Map(passed.filter(([prefix, value]) => wanted.entries.get(prefix) === value));
      if (set.endpoint !== state.endpoint || !set.lost(entries, entries)) continue;
      // Prefixes that the new content must cover may be missing in the old one.
      const limits = { ...wanted.limits, requiredPrefixes: [] };
      const had = { entries, notes: state.notes };
      sets.set(node, { set, state: { ...state, ...had, unsettled: new Set() }, inputs: { ...wanted, ...had, limits } });
    }
    const failures = await eachSet(this.runtime, "put back", this.inputs, [...sets.keys()], async (node, lifecycle) => {
      const restored = sets.get(node);
      if (!restored) return;
      const { set, state, inputs } = restored;
      await lifecycle.update(set.called(WHOLE_SET, true), state, inputs);
      // Entries that a refresh took out of the state are there again.
      const before = this.kept.get(node) ?? NOTHING_KEPT;
      this.kept.set(node, { ...before, entries: new Map([...before.entries, ...inputs.entries]) });
    });
    // A failure here leaves the state as it is: the next run sees the loss again.
    this.unrestored.push(...failures);
  }

  /** Clears leaving nodes. A joining node may replace them, so this runs after all others are filled and have passed. */
  async clear(): Promise<void> {
    const open = this.names.filter((node) => !this.former.has(node) && this.kept.get(node)?.open !== undefined);
    if (open.length > 0) {
      this.leaveStaying(open);
      return;
    }
    this.tried += this.left.length;
    const clear = async (node: string, lifecycle: SetLifecycle) => {
      if (!this.state) return;
      const left = await lifecycle.delete(
        { ...this.state.of(node), onDestroy: this.inputs.onDestroy },
        GONE_FROM_GROUP,
      );
      if (left) this.kept.set(node, left);
      else this.kept.delete(node);
    };
    this.take(await eachSet(this.runtime, "clear", this.inputs, this.left, clear));
  }

  /** Warns that leaving nodes are not cleared yet. @param open Nodes that could not be filled. */
  leaveStaying(open?: readonly string[]): void {
    if (this.left.length === 0) return;
    const why = open ? `${some(open)} could not be filled` : "not all waves have passed";
    this.runtime.notices.warn(
      `Set ${formatUrl(this.inputs.address)} on ${some(this.left)}: not cleared yet, since ${why}. The next "pulumi up" goes on.`,
    );
  }

  /** The outputs. @throws {PartialFailure} with them, if a node failed or a wave did not pass */
  ended(red: Red | undefined): JsonObject {
    const { inputs, failures } = this;
    const outs = writeState(inputs, this.kept, {
      pending: red?.pending,
      apart: this.stillApart(),
      strays: red?.strays ?? [],
      lost: red ? this.stillLost() : new Map(),
    });
    if (failures.length === 0 && !red) return outs;
    const url = formatUrl(inputs.address);
    const texts = [...failureTexts([...failures, ...this.unrestored]), ...(red ? [`Set ${url}: ${red.text}`] : [])];
    const isUntouched =
      failures.length === this.tried && failures.every(({ error }) => !(error instanceof UnfinishedWrite));
    if (isUntouched && (!red?.pending || !this.state)) throw new Error(texts.join("\n"));
    throw new PartialFailure(texts.join("\n"), url, outs, texts);
  }

  /** Entries that were lost before this run, of nodes that it neither wrote nor repaired. */
  private stillLost(): ReadonlyMap<string, ListedMap> {
    const lost = new Map<string, ListedMap>();
    for (const [node, name] of this.former) {
      const held = this.kept.get(node)?.entries;
      const before = [...(this.state?.lost.get(name) ?? [])];
      if (!this.reached.has(node))
        lost.set(node, new Map(before.filter(([prefix, value]) => held?.get(prefix) !== value)));
    }
    return lost;
  }

  /** Nodes known to be machines of their own; those that left the program count until they are cleared. */
  private stillApart(): Apart {
    const left = this.left.flatMap((node) => {
      const number = this.state?.apart.get(node);
      return number === undefined || !this.kept.has(node) ? [] : [[node, number] as const];
    });
    return new Map([...this.apart, ...left]);
  }

  private before(node: string) {
    const name = this.former.get(node);
    const state = name === undefined ? undefined : this.state?.of(name);
    const found = this.found.get(node);
    return state && found ? { ...state, entries: knownOf(state.entries, found) } : state;
  }

  /** Keeps the state of nodes that failed. @returns failures that stop the group */
  private take(failures: readonly NodeFailure[]): readonly NodeFailure[] {
    const { failed, silent } = goOnWithout(this.runtime, this.inputs, failures, "it is left as it is", this.silent);
    this.silent += silent.length;
    for (const { node } of silent) this.open(node, this.kept.get(node), "unreached");
    for (const { node, error } of failed)
      this.open(node, error instanceof UnfinishedWrite ? error.kept : this.kept.get(node), "failed");
    this.failures.push(...failed);
    return failed;
  }

  private open(node: string, kept: KeptNode = NOTHING_KEPT, open: KeptNode["open"]): void {
    this.kept.set(node, { ...kept, open });
  }
}

/** Known entries that are still there: lost ones are restored. */
function knownOf(known: ListedMap, found: ListedMap): ListedMap {
  return new Map([...found].filter(([prefix]) => known.has(prefix)));
}
