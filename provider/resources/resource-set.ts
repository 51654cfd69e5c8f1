import type { Caller } from "../apply/group-commit";
import { type SetOperation, type SetResult, SetWriteFailure } from "../apply/set-operation";
import { isUnreachable, type RequestError } from "../client/errors";
import type { Declaring } from "../deployment/connections";
import { PATIENCE_MS } from "../deployment/look";
import { type DeploymentSet, type NodeInUse, WHOLE_SET } from "../deployment/node-in-use";
import { nodeOfState } from "../deployment/places";
import type { Runtime } from "../deployment/runtime";
import { digestOf, type Names, type Sender } from "../deployment/sent-before";
import type { About } from "../engine/handler";
import type { EventHere } from "../messages/events";
import {
  adviceIn,
  advised,
  credentialsOfState,
  GONE_NODE,
  isUnreachableNode,
  refusedList,
  unknownSet,
  untouched,
} from "../messages/remedy";
import { messageOf } from "../model/errors";
import { hasUnknown, type JsonObject } from "../model/json";
import type { CanonicalPrefix } from "../model/prefix";
import { type ListedMap, NOTHING } from "../model/prefix-map";
import { formatUrl, type PrefixSetUrl, setUrl } from "../model/resource-url";
import { type Drift, driftOf, sizeOf } from "../reconcile/drift";
import type { Intent, KnownPrefixes, SetFacts } from "../reconcile/set-plan";
import { isUnchanged } from "../reconcile/three-way";
import { requireSameAddress, type UsedBefore } from "./changes";

/** Inputs or state of a resource that name its set. */
export interface SetPlace {
  readonly address: PrefixSetUrl;
  /** The argument `node`, which the settings read. */
  readonly node?: unknown;
  /** Why, for the audit log. */
  readonly reason?: string | undefined;
}

/** True state after a write that failed half-way. */
export interface Reached {
  /** Known entries of the node. */
  readonly applied: ListedMap;
  readonly endpoint: string;
  readonly unsettled: readonly CanonicalPrefix[];
}

/** Result of a look at a set, which keeps the observed entries; a set that could not be read is reported. */
export interface LookedSet {
  readonly set: ResourceSet;
  /** The error if the node refused, or its answer cannot be read. */
  readonly refused?: RequestError | undefined;
}

/** The set of one resource: what `PrefixSet`, the nodes of a group and `PrefixSetEntry` have in common. */
export class ResourceSet {
  readonly url: string;
  readonly endpoint: string;
  /** Name of the set in messages: `Set prefixset://edge/blocked on fra1`. */
  readonly label: string;
  /** Name of the node in messages. */
  readonly at: string;
  readonly desired: DeploymentSet["desired"];
  readonly removals: DeploymentSet["removals"];
  readonly managed: DeploymentSet["managed"];
  readonly existed: DeploymentSet["existed"];
  readonly adopted: DeploymentSet["adopted"];
  /** Prefixes that a delete leaves: a resource of this deployment declares them, or has adopted them in this run. */
  readonly claimed: KnownPrefixes;
  readonly blocked: DeploymentSet["blocked"];
  readonly desiredAnywhere: DeploymentSet["desiredAnywhere"];
  private readonly set: DeploymentSet;
  private caller: Caller = {};
  /** Names under which the next run finds what this one sends, if it is killed. */
  private names: Names = () => [];

  private constructor(
    private readonly runtime: Runtime,
    private readonly node: NodeInUse,
    private readonly place: SetPlace,
    /** True if the state names the place: then the set existed once. */
    private readonly isOfState = false,
  ) {
    this.set = node.set(place.address);
    this.url = this.set.url;
    this.endpoint = node.endpoint;
    this.label = this.set.title;
    this.at = node.label;
    this.desired = this.set.desired;
    this.removals = this.set.removals;
    this.managed = this.set.managed;
    this.existed = this.set.existed;
    this.adopted = this.set.adopted;
    this.claimed = { has: (prefix) => this.desired.has(prefix) || this.adopted.has(prefix) };
    this.blocked = this.set.blocked;
    this.desiredAnywhere = this.set.desiredAnywhere;
  }

  /**
   * Set at the place of the program: for a create or an update.
   *
   * @param before The state, if there is one.
   * @throws {ConfigError} when the node is unknown
   * @throws {Error} when the environment names another address than the state
   */
  static open(runtime: Runtime, place: SetPlace, before?: UsedBefore): ResourceSet {
    const node = runtime.node(place.node);
    if (before) requireSameAddress(`Set ${formatUrl(place.address)}`, node, before.endpoint);
    return new ResourceSet(runtime, node, place);
  }

