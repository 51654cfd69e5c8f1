import type { SetOperation, SetResult } from "../../apply/set-operation";
import type { Declaring } from "../../deployment/connections";
import { WHOLE_SET } from "../../deployment/node-in-use";
import type { Runtime } from "../../deployment/runtime";
import type { Foresight, LookedAt } from "../../engine/handler";
import type { EventOf, OtherValue } from "../../messages/events";
import { GONE_NODE } from "../../messages/remedy";
import type { ListedValue } from "../../model/entry";
import { messageOf } from "../../model/errors";
import type { CanonicalPrefix } from "../../model/prefix";
import { type ListedMap, madeOnce, NOTHING } from "../../model/prefix-map";
import { formatUrl } from "../../model/resource-url";
import { differing, driftOf } from "../../reconcile/drift";
import { withdrawnOf } from "../../reconcile/entries";
import { contentLimits } from "../../reconcile/limits/content";
import { expiredOf, overIn, removalLimits } from "../../reconcile/limits/removals";
import { type Intent, judgeOf, type KnownPrefixes } from "../../reconcile/set-plan";
import { compareSet } from "../../reconcile/three-way";
import { lookNew, NOTHING_FOUND, notLooked, reportMet, reportMissing, reportSent } from "../look-at-set";
import { type LookedSet, type Reached, ResourceSet } from "../resource-set";
import {
  type ChangedSet,
  countedIn,
  foundBy,
  InTheWay,
  planCreate,
  planLimitedDelete,
  planLimitedUpdate,
  type UpdateLimits,
} from "./plan";
import { type KeptSet, type SetInputs, type SetState, shareable } from "./state";

function unwantedOf(prefixes: ReadonlySet<CanonicalPrefix>, desired: KnownPrefixes): ReadonlySet<CanonicalPrefix> {
  return new Set([...prefixes].filter((prefix) => !desired.has(prefix)));
}

/** Nodes of a group share one object of limits, so that each is judged once. */
const sharedLimits = madeOnce(contentLimits);

/** A write failed half-way: the state gets the node's present content, and the next run goes on. */
export class UnfinishedWrite extends Error {
  override readonly name = "UnfinishedWrite";
  constructor(
    message: string,
    readonly kept: KeptSet,
  ) {
    super(message);
  }
}

/** Lifecycle of one set of one node. A `PrefixSet` has one, a `PrefixSetGroup` one a node. */
export class SetLifecycle {
  constructor(private readonly runtime: Runtime) {}

  /**
   * Writes the entries to a set that this resource has not written so far.
   *
   * @throws {UnfinishedWrite}
   */
  async create(set: ResourceSet, inputs: SetInputs): Promise<KeptSet> {
    const { endpoint } = set;
    const { entries: desired } = inputs;
    const withdrawn = withdrawnOf(inputs.notes, new Map(), inputs.node);
    let adopted: ListedMap = new Map();
    let shared: readonly CanonicalPrefix[] = [];
    let changed: ListedMap = NOTHING;
    let existed: readonly CanonicalPrefix[] = [];
    const plan = (observed: ListedMap) => {
      const create = this.planNew(set, inputs, observed);
      adopted = create.left;
      if (adopted.size > 0) set.adopted.add(adopted.keys());
      ({ shared, changed } = create);
      const inherited = [...set.existed].filter((prefix) => desired.has(prefix));
      existed = [...new Set([...shared, ...adopted.keys(), ...inherited])];
      reportSent(set, set.sentBefore(desired, NOTHING, observed), desired, observed);
      return create.plan;
    };
    const failure = (message: string, reached: Reached) => {
      const kept = { ...reachedOf(reached, new Map([...desired, ...adopted, ...withdrawn])), existed };
      return new UnfinishedWrite(message, adopted.size > 0 ? { ...kept, adopted: [...adopted.keys()] } : kept);
    };
    const { after } = await this.write(set, plan, failure);
    reportMet(set, inputs, { shared, adopted, changed }, false);
    const kept = { endpoint, existed, ...set.settleSent(after) };
    if (adopted.size === 0) return { ...kept, entries: desired };
    return { ...kept, entries: new Map([...desired, ...adopted]), adopted: adopted.keys() };
  }

