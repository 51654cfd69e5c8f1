import { aborted, pause } from "../../client/clock";
import { DEFAULTS } from "../../client/options";
import { backoff, formatDuration, growingPause } from "../../client/pauses";
import { messageOf } from "../../model/errors";
import { TIMES } from "../defaults";
import { SpoolFull, type TakenOver } from "../ledger/protocol";
import { isFull } from "../ledger/sqlite";
import type { Turn } from "../reading/arrived-list";
import { nextTurn } from "../slices";
import { tableKey } from "../table";
import { endsWithin } from "../world";
import { ListFailure, type MarkSource } from "./mark-source";
import type { MarkTurns, PollingParts } from "./mark-turns";
import type { WatchedTable } from "./structure";

/** Key of the trouble that the disk is full. */
export const DISK = "disk";
const FULL_DISK =
  "The disk of the state folder is full, except for the reserved bytes (`reserveBytes`): readings are not taken over until sinks have taken more, or the disk has room.";

/** Outcome of a list: `refused` is the node's own refusal, `full` that a sink has no room for its records. */
export type Outcome = "taken" | "failed" | "refused" | "full";

/** Something that happens once. */
export class Gate {
  isOpen = false;
  private pass = (): void => {};
  readonly passed = new Promise<void>((resolve) => {
    this.pass = resolve;
  });

  open(): void {
    this.isOpen = true;
    this.pass();
  }
}

/** Parts of a node that its tables share. */
interface NodeParts {
  readonly source: MarkSource;
  readonly turns: MarkTurns;
  readonly turn?: Turn | undefined;
  /** Opens when profiles and rules were asked for. */
  readonly looked: Gate;
}

/** Polls one mark table. A failure is reported once, and repeated with growing pauses. */
export class TablePoller {
  /** Outcome of the last list; absent before the first. */
  last: Outcome | undefined;
  /** Marks in the last list that was taken over. */
  marks = 0;
  isListing = false;
  /** When it is to be listed, or was to be; absent while it is, and while it waits for a sink. */
  dueAt: number | undefined;
  /** When its last list ended. */
  endedAt = Number.NEGATIVE_INFINITY;
  /** Milliseconds that the node asked to wait after the last list. */
  private asked = 0;
  /** True if the node was busy at the last list. */
  private isBusy = false;
  /** Sinks without room for the last list, one of which must have taken something before the next. */
  private fullSinks: readonly string[] = [];
  private snapshotAt: number | undefined;

  constructor(
    /** The table as the last look at its node found it. */
    public watched: WatchedTable,
    private readonly node: NodeParts,
    private readonly parts: PollingParts,
  ) {}

  /** Polls until the signal aborts, and until what was under way has ended. */
  async run(signal: AbortSignal): Promise<void> {
    const { world } = this.parts;
    const { turns } = this.node;
    let due = Math.max(world.monotonic(), turns.notBefore);
    for (let failures = 0; !signal.aborted; ) {
      const outcome = await this.poll(due, signal);
      if (this.fullSinks.length > 0)
        await this.parts.delivery.room(tableKey(this.watched.table), this.fullSinks, signal);
      failures = outcome === "taken" || outcome === "full" ? 0 : failures + 1;
      const grown = failures === 0 ? 0 : growingPause(failures, turns.pauseMs, TIMES.tableLongestPauseMs, world.random);
      const wait = Math.max(turns.pauseMs, grown, this.asked);
      due = this.dueAt = world.monotonic() + wait;
      await pause(world, wait, signal);
    }
    this.leaveDisk();
  }

  /** Lists the table for one round: once, and again while the node is busy, until its `deadlineMs` is over. */
  async once(due: number, signal: AbortSignal): Promise<Outcome> {
    const { world, config } = this.parts;
    const { deadlineMs = DEFAULTS.deadlineMs } = config.node(this.watched.table.node);
    let until: number | undefined;
    for (let now = due, tries = 1; ; now = world.monotonic(), tries++) {
      const outcome = await this.poll(now, signal);
      until ??= this.endedAt + deadlineMs;
      const wait = this.asked + backoff(tries, world.random);
      if (!this.isBusy || signal.aborted || world.monotonic() + wait >= until) return outcome;
      await pause(world, wait, signal);
    }
  }

