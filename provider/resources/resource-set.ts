import type { Caller } from "../batch/group-commit";
import { type SetOperation, type SetResult, SetWriteFailure } from "../batch/set-operation";
import { isUnreachable } from "../client/errors";
import { messageOf } from "../model/errors";
import { hasUnknown, type JsonObject } from "../model/json";
import type { CanonicalPrefix } from "../model/prefix";
import type { ListedMap } from "../model/prefix-map";
import { formatUrl, type PrefixSetUrl, setUrl } from "../model/resource-url";
import { some } from "../model/text";
import { type AuditRecord, failedWrite } from "./audit-log";
import { requireSameAddress, type UsedBefore } from "./changes";
import { beside, type Lost, lostOf, sizeOf } from "./drift";
import { PATIENCE_MS } from "./look";
import type { DeploymentSet, NodeInUse } from "./node-in-use";
import { nodeOfState } from "./places";
import {
  adviceIn,
  credentialsOfState,
  GONE_NODE,
  isUnreachableNode,
  refusedList,
  unknownSet,
  untouched,
} from "./remedy";
import type { Runtime } from "./runtime";

/** Inputs or state of a resource that choose the set. */
export interface SetPlace {
  readonly address: PrefixSetUrl;
  /** The argument `node`, which the settings read. */
  readonly node?: unknown;
  /** Why, for the audit log. */
  readonly reason?: string | undefined;
}

/** The truth about a resource whose write failed half-way. */
export interface Reached {
  /** Known entries of the node. */
  readonly applied: ListedMap;
  readonly endpoint: string;
  readonly unsettled: readonly CanonicalPrefix[];
}

/** Result of a look at a set: the set has the entries seen; a set that could not be seen is reported. */
export interface LookedSet {
  readonly set: ResourceSet;
  /** Name in messages: `fra1 prefixset://edge/blocked`. */
  readonly what: string;
  /** The node answered with a no, or with what cannot be read. */
  readonly refused?: string | undefined;
}

/** The guide about nodes at other addresses. */
const MOVING = "docs/guides/moving-and-retiring-nodes.md";

/** Number of nodes that one sentence names. */
const SHOWN = 5;

/** A set as one resource reaches it: what `PrefixSet` and `PrefixSetEntry` have in common. */
export class ResourceSet {
  /** The set's url as text. */
  readonly url: string;
  /** The node's address in use. */
  readonly endpoint: string;
  /** Name of the set in messages: `Set prefixset://edge/blocked on fra1`. */
  readonly label: string;
  /** Name of the node in messages. */
  readonly at: string;
  /** Prefixes that some resource of this deployment wants in this set. */
  readonly wanted: DeploymentSet["wanted"];
  /** Prefixes that the state of some resource of this deployment holds in this set. */
  readonly owned: DeploymentSet["owned"];
  private readonly set: DeploymentSet;
  private caller: Caller = {};

  private constructor(
    private readonly runtime: Runtime,
    private readonly node: NodeInUse,
    private readonly place: SetPlace,
    /** True where the state tells the place: then the resource was there once. */
    private readonly isOfState = false,
  ) {
    this.set = node.set(place.address);
    this.url = this.set.url;
    this.endpoint = node.endpoint;
    this.label = this.set.title;
    this.at = node.label;
    this.wanted = this.set.wanted;
    this.owned = this.set.owned;
  }

  /**
   * Set at the place of the program: for a create, or an update, which may move.
   *
   * @param before the state, if there is one
   * @throws {ConfigError} when the node cannot be told
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
    return new ResourceSet(runtime, node, state, true);
  }

  /**
   * A resource of this state is about to be replaced: what it holds leaves its address. Says what a delete will need that
   * the configuration does not have any more, before the replacement is made.
   *
   * @throws {Error} when its node cannot be asked, with the ways out
   */
  static leave(runtime: Runtime, state: SetPlace & UsedBefore, prefixes: Iterable<CanonicalPrefix>): void {
    const { node, set, label } = ResourceSet.ofState(runtime, state);
    runtime.shared.leaving.of(node, set.url).add(prefixes);
    if (node.wayOut !== undefined)
      runtime.notices.warn(`${label} is cleared there without credentials. If it needs some, ${node.wayOut}`);
  }

