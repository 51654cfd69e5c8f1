import { pause } from "../../client/clock";
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
import { placed } from "./diff";
import { eachSet, failureTexts, GONE_FROM_GROUP, goOnWithout, type NodeFailure } from "./each-node";
import { writeState } from "./outputs";
import { checkWave } from "./rollout/check-wave";
import { type Red, Rollout, type RolloutNodes, type Wave, type Written } from "./rollout/rollout";
import { type GroupInputs, type GroupState, type KeptNode, keptBefore, NOTHING_KEPT } from "./state";
import { isStray } from "./stray";

/** Makes of what the state knows of each node what the program wants there, and clears the nodes that left it. */
export async function bring(runtime: Runtime, inputs: GroupInputs, state?: GroupState): Promise<JsonObject> {
  const nodes = new GroupNodes(runtime, inputs, state);
  const url = formatUrl(inputs.address);
  const { args } = inputs.rollout;
  const { world } = runtime.shared;
  const rollout = new Rollout(
    nodes,
    inputs.rollout,
    { args: undefined, pending: undefined, ...state?.rollout, strays: state?.strays ?? [] },
    {
      wayOut: `PACKETFILTER_ALLOW_WAVE=${url} takes the wave as passed, for one run.`,
      isCancelled: () => runtime.cancelled.aborted,
      pause: async ({ number, of }: Wave) => {
        const ms = args?.pauseMs ?? 0;
        if (ms === 0) return;
        runtime.notices.info(`Set ${url}: wave ${number} of ${of} is written; its pause is ${ms / 1_000} s.`);
        await pause(world, ms, runtime.cancelled);
      },
      check: (check, names, isOnce) => {
        const timeoutMs = (args ?? state?.rollout.args)?.checkTimeoutMs ?? 0;
        const surroundings = { world, env: runtime.env, signal: runtime.cancelled };
        return checkWave(surroundings, check, { nodes: names, set: url, timeoutMs, isOnce });
      },
    },
    runtime.settings.passesWave(url),
  );
  const red = await rollout.run();
  // Without waves a node that fails is in the way of no other.
  const isRollout = args !== undefined || state?.rollout.pending !== undefined;
  if (red && isRollout) {
    if (!runtime.cancelled.aborted) await nodes.restore(red);
    nodes.leaveStaying();
  } else await nodes.clear();
  return nodes.ended(isRollout ? red : undefined);
}

/** The nodes of a group in one run: what they held, what is done there, and what came of it. */
class GroupNodes implements RolloutNodes {
  readonly names: readonly string[];
  private readonly kept = new Map<string, KeptNode>();
  /** Node of the program to node of the state. */
  private readonly former: ReadonlyMap<string, string>;
  private readonly left: readonly string[];
  private readonly failures: NodeFailure[] = [];
  /** What nodes hold that do not hold what the state says. */
  private readonly found = new Map<string, ListedMap>();
  /** Which nodes are known to be machines of their own, by the names of the program. */
  private apart: Apart = new Map();
  /** Nodes that a wave of this run came to. */
  private readonly reached = new Set<string>();
  private silent = 0;
  private tried = 0;

  constructor(
    private readonly runtime: Runtime,
    private readonly inputs: GroupInputs,
    private readonly state: GroupState | undefined,
  ) {
    this.names = [...inputs.nodes.keys()];
    const { former, left } = placed(runtime, this.names, state);
    this.former = former;
    const apart = state && [...state.apart].map(([node, number]) => [state.endpoints.get(node) ?? "", number] as const);
    if (apart) runtime.shared.sameMachine.learn(formatUrl(inputs.address), new Map(apart));
    this.left = left;
    for (const node of this.names) {
      const before = keptBefore(state, former.get(node));
      this.kept.set(node, before);
      const number = state?.apart.get(former.get(node) ?? "");
      if (number !== undefined && before.endpoint === runtime.node(node).endpoint)
        this.apart = new Map([...this.apart, [node, number]]);
    }
    for (const node of left) this.kept.set(node, keptBefore(state, node));
  }

  nameNow(node: string): string {
    return [...this.former].find(([, before]) => before === node)?.[0] ?? node;
  }

  hasFailed(node: string): boolean {
    const name = this.former.get(node);
    return name !== undefined && this.state?.open.get(name) === "failed";
  }

  needs(node: string): boolean {
    const { entries, endpoint, open } = this.kept.get(node) ?? NOTHING_KEPT;
    const isWritten = endpoint !== undefined && open === undefined;
    return !isWritten || !equal(this.found.get(node) ?? entries, this.inputs.of(node).entries);
  }

