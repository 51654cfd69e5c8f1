import type { SetResult } from "../../batch/set-operation";
import type { CanonicalPrefix } from "../../model/prefix";
import { difference, equal, type ListedMap } from "../../model/prefix-map";
import { formatUrl } from "../../model/resource-url";
import { count, grouped, inLines, some } from "../../model/text";
import { compare, remember } from "../changes";
import { withdrawnOf } from "../entries";
import type { Handler } from "../handler";
import { hasUnknown, type JsonObject, without } from "../json";
import { contentLimits } from "../limits/content";
import { expiredOf, removalLimits } from "../limits/removals";
import { WHOLE_SET } from "../node-in-use";
import { type Reached, ResourceSet } from "../resource-set";
import type { Runtime } from "../runtime";
import { stillThere } from "../set-plan";
import { checkPrefixSet } from "./check";
import { planCreate, planLimitedUpdate } from "./plan";
import {
  PREFIX_SET_OUTPUTS,
  type PrefixSetInputs,
  type PrefixSetState,
  readInputs,
  readReplaced,
  readState,
  storedSet,
  writeInputs,
  writeState,
} from "./state";
import { goOnWithout } from "./unreachable";

/** A whole prefix-set: what it holds is what the program says. */
export class PrefixSetHandler implements Handler {
  constructor(private readonly runtime: Runtime) {}

  check(olds: JsonObject, news: JsonObject) {
    return checkPrefixSet(this.runtime, olds, news);
  }

  diff(olds: JsonObject, news: JsonObject) {
    const [from, to] = [olds.node, news.node];
    remember(from, () => {
      const state = readReplaced(olds);
      const set = ResourceSet.open(this.runtime, state);
      set.owned.add(state.entries.keys());
      const { entries } = news;
      if (state.foreign.size > 0 && !hasUnknown(entries)) this.sayForeign(set, state, storedSet(news).entries());
    });
    return compare({
      olds,
      news,
      outputs: PREFIX_SET_OUTPUTS,
      identity: ["arena", "profile", "set"],
      connection: "node",
      leave: () => {
        const state = readState(olds);
        if (state.onDestroy !== "keep") ResourceSet.leave(this.runtime, state, state.entries.keys());
      },
      settle: () => ResourceSet.settle(this.runtime, news, WHOLE_SET),
      inPreview: this.runtime.inPreview,
      inUse: hasUnknown(to) ? undefined : this.runtime.node(to),
    });
  }

  async create(json: JsonObject) {
    const inputs = readInputs(json);
    const set = ResourceSet.open(this.runtime, inputs).called(WHOLE_SET);
    try {
      return await this.fill(set, inputs);
    } catch (error) {
      goOnWithout(this.runtime, set, inputs, error);
      // Without notes: the next update is to find what they say of entries that left.
      const empty = { ...inputs, verbatim: without({ ...inputs.verbatim }, ["notes"]) };
      const outputs = { entries: new Map(), endpoint: set.endpoint, unreached: "first" } as const;
      return { id: set.url, outs: writeState(empty, outputs) };
    }
  }

  private async fill(set: ResourceSet, inputs: PrefixSetInputs) {
    const { url: id, label, owned, endpoint } = set;
    const { entries: desired, exclusive, onExisting } = inputs;
    const limits = contentLimits(inputs.limits, this.runtime.settings);
    const withdrawn: ListedMap = inputs.notes.size > 0 ? withdrawnOf(inputs.notes, new Map()) : new Map();
    let adopted: ListedMap = new Map();
    const plan = (observed: ListedMap) => {
      const leaving = withdrawn.size > 0 ? stillThere(withdrawn, observed, set.wanted) : new Set<CanonicalPrefix>();
      const create = planCreate(observed, { label, desired, exclusive, onExisting, owned, limits, leaving });
      adopted = create.left;
      return create.plan;
    };
    const written = await set.write({ plan }, (reached) => {
      const outputs = partial(inputs, reached, new Map([...desired, ...adopted, ...withdrawn]));
      return { id, outputs: adopted.size > 0 ? { ...outputs, adopted: [...adopted.keys()] } : outputs };
    });
    this.sayShared(set, inputs, written.before);
    const entries = new Map([...desired, ...adopted]);
    if (adopted.size === 0) return { id, outs: writeState(inputs, { entries, endpoint }) };
    this.runtime.notices.warn(
      `${label}: adopted ${count(adopted.size, "entry", "entries")} that the program does not declare so: ${some([...adopted.keys()])}. Nothing of them was changed; every preview names what would be.`,
    );
    return { id, outs: writeState(inputs, { entries, endpoint, adopted: adopted.keys() }) };
  }

