import type { Runtime } from "../../deployment/runtime";
import { type About, type Foresight, type Handler, type LookedAt, PartialFailure } from "../../engine/handler";
import type { ListedValue } from "../../model/entry";
import { attempt, messageOf } from "../../model/errors";
import { hasUnknown, type JsonObject, UNKNOWN, without } from "../../model/json";
import type { CanonicalPrefix } from "../../model/prefix";
import { type ListedMap, NOTHING } from "../../model/prefix-map";
import { prefixIn } from "../../model/readable";
import { formatUrl } from "../../model/resource-url";
import { NAMED } from "../../model/text";
import { RESTORES } from "../../reconcile/drift";
import { isExpired } from "../../reconcile/entries";
import { foundEntry, type Intent, planEntry, planNew, planUpdate } from "../../reconcile/set-plan";
import { addressOf, compare, hasOtherAddress, remember } from "../changes";
import { lookAgain, lookNew, NOTHING_FOUND, notLooked, reportMet, reportMissing, reportSent } from "../look-at-set";
import { isSameSet } from "../prefix-set/check";
import { type Reached, ResourceSet } from "../resource-set";
import { checkPrefixSetEntry } from "./check";
import {
  desiredOf,
  heldOf,
  PREFIX_SET_ENTRY_OUTPUTS,
  type PrefixSetEntryInputs,
  type PrefixSetEntryState,
  prefixSetEntrySchema,
  readInputs,
  readReplaced,
  readState,
  withdrawnOf,
  writeInputs,
  writeState,
} from "./state";

/** One entry of a set that others also write to. */
export class PrefixSetEntryHandler implements Handler {
  readonly args = Object.keys(prefixSetEntrySchema.shape);
  /** Ids of resources that this process created for existing entries. */
  private readonly found = new Set<string>();
  /** Number of messages about lost entries, by verb, node and set. */
  private readonly reportedLosses = new Map<string, number>();
  /** True if the last comparison asked for a replacement, which is checked next. */
  private isReplaced = false;

  constructor(private readonly runtime: Runtime) {}

  normal({ sent: _, ...inputs }: JsonObject) {
    const { prefix, hostBits } = inputs;
    const bits = hostBits === "mask" ? hostBits : undefined;
    return { ...inputs, prefix: prefixIn(prefix, bits ? { hostBits: bits } : {})?.toString() ?? prefix };
  }

  check(olds: JsonObject, news: JsonObject, about?: About) {
    return checkPrefixSetEntry(this.runtime, olds, news, about);
  }

  addresses(inputs: JsonObject) {
    return addressOf(this.runtime, inputs);
  }

  async look(olds: JsonObject, inputs: JsonObject, foresight: Foresight): Promise<LookedAt> {
    const isReplaced = this.isReplaced;
    this.isReplaced = false;
    if (hasUnknown(inputs.prefix) || hasUnknown(inputs.value) || inputs.expired === true) return {};
    const isNew = Object.keys(olds).length === 0;
    const looked = await ResourceSet.look(this.runtime, inputs, isNew);
    if (!looked) return {};
    const { set } = looked;
    const desired = readInputs(knownOf(inputs));
    if (!isNew) {
      const isSame = isSameSet(olds, inputs) && !hasOtherAddress(olds, set);
      const known = isSame ? desiredOf(readInputs(olds)) : new Map();
      return lookAgain(looked, known, desiredOf(desired));
    }
    // In a loop with a shifted index, a replaced entry may take the prefix of another one that is still to be deleted.
    return lookNew(this.runtime, looked, isReplaced || hasUnknown(inputs) ? "nothing" : foresight, () => {
      const { observedInLook: observed, label, managed, blocked } = set;
      if (!observed) return;
      const sent = set.sentBefore(desired.prefix, new Map());
      const { found, changed } = planEntry(observed, { ...desired, label, managed, sent, blocked });
      reportSent(set, sent, desiredOf(desired));
      reportChanged(set, desired, changed);
      reportFound(set, desired, found, true);
    });
  }

