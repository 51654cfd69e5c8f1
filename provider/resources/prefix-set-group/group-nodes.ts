import { WHOLE_SET } from "../../deployment/node-in-use";
import type { Runtime } from "../../deployment/runtime";
import { digestOf } from "../../deployment/sent-before";
import { PartialFailure } from "../../engine/handler";
import { isUnreachableNode } from "../../messages/remedy";
import { messageOf } from "../../model/errors";
import type { JsonObject } from "../../model/json";
import type { ListedMap } from "../../model/prefix-map";
import { formatUrl } from "../../model/resource-url";
import { some } from "../../model/text";
import { type SetLifecycle, UnfinishedWrite } from "../prefix-set/lifecycle";
import { ResourceSet } from "../resource-set";
import { placed } from "./diff";
import { eachSet, failureTexts, GONE_FROM_GROUP, goOnWithout, type NodeFailure } from "./each-node";
import { writeState } from "./outputs";
import type { Beginning, Begun } from "./rollout/facts";
import type { Former } from "./rollout/former";
import type { RolloutEnd, Written } from "./rollout/roll";
import { type GroupInputs, type GroupState, type KeptNode, keptBefore, NOTHING_KEPT } from "./state";

/** Number of former contents of a node that the state keeps: going back to one of them is no new change. */
const REMEMBERED = 3;

/** The nodes of a group in one run: lists, writes and results. */
export class GroupNodes {
  readonly names: readonly string[];
  private readonly kept = new Map<string, KeptNode>();
  /** Node of the program to node of the state. */
  private readonly former: ReadonlyMap<string, string>;
  private readonly left: readonly string[];
  private readonly failures: NodeFailure[] = [];
  /** Number of nodes that the run goes on without. */
  private silent = new Set<string>();
  private isTouched = false;

  constructor(
    private readonly runtime: Runtime,
    private readonly inputs: GroupInputs,
    private readonly state: GroupState | undefined,
    private readonly replaced?: Former,
  ) {
    this.names = [...inputs.nodes.keys()];
    const { former, left } = placed(runtime, this.names, state);
    this.former = former;
    this.left = left;
    for (const node of this.names) this.kept.set(node, keptBefore(state, former.get(node)));
    for (const node of left) this.kept.set(node, keptBefore(state, node));
  }

  /** Lists of the look of this run, without nodes that were written to since. */
  private looked(): ReadonlyMap<string, ListedMap> {
    const observed = this.names.map((node) => [node, this.runtime.node(node).set(this.inputs.address)] as const);
    return new Map(
      observed.flatMap(([node, { observed, writer }]) => (observed && !writer.hasWritten ? [[node, observed]] : [])),
    );
  }

  /**
   * The start of the run: with waves and a check each node is listed, within the time of a look. So is each of a group without a state
   * whose waves have no check: their contents tell whether it takes the place of one with a wave that has not passed.
   */
  async beginning(): Promise<Beginning> {
    const { runtime, inputs, state, replaced, former, left } = this;
    const observed = new Map<string, ListedMap>(this.looked());
    const silent = new Set(this.names.filter((node) => runtime.look.isSilent(runtime.node(node).endpoint)));
    const isChecked = (inputs.rollout.args?.check ?? state?.rollout.args?.check ?? replaced?.args?.check) !== undefined;
    const leaving = left.filter((node) => state?.nodes.has(node));
    const asked =
      isChecked || (inputs.rollout.args && !state)
        ? [...this.names.filter((node) => !observed.has(node) && !silent.has(node)), ...leaving]
        : [];
    const failures = await eachSet(runtime, "look", inputs, asked, async (node) => {
      const set = leaving.includes(node)
        ? ResourceSet.ofState(runtime, (state as GroupState).of(node))
        : ResourceSet.open(runtime, inputs.of(node), this.before(node));
      observed.set(node, await set.observedSoon());
    });
    for (const { node, error } of failures) if (isUnreachableNode(error) && this.names.includes(node)) silent.add(node);
    for (const [node, list] of observed) this.forgetRegained(node, list);
    // They count at once, and are tried again at the end.
    if (silent.size <= inputs.maxUnreachable) for (const node of silent) this.silent.add(node);
    return { runtime, inputs, state, replaced, former, left, observed, silent };
  }