  async strays(): Promise<readonly string[]> {
    const seen = new Map<string, ListedMap>();
    await eachSet(this.runtime, "look", this.inputs, this.names, async (node) => {
      const before = this.before(node);
      const wanted = this.inputs.of(node);
      const set = ResourceSet.open(this.runtime, wanted, before);
      const observed = await set.observed();
      seen.set(node, observed);
      if (
        isStray(observed, { before: before?.endpoint === set.endpoint ? before : undefined, wanted, owned: set.owned })
      )
        this.found.set(node, observed);
    });
    this.apart = refined(this.apart, seen, this.names);
    const strays = this.state?.strays.map((node) => this.nameNow(node)).filter((node) => this.names.includes(node));
    return [...this.found.keys(), ...(strays ?? [])];
  }

  async write(nodes: readonly string[]): Promise<Written> {
    this.tried += nodes.length;
    for (const node of nodes) this.reached.add(node);
    const changed: string[] = [];
    const failures = await eachSet(this.runtime, "write", this.inputs, nodes, async (node, lifecycle) => {
      const before = this.before(node);
      const wanted = this.inputs.of(node);
      const set = ResourceSet.open(this.runtime, wanted, before).called(WHOLE_SET, true);
      const kept = await (before ? lifecycle.update(set, before, wanted) : lifecycle.create(set, wanted));
      this.kept.set(node, kept);
      this.found.delete(node);
      if (kept.isChanged) changed.push(node);
    });
    const failed = this.take(failures);
    const [first] = failed;
    return { changed, failed: failed.map(({ node }) => node), reason: first ? messageOf(first.error) : "" };
  }

  /**
   * Puts back what nodes lost that no wave of this run came to, as far as the program wants it as it was there: those contents
   * have passed.
   */
  async restore({ pending, strays = [] }: Red): Promise<void> {
    const unpassed = pending?.nodes.filter((node) => !strays.includes(node)) ?? [];
    const sets = new Map<string, { set: ResourceSet; state: SetState; inputs: SetInputs }>();
    for (const node of this.names) {
      const state = this.state?.of(this.former.get(node) ?? "");
      const wanted = this.inputs.of(node);
      if (state?.endpoint === undefined || this.reached.has(node) || unpassed.includes(node)) continue;
      const set = ResourceSet.open(this.runtime, wanted, state);
      const entries = new Map([...state.entries].filter(([prefix, value]) => wanted.entries.get(prefix) === value));
      if (set.endpoint !== state.endpoint || !set.lost(entries, entries)) continue;
      const had = { entries, notes: state.notes };
      sets.set(node, { set, state: { ...state, ...had, unsettled: new Set() }, inputs: { ...wanted, ...had } });
    }
    this.tried += sets.size;
    const failures = await eachSet(this.runtime, "put back", this.inputs, [...sets.keys()], async (node, lifecycle) => {
      const restored = sets.get(node);
      if (restored) await lifecycle.update(restored.set.called(WHOLE_SET, true), restored.state, restored.inputs);
    });
    this.take(failures);
  }

  /** What joins may stand in for what leaves: nothing is cleared before it is filled, and all have passed. */
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

  /** Says that what left the program stays for now. @param open Nodes that could not be filled. */
  leaveStaying(open?: readonly string[]): void {
    if (this.left.length === 0) return;
    const why = open ? `${some(open)} could not be filled` : "not all waves have passed";
    this.runtime.notices.warn(
      `Set ${formatUrl(this.inputs.address)} on ${some(this.left)}: not cleared yet, since ${why}. The next "pulumi up" goes on.`,
    );
  }

  /** The outputs, with all that failed in them. @throws {PartialFailure} unless what failed may be left as it is */
  ended(red: Red | undefined): JsonObject {
    const { inputs, failures } = this;
    const outs = writeState(inputs, this.kept, {
      pending: red?.pending,
      apart: this.stillApart(),
      strays: red?.strays ?? [],
    });
    if (failures.length === 0 && !red) return outs;
    const url = formatUrl(inputs.address);
    const texts = [...failureTexts(failures), ...(red ? [`Set ${url}: ${red.text}`] : [])];
    const isUntouched =
      failures.length === this.tried && failures.every(({ error }) => !(error instanceof UnfinishedWrite));
    if (isUntouched && (!red?.pending || !this.state)) throw new Error(texts.join("\n"));
    throw new PartialFailure(texts.join("\n"), url, outs, texts);
  }

  /** Nodes that left the program are told apart until they are cleared. */
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

  /** Keeps what is true of nodes that failed. @returns those without which the group may not go on */
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

/** What of the known entries is still there: what was lost is put back. */
function knownOf(known: ListedMap, found: ListedMap): ListedMap {
  return new Map([...found].filter(([prefix]) => known.has(prefix)));
}