  /**
   * Set at the place of the state: for a read or a delete, which never move.
   *
   * @throws {ConfigError} when the configuration makes no sense
   * @throws {Error} when the node of the state cannot be asked, with the ways out
   */
  static ofState(runtime: Runtime, state: SetPlace & UsedBefore): ResourceSet {
    const what = `Set ${formatUrl(state.address)}`;
    const node = nodeOfState(runtime, what, { argument: state.node, endpoint: state.endpoint });
    // An import reads by the arguments alone.
    return new ResourceSet(runtime, node, state, state.endpoint !== undefined);
  }

  /**
   * The resource of this state will be replaced. Warns, before the replacement is made, if the configuration lacks
   * credentials that the delete may need.
   *
   * @throws {Error} when its node cannot be asked, with the ways out
   */
  static leave(runtime: Runtime, state: SetPlace & UsedBefore): void {
    const set = ResourceSet.ofState(runtime, state);
    const { remedy } = set.node;
    if (remedy !== undefined) set.report({ kind: "withoutCredentials", remedy });
  }

  /** Looks at the set of the program before anything is decided. @returns `undefined` while the set or its node is unknown */
  static async look(runtime: Runtime, inputs: JsonObject, isNew: boolean): Promise<LookedSet | undefined> {
    const address = setUrl(inputs);
    if (!address || hasUnknown(inputs.node)) return undefined;
    const at = (node: NodeInUse) => {
      const { reads, url } = node.set(address);
      return { at: node, url, reads, isNew };
    };
    const node = runtime.node(inputs.node);
    const { there, refused } = await runtime.look.at(at(node), () => runtime.knownNodes().map(at));
    const set = new ResourceSet(runtime, node, { address, node: inputs.node });
    set.set.observed = there?.values;
    return { set, refused };
  }

  /** Entries that the look of this process did not see as in the state, without other values that the program ignores. */
  lost(known: ListedMap, desired: ListedMap): Drift | undefined {
    const { observed } = this.set;
    if (!observed) return undefined;
    const lost = driftOf(observed, known, desired, (prefix) => this.ignores(prefix));
    return sizeOf(lost) > 0 ? lost : undefined;
  }

  /** The sets and groups of the program here. */
  get declaring(): readonly Declaring[] {
    return this.set.declaring;
  }

  get observedInLook(): ListedMap | undefined {
    return this.set.observed;
  }

  /** As {@link DeploymentSet.ignore}. */
  ignore(...ignored: Parameters<DeploymentSet["ignore"]>): void {
    this.set.ignore(...ignored);
  }

  /**
   * {@link ignore} after the look: the engine tells a plugin the option only then.
   *
   * @returns true if an `up` restores entries all the same
   */
  ignoreLate(ignored: About["ignored"], known: ListedMap, desired: ListedMap): boolean {
    this.ignore(ignored, known, desired);
    return this.lost(known, desired) !== undefined;
  }

  ignores(prefix: CanonicalPrefix): boolean {
    return this.set.ignores(prefix);
  }

  /** A text about this set for an argument, without secrets. */
  listed(text: string): string {
    return this.runtime.secrets.hide(text, this.runtime.shared.secretObjects.has(this.url, this.node));
  }

  /** Takes back the announcement of a check: the engine will not call a resource without changes. */
  static withdraw(runtime: Runtime, inputs: JsonObject, key: string): void {
    const address = setUrl(inputs);
    // A check with unknown arguments announced nothing.
    if (address && !hasUnknown(inputs.node)) runtime.node(inputs.node).set(address).announced.drop(key);
  }

  /** Name of the set in messages, if a check in this process announced these arguments, or a preview knows them only in part. */
  static ofProgram(runtime: Runtime, inputs: JsonObject, key: string): string | undefined {
    const address = setUrl(inputs);
    if (!address || hasUnknown(inputs.node)) return undefined;
    const isChecked = hasUnknown(inputs) || runtime.node(inputs.node).set(address).announced.has(key);
    return isChecked ? `Set ${formatUrl(address)}` : undefined;
  }

  /** True once the program's arguments were checked: a refresh compares with those of the last run. */
  isChecked(key: string): boolean {
    return this.set.announced.has(key);
  }