  /** A loss that a refresh noted, and that a list of this run no longer shows, is none any more. */
  private forgetRegained(node: string, list: ListedMap): void {
    const kept = this.kept.get(node);
    const isBack = kept?.lost && [...kept.lost].every(([prefix, value]) => list.get(prefix) === value);
    if (kept && isBack) this.kept.set(node, { ...kept, lost: undefined });
  }

  /** Nodes that hold what the program declares will not be called: nothing waits for them. */
  withdraw({ state: { nodes } }: Begun): void {
    for (const node of this.names) {
      const { holds, lost } = nodes.get(node) ?? { holds: false };
      if (holds && !lost) this.runtime.node(node).set(this.inputs.address).announced.drop(WHOLE_SET);
    }
  }

  /** Brings nodes to the content of the program. @param isBrief True for silent nodes, which are asked for a moment first. */
  async write(nodes: readonly string[], isBrief: boolean): Promise<Written> {
    const done: string[] = [];
    const failures = await eachSet(this.runtime, "write", this.inputs, nodes, async (node, lifecycle) => {
      const before = this.before(node);
      const desired = this.inputs.of(node);
      const set = ResourceSet.open(this.runtime, desired, before).claim(WHOLE_SET, true);
      if (isBrief) await set.observedSoon();
      const kept = await (before ? lifecycle.update(set, before, desired) : lifecycle.create(set, desired));
      this.kept.set(node, { ...kept, history: this.historyOf(node) });
      this.silent.delete(node);
      this.isTouched = true;
      if (before && this.inputs.rollout.args) requireDeclared(set, kept.entries, desired.entries);
      done.push(node);
    });
    const { failed, silent } = this.take(failures);
    const [first] = failed;
    return { done, silent, failed: failed.map(({ node }) => node), reason: first ? messageOf(first.error) : "" };
  }

  /** Former contents of a node that gets the one of the program. */
  private historyOf(node: string): readonly string[] {
    const { history = [], endpoint } = this.kept.get(node) ?? NOTHING_KEPT;
    const before = this.before(node)?.entries;
    if (!this.inputs.rollout.args) return [];
    const now = digestOf(this.inputs.of(node).entries);
    const all = endpoint !== undefined && before ? [digestOf(before), ...history] : history;
    return [...new Set(all)].filter((it) => it !== now).slice(0, REMEMBERED);
  }

  /** Restores lost entries that the program still declares, and nothing new. Returns the nodes that were begun. */
  async restore(nodes: readonly string[], { state, losses }: Begun): Promise<readonly string[]> {
    const begun: string[] = [];
    const failures = await eachSet(this.runtime, "restore", this.inputs, nodes, async (node, lifecycle) => {
      begun.push(node);
      const before = this.before(node);
      const lost = losses.get(node);
      if (!before || !lost) return;
      const desired = this.inputs.of(node);
      const set = ResourceSet.open(this.runtime, desired, before).claim(WHOLE_SET, true);
      const isWhole = state.nodes.get(node)?.holds === true;
      // A part of the set: the rest of it is declared, too.
      const only = { entries: lost, notes: before.notes, exclusive: false };
      const kept = await (isWhole
        ? lifecycle.update(set, { ...before, lost }, desired)
        : lifecycle.update(
            set,
            { ...before, entries: lost, lost, unsettled: new Set() },
            { ...desired, ...only },
            true,
          ));
      const put = [...(kept.changes ?? [])].flatMap(([prefix, { new: value }]) => (value === null ? [] : prefix));
      this.isTouched = true;
      if (put.length > 0) set.report({ kind: "restored", prefixes: put });
      const { history } = this.kept.get(node) ?? NOTHING_KEPT;
      this.kept.set(
        node,
        isWhole
          ? { ...kept, history }
          : { ...keptBefore(this.state, this.former.get(node)), entries: before.entries, lost: undefined },
      );
    });
    // The state of these nodes stays, so that the next run sees the loss again.
    this.failures.push(...failures);
    return begun;
  }