  diff(olds: JsonObject, given: JsonObject, about?: About) {
    const isLeft = about?.ignored === true && !this.restores(olds, given);
    const news = isLeft ? without(given, [RESTORES]) : given;
    remember(olds.node, () => {
      const state = readReplaced(olds);
      const { managed, existed } = ResourceSet.ofState(this.runtime, state);
      managed.add(heldOf(state).keys());
      if (state.existed) existed.add(state.prefix);
    });
    remember(olds.node, () => {
      const state = readReplaced(olds);
      const set = ResourceSet.open(this.runtime, state);
      if (state.adopted) sayAdopted(set, state, news);
      if (news[RESTORES] !== undefined && set.endpoint === state.endpoint)
        this.reportDrift(set, state, readInputs(knownOf(news)));
    });
    const unsettled = this.foresee(olds, news);
    const compared = compare({
      // Shows an update that only the notes of a killed run show.
      olds: { ...olds, ...(unsettled.size > 0 && { unsettled: [...unsettled] }) },
      news,
      outputs: PREFIX_SET_ENTRY_OUTPUTS,
      identity: ["arena", "profile", "set", "prefix"],
      connection: "node",
      leave: () => {
        const state = readState(olds);
        if (state.onDestroy !== "keep") ResourceSet.leave(this.runtime, state);
      },
      withdraw: () => ResourceSet.withdraw(this.runtime, news, String(news.prefix)),
      ofProgram: ResourceSet.ofProgram(this.runtime, news, String(news.prefix)),
      runtime: this.runtime,
      about,
    });
    this.isReplaced = compared.replaces !== undefined;
    return compared;
  }

  async create(json: JsonObject) {
    const inputs = readInputs(json);
    const set = ResourceSet.open(this.runtime, inputs).claim(inputs.prefix);
    const { label, managed, blocked, endpoint } = set;
    const { prefix, value, expired, onExisting } = inputs;
    const id = `${set.url}#${prefix}`;
    if (expired) {
      const withdrawn = withdrawnOf(inputs);
      if (withdrawn.size > 0) await this.removeWithdrawn(set, inputs, withdrawn, id);
      return { id, outs: writeState(inputs, { endpoint }) };
    }
    let found: ListedValue | undefined;
    let changed: ListedMap | undefined;
    const hasExisted = set.existed.has(prefix);
    const plan = (observed: ListedMap) => {
      const sent = set.sentBefore(prefix, new Map(), observed);
      const create = planEntry(observed, { label, prefix, value, onExisting, managed, sent, blocked });
      ({ found, changed } = create);
      return create.plan;
    };
    await set.write({ plan }, (message, reached) => {
      const existed = hasExisted || (found !== undefined && reached.applied.has(prefix));
      return new PartialFailure(message, id, partial(inputs, reached, existed));
    });
    set.settleSent();
    reportChanged(set, inputs, changed);
    if (found === undefined) return { id, outs: writeState(inputs, { endpoint, existed: hasExisted }) };
    this.found.add(id);
    reportFound(set, inputs, found, false);
    return { id, outs: writeState(inputs, { endpoint, ...foundState(inputs, found) }) };
  }

  async read(_id: string, json: JsonObject) {
    const state = readState(json);
    const set = ResourceSet.ofState(this.runtime, state);
    const id = `${set.url}#${state.prefix}`;
    const listed = await set.refreshed();
    if (listed === undefined) return { id, inputs: { ...state.verbatim }, props: json };
    const observed = listed.get(state.prefix);
    // What is there after the expiry is of another writer, and what a failed write left staged may still come.
    if (state.expired || (observed === undefined && state.unsettled.size > 0))
      return { id, inputs: { ...state.verbatim }, props: json };
    if (observed === undefined) {
      const lacked = { kind: "lacked", prefixes: [state.prefix], of: "entry", isRestored: false } as const;
      // What an import asks for was never there.
      if (json.endpoint !== undefined) this.reportFew(set, "lacked", () => set.report(lacked));
      return undefined;
    }
    set.managed.add([state.prefix]);
    const inputs = writeInputs(state, observed);
    const { address } = state;
    const unsettled = state.unsettled.size > 0 ? state.unsettled : undefined;
    // An import has inserted nothing.
    const existed = state.existed || state.endpoint === undefined;
    if (existed) set.existed.add(state.prefix);
    const outputs = { endpoint: set.endpoint, existed, unsettled };
    return { id, inputs, props: writeState({ verbatim: inputs, address }, outputs) };
  }