  /**
   * Writes to a set in which entries of others may be in the way.
   *
   * @param leaves True if the plan made last leaves some of them.
   */
  private async write(
    set: ResourceSet,
    plan: SetOperation["plan"],
    failure: (message: string, reached: Reached) => UnfinishedWrite,
    leaves: () => boolean = () => false,
  ): Promise<SetResult> {
    let isInTheWay = false;
    const noted = (observed: ListedMap) => {
      try {
        const planned = plan(observed);
        isInTheWay = leaves();
        return planned;
      } catch (error) {
        isInTheWay = error instanceof InTheWay;
        throw error;
      }
    };
    try {
      return await set.write({ plan: noted }, failure);
    } catch (error) {
      const isUnfinished = error instanceof UnfinishedWrite;
      const isRestored = isUnfinished && [...(error.kept.unsettled ?? [])].length === 0;
      if (!isInTheWay || this.runtime.cancelled.aborted) throw error;
      // The engine may be about to show a resource that owns the entries in the way, or has shown it during a restore.
      const hasWaited = await this.runtime.waitForPriorStates();
      if ((!hasWaited && !isRestored) || this.runtime.cancelled.aborted) throw error;
      return set.write({ plan: noted }, failure).catch((again: unknown) => {
        // The restored entries are in the state of the first failure alone.
        throw isUnfinished && !(again instanceof UnfinishedWrite) ? error : again;
      });
    }
  }

  /** Tries a create against the result of a look. */
  lookNew(looked: LookedSet, inputs: SetInputs | undefined, foresight: Foresight): LookedAt {
    const { set } = looked;
    const desired = inputs?.entries ?? NOTHING;
    reportSent(set, set.sentBefore(desired, NOTHING), desired);
    return lookNew(this.runtime, looked, foresight, () => {
      const { set } = looked;
      if (!set.observedInLook || !inputs) return;
      const { shared, left: adopted, changed } = this.planNew(set, inputs, set.observedInLook);
      reportMet(set, inputs, { shared, adopted, changed }, true);
    });
  }

  /** The set as the node holds it; `undefined` if the refresh goes on without the node. */
  async refresh(set: ResourceSet, state: SetState): Promise<KeptSet | undefined> {
    const observed = await set.refreshed();
    if (!observed) return undefined;
    // Equal sets of many nodes are one map.
    // They are this resource's, although no state has them.
    const sent = set.sentBefore(undefined, state.entries, observed);
    const isOwn = ([prefix]: [CanonicalPrefix, unknown]) => state.entries.has(prefix) || sent.has(prefix);
    const entries = state.exclusive ? observed : new Map([...observed].filter(isOwn));
    set.managed.share(entries);
    // A killed run does not know how they ended; the next update makes sure.
    const unsettled = state.unsettled.size + sent.size > 0 ? new Set([...state.unsettled, ...sent]) : undefined;
    // A refresh knows no program: what the state holds was declared last.
    const { missing, different, foreign: news } = compareSet(entries, state.entries, state.entries);
    const added = new Set(news.filter((prefix) => !sent.has(prefix)));
    const isForeign = (prefix: CanonicalPrefix) => state.foreign.has(prefix) || added.has(prefix);
    const foreign = state.foreign.size + added.size === 0 ? [] : [...entries.keys()].filter(isForeign);
    // Neither an import nor a refresh has inserted them; what is unsettled may be an insert of this resource.
    const met = [...added].filter((prefix) => !state.unsettled.has(prefix));
    const existed = state.endpoint === undefined ? [...entries.keys()] : [...state.existed, ...met];
    for (const prefix of existed) set.existed.add(prefix);
    const gone = [...missing, ...different].filter((prefix) => !state.foreign.has(prefix));
    const lost = new Map(gone.map((prefix) => [prefix, state.entries.get(prefix) as ListedValue]));
    return {
      entries,
      endpoint: set.endpoint,
      found: foreign.length > 0 ? foreign : undefined,
      existed,
      lost,
      unsettled,
    };
  }

