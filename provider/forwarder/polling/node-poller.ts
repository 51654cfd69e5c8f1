import type { NodeOptions } from "../../client";
import type { CheckedConfig } from "../config/schema";
import { SpoolFull } from "../ledger/errors";
import type { Ledger, TakenOver, Turn } from "../ledger/protocol";
import { isFull } from "../ledger/sqlite";
import type { Metrics } from "../operating/metrics";
import type { Troubles } from "../operating/troubles";
import { tableKey } from "../table";
import { type ForwarderWorld, growingPause, pause } from "../world";
import { ListFailure, MarkSource } from "./mark-source";
import type { Pace } from "./pace";
import { readStructure, type Structure, type WatchedTable } from "./structure";

/** Between tries of what fails, at most. */
const LONGEST_PAUSE_MS = 60_000;

/** What polling needs of the forwarder. */
export interface PollingParts {
  readonly ledger: Ledger;
  readonly pace: Pace;
  readonly metrics: Metrics;
  readonly troubles: Troubles;
  readonly world: ForwarderWorld;
  /** The configuration as it is now. */
  config(): CheckedConfig;
  /** The node's options as they are now. */
  options(): NodeOptions;
  /** Reads secrets again that come from files. */
  refreshSecrets(): Promise<unknown>;
  /** Resolves when one of these sinks has acknowledged something. */
  room(sinks: readonly string[], signal: AbortSignal): Promise<void>;
  /** Records are in the spool. */
  wake(): void;
}

/** How the last list of a table went, for people. */
export interface TableOutcome {
  readonly key: string;
  readonly marks: number;
  readonly ok: boolean;
}

/**
 * Polls one node: profiles and rules now and then, and each mark table in a loop of its own, so that a table that fails or
 * a sink that is full keeps nobody else waiting. Failures are told once and retried with growing pauses.
 */
export class NodePoller {
  /** The last outcome of each table. */
  readonly outcomes = new Map<string, TableOutcome>();
  /** True once every table that is known was tried. */
  tried = false;
  private readonly source: MarkSource;
  private tables: readonly WatchedTable[] = [];
  private readonly loops = new Map<string, AbortController>();
  private readonly running = new Set<Promise<void>>();
  private readonly snapshots = new Map<string, number>();

  constructor(
    readonly name: string,
    private readonly parts: PollingParts,
    private readonly turn?: Turn,
  ) {
    this.source = new MarkSource(() => parts.options(), parts.world);
  }

  /** Polls until the signal aborts, and until what was under way has ended. */
  async run(signal: AbortSignal): Promise<void> {
    const { world } = this.parts;
    for (let failures = 0; !signal.aborted; ) {
      const complete = await this.look(signal);
      if (signal.aborted) break;
      this.follow(signal);
      const { structureEveryMs, everyMs } = this.parts.config();
      failures = complete ? 0 : failures + 1;
      const soon = growingPause(failures, everyMs, structureEveryMs, world.random);
      await pause(world, complete ? structureEveryMs : soon, signal);
    }
    await Promise.all(this.running);
    this.source.close();
  }

  /** One round: looks at the structure, and lists each table once. @returns whether all of it succeeded. */
  async once(signal: AbortSignal): Promise<boolean> {
    const complete = await this.look(signal);
    const results = await Promise.all(this.tables.map((watched) => this.poll(watched, signal)));
    this.tried = true;
    this.source.close();
    // A table of a type that the node does not have is said, and is no failure: `watch` without types asks for all four.
    return complete && this.tables.length > 0 && results.every((result) => result === "taken" || result === "refused");
  }

  private async look(signal: AbortSignal): Promise<boolean> {
    const { troubles } = this.parts;
    const { watch } = this.parts.config();
    let structure: Structure;
    try {
      structure = await readStructure(this.name, this.parts.options(), watch, signal);
    } catch {
      return false;
    }
    const key = `structure/${this.name}`;
    if (structure.complete) troubles.end(key, { node: this.name }, `Node ${this.name} answers.`);
    else {
      troubles.begin(key, { node: this.name }, structure.problems.slice(0, 3).join(" "));
      await this.parts.refreshSecrets();
    }
    // A look that failed says nothing about tables that are known already.
    if (structure.complete || structure.tables.length >= this.tables.length) this.tables = structure.tables;
    return structure.complete;
  }

  /** Starts a loop for each table that has none, and ends those of tables that went. */
  private follow(signal: AbortSignal): void {
    const wanted = new Map(this.tables.map((watched) => [tableKey(watched.table), watched]));
    for (const [key, loop] of this.loops) {
      if (wanted.has(key)) continue;
      loop.abort();
      this.loops.delete(key);
      this.outcomes.delete(key);
    }
    for (const key of wanted.keys()) {
      if (this.loops.has(key)) continue;
      const loop = new AbortController();
      this.loops.set(key, loop);
      const run = this.loop(key, AbortSignal.any([signal, loop.signal])).finally(() => this.running.delete(run));
      this.running.add(run);
    }
    if (wanted.size === 0) this.tried = true;
  }

