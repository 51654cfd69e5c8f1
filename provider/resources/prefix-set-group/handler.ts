import { isObject, type JsonObject, membersOf } from "../../model/json";
import { formatUrl } from "../../model/resource-url";
import { count, some } from "../../model/text";
import { type Handler, PartialFailure } from "../handler";
import { WHOLE_SET } from "../node-in-use";
import { FoldedNotices } from "../notices";
import { SetLifecycle, UnfinishedWrite } from "../prefix-set/lifecycle";
import { OTHER_WAVES_KEY } from "../provider-text";
import { ResourceSet } from "../resource-set";
import type { Runtime } from "../runtime";
import { checkPrefixSetGroup } from "./check";
import { diffPrefixSetGroup, placed } from "./diff";
import { eachNode, failureTexts, GONE_FROM_GROUP, goOnWithout, type NodeFailure } from "./each-node";
import { writeDiffers, writeState } from "./outputs";
import { type GroupInputs, type GroupState, type KeptNode, readInputs, readReplaced, readState } from "./state";

/** One set that is kept equal on many nodes: what each holds is what the program says. */
export class PrefixSetGroupHandler implements Handler {
  /** By wave, the nodes that the other waves of its fleet have: the checks learn them, and no input keeps them. */
  private readonly mates = new Map<string, readonly string[]>();

  constructor(private readonly runtime: Runtime) {}

  check(olds: JsonObject, news: JsonObject) {
    const { [OTHER_WAVES_KEY]: others } = news;
    if (isObject(others)) this.mates.set(waveOf(news), Object.keys(others));
    return checkPrefixSetGroup(this.runtime, olds, news);
  }

  diff(olds: JsonObject, news: JsonObject) {
    return diffPrefixSetGroup(this.runtime, olds, news);
  }

  async create(json: JsonObject) {
    const inputs = readInputs(json);
    return { id: formatUrl(inputs.address), outs: await this.bring(inputs) };
  }

  async read(id: string, json: JsonObject) {
    const state = readState(json);
    const kept = new Map<string, KeptNode>();
    for (const node of state.nodes.keys()) kept.set(node, this.before(state, node));
    const failures = await this.each("refresh", state, [...state.endpoints.keys()], async (node, lifecycle) => {
      const before = this.before(state, node);
      kept.set(node, before);
      const set = state.of(node);
      const now = await lifecycle.refresh(ResourceSet.ofState(this.runtime, set), set);
      if (now) kept.set(node, { ...now, open: before.open });
    });
    const failed = goOnWithout(this.runtime, state, failures, "its state is kept").failed;
    if (failed.length > 0) throw new Error(failureTexts(failed).join("\n"));
    const outs = writeState(state, kept, [...state.mates]);
    return { id, inputs: { ...state.verbatim, ...writeDiffers(state, kept) }, props: outs };
  }

  async update(_id: string, olds: JsonObject, news: JsonObject) {
    return { outs: await this.bring(readInputs(news), readReplaced(olds)) };
  }

  async delete(_id: string, json: JsonObject) {
    const state = readState(json);
    const names = [...state.endpoints.keys()];
    if (state.onDestroy === "keep") {
      const entries = count(state.common.entries.size, "entry", "entries");
      this.runtime.notices.info(
        `Set ${formatUrl(state.address)}: left ${entries} on ${some(names)} (onDestroy: "keep").`,
      );
      return;
    }
    const failures = await this.each("clear", state, names, (node, lifecycle) =>
      lifecycle.delete(state.of(node), GONE_FROM_GROUP),
    );
    if (failures.length === 0) return;
    const failed = new Set(failures.map(({ node }) => node));
    const done = names.filter((node) => !failed.has(node));
    // A delete that fails leaves the state as it is.
    const hint = `Set ${formatUrl(state.address)} is cleared on ${some(done)}, although the state still has it there: "pulumi up --refresh" fills it again.`;
    throw new Error([...failureTexts(failures), ...(done.length > 0 ? [hint] : [])].join("\n"));
  }