  /**
   * Brings the set from the state to the program.
   *
   * @param before State of the last run.
   * @param isPart True if state and program are a part of the set: nothing beside it is of a killed run.
   * @throws {UnfinishedWrite}
   */
  async update(set: ResourceSet, before: SetState, inputs: SetInputs, isPart = false): Promise<KeptSet> {
    const state = shareable(before, inputs);
    const { entries: known } = state;
    const { entries: desired } = inputs;
    const existed = [...state.existed].filter((prefix) => desired.has(prefix));
    const kept = { entries: desired, endpoint: set.endpoint, existed };
    const withdrawn = withdrawnBy(state, inputs);
    const intent = this.intent(set, state, inputs, isPart);
    if (!intent) {
      if (inputs.exclusive && !state.exclusive) {
        const observed = await set.observed();
        this.warnOfOthers(set, inputs, { before: observed, after: observed });
      }
      return kept;
    }
    set.reportMove(state);
    const changes = this.changes(set, inputs);
    // At another address, everything that is there was there before.
    const held = intent.moved ? NOTHING : known;
    let { unsettled } = intent;
    const isOurs = (prefix: CanonicalPrefix) =>
      held.has(prefix) || ((set.managed.has(prefix) || unsettled.has(prefix)) && !set.existed.has(prefix));
    let met: readonly CanonicalPrefix[] = [];
    let found = NOTHING_FOUND;
    let refused: ListedMap = NOTHING;
    const plan = (observed: ListedMap) => {
      // A run without a look has not compared the notes of a killed one with what is there.
      const sent = isPart ? new Set<CanonicalPrefix>() : set.sentBefore(desired, held, observed);
      if (sent.size > 0) unsettled = new Set([...unsettled, ...sent]);
      const { present, occupied } = compareSet(observed, held, desired);
      const isOfBlock = (prefix: CanonicalPrefix) => intent.blocked?.get(prefix) === observed.get(prefix);
      const others = occupied.filter((prefix) => !isOfBlock(prefix));
      met = [...present, ...others].filter((prefix) => !isOurs(prefix));
      const planned = planLimitedUpdate(observed, { ...intent, unsettled }, changes);
      found = foundBy(planned, inputs);
      refused = inputs.onExisting === "adopt" ? NOTHING : planned.otherValue;
      if (planned.plan.refusal === undefined) reportSent(set, sent, desired, observed);
      return planned.plan;
    };
    const existedOf = (there: KnownPrefixes) => {
      const still = intent.moved ? [] : [...state.existed].filter((prefix) => desired.has(prefix) || there.has(prefix));
      return [...new Set([...still, ...met])];
    };
    const failure = (message: string, reached: Reached) => {
      const isOwn = ([prefix]: [CanonicalPrefix, ListedValue]) => !refused.has(prefix);
      const now = reachedOf(reached, new Map([...known, ...desired, ...withdrawn].filter(isOwn)));
      const isStill = (prefix: CanonicalPrefix) =>
        now.entries.has(prefix) && now.entries.get(prefix) !== desired.get(prefix);
      const foreign = [...new Set([...state.foreign, ...found.adopted.keys()])].filter(isStill);
      const existed = existedOf(reached.applied).filter((prefix) => !refused.has(prefix));
      const { changed = NOTHING } = found;
      const isDone = ([prefix]: [CanonicalPrefix, ListedValue]) => reached.applied.get(prefix) === desired.get(prefix);
      const done = { ...found, changed: new Map([...changed].filter(isDone)) };
      reportMet(set, inputs, notLooked(set, done), false);
      return new UnfinishedWrite(message, { ...now, existed, found: foreign.length > 0 ? foreign : undefined });
    };
    const result = await this.write(set, plan, failure, () => refused.size > 0);
    reportMet(set, inputs, notLooked(set, found), false);
    const entries = found.adopted.size > 0 ? new Map([...desired, ...found.adopted]) : desired;
    this.warnOfOthers(set, { ...inputs, entries }, result, intent.moved);
    return {
      ...kept,
      ...(!isPart && set.settleSent(result.after)),
      ...(found.adopted.size > 0 && { entries, adopted: found.adopted.keys() }),
      existed: existedOf(desired),
      get changes() {
        return result.changes;
      },
    };
  }