  private async loop(key: string, signal: AbortSignal): Promise<void> {
    const { world } = this.parts;
    let failures = 0;
    while (!signal.aborted) {
      const watched = this.tables.find(({ table }) => tableKey(table) === key);
      if (!watched) return;
      const result = await this.poll(watched, signal);
      this.tried ||= this.outcomes.size >= this.loops.size;
      const { everyMs } = this.parts.config();
      failures = result === "taken" || result === "full" ? 0 : failures + 1;
      const wait =
        failures === 0 ? everyMs : Math.max(everyMs, growingPause(failures, everyMs, LONGEST_PAUSE_MS, world.random));
      await pause(world, Math.max(wait, this.asked), signal);
    }
  }

  /** Milliseconds that the node last asked to wait. */
  private asked = 0;

  /** Lists a table once, and takes it over. */
  private async poll(watched: WatchedTable, signal: AbortSignal): Promise<"taken" | "failed" | "refused" | "full"> {
    const { pace, metrics, troubles, world } = this.parts;
    const { table } = watched;
    const key = tableKey(table);
    const due = world.now() + pace.waitFor(key);
    let end: () => void;
    try {
      end = await pace.turn(key, signal);
    } catch {
      return "failed";
    }
    metrics.set("poll_lag_seconds", Math.max(0, world.now() - due) / 1_000, { node: this.name });
    let outcome: "taken" | "failed" | "refused" | "full" = "failed";
    try {
      const taken = await this.take(watched, signal);
      outcome = "taken";
      this.asked = 0;
      this.count(key, taken);
      troubles.end(
        key,
        { node: this.name },
        `Marks (${table.type}) of ${table.arena}/${table.profile} on ${this.name} are read again.`,
      );
    } catch (error) {
      end();
      end = () => {};
      if (signal.aborted) return "failed";
      outcome = await this.failed(key, error, signal);
    } finally {
      end();
    }
    metrics.add("polls_total", { node: this.name, outcome });
    this.outcomes.set(key, {
      key,
      marks: this.outcomes.get(key)?.marks ?? 0,
      ...this.last.get(key),
      ok: outcome === "taken",
    });
    return outcome;
  }

  private readonly last = new Map<string, { marks: number }>();

  private async take({ table, rules, userArena }: WatchedTable, signal: AbortSignal): Promise<TakenOver> {
    const { ledger, world } = this.parts;
    const key = tableKey(table);
    const reading = await ledger.begin({
      table,
      rules,
      answers: this.parts.options().answers,
      snapshot: this.snapshotIsDue(key),
      ...(this.turn && { turn: this.turn }),
    });
    try {
      await this.source.list(table, userArena, (bytes) => ledger.write(reading, bytes), signal);
      signal.throwIfAborted();
    } catch (error) {
      await ledger.abort(reading);
      throw error;
    }
    try {
      return await ledger.end(reading, { wall: world.wall(), now: world.now() });
    } catch (error) {
      throw this.source.explain(error, table);
    }
  }

  private async failed(key: string, error: unknown, signal: AbortSignal): Promise<"failed" | "refused" | "full"> {
    const { troubles } = this.parts;
    const message = error instanceof Error ? error.message : String(error);
    const members = { node: this.name, table: key };
    if (error instanceof SpoolFull) {
      for (const sink of error.sinks) troubles.begin(`full/${sink}`, { sink }, error.message);
      await this.parts.room(error.sinks, signal);
      return "full";
    }
    const words = isFull(error) ? `The disk of the state folder is full: nothing of ${key} is taken over.` : message;
    troubles.begin(key, members, words);
    if (!(error instanceof ListFailure)) return "failed";
    this.asked = error.afterMs ?? 0;
    if (error.unauthorized) await this.parts.refreshSecrets();
    return error.refused ? "refused" : "failed";
  }

  private count(key: string, taken: TakenOver): void {
    const { metrics, world } = this.parts;
    const node = { node: this.name };
    metrics.add("marks_total", node, taken.listed);
    metrics.add("plain_marks_total", node, taken.plain);
    metrics.set("last_list_timestamp_seconds", world.wall() / 1_000, node);
    for (const [event, count] of Object.entries(taken.events)) metrics.add("records_total", { ...node, event }, count);
    this.last.set(key, { marks: taken.listed });
    if (taken.records > 0) this.parts.wake();
  }

  private snapshotIsDue(key: string): boolean {
    const { snapshotEveryMs } = this.parts.config();
    if (snapshotEveryMs === 0) return false;
    const now = this.parts.world.now();
    const last = this.snapshots.get(key);
    // The first list is all `added`, which says the same.
    if (last === undefined) this.snapshots.set(key, now);
    if (last === undefined || now - last < snapshotEveryMs) return false;
    this.snapshots.set(key, now);
    return true;
  }
}