  /**
   * The engine calls a resource that a check announced.
   *
   * @param key Key of the announcement.
   * @param isNode True for one node of a group.
   */
  claim(key: string, isNode = false): this {
    this.caller = { isAnnounced: this.set.announced.take(key), isNode };
    return this;
  }

  /**
   * Listed entries that a killed run of this resource sent, and that its state does not have.
   *
   * @param sender Declaration of the program; `undefined` where it is not known.
   * @param known Entries of the state, if it is of this address.
   * @param listed By default those that the look of this process saw.
   */
  sentBefore(sender: Sender | undefined, known: ListedMap, listed = this.observedInLook): ReadonlySet<CanonicalPrefix> {
    const { sent } = this.set;
    this.names = sent.names(sender, known.size > 0 ? () => `state ${digestOf(known)}` : undefined);
    return listed ? sent.found(this.names, listed, known) : new Set();
  }

  /**
   * The state, with what a killed run sent or left staged among its unsettled entries, and without those of another address: the
   * same object if it has neither. Reports the changes that this run takes back.
   *
   * @param desired Entries of the program; none where it is not known.
   */
  recall<S extends UsedBefore & Pick<Intent, "unsettled"> & { readonly entries: ListedMap }>(
    state: S,
    sender: Sender | undefined,
    desired: ListedMap = typeof sender === "object" ? sender : NOTHING,
  ): S {
    const isMoved = this.isMovedFrom(state);
    const sent = this.sentBefore(sender, isMoved ? NOTHING : state.entries);
    if (isMoved) return sent.size + state.unsettled.size === 0 ? state : { ...state, unsettled: sent };
    const { sent: notes } = this.set;
    notes.settleKnown(this.names, state.entries);
    // A change of any other entry is a step by itself, and its commit takes the rest back.
    const isKept = (prefix: CanonicalPrefix) =>
      state.entries.get(prefix) === desired.get(prefix) && !state.unsettled.has(prefix);
    const staged = notes.changedIn(desired).filter((prefix) => isKept(prefix) && !sent.has(prefix));
    for (const prefix of staged) this.set.staged.add(prefix);
    if (staged.length > 0 && this.isChecked(typeof sender === "string" ? sender : WHOLE_SET))
      this.report({ kind: "leftStaged", prefixes: staged });
    const unsettled = new Set([...state.unsettled, ...sent, ...staged]);
    return unsettled.size === state.unsettled.size ? state : { ...state, unsettled };
  }

  /**
   * Drops the notes: the state has what a killed run sent, or it is gone.
   *
   * @param after List after a commit.
   * @returns undeclared entries that the commit published, of nodes whose lists do not show what is staged
   */
  settleSent(after: ListedMap = NOTHING): { readonly unsettled?: ReadonlySet<CanonicalPrefix> } {
    const unsettled = this.set.sent.found(this.names, after, this.desired);
    this.set.sent.settle(this.names);
    return unsettled.size > 0 ? { unsettled } : {};
  }

  /** The node's list, shared by all reads within a short time. */
  async observed(options?: { readonly until: number }): Promise<ListedMap> {
    try {
      return (await this.set.reads.read(options)).values;
    } catch (error) {
      throw this.explained(error);
    }
  }

  /** {@link observed} within the time of a look. */
  observedSoon(): Promise<ListedMap> {
    return this.observed({ until: this.runtime.now + PATIENCE_MS });
  }

  /** {@link observed} for a refresh; `undefined` if the node does not answer and has `onUnreachable: "skip"`. */
  async refreshed(): Promise<ListedMap | undefined> {
    // An import has no state that would be kept.
    const unreachable = this.isOfState ? this.node.unreachable : undefined;
    try {
      if (unreachable?.message === undefined) return (await this.set.reads.read()).values;
    } catch (error) {
      if (!unreachable || !isUnreachable(error)) throw this.explained(error);
      unreachable.keep(error.message);
    }
    const { message = "" } = unreachable;
    this.report({ kind: "notRefreshed", reason: message });
    return undefined;
  }