  /**
   * Reports entries of others that the update of this run meets by the look, and warns of those in its way and of limits that it
   * exceeds by the look or else by the state. No failure: the engine would come to no other resource, and restore nothing there. A
   * refresh knows no program, and the limits at another address are those of the run.
   */
  foresee(set: ResourceSet, before: SetState, inputs: SetInputs): void {
    const state = shareable(before, inputs);
    const intent = set.isChecked(WHOLE_SET) && this.intent(set, state, inputs);
    if (!intent) return;
    const { observedInLook: observed } = set;
    if (intent.moved && !observed) return;
    const { entries: known, lost } = state;
    const held = lost ? new Map([...known].filter(([prefix]) => !lost.has(prefix))) : known;
    const warn = (reason: string | undefined, isInTheWay: boolean) => {
      if (reason !== undefined && !intent.moved) set.report({ kind: "overLimit", reason, isInTheWay });
    };
    try {
      const planned = planLimitedUpdate(observed ?? held, intent, this.changes(set, inputs));
      // By the list alone, which has all entries of the set. A part may hand its own to a resource that is checked later.
      const most = () =>
        inputs.exclusive && observed
          ? set.removals.exceeded("Removals", countedIn(planned.plan, observed), observed.size)
          : undefined;
      warn(planned.plan.refusal ?? most(), inputs.onExisting !== "adopt" && planned.otherValue.size > 0);
      reportMet(set, inputs, foundBy(planned, inputs), true);
    } catch (error) {
      warn(messageOf(error), error instanceof InTheWay);
    }
  }

  /** {@link foresee} for a set that this resource has not written so far, beside others that it has. */
  foreseeNew(set: ResourceSet, inputs: SetInputs): void {
    const { observedInLook: observed } = set;
    if (!observed || !set.isChecked(WHOLE_SET)) return;
    try {
      const { shared, left: adopted, changed } = this.planNew(set, inputs, observed);
      reportMet(set, inputs, { shared, adopted, changed }, true);
    } catch (error) {
      set.report({ kind: "overLimit", reason: messageOf(error), isInTheWay: error instanceof InTheWay });
    }
  }

  /** Start of an update; `undefined` if nothing is to be sent. */
  private intent(set: ResourceSet, state: SetState, inputs: SetInputs, isPart = false): Intent | undefined {
    const isOver = overIn(state.notes, this.runtime.today);
    const change = { known: state.entries, desired: inputs.entries, withdrawn: withdrawnBy(state, inputs), isOver };
    return set.intent(isPart ? state : set.recall(state, inputs.entries), change);
  }

  private changes(set: ResourceSet, { onExisting, exclusive, ...inputs }: SetInputs): ChangedSet {
    return { ...this.limits(set, inputs), onExisting, exclusive };
  }

  private limits({ label, url }: ResourceSet, { limits }: Pick<SetInputs, "limits">): UpdateLimits {
    return { label, url, removals: removalLimits(limits, this.runtime.settings, url) };
  }

  /**
   * Limits of the resources that take the place of a deleted one: they declare some of its entries, or the whole set that it had.
   * Without one, the entries leave the program with their resource.
   */
  private limitsOfSuccessors(set: ResourceSet, { entries, exclusive }: SetState): UpdateLimits[] {
    const isSuccessor = ({ entries: declared }: Declaring) =>
      exclusive || [...entries.keys()].some((prefix) => declared.has(prefix));
    return set.declaring.filter(isSuccessor).map((one) => this.limits(set, one));
  }

