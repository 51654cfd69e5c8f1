import { NodeClient, type NodeOptions } from "../../client";
import { pause } from "../../client/clock";
import { formatDuration, growingPause } from "../../client/pauses";
import { messageOf } from "../../model/errors";
import type { Turn } from "../reading/arrived-list";
import { nextTurn } from "../slices";
import { matchesAny, type TableName, tableKey, tableOf } from "../table";
import { MarkSource } from "./mark-source";
import { MarkTurns, type PollingParts } from "./mark-turns";
import { knownTables, readStructure, type Unmatched, type WatchedTable } from "./structure";
import { Gate, TablePoller } from "./table-poller";

/** Problems of a look that are reported. */
const MOST_PROBLEMS = 3;

/** A node as people see it. */
export type NodeView = NodePoller["view"];

/**
 * Polls one node: profiles and rules now and then, and each mark table in a loop of its own, so that a failing table or
 * a full sink delays no other.
 */
class NodePoller {
  private readonly source: MarkSource;
  private readonly turns: MarkTurns;
  private client: { readonly of: NodeOptions; readonly client: NodeClient } | undefined;
  private found: ReadonlyMap<string, WatchedTable> = new Map();
  /** Of the last look. */
  unmatched: readonly Unmatched[] = [];
  private readonly polled = new Map<string, { readonly poller: TablePoller; readonly stop: AbortController }>();
  private readonly running = new Set<Promise<void>>();
  /** Resolves at the end of the first look. */
  private readonly looked = new Gate();

  /** @param turn That of a cluster. */
  constructor(
    readonly name: string,
    private readonly parts: PollingParts,
    private readonly turn?: Turn,
  ) {
    this.source = new MarkSource(name, parts);
    this.turns = new MarkTurns(name, parts, turn);
  }

  /** Polls until the signal aborts, and until what was under way has ended. */
  async run(signal: AbortSignal): Promise<void> {
    const { world, config, tablesBefore } = this.parts;
    // A node may be silent for long: tables that are known are listed beside the first look.
    const known = knownTables(this.name, config.current.watch, tablesBefore);
    this.found = new Map(known.map((watched) => [tableKey(watched.table), watched]));
    this.follow(signal);
    for (let failures = 0; !signal.aborted; ) {
      const complete = await this.look(signal, 1);
      if (signal.aborted) break;
      this.follow(signal);
      const { structureEveryMs, everyMs } = config.current;
      failures = complete ? 0 : failures + 1;
      const wait = complete ? structureEveryMs : growingPause(failures, everyMs, structureEveryMs, world.random);
      await pause(world, wait, signal);
    }
    await Promise.all(this.running);
    await this.close();
  }

  /** One round: looks at the structure, and lists each table once. @returns whether all of it succeeded. */
  async once(signal: AbortSignal): Promise<boolean> {
    const complete = await this.look(signal);
    const due = Math.max(this.parts.world.monotonic(), this.turns.notBefore);
    const results = await Promise.all(
      [...this.found.values()].map(async (watched) => ({
        watched,
        outcome: await this.pollerOf(watched).once(due, signal),
      })),
    );
    await this.close();
    const profileOf = ({ table: { arena, profile } }: WatchedTable) => `${arena}/${profile}`;
    const taken = results.filter(({ outcome }) => outcome === "taken");
    const listed = new Set(taken.map(({ watched }) => profileOf(watched)));
    // `watch` without types requests all four: a refused one may be missing if another one of the profile was listed.
    const mayBeMissing = (watched: WatchedTable) => !watched.isNamed && listed.has(profileOf(watched));
    const isDone = ({ watched, outcome }: (typeof results)[number]) =>
      outcome === "taken" || (outcome === "refused" && mayBeMissing(watched));
    return complete && results.length > 0 && results.every(isDone);
  }

  /** True once every table that is known was tried. */
  get tried(): boolean {
    return this.looked.isOpen && this.pollers.every(({ last }) => last !== undefined);
  }

  reads(table: string): boolean {
    return this.found.has(table);
  }

  get tables(): TableName[] {
    return [...this.found.values()].map(({ table }) => table);
  }

  get view() {
    const pollers = this.pollers.filter(({ last }) => last !== undefined);
    return {
      name: this.name,
      tables: pollers.length,
      failing: pollers.filter(({ last }) => last !== "taken").length,
      marks: pollers.reduce((sum, { marks }) => sum + marks, 0),
    };
  }