  /**
   * Looks at a set that the program names, before anything is decided.
   *
   * @returns the set, and what came of it; `undefined` while the set or its node is not known
   */
  static async look(runtime: Runtime, inputs: JsonObject): Promise<LookedSet | undefined> {
    const address = setUrl(inputs);
    if (!address || hasUnknown(inputs.node)) return undefined;
    const at = (node: NodeInUse) => {
      const { reads, url } = node.set(address);
      return { at: node, what: `${node.label} ${url}`, reads };
    };
    const node = runtime.node(inputs.node);
    const looked = at(node);
    const { there, refused } = await runtime.look.at(looked, () => runtime.knownNodes().map(at));
    const set = new ResourceSet(runtime, node, { address, node: inputs.node });
    set.set.seen = there?.values;
    return { set, what: looked.what, refused };
  }

  /** Entries that the look of this process saw otherwise than the state says, without those that the program ignores. */
  lost(known: ListedMap, desired: ListedMap): Lost | undefined {
    const { seen, ignored, isIgnored } = this.set;
    if (!seen || isIgnored) return undefined;
    const lost = lostOf(seen, known, desired);
    const left = ignored.size > 0 ? beside(lost, ignored) : lost;
    return sizeOf(left) > 0 ? left : undefined;
  }

  /** Entries that the look of this process saw. */
  get seen(): ListedMap | undefined {
    return this.set.seen;
  }

  /** True for an entry whose changes the program ignores. */
  ignores(prefix: CanonicalPrefix): boolean {
    return this.set.isIgnored || this.set.ignored.has(prefix);
  }

  /** A text about this set as an argument may have it: no secret is in it. */
  shown(text: string): string {
    return this.runtime.secrets.hide(text, this.runtime.shared.secretObjects.has(this.url, this.node));
  }

  /** A resource that was announced by a check stays as it is: the engine will not call it. */
  static settle(runtime: Runtime, inputs: JsonObject, key: string): void {
    const address = setUrl(inputs);
    // What is unknown in a preview was not announced.
    if (address && !hasUnknown(inputs.node)) runtime.node(inputs.node).set(address).announced.drop(key);
  }

  /** True once the program's own arguments were checked: a refresh compares with those of the last run. */
  isChecked(key: string): boolean {
    return this.set.announced.has(key);
  }

  /** True where the program ignores changes of all entries. */
  get isIgnored(): boolean {
    return this.set.isIgnored;
  }

  /**
   * The engine calls a resource that was announced by a check.
   * @param key what it was announced as
   * @param isNode whether this is one node of a resource of many
   */
  called(key: string, isNode = false): this {
    this.caller = { isAnnounced: this.set.announced.take(key), isNode };
    return this;
  }

  /** The node's list, shared by all reads within a while. */
  async observed(options?: { readonly until: number }): Promise<ListedMap> {
    try {
      return (await this.set.reads.read(options)).values;
    } catch (error) {
      throw this.explained(error);
    }
  }

  /** {@link observed}, where a node may be left out that does not answer soon. */
  observedSoon(): Promise<ListedMap> {
    return this.observed({ until: this.runtime.now + PATIENCE_MS });
  }

  /**
   * {@link observed} for a refresh. `undefined` where it does not answer at all and its options
   * say that the refresh goes on without it.
   */
  async refreshed(): Promise<ListedMap | undefined> {
    const { unreachable } = this.node;
    try {
      if (unreachable?.message === undefined) return (await this.set.reads.read()).values;
    } catch (error) {
      if (!unreachable || !isUnreachable(error)) throw this.explained(error);
      unreachable.keep(error.message);
    }
    const { message = "" } = unreachable;
    this.runtime.notices.warnAlike(`${this.url} not refreshed`, { at: this.at, message }, (all) => {
      const [sentence, state] =
        all.length === 1 ? ["the node does not answer", "its state is"] : ["they do not answer", "their state is"];
      const where = some(all.map(({ at }) => at));
      const why = all.slice(0, SHOWN).map((one) => one.message);
      return `Set ${this.url} on ${where}: not refreshed, since ${sentence}; ${state} kept (onUnreachable: "skip"). ${why.join(" ")}`;
    });
    return undefined;
  }