  /**
   * Removes the entries of the state that no other resource wants.
   *
   * @param remedy What to do if the node is gone for good.
   * @returns unwanted entries that stay, since the node may be a machine where they are wanted
   * @throws {UnfinishedWrite}
   */
  async delete(state: SetState, remedy = GONE_NODE): Promise<KeptSet | undefined> {
    if (state.onDestroy === "keep") {
      const left = { prefixes: [...state.entries.keys()], of: "set", onDestroy: "keep" } as const;
      this.runtime.notices.report({ kind: "left", url: formatUrl(state.address), at: state.endpoint, ...left });
      return undefined;
    }
    const set = ResourceSet.ofState(this.runtime, state);
    const { entries, unsettled, exclusive, existed, onDestroy } = state;
    const isOthers = (prefix: CanonicalPrefix) => onDestroy === "created" && existed.has(prefix);
    const managed = new Set([...entries.keys(), ...unsettled].filter((prefix) => !isOthers(prefix)));
    const left = [...entries.keys()].filter(isOthers);
    if (left.length > 0) set.report({ kind: "left", prefixes: left, of: "set", onDestroy: "created" });
    if (managed.size === 0 && entries.size > 0) return undefined;
    const { claimed } = set;
    const reportKept = (prefixes: readonly CanonicalPrefix[]) => {
      if (prefixes.length > 0) set.report({ kind: "leftDeclared", prefixes, of: "set", wasFound: false });
    };
    const kept = [...managed].filter((prefix) => claimed.has(prefix));
    reportKept(kept);
    // A resource that is created after this delete owns them.
    set.managed.take(new Set(kept));
    if (managed.size > 0 && kept.length === managed.size) return undefined;
    const over = expiredOf(managed, state.notes, this.runtime.today);
    // What an interrupted run brought counts as no removal, as in an update.
    const uncounted = () => new Set([...over, ...[...managed].filter((prefix) => !entries.has(prefix))]);
    const limits = this.limitsOfSuccessors(set, state);
    // Another process of the deployment may come to want some while this one waits to share a commit.
    const plan = (observed: ListedMap) => {
      for (const prefix of set.sentBefore(undefined, entries, observed)) managed.add(prefix);
      const removal = { put: new Map(), remove: unwantedOf(managed, claimed), unsettled, uncounted: uncounted() };
      return planLimitedDelete(removal, { observed, known: entries }, limits);
    };
    const failure = (message: string, reached: Reached) =>
      new UnfinishedWrite(message, reachedOf(reached, new Map([...managed].map((prefix) => [prefix, 1]))));
    const removed = await set.remove({ plan }, { remedy, failure });
    if (!removed) return undefined;
    // The commit has published what a killed run of this resource staged, where lists do not show that before.
    const sent = set.sentBefore(undefined, entries, removed.after);
    const published = unwantedOf(new Set([...sent].filter((prefix) => !managed.has(prefix))), claimed);
    for (const prefix of published) managed.add(prefix);
    const late = () => ({ put: new Map(), remove: unwantedOf(published, claimed), uncounted: uncounted() });
    const ended = published.size > 0 ? await set.remove({ plan: late }, { remedy, failure }) : removed;
    const { after: emptied, before: held } = removed;
    const before = emptied.size === 0 ? held : new Map([...emptied, ...held]);
    const written = { before, after: ended?.after ?? emptied };
    set.settleSent();
    const remove = new Set(managed);
    for (const prefix of kept) remove.delete(prefix);
    reportKept([...remove].filter((prefix) => claimed.has(prefix)));
    set.reportAbsent(
      [...remove].filter((prefix) => !unsettled.has(prefix)),
      written,
    );
    const gone = [...remove].filter((prefix) => written.before.has(prefix) && !written.after.has(prefix));
    if (gone.length > 0) set.report({ kind: "removed", prefixes: gone });
    const isKnown = (prefix: CanonicalPrefix) => managed.has(prefix) || entries.has(prefix) || claimed.has(prefix);
    const others = [...written.after.keys()].filter((prefix) => !isKnown(prefix));
    // Two addresses may be one machine.
    const isDesiredElsewhere = (prefix: CanonicalPrefix) =>
      !this.runtime.settings.distinctNodes && set.desiredAnywhere.has(prefix);
    const unknown = others.filter((prefix) => !isDesiredElsewhere(prefix));
    if (exclusive) reportKept(others.filter(isDesiredElsewhere));
    if (unknown.length > 0 && exclusive) set.report({ kind: "leftUnknown", prefixes: unknown });
    const staying = [...written.after].filter(([prefix]) => remove.has(prefix) && !claimed.has(prefix));
    return staying.length > 0 ? { entries: new Map(staying), endpoint: set.endpoint } : undefined;
  }

  private warnOfOthers(
    set: ResourceSet,
    inputs: SetInputs,
    { before, after }: Pick<SetResult, "before" | "after">,
    isMoved = false,
  ) {
    const { foreign, different } = compareSet(after, inputs.entries, inputs.entries);
    // The look has reported the entries that it saw at the address of the state.
    const isNews = (prefix: CanonicalPrefix) =>
      before.has(prefix) && (isMoved || set.observedInLook?.has(prefix) !== true);
    const undeclared = inputs.exclusive ? foreign.filter(isNews) : [];
    if (undeclared.length + different.length > 0) set.report({ kind: "leftUndeclared", undeclared, different });
  }

  /** @throws {InTheWay} if foreign entries are in the way */
  private planNew(set: ResourceSet, inputs: SetInputs, observed: ListedMap) {
    const { entries: desired, exclusive, onExisting } = inputs;
    const { label, managed, blocked, desired: declared } = set;
    const withdrawn = withdrawnOf(inputs.notes, new Map(), inputs.node);
    const sent = set.sentBefore(desired, NOTHING, observed);
    const limits = sharedLimits(inputs.limits, this.runtime.settings);
    const about = { label, exclusive, onExisting, limits };
    return planCreate(observed, { ...about, desired, declared, managed, sent, withdrawn, blocked });
  }

