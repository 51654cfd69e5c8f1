import type { SharedReads } from "../apply/shared-reads";
import { isBusy, isUnreachable, RequestError } from "../client/errors";
import { formatDuration } from "../client/pauses";
import { Slots } from "../client/requester";
import type { World } from "../client/world";
import type { Advice } from "../messages/advice";
import type { Reporter } from "../messages/events";
import { adviceIn } from "../messages/remedy";
import { messageOf, PacketFilterError } from "../model/errors";
import { ConfigError, type Settings } from "../settings/settings";
import type { Connection } from "./connections";

/** Wait for a node or receiver that a run may do without, in milliseconds. */
export const PATIENCE_MS = 2_000;
/** Wait for all of them together that do not answer, in milliseconds. */
const PATIENCE_IN_ALL_MS = 4_000;
/** Wait for a slow node before the other nodes of the configuration are asked beside it, in milliseconds. */
const BESIDE_AFTER_MS = 200;
/** Addresses that are asked at the same time: of a thousand answers at once this process would read the last ones too late. */
const AT_ONCE = 128;

/** Subject of a look: a set of a node, or the signalings of a receiver. */
export interface Looked<T> {
  readonly at: Connection;
  /** Url of the set; none for signalings. */
  readonly url?: string;
  readonly reads: SharedReads<T>;
  /** True where nothing was there before this run: a silent address then keeps nothing from being restored. */
  readonly isNew?: boolean;
}

/** Result of a look; neither member if nothing was asked, or if no answer came, which is reported. */
export interface LookResult<T> {
  readonly there?: T;
  /** The error if the answer was a refusal, or cannot be read. */
  readonly refused?: RequestError;
}

/** A request that is under way or over. */
interface Try {
  readonly began: number;
  readonly answer: Promise<unknown>;
}

/**
 * Lists each set and receiver once a process before anything is decided. A refresh before it and the first write after it
 * share that list. The engine checks one resource after the other, so a silent node is waited for once, and the others are
 * asked beside it.
 */
export class Look {
  /** The first look at each address. */
  private readonly tries = new Map<string, Promise<Try>>();
  /** Addresses that did not answer, or were busy, and why. */
  private readonly unreachable = new Map<string, Error>();
  private readonly reported = new Set<string>();
  /** True once all nodes of the configuration were asked for their sets, and all receivers for their signalings. */
  private readonly areAsked = { sets: false, signalings: false };
  private readonly answers = new WeakMap<object, Promise<unknown>>();
  private readonly turns = new Slots(AT_ONCE);
  /** When an address last answered. */
  private answered = Number.NEGATIVE_INFINITY;
  private waiting = 0;
  private since = 0;
  private waited = 0;

  constructor(
    private readonly world: Pick<World, "monotonic" | "after">,
    private readonly say: { readonly notices: Reporter; readonly advice: Advice },
    private readonly settings: () => Settings,
  ) {}

  /**
   * Content of the subject, as far as it can be seen.
   *
   * @param excluding Other subjects to ask at the same time, since they may be slow as well.
   * @throws {ConfigError} if it cannot be seen with `detectDrift: "require"`
   */
  at<T>(looked: Looked<T>, excluding: () => readonly Looked<unknown>[] = () => []): Promise<LookResult<T>> {
    const { detectDrift } = this.settings();
    if (detectDrift === "off") return Promise.resolve({});
    const { reads } = looked;
    const known = this.answers.get(reads) as Promise<LookResult<T>> | undefined;
    const answer = known ?? (detectDrift === "require" ? this.required(looked) : this.patient(looked, excluding));
    this.answers.set(reads, answer);
    return answer;
  }

  /** True for an address that did not answer in this process. */
  isSilent(endpoint: string): boolean {
    const error = this.unreachable.get(endpoint);
    return error !== undefined && !isBusy(error);
  }

  private async required<T>({ at, url = "signaling", reads }: Looked<T>): Promise<LookResult<T>> {
    try {
      return { there: await reads.read() };
    } catch (error) {
      throw new ConfigError(
        `packetfilter:detectDrift is "require", and ${at.label} ${url} cannot be read. ${messageOf(error)} Without it: pulumi config set packetfilter:detectDrift auto.`,
      );
    }
  }