  /** For how long tables have been due while none was listed, beyond the pause that the node is given. */
  get idleMs(): number {
    const { pollers } = this;
    const due = Math.min(...pollers.map(({ dueAt }) => dueAt ?? Number.POSITIVE_INFINITY));
    const ended = Math.max(...pollers.map(({ endedAt }) => endedAt));
    const isListing = pollers.some(({ isListing }) => isListing);
    return isListing ? 0 : this.parts.world.monotonic() - Math.max(due, ended + this.turns.pauseMs);
  }

  private get pollers(): TablePoller[] {
    return [...this.polled.values()].map(({ poller }) => poller);
  }

  /** @param maxTries Of each request. Default: those of the node's client. */
  private async look(signal: AbortSignal, maxTries?: number): Promise<boolean> {
    const { troubles, config, secrets, metrics } = this.parts;
    // Many nodes may be due at the same moment.
    await nextTurn();
    const members = { node: this.name };
    const key = `structure/${this.name}`;
    const problems: string[] = [];
    const report = (problem: string): void => {
      problems.push(problem);
      const next = `Node ${this.name} is asked for its profiles and rules again within ${formatDuration(config.current.structureEveryMs)}; known tables are listed meanwhile.`;
      // The first at once: the others may take as long again.
      if (problems.length <= MOST_PROBLEMS) troubles.begin(key, members, [...problems, next].join(" "));
    };
    let complete = false;
    try {
      const { watch } = config.current;
      const { tables, unmatched } = await readStructure(
        this.name,
        await this.connected(maxTries),
        watch,
        report,
        signal,
      );
      complete = problems.length === 0;
      if (complete) troubles.end(key, members, `Node ${this.name} answers.`);
      else await secrets.refresh();
      this.unmatched = unmatched;
      const patterns = `profiles/${this.name}`;
      if (unmatched.length > 0) troubles.begin(patterns, members, unmatched.map(({ sentence }) => sentence).join(" "));
      else if (complete) troubles.end(patterns, members, `Node ${this.name} has profiles for all that is watched.`);
      this.find(tables, complete);
    } catch (error) {
      if (signal.aborted) return false;
      report(messageOf(error));
    }
    this.looked.open();
    // A node that was away all the time has no table whose list could fail.
    if (!complete && this.found.size === 0) metrics.add("polls_total", { ...members, outcome: "failed" });
    return complete;
  }

  /** Rules that could not be read stay as they were. A look that is not complete ends no known table. */
  private find(tables: readonly WatchedTable[], complete: boolean): void {
    const before = this.found;
    const found = tables.map((watched): [string, WatchedTable] => {
      const key = tableKey(watched.table);
      return [key, { ...watched, rules: watched.rules ?? before.get(key)?.rules }];
    });
    this.found = new Map([...(complete ? [] : before), ...found]);
    for (const [key, watched] of found) {
      const polled = this.polled.get(key);
      if (polled) polled.poller.watched = watched;
    }
  }

  /** Starts a loop for each table that has none, and ends those of tables that went. */
  private follow(signal: AbortSignal): void {
    for (const [key, { stop }] of this.polled) {
      if (this.found.has(key)) continue;
      stop.abort();
      this.polled.delete(key);
    }
    for (const [key, watched] of this.found) {
      if (this.polled.has(key)) continue;
      const stop = new AbortController();
      const poller = this.pollerOf(watched);
      this.polled.set(key, { poller, stop });
      const run = poller.run(AbortSignal.any([signal, stop.signal])).finally(() => this.running.delete(run));
      this.running.add(run);
    }
  }

  private pollerOf(watched: WatchedTable): TablePoller {
    const { source, turns, turn, looked } = this;
    return new TablePoller(watched, { source, turns, turn, looked }, this.parts);
  }

  /** A client with the node's options as they are now: secrets from files change. */
  private async connected(maxTries?: number): Promise<NodeClient> {
    const { config, memories } = this.parts;
    const of = config.node(this.name);
    if (this.client?.of !== of) {
      void this.client?.client.close();
      const dispatcher = await this.source.dispatcher();
      const world = { memories, dispatcher, ...(maxTries !== undefined && { maxTries }) };
      this.client = { of, client: new NodeClient(of, world, this.name) };
    }
    return this.client.client;
  }