  async read(id: string, json: JsonObject) {
    const state = readState(json);
    if (state.unreached === "first") return { id, inputs: { ...state.verbatim }, props: json };
    const set = ResourceSet.ofState(this.runtime, state);
    const observed = await set.refreshed().catch((error: unknown) => {
      if (!state.fleet) throw error;
      return goOnWithout(this.runtime, set, state, error);
    });
    if (!observed) return { id, inputs: { ...state.verbatim }, props: json };
    const entries = new Map([...observed].filter(([prefix]) => state.exclusive || state.entries.has(prefix)));
    set.owned.add(entries.keys());
    const { endpoint } = set;
    const unsettled = state.unsettled.size > 0 ? state.unsettled : undefined;
    const foreign = [...entries.keys()].filter((prefix) => state.foreign.has(prefix) || !state.entries.has(prefix));
    const found = foreign.length > 0 ? foreign : undefined;
    return {
      id,
      inputs: writeInputs(state, entries),
      props: writeState(state, { entries, endpoint, found, unsettled }),
    };
  }

  async update(_id: string, olds: JsonObject, news: JsonObject): Promise<{ outs: JsonObject }> {
    const [state, inputs] = [readReplaced(olds), readInputs(news)];
    if (state.unreached === "first") return this.create(news);
    const set = ResourceSet.open(this.runtime, inputs, state).called(WHOLE_SET);
    try {
      return await this.bring(set, state, inputs);
    } catch (error) {
      goOnWithout(this.runtime, set, inputs, error);
      return { outs: { ...olds, unreached: "update" } };
    }
  }

  private async bring(set: ResourceSet, state: PrefixSetState, inputs: PrefixSetInputs) {
    const { entries: known, unsettled } = state;
    const { entries: desired } = inputs;
    const moved = set.hasMovedFrom(state);
    const outs = writeState(inputs, { entries: desired, endpoint: set.endpoint });
    const withdrawn = withdrawnOf(inputs.notes, state.notes);
    if (!moved && unsettled.size + withdrawn.size === 0 && equal(known, desired)) {
      if (inputs.exclusive && !state.exclusive) {
        const observed = await set.observed();
        this.warnOfOthers(set, inputs, { before: observed, after: observed });
      }
      return { outs };
    }
    const intent = { known, desired, unsettled, moved, withdrawn, wanted: set.wanted };
    const limits = this.limitsOf(set, inputs, state);
    const plan = (observed: ListedMap) => planLimitedUpdate(observed, intent, limits);
    const result = await set.write({ plan }, (reached) => ({
      id: set.url,
      outputs: partial(inputs, reached, new Map([...known, ...desired, ...withdrawn])),
    }));
    this.warnOfOthers(set, inputs, result);
    return { outs };
  }

  async delete(_id: string, json: JsonObject) {
    const state = readState(json);
    if (state.unreached === "first") return;
    if (state.onDestroy === "keep") return this.runtime.notices.info(keptText(state));
    const set = ResourceSet.ofState(this.runtime, state);
    const { entries, unsettled, exclusive } = state;
    const managed = new Set([...entries.keys(), ...unsettled]);
    const kept = new Set([...managed].filter((prefix) => set.wanted.has(prefix)));
    if (kept.size > 0) {
      this.runtime.notices.info(
        `${set.label}: ${count(kept.size, "entry stays", "entries stay")}, wanted by another resource of this stack: ${some([...kept])}.`,
      );
    }
    const remove = new Set([...managed].filter((prefix) => !kept.has(prefix)));
    if (managed.size > 0 && remove.size === 0) return;
    const expired = expiredOf(remove, state.notes, this.runtime.today);
    const plan = () => ({ put: new Map(), remove, unsettled, expired });
    const written = await set.remove({ plan });
    if (!written) return;
    set.sayGone(remove, written);
    const gone = [...written.changes].filter(([, change]) => change.new === null).map(([prefix]) => prefix);
    if (gone.length > 0) {
      const went = count(gone.length, "entry was", "entries were");
      this.runtime.notices.info(`${set.label}: ${went} removed with the resource: ${some(gone)}.`);
    }
    // What may be the same entry at another address stays, and is no stranger.
    const others = [...written.after.keys()].filter((prefix) => !managed.has(prefix));
    if (others.length > 0 && exclusive) {
      this.runtime.notices.warn(`${set.label}: left ${some(others)}, which this stack did not know of.`);
    }
  }

