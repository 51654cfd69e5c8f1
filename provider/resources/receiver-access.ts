import { SignalingIncomplete } from "../client/errors";
import { receiverOfState } from "../deployment/places";
import type { ReceiverInUse } from "../deployment/receiver-in-use";
import type { Runtime } from "../deployment/runtime";
import type { Names } from "../deployment/sent-before";
import { PartialFailure } from "../engine/handler";
import type { EventHere, Reporter } from "../messages/events";
import { adviceIn, advised, credentialsOfState, untouched } from "../messages/remedy";
import { messageOf } from "../model/errors";
import type { JsonObject } from "../model/json";
import { type CanonicalPrefix, Prefix } from "../model/prefix";
import { type ListedMap, mapOf, NOTHING } from "../model/prefix-map";
import { some } from "../model/text";
import { type KeyRegistry, type KeysHere, SIGNALING } from "../reconcile/desired";
import { requireSameAddress, type UsedBefore } from "./changes";

/** Name of the signalings of a resource in messages. */
export const THE_SIGNALING = "The signaling";

/** Inputs or state of a resource that choose the receiver. */
export interface ReceiverPlace {
  /** The argument `receiver`, which the settings read. */
  readonly receiver?: unknown;
  /** Why, for the audit log. */
  readonly reason?: string | undefined;
}

/** Result of a start that failed half-way. */
export interface Started {
  /** Prefixes that are certainly active. */
  readonly active: readonly CanonicalPrefix[];
  /** Active prefixes that this resource started. */
  readonly ours: readonly CanonicalPrefix[];
  /** Prefixes that may be active. */
  readonly doubtful: readonly CanonicalPrefix[];
}

/** Starts by a state. */
interface StartsBefore {
  readonly started: readonly CanonicalPrefix[];
  /** Also those of a stop that failed, of which `started` has those whose start was answered. */
  readonly unsettled: readonly CanonicalPrefix[];
}

/** The outputs that are true after a failure. */
export interface PartialOutputs {
  readonly id: string;
  readonly outputs: JsonObject;
}

/** The receiver of one resource: starts and stops by ownership, with true outputs after failures. */
export class ReceiverAccess {
  /** Names under which the next run finds what this one starts, if it is killed. */
  private names: Names = () => [];

  private constructor(
    private readonly runtime: Runtime,
    private readonly receiver: ReceiverInUse,
    private readonly place: ReceiverPlace,
    /** True if a state names the place; an import has none. */
    private readonly isOfState = false,
  ) {}

  /**
   * @param before the state, if there is one
   * @throws {ConfigError} when the receiver is unknown
   * @throws {Error} when the environment names another address than the state
   */
  static open(runtime: Runtime, place: ReceiverPlace, before?: UsedBefore): ReceiverAccess {
    const receiver = runtime.receiver(place.receiver);
    if (before) requireSameAddress(THE_SIGNALING, receiver, before.endpoint);
    return new ReceiverAccess(runtime, receiver, place);
  }

  /** Receiver of the state: for a read or a stop. @throws {Error} with the ways out */
  static ofState(runtime: Runtime, state: ReceiverPlace & UsedBefore): ReceiverAccess {
    const { receiver: argument, endpoint } = state;
    const receiver = receiverOfState(runtime, THE_SIGNALING, { argument, endpoint });
    return new ReceiverAccess(runtime, receiver, state, endpoint !== undefined);
  }

  /**
   * Stops the prefixes of a deleted resource, except those wanted at the same address. If all are wanted, no receiver is
   * needed, not even one that was renamed in the configuration.
   *
   * @throws {Error} when its receiver cannot be asked, with the ways out
   */
  static async stopLeft(
    runtime: Runtime,
    state: ReceiverPlace & UsedBefore & StartsBefore,
    prefixes: readonly CanonicalPrefix[],
  ): Promise<void> {
    const { endpoint, started, unsettled } = state;
    const [desired, managed] = [keysAt(state, runtime.shared.desired), keysAt(state, runtime.shared.managed)];
    const kept = prefixes.filter((prefix) => desired.has(prefix));
    sayActive(runtime.notices, { label: endpoint ?? "", kept, managed });
    // A resource that is created after this delete owns them.
    if (endpoint !== undefined) {
      const own = kept.filter((prefix) => started.includes(prefix) || unsettled.includes(prefix));
      runtime.shared.managed.of({ endpoint }, SIGNALING).add(own);
    }
    const left = prefixes.filter((prefix) => !desired.has(prefix));
    if (left.length === 0) return;
    const stop = ReceiverAccess.ofState(runtime, state).stop(left, state);
    await stop.catch((error: unknown) => Promise.reject(advised(runtime.advice, error, credentialsOfState(error))));
  }

  /** Reports obstacles to {@link stopLeft} before anything is sent. @throws {Error} with the ways out */
  static leave(runtime: Runtime, state: ReceiverPlace & UsedBefore, prefixes: readonly CanonicalPrefix[]): void {
    const desired = keysAt(state, runtime.shared.desired);
    if (prefixes.some((prefix) => !desired.has(prefix))) ReceiverAccess.ofState(runtime, state);
  }

