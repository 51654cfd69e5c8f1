import type { SetResult } from "../../batch/set-operation";
import { difference, equal, type PrefixMap } from "../../model/prefix-map";
import { count, some } from "../../model/text";
import { compare } from "../changes";
import type { Handler } from "../handler";
import type { JsonObject } from "../json";
import { contentRails, expiredOf, removalRails } from "../limits";
import { remember } from "../remember";
import type { Runtime } from "../runtime";
import { type Reached, SetAccess } from "../set-access";
import { hasUnknown } from "../unknown";
import { checkPrefixSet } from "./check";
import { planCreate, planLimitedUpdate } from "./plan";
import {
  PREFIX_SET_OUTPUTS,
  type PrefixSetInputs,
  type PrefixSetState,
  readInputs,
  readState,
  writeInputs,
  writeState,
} from "./state";

/** A whole prefix-set: what it holds is what the program says. */
export class PrefixSetHandler implements Handler {
  constructor(private readonly runtime: Runtime) {}

  check(olds: JsonObject, news: JsonObject) {
    return checkPrefixSet(this.runtime, olds, news);
  }

  diff(olds: JsonObject, news: JsonObject) {
    const [from, to] = [olds.node, news.node];
    remember(from, () => {
      const state = readState(olds);
      SetAccess.open(this.runtime, state).owned.add(state.entries.keys());
    });
    return compare({
      olds,
      news,
      outputs: PREFIX_SET_OUTPUTS,
      identity: ["arena", "profile", "set"],
      connection: "node",
      leave: () => {
        const state = readState(olds);
        if (state.onDestroy !== "keep") SetAccess.leave(this.runtime, state, state.entries.keys());
      },
      inUse: hasUnknown(to) ? undefined : this.runtime.node(to),
    });
  }

  async create(json: JsonObject) {
    const inputs = readInputs(json);
    const set = SetAccess.open(this.runtime, inputs);
    const { url: id, label, owned, endpoint } = set;
    const { entries: desired, exclusive, onExisting, limits } = inputs;
    const rails = contentRails(limits, this.runtime.settings);
    const plan = (observed: PrefixMap) => planCreate(observed, { label, desired, exclusive, onExisting, owned, rails });
    const { left: adopted = new Map() } = (
      await set.write({ plan }, (reached) => {
        const { left = new Map() } = reached.plan;
        const outputs = partial(inputs, reached, new Map([...desired, ...left]));
        return { id, outputs: left.size > 0 ? { ...outputs, adopted: [...left.keys()] } : outputs };
      })
    ).plan;
    const entries = new Map([...desired, ...adopted]);
    if (adopted.size === 0) return { id, outs: writeState(inputs, { entries, endpoint }) };
    this.runtime.notices.warn(
      `${label}: adopted ${count(adopted.size, "entry", "entries")} that the program does not declare so: ${some([...adopted.keys()])}. Nothing of them was changed; the next preview shows what would be.`,
    );
    return { id, outs: writeState(inputs, { entries, endpoint, adopted: adopted.keys() }) };
  }

  async read(id: string, json: JsonObject) {
    const state = readState(json);
    const set = SetAccess.ofState(this.runtime, state);
    const observed = await set.observed();
    const entries = new Map([...observed].filter(([prefix]) => state.exclusive || state.entries.has(prefix)));
    set.owned.add(entries.keys());
    const { endpoint } = set;
    const unsettled = state.unsettled.size > 0 ? state.unsettled : undefined;
    return { id, inputs: writeInputs(state, entries), props: writeState(state, { entries, endpoint, unsettled }) };
  }

  async update(_id: string, olds: JsonObject, news: JsonObject) {
    const [state, inputs] = [readState(olds), readInputs(news)];
    const set = SetAccess.open(this.runtime, inputs, state);
    const { entries: known, unsettled } = state;
    const { entries: desired } = inputs;
    const moved = set.hasMovedFrom(state);
    const outs = writeState(inputs, { entries: desired, endpoint: set.endpoint });
    if (!moved && unsettled.size === 0 && equal(known, desired)) return { outs };
    const intent = { known, desired, unsettled, moved, wanted: set.wanted };
    const limits = this.limitsOf(set, inputs, state);
    const plan = (observed: PrefixMap) => planLimitedUpdate(observed, intent, limits);
    const result = await set.write({ plan }, (reached) => ({
      id: set.url,
      outputs: partial(inputs, reached, new Map([...known, ...desired])),
    }));
    this.warnOfOthers(set, inputs, result);
    return { outs };
  }

  async delete(_id: string, json: JsonObject) {
    const state = readState(json);
    if (state.onDestroy === "keep") return;
    const set = SetAccess.ofState(this.runtime, state);
    const { entries, unsettled, exclusive } = state;
    const managed = [...new Set([...entries.keys(), ...unsettled])];
    const kept = managed.filter((prefix) => set.wanted.has(prefix));
    if (kept.length > 0) {
      this.runtime.notices.say(
        `${set.label}: ${count(kept.length, "entry stays", "entries stay")}, wanted by another resource of this stack: ${some(kept)}.`,
      );
    }
    const remove = new Set(managed.filter((prefix) => !set.wanted.has(prefix)));
    if (managed.length > 0 && remove.size === 0) return;
    const expired = expiredOf(remove, state.notes, this.runtime.today);
    const { after } = await set.write({ plan: () => ({ put: new Map(), remove, unsettled, expired }), isLast: true });
    const others = [...after.keys()].filter((prefix) => !kept.includes(prefix));
    if (others.length > 0 && exclusive) {
      this.runtime.notices.warn(`${set.label}: left ${some(others)}, which this stack did not know of.`);
    }
  }

  private limitsOf({ label, url }: SetAccess, { limits }: PrefixSetInputs, { notes }: PrefixSetState) {
    const { settings, today: now } = this.runtime;
    const content = contentRails(limits, settings);
    return { label, url, content, removals: removalRails(limits, settings.liftsRemovals(url)), notes, now };
  }

  private warnOfOthers(set: SetAccess, inputs: PrefixSetInputs, { before, after }: SetResult): void {
    const { remove, change } = difference(after, inputs.entries);
    const extra = inputs.exclusive ? [...remove.keys()].filter((prefix) => before.has(prefix)) : [];
    if (extra.length + change.size === 0) return;
    const parts = [
      extra.length > 0 ? `entries that the program does not declare: ${some(extra)}` : "",
      change.size > 0 ? `other values of ${some([...change.keys()])}` : "",
    ].filter((part) => part !== "");
    this.runtime.notices.warn(
      `${set.label}: left ${parts.join(" and ")}. "pulumi preview --refresh" shows them, "pulumi up --refresh" puts them right.`,
    );
  }
}

/** The outputs that are true after a write that failed half-way: what the node holds of the resource's own entries. */
function partial(inputs: PrefixSetInputs, { applied, endpoint, unsettled }: Reached, ours: PrefixMap): JsonObject {
  const entries = new Map([...applied].filter(([prefix]) => ours.has(prefix)));
  return writeState(inputs, { entries, endpoint, unsettled });
}