  /** Makes of what the state knows of each node what the program wants there, and clears the nodes that left it. */
  private async bring(inputs: GroupInputs, state?: GroupState): Promise<JsonObject> {
    const names = [...inputs.nodes.keys()];
    const { former, left } = placed(this.runtime, names, state);
    const kept = new Map<string, KeptNode>();
    const write = async (node: string, lifecycle: SetLifecycle) => {
      const name = former.get(node);
      const before = name === undefined ? undefined : state?.of(name);
      kept.set(node, this.before(state, name));
      const wanted = inputs.of(node);
      const set = ResourceSet.open(this.runtime, wanted, before).called(WHOLE_SET, true);
      const owned = state?.mates.has(node) ? ALL : set.owned;
      const done = before ? lifecycle.update(set, before, wanted) : lifecycle.create(set, wanted, owned);
      kept.set(node, await done);
    };
    const clear = async (node: string, lifecycle: SetLifecycle) => {
      kept.set(node, this.before(state, node));
      if (state) await lifecycle.delete({ ...state.of(node), onDestroy: inputs.onDestroy }, GONE_FROM_GROUP);
      kept.delete(node);
    };
    const failures = await this.each("write", inputs, names, write);
    // What joins may stand in for what leaves: nothing is cleared before it is filled.
    const open = failures.flatMap(({ node }) => (former.has(node) ? [] : node));
    const [leaving, staying] = open.length === 0 ? [left, []] : [[], left];
    failures.push(...(await this.each("clear", inputs, leaving, clear)));
    for (const node of staying) kept.set(node, this.before(state, node));
    if (staying.length > 0) {
      this.runtime.notices.warn(
        `Set ${formatUrl(inputs.address)} on ${some(staying)}: not cleared yet, since ${some(open)} could not be filled. The next "pulumi up" goes on.`,
      );
    }
    return this.ended(inputs, kept, { failures, tried: names.length + leaving.length });
  }

  /** The outputs, with all that failed in them. @throws {PartialFailure} unless what failed may be left as it is */
  private ended(
    inputs: GroupInputs,
    kept: Map<string, KeptNode>,
    { failures, tried }: { readonly failures: readonly NodeFailure[]; readonly tried: number },
  ): JsonObject {
    const { failed, silent } = goOnWithout(this.runtime, inputs, failures, "it is left as it is");
    for (const { node } of silent) kept.set(node, { ...(kept.get(node) ?? NOTHING), open: "unreached" });
    for (const { node, error } of failed) {
      const now = error instanceof UnfinishedWrite ? error.kept : (kept.get(node) ?? NOTHING);
      kept.set(node, { ...now, open: "failed" });
    }
    const outs = writeState(inputs, kept, this.mates.get(waveOf({ ...inputs.verbatim })));
    if (failed.length === 0) return outs;
    const texts = failureTexts(failed);
    const isUntouched = failed.length === tried && failed.every(({ error }) => !(error instanceof UnfinishedWrite));
    if (isUntouched) throw new Error(texts.join("\n"));
    throw new PartialFailure(texts.join("\n"), formatUrl(inputs.address), outs, texts);
  }

  /** A node as the state has it, where nothing was done there. */
  private before(state: GroupState | undefined, node: string | undefined): KeptNode {
    const endpoint = node === undefined ? undefined : state?.endpoints.get(node);
    if (!state || node === undefined || endpoint === undefined) return NOTHING;
    const { entries, unsettled, foreign } = state.of(node);
    return { entries, unsettled, found: foreign, endpoint, open: state.open.get(node) };
  }

  /** Works on each node; what is said of several alike is said once, at the end. */
  private async each(
    what: string,
    { address, atOnce }: Pick<GroupInputs, "address" | "atOnce">,
    nodes: readonly string[],
    work: (node: string, lifecycle: SetLifecycle) => Promise<void>,
  ): Promise<NodeFailure[]> {
    const { runtime } = this;
    const notices = new FoldedNotices(runtime.notices);
    const lifecycle = new SetLifecycle(runtime, notices);
    const label = `Set ${formatUrl(address)}, ${what}`;
    const failures = await runtime.notices.together(() =>
      eachNode({ runtime, label, atOnce }, nodes, (node) => work(node, lifecycle)),
    );
    notices.flush();
    return failures;
  }
}

/** Of a node that another wave of the fleet held so far, whose group takes out what is not wanted any more. */
const ALL = { has: () => true };

/** Of a node that this group never wrote. */
const NOTHING: KeptNode = { entries: new Map(), endpoint: undefined };

/** What tells a wave of a fleet from the others. */
function waveOf({ arena, profile, set, nodes }: JsonObject): string {
  const names = Array.isArray(nodes) ? nodes : Object.keys(membersOf(nodes));
  return JSON.stringify([arena, profile, set, names.toSorted()]);
}