  private limitsOf({ label, url }: ResourceSet, { limits }: PrefixSetInputs, { notes }: PrefixSetState) {
    const { settings, today: now } = this.runtime;
    const content = contentLimits(limits, settings);
    return { label, url, content, removals: removalLimits(limits, settings, url), notes, now };
  }

  private warnOfOthers(
    set: ResourceSet,
    inputs: PrefixSetInputs,
    { before, after }: Pick<SetResult, "before" | "after">,
  ) {
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
    const rest = extra.slice(SHOWN);
    for (const line of inLines(rest)) this.runtime.notices.info(`${set.label}: left and not declared, too: ${line}.`);
  }

  /** Once, at create: entries that were there before with the value that is declared. */
  private sayShared({ label, owned }: ResourceSet, { entries, onDestroy }: PrefixSetInputs, before: ListedMap): void {
    const shared = [...entries].filter(([prefix, value]) => before.get(prefix) === value && !owned.has(prefix));
    if (shared.length === 0) return;
    const were = shared.length === 1 ? "entry was" : "entries were";
    const fate = onDestroy === "keep" ? "a destroy leaves them" : "destroy removes them with the rest";
    this.runtime.notices.info(
      `${label}: ${grouped(shared.length)} ${were} there already as declared: ${some(
        shared.map(([prefix]) => prefix),
        SHOWN,
      )}. They belong to this resource now, and ${fate}.`,
    );
  }

  /**
   * In every preview until it is done: what the update does to entries that entered the state as they were found. A refresh
   * compares with the arguments of the last run and does not know yet what the program says: it names them only.
   */
  private sayForeign(set: ResourceSet, { entries: held, foreign }: PrefixSetState, desired: ListedMap): void {
    const present = [...foreign].filter((prefix) => held.has(prefix));
    const removed = present.filter((prefix) => !desired.has(prefix) && !set.wanted.has(prefix));
    const changed = present.flatMap((prefix) => {
      const [from, to] = [held.get(prefix), desired.get(prefix)];
      return to === undefined || from === to ? [] : [`${prefix} (${from} to ${to})`];
    });
    const say = (fate: string, items: readonly string[], how = "that no program declared so") => {
      const lines = inLines(items);
      for (const [index, line] of lines.entries()) {
        const part = lines.length > 1 ? `, ${index + 1} of ${lines.length} lines` : "";
        this.runtime.notices.info(
          `${set.label}: ${fate} ${count(items.length, "entry", "entries")} ${how}${part}: ${line}.`,
        );
      }
    };
    if (!set.isChecked(WHOLE_SET)) {
      say("found", [...removed, ...changed]);
      return;
    }
    say("up removes", removed);
    say("up changes", changed);
    const kept = set.isIgnored ? present.filter((prefix) => desired.get(prefix) === held.get(prefix)) : [];
    say(
      "up keeps",
      kept,
      "as found, since the program ignores changes of entries (ignoreChanges); a destroy removes what the state holds",
    );
  }
}

/** What a deletion leaves on purpose, which no list has to show. */
function keptText({ address, endpoint, entries }: PrefixSetState): string {
  const place = endpoint === undefined ? "" : ` on ${endpoint}`;
  return `Set ${formatUrl(address)}${place}: left ${count(entries.size, "entry", "entries")} (onDestroy: "keep").`;
}

/** So many prefixes are named in one sentence; the others follow in lines of their own. */
const SHOWN = 5;

/** The outputs that are true after a write that failed half-way: what the node holds of the resource's own entries. */
function partial(inputs: PrefixSetInputs, { applied, endpoint, unsettled }: Reached, ours: ListedMap): JsonObject {
  const entries = new Map([...applied].filter(([prefix]) => ours.has(prefix)));
  return writeState(inputs, { entries, endpoint, unsettled });
}