  /**
   * Reports differences between the look and the program, and what this run does about them. During a refresh the program is
   * not known yet: then losses are only named.
   */
  reportDrift(
    set: ResourceSet,
    state: SetState,
    desired: ListedMap,
    {
      exclusive,
      withdrawn,
      hasFailed = false,
    }: { readonly exclusive: unknown; readonly withdrawn: ListedMap; readonly hasFailed?: boolean },
  ): void {
    const { entries: known, foreign } = state;
    const { observedInLook: observed = known } = set;
    if (!set.observedInLook) {
      const gone = [...(state.lost ?? [])].filter(([prefix, value]) => desired.get(prefix) === value);
      const prefixes = gone.map(([prefix]) => prefix);
      const isRestored = set.isChecked(WHOLE_SET);
      if (gone.length > 0) set.report({ kind: "lacked", prefixes, of: "set", isRestored });
      if (!isRestored) return;
    }
    const lost = set.lost(known, desired);
    if (lost) reportMissing(set, lost, desired);
    const { left: ignored } = driftOf(observed, known, desired, (prefix) => set.ignores(prefix));
    const different = new Map(ignored.map((prefix) => [prefix, observed.get(prefix) as ListedValue]));
    if (ignored.length > 0)
      set.report({ kind: "different", entries: differing({ different }, desired), isIgnored: true });
    // An expired entry leaves with this up, too, which the check has reported.
    const facts = set.facts(state.unsettled, withdrawn);
    const judge = judgeOf({ observed, known, desired }, facts, () => ({ partial: exclusive !== true }));
    const compared = compareSet(observed, known, desired);
    const undeclared = [...compared.dropped, ...compared.foreign].filter((prefix) => observed.has(prefix));
    const isOurs = (prefix: CanonicalPrefix) => ["remove", "settle"].includes(judge(prefix)) && !foreign.has(prefix);
    const ours = undeclared.filter(isOurs);
    const others = compared.foreign.filter((prefix) => judge(prefix) === "keep");
    if (others.length > 0) set.report({ kind: "undeclared", removes: ours, keeps: others });
    // The inputs of the state show nothing of a write that failed, whether its entries were confirmed or not.
    const left = hasFailed ? ours : ours.filter((prefix) => state.unsettled.has(prefix));
    if (others.length === 0 && left.length > 0) set.report({ kind: "interrupted", prefixes: left });
  }

  /**
   * Reports, in every preview until it is done, the effect of an update on adopted and found entries. During a refresh the
   * program is not known yet: then they are only named.
   */
  reportForeign(set: ResourceSet, state: SetState, inputs: Pick<SetInputs, "exclusive" | "entries">): void {
    const { entries, foreign } = shareable(state, inputs);
    const { entries: desired } = inputs;
    // Another writer may have removed what was adopted.
    const { observedInLook: observed = entries } = set;
    const held = [...foreign].flatMap((prefix) => {
      const value = entries.has(prefix) ? observed.get(prefix) : undefined;
      return value === undefined ? [] : [[prefix, value] as const];
    });
    const present = differing({ different: new Map(held) }, desired);
    const removed = present.filter(({ prefix, desired: to }) => to === undefined && !set.desired.has(prefix));
    const changed = present.filter(({ value, desired: to }) => to !== undefined && to !== value);
    const report = (outcome: EventOf<"foreign">["outcome"], some: readonly OtherValue[]) => {
      if (some.length > 0) set.report({ kind: "foreign", outcome, entries: some });
    };
    const isDecided = set.isChecked(WHOLE_SET);
    report("found", isDecided ? [] : [...removed, ...changed]);
    if (!isDecided) return;
    report("removes", removed);
    report("changes", changed);
    report(
      "keeps",
      present.filter(({ prefix, value, desired: to }) => to === value && set.ignores(prefix)),
    );
  }
}

/** Entries of `block --now` that are no longer wanted; those of a node that was skipped are still there. */
function withdrawnBy({ isOpen, notes }: SetState, inputs: SetInputs): ListedMap {
  return withdrawnOf(inputs.notes, isOpen ? new Map() : notes, inputs.node);
}

/** State after a write that failed half-way: the resource's own entries at the node. */
function reachedOf({ applied, endpoint, unsettled }: Reached, ours: ListedMap): KeptSet {
  return { entries: new Map([...applied].filter(([prefix]) => ours.has(prefix))), endpoint, unsettled };
}