  get label(): string {
    return this.receiver.label;
  }

  get endpoint(): string {
    return this.receiver.endpoint;
  }

  /** The engine calls a resource. @param key Key of its check. @param id Its id in the state, if it is known. */
  claim(key: string, id?: string): this {
    this.names = this.receiver.sent.names(key, id === undefined ? undefined : () => `id ${id}`);
    return this;
  }

  /** Active prefixes that a killed run of this resource started, and that its state does not have. */
  startedBefore(known: ReadonlySet<CanonicalPrefix>): ReadonlySet<CanonicalPrefix> {
    return this.sentIn(this.receiver.last() ?? NOTHING, known);
  }

  /**
   * {@link startedBefore}, after a status if there are notes of this resource and this process has none yet.
   *
   * @param isFinal True if no later run comes back to the notes.
   * @throws {Error} if it is the last run, and no status can be read
   */
  async interrupted(known: ReadonlySet<CanonicalPrefix>, isFinal = false): Promise<ReadonlySet<CanonicalPrefix>> {
    const isAsked = this.receiver.sent.isNoted(this.names) && !this.receiver.last();
    if (isAsked) await (isFinal ? this.active() : this.active().catch(() => undefined));
    return this.startedBefore(known);
  }

  /** The state has what a killed run started, or it is stopped. Without a status the notes stay. */
  settleSent(): void {
    if (this.receiver.last()) this.receiver.sent.settle(this.names);
  }

  /** Prefixes of a list that a killed run started: this stack owns them. */
  private sentIn(active: ListedMap, known: Pick<ListedMap, "has">): ReadonlySet<CanonicalPrefix> {
    const found = this.receiver.sent.found(this.names, active, known);
    this.receiver.managed.add(found);
    return found;
  }

  /** Active prefixes; the reads of one refresh share the answer. */
  async active(): Promise<ReadonlySet<CanonicalPrefix>> {
    try {
      return new Set(texts(await this.receiver.reads.read()));
    } catch (error) {
      throw advised(this.runtime.advice, error, this.isOfState ? credentialsOfState(error) : undefined);
    }
  }

  /** True if the resource moves to another address; warns that prefixes stay active at the old one. */
  hasMovedFrom({ endpoint }: UsedBefore): boolean {
    if (endpoint === undefined || endpoint === this.endpoint) return false;
    this.report({ kind: "receiverMoved", from: endpoint, to: this.endpoint });
    return true;
  }

  /**
   * Starts prefixes that are not active, and returns those that this resource owns now.
   *
   * @param partial The outputs after a start that failed half-way.
   */
  async start(
    prefixes: readonly CanonicalPrefix[],
    partial: (reached: Started) => PartialOutputs | undefined,
  ): Promise<CanonicalPrefix[]> {
    if (prefixes.length === 0) return [];
    const active = await this.prepare();
    const ours = (already: readonly Prefix[]) => {
      this.sentIn(mapOf(texts(already)), NOTHING);
      return texts(already).filter((prefix) => this.receiver.managed.has(prefix));
    };
    try {
      const sending = (needed: readonly Prefix[]) => this.receiver.sent.note(this.names, mapOf(texts(needed)));
      const options = { ...active, sending };
      const { started, already, unseen } = await this.receiver.start(parsed(prefixes), options, this.place.reason);
      this.warnUnreadable("start", texts(started), unseen);
      return [...texts(started), ...ours(already)];
    } catch (error) {
      const truth = error instanceof SignalingIncomplete ? error : undefined;
      const started = texts(truth?.started ?? []);
      this.runtime.advice.of(adviceIn(error));
      if (!truth) throw untouched(error);
      throw failure(
        truth,
        partial({
          active: [...started, ...texts(truth.already)],
          ours: [...started, ...ours(truth.already)],
          // The receiver may have started what it does not show yet, unless it clearly refused.
          doubtful: truth.verified && truth.outcome === "refused" ? [] : texts(truth.missing),
        }),
      );
    }
  }