  /** Warns that the old address keeps what it holds, if the resource moves to another one. */
  hasMovedFrom({ endpoint }: UsedBefore): boolean {
    if (endpoint === undefined || endpoint === this.endpoint) return false;
    const move = { at: this.at, from: endpoint, to: this.endpoint };
    this.runtime.notices.warnAlike(`${this.url} moved`, move, (all) => {
      const which = some(all.map(({ at, from, to }) => `${at} at ${to} instead of ${from}`));
      return all.length === 1
        ? `Set ${this.url}: the node is now reached at ${move.to}. What ${move.from} holds is left as it is; if that is another machine, clear it there (${MOVING}).`
        : `Set ${this.url}: ${all.length} nodes are now reached at other addresses: ${which}. What the former addresses hold is left as it is; where that is another machine, clear it there (${MOVING}).`;
    });
    return true;
  }

  /**
   * A failure at an address that the configuration does not have any more says what to do about it, and so does one of a
   * node that does not list the set.
   */
  private explained(error: unknown): unknown {
    const refused = refusedList(error);
    const ways = [
      this.node.wayOut,
      refused ? unknownSet(refused.status, this.isOfState) : undefined,
      this.isOfState ? credentialsOfState(error) : undefined,
    ];
    this.runtime.advice.of(adviceIn(error));
    const told = this.runtime.advice.of(...ways);
    return told.length === 0 ? error : new Error([messageOf(error), ...told].join(" "), { cause: error });
  }

  /**
   * Carries out an operation and writes the audit log.
   *
   * @param failure makes the error of a failure that may have changed the node; any other error means that nothing was changed
   */
  async write(operation: SetOperation, failure?: (message: string, reached: Reached) => Error): Promise<SetResult> {
    this.runtime.requireWritable(this.label);
    try {
      const result = await this.set.writer.submit(operation, this.caller);
      this.audit(() => {
        const { changes } = result;
        return changes.size > 0 ? { outcome: "applied", prefixes: Object.fromEntries(changes) } : undefined;
      });
      return result;
    } catch (error) {
      this.audit(() => failedWrite(error));
      if (!(error instanceof SetWriteFailure)) throw untouched(this.explained(error));
      const { message, applied, unsettled } = error;
      this.runtime.advice.of(adviceIn(error));
      const reached = { applied, endpoint: this.endpoint, unsettled };
      if (operation.isDelete) throw failure?.(messageOf(this.explained(error)), reached) ?? this.explained(error);
      throw failure?.(message, reached) ?? this.explained(error);
    }
  }

  /**
   * {@link write} for a delete. A set that is not there any more is as it was asked to be: that is said.
   *
   * @param wayOut What to do where the node is gone for good.
   * @param failure As of {@link write}.
   * @returns `undefined` where the node has no such set
   */
  async remove(
    operation: SetOperation,
    { wayOut = GONE_NODE, failure }: { wayOut?: string; failure?: Parameters<ResourceSet["write"]>[1] } = {},
  ): Promise<SetResult | undefined> {
    try {
      const removal = { ...operation, isDelete: true };
      const result = await this.write(removal, failure);
      // An empty list may have hidden what the commit after it published.
      const isShown = [...operation.plan(result.after).remove].some((prefix) => result.after.has(prefix));
      return result.before.size === 0 && isShown ? await this.write(removal, failure) : result;
    } catch (error) {
      if (isUnreachableNode(error))
        throw new Error([messageOf(error), ...this.runtime.advice.of(wayOut)].join(" "), { cause: error });
      const refused = refusedList(error);
      const proof = refused && (await this.node.proofOfAbsence(this.place.address, refused.status));
      if (proof === undefined) throw error;
      this.runtime.notices.info(`${this.label} is not there any more (${proof}): nothing is left to be removed.`);
      return undefined;
    }
  }

  /** Names what a delete did not find any more, by the list before its commit and the one after it. */
  sayGone(removed: ReadonlySet<CanonicalPrefix>, { before, after }: Pick<SetResult, "before" | "after">): void {
    if (before.size > 0 || after.size > 0 || removed.size === 0) return;
    const were = removed.size === 1 ? "was" : "were";
    this.runtime.notices.info(
      `${this.label} was empty already, by two lists with a commit between them: ${some([...removed])} ${were} gone before this run.`,
    );
  }

  /** @param ended What is logged, if anything is. */
  private audit(ended: () => Pick<AuditRecord, "prefixes" | "outcome"> | undefined): void {
    const { reason } = this.place;
    this.runtime.audit(() => {
      const record = ended();
      return record && { node: this.node.label, set: this.url, ...record, reason };
    });
  }
}
