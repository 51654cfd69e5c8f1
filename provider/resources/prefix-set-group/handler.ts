import type { Runtime } from "../../deployment/runtime";
import type { About, Foresight, Handler } from "../../engine/handler";
import { hasUnknown, type JsonObject, membersOf } from "../../model/json";
import type { ListedMap } from "../../model/prefix-map";
import { formatUrl } from "../../model/resource-url";
import { ResourceSet } from "../resource-set";
import { checkPrefixSetGroup, leavingFound, normalPrefixSetGroup } from "./check";
import { clearGroup } from "./clear";
import { diffPrefixSetGroup } from "./diff";
import { eachSet, failureTexts, goOnWithout } from "./each-node";
import { isImport, sharedContent } from "./import";
import { lookAtGroup } from "./look";
import { writeDiffersToChange, writeState } from "./outputs";
import { reconcile } from "./reconcile";
import { FormerRollouts } from "./rollout/former";
import { askPassedOver } from "./rollout/passed-over";
import { type KeptNode, keptBefore, prefixSetGroupSchema, readInputs, readReplaced, readState } from "./state";

/** One set that is kept equal on many nodes. */
export class PrefixSetGroupHandler implements Handler {
  readonly args = Object.keys(prefixSetGroupSchema.shape);
  constructor(private readonly runtime: Runtime) {}

  normal(inputs: JsonObject) {
    return normalPrefixSetGroup(this.runtime, inputs);
  }

  check(olds: JsonObject, news: JsonObject, about?: About) {
    return checkPrefixSetGroup(this.runtime, olds, news, about);
  }

  addresses({ nodes }: JsonObject) {
    if (hasUnknown(nodes)) return {};
    const names = Object.keys(membersOf(nodes));
    return { endpoints: Object.fromEntries(names.map((node) => [node, this.runtime.node(node).endpoint])) };
  }

  look(olds: JsonObject, inputs: JsonObject, foresight: Foresight) {
    return lookAtGroup(this.runtime, olds, inputs, foresight);
  }

  diff(olds: JsonObject, news: JsonObject, about?: About) {
    return diffPrefixSetGroup(this.runtime, olds, leavingFound(olds, news, about), about);
  }

  async create(json: JsonObject) {
    const inputs = readInputs(json);
    return { id: formatUrl(inputs.address), outs: await reconcile(this.runtime, inputs) };
  }

  async read(_id: string, json: JsonObject) {
    const state = readState(json);
    const id = formatUrl(state.address);
    const kept = new Map<string, KeptNode>();
    const observed = new Map<string, ListedMap>();
    for (const node of state.nodes.keys()) kept.set(node, keptBefore(state, node));
    const isNew = isImport(state);
    const failures = await eachSet(
      this.runtime,
      "refresh",
      state,
      [...(isNew ? state.nodes : state.endpoints).keys()],
      async (node, lifecycle) => {
        const before = keptBefore(state, node);
        kept.set(node, before);
        const isLeaving = !state.nodes.has(node);
        // Entries of others on a node that left are not adopted, and so not cleared.
        const set = isLeaving ? { ...state.of(node), exclusive: false } : state.of(node);
        const now = await lifecycle.refresh(ResourceSet.ofState(this.runtime, set), set);
        if (!now) return;
        const { open, history } = before;
        kept.set(node, { ...now, open, ...(isLeaving ? { lost: undefined } : { history }) });
        observed.set(node, now.entries);
        if (isLeaving && now.entries.size === 0) kept.delete(node);
      },
    );
    const { failed } = isNew ? { failed: failures } : goOnWithout(this.runtime, state, failures, "state kept");
    if (failed.length > 0) throw new Error(failureTexts(failed).join("\n"));
    if (isNew) {
      const found = readState(sharedContent(json, observed));
      for (const [node, { lost: _, ...set }] of kept) kept.set(node, set);
      return { id, inputs: { ...found.verbatim }, props: writeState(found, kept) };
    }
    FormerRollouts.in(this.runtime).add(state);
    const outs = writeState(state, kept, state.rollout);
    return { id, inputs: { ...state.verbatim, ...writeDiffersToChange(state, kept) }, props: outs };
  }

  async update(_id: string, olds: JsonObject, news: JsonObject, about?: About) {
    const inputs = readInputs(leavingFound(olds, news, about));
    return { outs: await reconcile(this.runtime, inputs, readReplaced(olds)) };
  }

  async delete(_id: string, json: JsonObject) {
    const state = readState(json);
    await askPassedOver(this.runtime, state);
    if (state.onDestroy === "keep") {
      const left = { kind: "left", url: formatUrl(state.address), of: "group", onDestroy: "keep" } as const;
      this.runtime.notices.fold(() => {
        for (const at of state.endpoints.keys())
          this.runtime.notices.report({ ...left, at, prefixes: [...state.of(at).entries.keys()] });
      });
      return;
    }
    await clearGroup(this.runtime, state);
  }
}