  /** Clears leaving nodes. A joining node may replace them, so this runs after all others are filled and have passed. */
  async clear(): Promise<void> {
    const open = this.names.filter((node) => !this.former.has(node) && this.kept.get(node)?.open !== undefined);
    if (open.length > 0) {
      this.leaveStaying(open);
      return;
    }
    const clear = async (node: string, lifecycle: SetLifecycle) => {
      if (!this.state) return;
      this.isTouched = true;
      const left = await lifecycle.delete(
        { ...this.state.of(node), onDestroy: this.inputs.onDestroy },
        GONE_FROM_GROUP,
      );
      if (left) this.kept.set(node, left);
      else this.kept.delete(node);
    };
    this.take(await eachSet(this.runtime, "clear", this.inputs, this.left, clear));
    if (this.runtime.cancelled.aborted) this.leaveStaying();
  }

  /** Warns that leaving nodes are not cleared yet. @param open Nodes that could not be filled. */
  leaveStaying(unfilled?: readonly string[]): void {
    const { notices } = this.runtime;
    const url = formatUrl(this.inputs.address);
    notices.fold(() => {
      for (const at of this.left) if (this.kept.has(at)) notices.report({ kind: "notCleared", url, at, unfilled });
    });
  }

  /** The outputs. @throws {PartialFailure} with them, if a node failed or a wave did not pass */
  ended(end: RolloutEnd, { state: { nodes } }: Begun): JsonObject {
    const { inputs, failures } = this;
    for (const node of this.silent) if (!nodes.get(node)?.holds) this.open(node, this.kept.get(node), "unreached");
    const rollout = end.isBlocked ? this.state?.rollout.given : inputs.rollout.given;
    const outs = writeState(inputs, this.kept, { rollout, pending: end.pending });
    if (failures.length === 0 && end.text === undefined) return outs;
    const url = formatUrl(inputs.address);
    const texts = [...failureTexts(failures), ...(end.text === undefined ? [] : [`Set ${url}: ${end.text}`])];
    const isUntouched = !this.isTouched && failures.every(({ error }) => !(error instanceof UnfinishedWrite));
    if (isUntouched && (!end.pending || end.isBlocked || !this.state)) throw new Error(texts.join("\n"));
    throw new PartialFailure(texts.join("\n"), url, outs, texts);
  }

  private before(node: string) {
    const name = this.former.get(node);
    return name === undefined ? undefined : this.state?.of(name);
  }

  /** Keeps the state of nodes that failed. */
  private take(failures: readonly NodeFailure[]) {
    const isKnown = ({ node }: NodeFailure) => this.silent.has(node);
    const earlier = this.silent.size - failures.filter(isKnown).length;
    const { failed, silent } = goOnWithout(this.runtime, this.inputs, failures, "left", earlier);
    for (const { node } of silent) this.silent.add(node);
    for (const { node, error } of failed)
      this.open(node, error instanceof UnfinishedWrite ? error.kept : this.kept.get(node), "failed");
    this.failures.push(...failed);
    return { failed, silent: silent.map(({ node }) => node) };
  }

  private open(node: string, kept: KeptNode = NOTHING_KEPT, open: KeptNode["open"]): void {
    const history = open === "failed" ? this.historyOf(node) : this.kept.get(node)?.history;
    this.kept.set(node, { ...kept, open, ...(history && { history }) });
  }
}

/** @throws {Error} if an update has adopted other values: a wave passes only with the content of the program */
function requireDeclared({ label }: ResourceSet, held: ListedMap, desired: ListedMap): void {
  const others = [...desired].flatMap(([prefix, value]) => (held.get(prefix) === value ? [] : prefix));
  if (others.length > 0)
    throw new Error(
      `${label}: other values of ${some(others)} were adopted, so the declared ones are not there yet. Run "pulumi up" again: its preview shows their change, and the wave goes on with it.`,
    );
}