  async update(_id: string, olds: JsonObject, news: JsonObject) {
    const [state, inputs] = [readReplaced(olds), readInputs(news)];
    const set = ResourceSet.open(this.runtime, inputs, state).claim(inputs.prefix);
    const { prefix } = inputs;
    const { endpoint, label } = set;
    const [known, desired] = [heldOf(state), desiredOf(inputs)];
    const intent = this.intent(set, state, inputs);
    const moved = intent?.moved === true;
    const kept = !moved && known.size > 0 && desired.size > 0 && state.existed;
    if (!intent) return { outs: writeState(inputs, { endpoint, existed: kept }) };
    set.reportMove(state);
    let { unsettled } = intent;
    let found: ListedValue | undefined;
    let changed: ListedMap = NOTHING;
    const plan = (observed: ListedMap) => {
      // A run without a look has not compared the notes of a killed one with what is there.
      unsettled = new Set([...unsettled, ...set.sentBefore(prefix, moved ? NOTHING : known, observed)]);
      const { plan, ...met } = planUpdate(observed, { ...intent, unsettled });
      found = foundEntry(met, { ...inputs, label });
      changed = met.changed;
      return plan;
    };
    const { before, after } = await set.write({ plan }, (message, reached) => {
      const existed = kept || (found !== undefined && reached.applied.has(prefix));
      return new PartialFailure(message, `${set.url}#${prefix}`, partial(inputs, reached, existed));
    });
    set.settleSent();
    reportChanged(set, inputs, notLooked(set, { ...NOTHING_FOUND, changed }).changed);
    if (set.observedInLook?.has(prefix) !== true || (found !== undefined && found !== inputs.value))
      reportFound(set, inputs, found, false);
    if (found !== undefined && found !== inputs.value)
      return { outs: writeState(inputs, { endpoint, ...foundState(inputs, found) }) };
    const isDifferent = desired.size > 0 && after.has(prefix) && after.get(prefix) !== inputs.value;
    if (isDifferent) set.report({ kind: "leftUndeclared", undeclared: [], different: [prefix] });
    // A first insert, or one at another address, can meet an existing entry.
    const isFirst = moved || known.size === 0;
    const isOurs = (set.managed.has(prefix) || unsettled.has(prefix)) && !set.existed.has(prefix);
    const there = before.get(prefix);
    const isOfBlock = there !== inputs.value && set.blocked.get(prefix) === there;
    const met = isFirst && desired.size > 0 && there !== undefined && !isOurs && !isOfBlock;
    return { outs: writeState(inputs, { endpoint, existed: kept || met }) };
  }

  async delete(_id: string, json: JsonObject) {
    const state = readState(json);
    const { prefix, unsettled, onDestroy } = state;
    if (heldOf(state).size === 0 && unsettled.size === 0) return;
    const left = { prefixes: [prefix], of: "entry" } as const;
    if (onDestroy === "keep")
      return this.runtime.notices.report({
        kind: "left",
        url: formatUrl(state.address),
        at: state.endpoint,
        ...left,
        onDestroy,
      });
    const set = ResourceSet.ofState(this.runtime, state);
    const sayStays = () => {
      const wasFound = onDestroy === "created" && !state.existed && this.found.has(`${set.url}#${prefix}`);
      set.report({ kind: "leftDeclared", ...left, wasFound });
    };
    if (set.claimed.has(prefix)) {
      // A resource that is created after this delete owns it.
      if (!state.existed) set.managed.add([prefix]);
      return sayStays();
    }
    if (onDestroy === "created" && state.existed) return set.report({ kind: "left", ...left, onDestroy });
    const remove = new Set([prefix]);
    const uncounted = new Set(isExpired(state.expires, this.runtime.today) ? [prefix] : []);
    // Another process of the deployment may come to want the entry while this one waits to share a commit.
    const unwanted = () => (set.claimed.has(prefix) ? new Set<CanonicalPrefix>() : remove);
    const plan = () => ({ put: new Map(), remove: unwanted(), unsettled, uncounted });
    const written = await set.remove({ plan });
    if (set.claimed.has(prefix)) return sayStays();
    if (written && unsettled.size === 0) set.reportAbsent([prefix], written);
  }

  /** Start of an update; `undefined` if nothing is to be sent. */
  private intent(set: ResourceSet, state: PrefixSetEntryState, inputs: PrefixSetEntryInputs): Intent | undefined {
    // By the time in the state: a mistaken time in the program counts as a removal.
    const isOver = () => isExpired(state.expires, this.runtime.today);
    const [known, desired, withdrawn] = [heldOf(state), desiredOf(inputs), withdrawnOf(inputs, state)];
    const recalled = set.recall({ ...state, entries: known }, state.prefix, desired);
    return set.intent(recalled, { known, desired, withdrawn, isOver });
  }

  /**
   * Reports the entry of another writer that the update of this run meets by the look, and warns if it is in the way.
   *
   * @returns what the update settles
   */
  private foresee(olds: JsonObject, news: JsonObject): ReadonlySet<CanonicalPrefix> {
    const none = new Set<CanonicalPrefix>();
    if (hasUnknown(news) || !isSameSet(olds, news) || olds.prefix !== news.prefix) return none;
    const [state, inputs] = [readReplaced(olds), readInputs(news)];
    const set = attempt(() => ResourceSet.open(this.runtime, inputs));
    const observed = set?.observedInLook;
    const intent = set?.isChecked(inputs.prefix) && this.intent(set, state, inputs);
    if (!set || !intent) return none;
    if (!observed) return intent.unsettled;
    const { changed, ...met } = planUpdate(observed, intent);
    reportChanged(set, inputs, changed);
    try {
      reportFound(set, inputs, foundEntry(met, { ...inputs, label: set.label }), true);
    } catch (error) {
      set.report({ kind: "overLimit", reason: messageOf(error), isInTheWay: true });
    }
    return intent.unsettled;
  }

