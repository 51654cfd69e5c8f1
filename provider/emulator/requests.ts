import type { ActiveFault, Fault } from "./behaviour/faults";
import { expectNone, type UnmetFault, unmetFaults } from "./behaviour/unmet-faults";
import { expectCount, expectInOrder, waitFor } from "./journal/expectations";
import { type Har, har } from "./journal/har";
import type { JournalEntry, JournalFilter, JournalRange } from "./journal/journal";
import type { Run } from "./journal/runs";
import { packageVersion } from "./package-root";
import type { Simulation } from "./simulation";
import { UnknownResource } from "./state/unknown-resource";
import { type Duration, milliseconds } from "./time/duration";
import * as call from "./validation/arguments";
import { strictly } from "./validation/strict";

/** How to wait for a request. */
export interface RequestWait {
  /** Real time, default 5 s. */
  readonly within?: Duration;
  /** Index of the first entry of the journal that counts, default: of all that it holds. */
  readonly since?: number;
}

/** What a running emulator was asked and answered, and what goes wrong: its journal and its faults. */
export abstract class EmulatorRequests {
  /** Base address of the node API, without `/fapi`. */
  abstract get endpoint(): string;

  constructor(
    /** @internal */
    protected readonly simulation: Simulation,
  ) {}

  /** What the emulator was asked and answered, secrets cut out. */
  get journal(): readonly JournalEntry[] {
    return this.simulation.journal.entries;
  }

  /**
   * The entries of the journal that match, oldest first.
   *
   * @example
   * ```ts
   * emulator.requests({ cmd: "commit" });
   * emulator.requests({ status: 400 }, { limit: 1 })[0]?.answer;   // why the last request that was wrong was refused
   * ```
   */
  requests(filter: JournalFilter = {}, range: JournalRange = {}): JournalEntry[] {
    return this.simulation.journal.find(
      strictly(call.journalFilter, filter, "requests()"),
      strictly(call.journalRange, range, "requests()"),
    );
  }

  /**
   * The requests in runs: those between two pauses (`runPause`), or those that carry one label in the header `Packetfilter-Run`.
   * The last thousand, oldest first; `requests({ run: 3 })` are the requests of one.
   *
   * @example
   * ```ts
   * emulator.beginRun("second up");
   * await up();
   * emulator.runs.map(describeRun).at(-1);   // "run 2 (second up): 4 requests, no commit"
   * ```
   */
  get runs(): readonly Run[] {
    return this.simulation.journal.runs.list();
  }

  /**
   * From now on requests belong to another run, whatever pauses there are; those that carry a label of their own stay with theirs. Without
   * a label a new run begins, which ends at its first pause.
   */
  beginRun(label?: string): Run {
    return this.simulation.journal.runs.begin(label);
  }

  /**
   * Waits until a request that matches is answered, and gives its entry. One that the journal holds already counts, from the entry
   * `since` on. Nothing is polled, and `within` (default `"5s"`) is real time: a clock that stands still ends no wait.
   *
   * @throws {ExpectationError} when none came in time, naming those that came near.
   * @example
   * ```ts
   * const commit = await emulator.waitForRequest({ cmd: "commit", status: 200 }, { within: "2s" });
   * ```
   */
  async waitForRequest(filter: JournalFilter, options: RequestWait = {}, signal?: AbortSignal): Promise<JournalEntry> {
    strictly(call.journalFilter, filter, "waitForRequest()");
    const { within = "5s", since } = strictly(call.requestWait, options, "waitForRequest()");
    const { journal, waits } = this.simulation;
    const ended = signal ? AbortSignal.any([signal, waits.signal]) : waits.signal;
    return waitFor(journal, filter, { within: milliseconds(within), since, timer: waits.timer, signal: ended });
  }

  /**
   * Says that so many requests match, and gives their entries.
   *
   * @throws {ExpectationError} naming those that are too many, or those that came near.
   * @example
   * ```ts
   * emulator.expectRequests({ cmd: "commit", url: "prefixset://edge/blocked" }, 1);
   * ```
   */
  expectRequests(filter: JournalFilter, count: number): JournalEntry[] {
    strictly(call.journalFilter, filter, "expectRequests()");
    return expectCount(
      this.simulation.journal,
      filter,
      strictly(call.requestCount, count, "expectRequests(): the count"),
    );
  }

  /**
   * Says that requests came one after the other, and gives their entries. Others may be between them.
   *
   * @throws {ExpectationError} naming the first that is missing, and those that came near.
   * @example
   * ```ts
   * emulator.expectOrder([{ cmd: "insert" }, { cmd: "delete" }, { cmd: "commit", status: 200 }]);
   * ```
   */
  expectOrder(filters: readonly JournalFilter[]): JournalEntry[] {
    strictly(call.requestOrder, filters, "expectOrder()");
    return expectInOrder(this.simulation.journal, filters);
  }

  /** The journal as an HTTP archive (HAR 1.2), which the network views of browsers open; runs are its pages. */
  har(): Har {
    return har(this.simulation.journal, this.endpoint, packageVersion());
  }

  /** Empties the journal, and forgets the runs. */
  clearJournal(): void {
    this.simulation.journal.clear();
  }

  /** Sets a fault, which strikes once unless it says otherwise. @throws {TypeError} when the fault is not valid. */
  fail(fault: Fault): ActiveFault {
    return this.simulation.faults.add(fault);
  }

  /** The faults that were set. */
  get faults(): ActiveFault[] {
    return this.simulation.faults.list();
  }

  /** Removes one fault. @throws {UnknownResource} when there is none with this id. */
  removeFault(id: number): void {
    if (!this.simulation.faults.remove(id)) throw new UnknownResource(`There is no fault ${id}.`);
  }

  /** The faults that were set and struck nothing so far, each with the reason and the requests that came nearest. */
  unmetFaults(): UnmetFault[] {
    return unmetFaults(this.faults, this.journal);
  }

  /**
   * Fails when a fault that was set was never met: what a test wanted to show with it, it has not shown.
   *
   * @throws {UnmetFaultError} naming each fault, and the requests that came nearest.
   * @example
   * ```ts
   * emulator.fail({ cmd: "commit", status: 503 });
   * await programUnderTest(emulator.endpoint);
   * emulator.expectAllFaultsMet();
   * ```
   */
  expectAllFaultsMet(): void {
    expectNone(this.unmetFaults());
  }

  /** Removes all faults. */
  clearFaults(): void {
    this.simulation.faults.clear();
  }
}