  /**
   * Start of an update.
   *
   * @param withdrawn Entries of `block --now` that are no longer wanted.
   * @returns `undefined` if nothing is to be sent: state and program agree, and the look saw no loss
   */
  intent(
    state: UsedBefore & Pick<Intent, "unsettled"> & { readonly lost?: ListedMap },
    change: Pick<Intent, "known" | "desired" | "withdrawn" | "isOver">,
  ): Intent | undefined {
    const { known, desired, withdrawn } = change;
    const { unsettled } = state;
    const moved = this.isMovedFrom(state);
    const lost = state.lost?.size ?? 0;
    const isOpen = moved || unsettled.size + withdrawn.size + lost > 0 || this.lost(known, desired) !== undefined;
    if (!isOpen && isUnchanged(known, desired)) return undefined;
    const { observedInLook: observed, managed } = this;
    const found = state.lost && new Set(state.lost.keys());
    return { ...change, ...this.facts(unsettled, withdrawn), unsettled, managed, moved, observed, found };
  }

  /** Facts by which the prefixes of this set are judged. */
  facts(unsettled: SetFacts["unsettled"], withdrawn: ListedMap): SetFacts {
    return {
      unsettled,
      staged: this.set.staged,
      withdrawn,
      declared: this.desired,
      blocked: this.blocked,
      ignores: (prefix) => this.ignores(prefix),
    };
  }

  /** True if the state has another address than the set, which may be another machine. */
  private isMovedFrom({ endpoint }: UsedBefore): boolean {
    return endpoint !== undefined && endpoint !== this.endpoint;
  }

  /** Warns that the old address of a resource that moves to another one keeps its entries. */
  reportMove(state: UsedBefore): void {
    if (this.isMovedFrom(state)) this.report({ kind: "moved", from: String(state.endpoint), to: this.endpoint });
  }

  /** The error with remedies, if the configuration no longer has the address, or the node does not list the set. */
  private explained(error: unknown): unknown {
    const refused = refusedList(error);
    const ofSet = refused && unknownSet(refused.status, this.isOfState);
    const ofState = this.isOfState ? credentialsOfState(error) : undefined;
    return advised(this.runtime.advice, error, this.node.remedy, ofSet, ofState);
  }

  /**
   * Carries out an operation.
   *
   * @param failure Makes the error of a failure that may have changed the node; after any other error nothing was changed.
   */
  async write(operation: SetOperation, failure?: (message: string, reached: Reached) => Error): Promise<SetResult> {
    this.runtime.requireWritable(this.label);
    try {
      const { caller } = this;
      const submit = (limited: SetOperation) => this.runtime.during(this.set.writer.submit(limited, caller));
      const { limits } = this.runtime;
      const plan = (observed: ListedMap) => {
        const planned = operation.plan(observed);
        this.set.sent.note(this.names, planned.put, observed);
        return planned;
      };
      const noted = { ...operation, plan, reason: this.place.reason };
      return await (limits ? limits.write(this.label, noted, submit) : submit(noted));
    } catch (error) {
      if (!(error instanceof SetWriteFailure)) throw untouched(this.explained(error));
      const { message, applied, unsettled } = error;
      this.runtime.advice.of(adviceIn(error));
      const reached = { applied, endpoint: this.endpoint, unsettled };
      const text = operation.isDelete ? messageOf(this.explained(error)) : message;
      throw failure?.(text, reached) ?? this.explained(error);
    }
  }

  /**
   * {@link write} for a delete. A set that no longer exists is not an error; a message reports it.
   *
   * @param remedy What to do if the node is gone for good.
   * @returns `undefined` if the node has no such set
   */
  async remove(
    operation: SetOperation,
    { remedy = GONE_NODE, failure }: { remedy?: string; failure?: Parameters<ResourceSet["write"]>[1] } = {},
  ): Promise<SetResult | undefined> {
    try {
      const removal = { ...operation, isDelete: true };
      return await this.write(removal, failure);
    } catch (error) {
      if (isUnreachableNode(error)) throw advised(this.runtime.advice, error, remedy);
      const refused = refusedList(error);
      const proof = refused && (await this.node.proofOfAbsence(this.place.address, refused.status));
      if (proof === undefined) throw error;
      this.report({ kind: "setAbsent", proof });
      return undefined;
    }
  }

  /** Reports entries of the state that a delete did not find, by the lists before and after its commit. */
  reportAbsent(known: readonly CanonicalPrefix[], { before, after }: Pick<SetResult, "before" | "after">): void {
    const prefixes = known.filter((prefix) => !before.has(prefix) && !after.has(prefix));
    const isEmpty = before.size === 0 && after.size === 0;
    if (prefixes.length > 0) this.report({ kind: "goneBefore", prefixes, isEmpty });
  }

  /** Reports an event of this set. */
  report(event: EventHere): void {
    this.runtime.notices.report({ ...event, url: this.url, at: this.at });
  }
}