  /**
   * Lists the table once, and takes it over.
   *
   * @param due When that was to be.
   */
  async poll(due: number, signal: AbortSignal): Promise<Outcome> {
    const { metrics, world } = this.parts;
    const { table } = this.watched;
    const node = { node: table.node };
    this.dueAt = due;
    // Many tables may be due at the same moment.
    await nextTurn();
    let leave: () => void;
    try {
      leave = await this.node.turns.enter(table, signal);
    } catch {
      return "failed";
    }
    const end = (): void => {
      leave();
      this.isListing = false;
      this.endedAt = world.monotonic();
    };
    this.dueAt = undefined;
    this.isListing = true;
    metrics.set("poll_lag_seconds", Math.max(0, world.monotonic() - due) / 1_000, node);
    let outcome: Outcome = "taken";
    this.asked = 0;
    this.isBusy = false;
    this.fullSinks = [];
    try {
      this.count(await this.take(signal));
      end();
    } catch (error) {
      end();
      if (signal.aborted) return "failed";
      outcome = await this.failed(error);
    }
    metrics.add("polls_total", { ...node, outcome });
    this.last = outcome;
    return outcome;
  }

  private async take(signal: AbortSignal): Promise<TakenOver> {
    const { ledger, world } = this.parts;
    const { table, userArena } = this.watched;
    const { source, looked, turns } = this.node;
    const answer = await source.list(table, userArena, signal);
    const time = { wall: world.wall(), now: world.monotonic() };
    // Its rules name what marks it; a list of marks waits for no other request for long.
    if (!looked.isOpen) await endsWithin(world, turns.pauseMs, Promise.race([looked.passed, aborted(signal)]));
    signal.throwIfAborted();
    const { rules = [] } = this.watched;
    const { habits } = source;
    const snapshot = this.snapshotIsDue();
    const turn = this.node.turn && { turn: this.node.turn };
    try {
      const taken = await ledger.take({ table, ...answer, ...time, rules, habits, snapshot, ...turn });
      if (snapshot || this.snapshotAt === undefined) this.snapshotAt = time.now;
      for (const place of taken.keyedPlaces) habits.keyedPlaces.add(place);
      return taken;
    } catch (error) {
      throw source.explain(error, table);
    }
  }

  private async failed(error: unknown): Promise<Outcome> {
    const { troubles, secrets, refusedByDisk } = this.parts;
    const { table } = this.watched;
    const key = tableKey(table);
    if (isFull(error)) {
      refusedByDisk.add(key);
      troubles.begin(DISK, {}, FULL_DISK);
      this.asked = TIMES.diskFullMs;
      return "full";
    }
    this.leaveDisk();
    if (error instanceof SpoolFull) {
      for (const sink of error.sinks) troubles.begin(`full/${sink}`, { sink }, error.message);
      this.fullSinks = error.sinks;
      return "full";
    }
    const reason = error instanceof ListFailure ? error.reason : {};
    const outcome = reason.refused ? "refused" : "failed";
    // A table of the last run may be gone: the first look shows it.
    const isGone = outcome === "refused" && !this.node.looked.isOpen;
    if (!isGone) troubles.begin(`table/${key}`, { node: table.node, table: key }, this.words(error));
    this.asked = reason.afterMs ?? 0;
    this.isBusy = reason.isBusy ?? false;
    if (reason.unauthorized) await secrets.refresh();
    return outcome;
  }

  /** The table waits for the disk no more, and whether that has room is unknown. */
  private leaveDisk(): void {
    const { refusedByDisk, troubles } = this.parts;
    if (refusedByDisk.delete(tableKey(this.watched.table)) && refusedByDisk.size === 0)
      troubles.forget((key) => key === DISK);
  }

  /** A failure, and what comes next where nothing was answered. */
  private words(error: unknown): string {
    const what = messageOf(error);
    if (!(error instanceof ListFailure) || !error.reason.isSilent) return what;
    const { pauseMs } = this.node.turns;
    const longest = Math.max(pauseMs, TIMES.tableLongestPauseMs);
    return `${what} It is listed again after ${formatDuration(pauseMs)} to ${formatDuration(longest)}; no mark counts as gone meanwhile.`;
  }

  private count(taken: TakenOver): void {
    const { metrics, troubles, world, delivery, refusedByDisk } = this.parts;
    const { table } = this.watched;
    const node = { node: table.node };
    this.marks = taken.listed;
    metrics.add("marks_total", node, taken.listed);
    metrics.set("last_list_timestamp_seconds", world.wall() / 1_000, node);
    for (const [event, count] of Object.entries(taken.events)) metrics.add("records_total", { ...node, event }, count);
    const what = `Marks (${table.type}) of ${table.arena}/${table.profile} on ${table.node}`;
    troubles.end(`table/${tableKey(table)}`, node, `${what} are read again.`);
    if (refusedByDisk.delete(tableKey(table)) && refusedByDisk.size === 0)
      troubles.end(DISK, {}, "The disk of the state folder has room again.");
    if (taken.records > 0) delivery.wake();
  }

  private snapshotIsDue(): boolean {
    const { snapshotEveryMs } = this.parts.config.current;
    // The first list is all `added`, and needs no snapshot.
    if (snapshotEveryMs === 0 || this.snapshotAt === undefined) return false;
    return this.parts.world.monotonic() - this.snapshotAt >= snapshotEveryMs;
  }
}