  private async patient<T>(looked: Looked<T>, excluding: () => readonly Looked<unknown>[]): Promise<LookResult<T>> {
    const { at, reads } = looked;
    const first = this.tries.get(at.endpoint);
    const there = first && (await first);
    // The first request to an address shows if it answers.
    if (there)
      await this.during(
        there.answer.catch(() => undefined),
        this.patience(there.began),
        () => undefined,
      );
    if (this.unreachable.has(at.endpoint)) return this.silent(looked);
    const { began } = await this.begin(looked);
    const cancel = this.world.after(Math.max(0, BESIDE_AFTER_MS - this.waited), () => {
      const kind = looked.url === undefined ? "signalings" : "sets";
      // Once for all: a group of a thousand nodes would ask for a thousand others a thousand times.
      const others = this.areAsked[kind] ? [] : excluding();
      this.areAsked[kind] = true;
      for (const other of others) if (!this.tries.has(other.at.endpoint)) void this.begin(other);
    });
    try {
      const patience = this.patience(began);
      const late = () => {
        throw new NoAnswerError(`This run waited ${formatDuration(this.world.monotonic() - began)} for it.`);
      };
      return { there: await this.during(reads.read(), patience, late) };
    } catch (error) {
      if (!(error instanceof PacketFilterError)) throw error;
      this.say.advice.of(adviceIn(error));
      if (error instanceof RequestError && !isUnseen(error)) return { refused: error };
      this.unreachable.set(at.endpoint, error);
      return this.silent(looked);
    } finally {
      cancel();
    }
  }

  /** Warns once of each silent or busy address, and of the first one with the consequence. */
  private silent({ at, url, isNew = false }: Looked<unknown>): { there?: never } {
    const isFirst = this.reported.size === 0;
    const error = this.unreachable.get(at.endpoint);
    if (this.reported.has(at.endpoint)) return {};
    this.reported.add(at.endpoint);
    const is = isBusy(error) ? "busy" : "silent";
    this.say.notices.report({ kind: "silent", url, at: at.label, is, reason: error?.message, isFirst, isNew });
    return {};
  }

  /** Asks once it is the turn of this look: its time begins then. */
  private begin(looked: Looked<unknown>): Promise<Try> {
    const made = this.turns.acquire().then((leave) => this.ask(looked, leave));
    if (!this.tries.has(looked.at.endpoint)) this.tries.set(looked.at.endpoint, made);
    return made;
  }

  private ask({ at, reads }: Looked<unknown>, leave: () => void): Try {
    const began = this.world.monotonic();
    const answer = reads.read({ until: began + PATIENCE_MS });
    // While others answer, this process is busy with them, and one that waits need not be slow.
    const pass = (): (() => void) =>
      this.world.after(BESIDE_AFTER_MS, () => {
        if (this.world.monotonic() - this.answered >= BESIDE_AFTER_MS) leave();
        else cancel = pass();
      });
    let cancel = pass();
    const end = (isSilent: boolean) => {
      if (!isSilent) this.answered = this.world.monotonic();
      cancel();
      leave();
    };
    answer.then(
      () => end(false),
      (error: unknown) => {
        const isSilent = isUnseen(error);
        if (isSilent) this.unreachable.set(at.endpoint, error);
        end(isSilent);
      },
    );
    return { began, answer };
  }

  /** Remaining wait for an address: once one was silent, the others share the rest. */
  private patience(began: number): number {
    const own = PATIENCE_MS - (this.world.monotonic() - began);
    const left = this.unreachable.size === 0 ? own : (PATIENCE_IN_ALL_MS - this.waited) / 2;
    return Math.max(0, Math.min(own, left));
  }

  /** Waits for an answer, and counts the time of all waits. */
  private async during<T, L>(answer: Promise<T>, patienceMs: number, late: () => L): Promise<T | L> {
    if (this.waiting === 0) this.since = this.world.monotonic();
    this.waiting += 1;
    let cancel = () => {};
    const ended = new Promise<void>((resolve) => {
      cancel = this.world.after(patienceMs, resolve);
    });
    try {
      return await Promise.race([answer, ended.then(late)]);
    } finally {
      cancel();
      this.waiting -= 1;
      if (this.waiting === 0) this.waited += this.world.monotonic() - this.since;
    }
  }
}

/** True for an error that a later try may not have. */
function isUnseen(error: unknown): error is RequestError {
  return isUnreachable(error) || isBusy(error);
}

/** Nothing answered in time. */
class NoAnswerError extends PacketFilterError {
  constructor(message: string) {
    super(message, "silent");
  }
}