  private async close(): Promise<void> {
    await Promise.all([this.source.close(), this.client?.client.close()]);
  }
}

/** The nodes that are polled here: all of the configuration, or those that a cluster gives us. */
export class NodePollers {
  private readonly running = new Map<string, { readonly poller: NodePoller; readonly anew: AbortController }>();

  /** Ends the polling of a node that is not shared. */
  private readonly alone = new Map<string, AbortController>();

  /** True once every node that is polled here was tried. */
  private settled = false;

  /** @param isShared Whether this member of a cluster had all its nodes, which may be none; nothing where they are not shared. */
  constructor(
    private readonly parts: PollingParts,
    private readonly isShared: () => boolean | undefined,
  ) {}

  /**
   * Polls a node until the signal aborts, and until what was under way has ended.
   *
   * @param turn That of a cluster.
   */
  async run(name: string, signal: AbortSignal, turn?: Turn): Promise<void> {
    this.settle();
    while (!signal.aborted) {
      const running = { poller: new NodePoller(name, this.parts, turn), anew: new AbortController() };
      this.running.set(name, running);
      try {
        await running.poller.run(AbortSignal.any([signal, running.anew.signal]));
      } finally {
        if (this.running.get(name) === running) this.running.delete(name);
      }
    }
  }

  /** Polls all nodes of the configuration and no others, where they are not shared. Resolves when those that are new are polled no more. */
  async follow(signal: AbortSignal): Promise<void> {
    const { nodes } = this.parts.config.current;
    for (const [name, stop] of this.alone) {
      if (Object.hasOwn(nodes, name)) continue;
      stop.abort();
      this.alone.delete(name);
    }
    const fresh = Object.keys(nodes).filter((name) => !this.alone.has(name));
    const runs = fresh.map((name) => {
      const stop = new AbortController();
      this.alone.set(name, stop);
      return this.run(name, AbortSignal.any([signal, stop.signal]));
    });
    await Promise.all(runs);
  }

  /** Polls a node by its new configuration, within the same lease; does nothing if it is not polled here. */
  anew(name: string): void {
    this.running.get(name)?.anew.abort();
  }

  /** One round of every node. @returns whether all of it succeeded. */
  async once(signal: AbortSignal): Promise<boolean> {
    const pollers = Object.keys(this.parts.config.current.nodes).map((name) => new NodePoller(name, this.parts));
    for (const poller of pollers) this.running.set(poller.name, { poller, anew: new AbortController() });
    const results = await Promise.all(pollers.map((poller) => poller.once(signal)));
    return results.every((ok) => ok);
  }

  reads(table: string): boolean {
    return this.running.get(tableOf(table).node)?.poller.reads(table) ?? false;
  }

  get views(): NodeView[] {
    return [...this.running.values()].map(({ poller }) => poller.view);
  }

  /** A sentence for each node and pattern of profiles, unless a profile of another node matches: nodes may differ. */
  get unmatched(): string[] {
    const pollers = [...this.running.values()].map(({ poller }) => poller);
    const all = pollers.flatMap(({ tables }) => tables);
    const profiles = [...new Map(all.map((table) => [`${table.arena}/${table.profile}`, table])).values()];
    const isMatched = ({ arena, pattern }: Unmatched) =>
      profiles.some((one) => one.arena === arena && matchesAny([pattern], one.profile));
    return pollers.flatMap(({ unmatched }) => unmatched.filter((one) => !isMatched(one)).map((one) => one.sentence));
  }

  /** Nodes with overdue tables, none of which was listed for longer than this. */
  standing(ms: number): string[] {
    return [...this.running].filter(([, { poller }]) => poller.idleMs > ms).map(([name]) => name);
  }

  /** Nodes of the start that were not tried yet; those taken over or polled again later do not count. */
  get untried(): string[] {
    this.settle();
    return this.settled ? [] : this.notTried;
  }

  private get notTried(): string[] {
    return [...this.running].filter(([, { poller }]) => !poller.tried).map(([name]) => name);
  }

  private settle(): void {
    const hasBegun = this.isShared() ?? this.running.size > 0;
    this.settled ||= hasBegun && this.notTried.length === 0;
  }
}