  /** False if the look saw another value, which the program ignores, and no loss. */
  private restores(olds: JsonObject, news: JsonObject): boolean {
    if (hasUnknown(news.prefix)) return true;
    const desired = readInputs(knownOf(news));
    const set = attempt(() => ResourceSet.open(this.runtime, desired));
    return !set || set.ignoreLate([desired.prefix], desiredOf(readInputs(olds)), desiredOf(desired));
  }

  /** Removes an entry of `block --now` that expired before a resource had it. */
  private async removeWithdrawn(set: ResourceSet, inputs: PrefixSetEntryInputs, withdrawn: ListedMap, id: string) {
    const { desired: declared, managed } = set;
    const none = { desired: new Map(), exclusive: false };
    const plan = (observed: ListedMap) => planNew(observed, { ...none, declared, managed, withdrawn }).plan;
    // After a failure the state has it as a held entry, so that the next update removes it.
    const held = { ...inputs, verbatim: without({ ...inputs.verbatim }, ["expired"]) };
    await set.write({ plan }, (message, reached) => new PartialFailure(message, id, partial(held, reached)));
  }

  /** Reports the loss of the entry by the look, for the first few entries of a set. */
  private reportDrift(set: ResourceSet, state: PrefixSetEntryState, inputs: PrefixSetEntryInputs): void {
    const lost = set.lost(heldOf(state), desiredOf(inputs));
    if (!lost) return;
    this.reportFew(set, "lacks", () => reportMissing(set, lost, desiredOf(inputs)));
  }

  /** Reports the first few entries of a set one by one, and the others once. */
  private reportFew(set: ResourceSet, verb: "lacks" | "lacked", one: () => void): void {
    const key = `${verb} ${set.at} ${set.url}`;
    const reported = (this.reportedLosses.get(key) ?? 0) + 1;
    this.reportedLosses.set(key, reported);
    if (reported <= NAMED) one();
    if (reported === NAMED + 1) set.report({ kind: "moreMissing", isRefresh: verb === "lacked" });
  }
}

/** Reports, in every preview until it is done, the effect of the update on an adopted entry. */
function sayAdopted(
  set: ResourceSet,
  { prefix, value: held }: PrefixSetEntryState,
  { value: desired = 1, expired }: JsonObject,
): void {
  const isExpired = expired === true;
  if (desired === UNKNOWN || (held === desired && !isExpired)) return;
  set.report({ kind: "adoptedEntry", prefixes: [prefix], held, desired, isExpired });
}

/** Reports, in the preview and when it is done, the entry of another writer that a create or an update meets. */
function reportFound(
  set: ResourceSet,
  { prefix, value, onDestroy }: PrefixSetEntryInputs,
  found: ListedValue | undefined,
  isPlanned: boolean,
): void {
  const about = { of: "entry", isPlanned, onDestroy } as const;
  if (found === undefined) return;
  if (found === value) set.report({ kind: "alreadyThere", prefixes: [prefix], ...about });
  else set.report({ kind: "adopted", entries: [{ prefix, value: found, desired: value }], ...about });
}

/** Reports the entry with another value that a create or an update changes. */
function reportChanged(set: ResourceSet, inputs: PrefixSetEntryInputs, changed: ListedMap = NOTHING): void {
  reportMet(set, { ...inputs, entries: desiredOf(inputs) }, { ...NOTHING_FOUND, changed }, true);
}

/** Facts of the state about an entry that was there. */
function foundState({ value }: PrefixSetEntryInputs, found: ListedValue) {
  return { existed: true, ...(found !== value && { value: found, adopted: true }) };
}

/** True outputs after a write that failed half-way: the entry is not there, or has another value. */
function partial(
  inputs: PrefixSetEntryInputs,
  { applied, endpoint, unsettled }: Reached,
  existed?: boolean,
): JsonObject {
  const value = applied.get(inputs.prefix);
  if (value === undefined) return writeState(inputs, { endpoint, unsettled, absent: true });
  return writeState(inputs, { endpoint, unsettled, existed, ...(value !== inputs.value && { value }) });
}

/** The known arguments. */
function knownOf(inputs: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(inputs).filter(([, value]) => value !== UNKNOWN));
}