  /**
   * Stops prefixes whatever the status says, except those that another resource of this deployment wants.
   *
   * @param state The state, which knows whose start had no answer.
   * @param partial The outputs while these prefixes may still be active.
   */
  async stop(
    candidates: readonly CanonicalPrefix[],
    { started: answered, unsettled }: StartsBefore,
    partial?: (left: CanonicalPrefix[]) => PartialOutputs,
  ): Promise<void> {
    const { sameMachine, sync } = this.runtime.shared;
    const { label } = this.receiver;
    // Once before the comparison with desired prefixes, and once after the requests, which take time.
    sync();
    const unwanted = this.unwantedOf(candidates);
    const spared = sameMachine.protect(SIGNALING, this.receiver, unwanted);
    const doomed = unwanted.filter((prefix) => !spared.has(prefix));
    if (doomed.length === 0) return;
    const active = await this.prepare();
    const registryUnavailable = sync();
    const prefixes = this.unwantedOf(doomed);
    if (prefixes.length === 0) return;
    try {
      if (registryUnavailable !== undefined)
        throw new Error(`Signaling at ${label}: nothing is stopped. ${registryUnavailable}`);
      const started = parsed(prefixes);
      const unanswered = unsettled.filter((prefix) => !answered.includes(prefix));
      const options = { started, unanswered, ...active };
      const { stopped, unseen, refusal, refused = [] } = await this.receiver.stop(started, options, this.place.reason);
      this.warnUnreadable("stop", texts(stopped), unseen);
      if (refusal !== undefined)
        this.report({ kind: "stopRefused", prefixes: texts(refused), reason: refusal.message });
      await sameMachine.after(SIGNALING, this.receiver, new Map(texts(stopped).map((prefix) => [prefix, 1])));
      await this.startLate(texts(stopped));
    } catch (error) {
      const truth = error instanceof SignalingIncomplete ? error : undefined;
      this.runtime.advice.of(adviceIn(error));
      const gone = new Set(texts([...(truth?.stopped ?? []), ...(truth?.already ?? [])]));
      throw failure(truth ?? untouched(error), partial?.(prefixes.filter((prefix) => !gone.has(prefix))));
    }
  }

  /** Restarts prefixes that another process came to want during the stop: it may have seen them active and started nothing. */
  private async startLate(stopped: readonly CanonicalPrefix[]): Promise<void> {
    this.runtime.shared.sync();
    const late = stopped.filter((prefix) => this.receiver.desired.has(prefix));
    if (late.length === 0) return;
    try {
      await this.receiver.start(parsed(late));
      this.report({ kind: "startedAgain", prefixes: late });
    } catch (error) {
      this.report({ kind: "startedAgain", prefixes: late, error: messageOf(error) });
    }
  }

  /** Prefixes that no resource of this deployment wants; reports the others. */
  private unwantedOf(candidates: readonly CanonicalPrefix[]): CanonicalPrefix[] {
    const { desired, managed, label } = this.receiver;
    sayActive(this.runtime.notices, { label, kept: candidates.filter((prefix) => desired.has(prefix)), managed });
    return candidates.filter((prefix) => !desired.has(prefix));
  }

  /** Warns that only the receiver's own answer is known. */
  private warnUnreadable(operation: "start" | "stop", prefixes: readonly CanonicalPrefix[], unreadable?: Error): void {
    if (unreadable === undefined || prefixes.length === 0) return;
    this.report({ kind: "outcomeUnknown", operation, prefixes, reason: unreadable.message });
  }

  private report(event: EventHere): void {
    this.runtime.notices.report({ ...event, at: this.label });
  }

  /** Active prefixes by a look or refresh just before the first change of this process, which then need not ask again. */
  private async prepare(): Promise<{ readonly active?: readonly Prefix[]; readonly signal?: AbortSignal }> {
    const { label, reads } = this.receiver;
    this.runtime.requireWritable(`Signaling at ${label}`);
    const active = await reads.take();
    reads.forget();
    const signal = this.runtime.limits?.signal;
    return { ...(active && { active }), ...(signal && { signal }) };
  }
}

/**
 * Reports prefixes that stay active since another resource wants them. Ownership passes to a resource that is created earlier only if
 * the old one was compared or read in this run: after a plain rename or with `--replace` the engine shows it too late, at its delete.
 */
function sayActive(
  notices: Reporter,
  { label, kept, managed }: { label: string; kept: readonly CanonicalPrefix[]; managed: { has(key: string): boolean } },
): void {
  for (const isHandedOn of [true, false]) {
    const prefixes = kept.filter((prefix) => managed.has(prefix) === isHandedOn);
    if (prefixes.length > 0) notices.report({ kind: "leftActive", at: label, prefixes, isHandedOn });
  }
}

function failure(error: unknown, partial: PartialOutputs | undefined): Error {
  const message = error instanceof SignalingIncomplete ? `${error.message} ${remedyOf(error)}` : messageOf(error);
  return partial ? new PartialFailure(message, partial.id, partial.outputs) : new Error(message, { cause: error });
}

function remedyOf({ reason, missing, started, stopped, already }: SignalingIncomplete): string {
  if (reason !== "prefix-invalid") return "Run the same pulumi command again: it first asks which prefixes are active.";
  const others = started.length + stopped.length + already.length > 0 ? " The changes of the other prefixes stay." : "";
  return `The receiver does not accept ${some(missing)} as a prefix of this client.${others} Correct it, remove it from the program, or ask the receiver's operator to assign it to the client; then run the same pulumi command again.`;
}

/** Keys at the address of a state, which an import does not have. */
function keysAt({ endpoint }: UsedBefore, keys: KeyRegistry): KeysHere {
  return endpoint === undefined ? new Set() : keys.at({ endpoint }, SIGNALING);
}

function parsed(prefixes: readonly CanonicalPrefix[]): Prefix[] {
  return prefixes.map((prefix) => Prefix.fromCanonical(prefix));
}

function texts(prefixes: readonly Prefix[]): CanonicalPrefix[] {
  return prefixes.map((prefix) => prefix.toString());
}
