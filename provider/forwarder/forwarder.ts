import { randomUUID } from "node:crypto";
import { join, resolve } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { OptionsError } from "../client";
import { type LeaseStore, NatsLeaseStore } from "./cluster/lease-store";
import { Leases } from "./cluster/leases";
import type { LiveConfig } from "./config/config";
import { SPOOL_DEFAULTS } from "./config/schema";
import { RejectedFiles } from "./delivery/rejected";
import { SinkRunner } from "./delivery/sink-runner";
import { StoredLedger } from "./ledger/ledger";
import type { Ledger, LedgerOptions, LedgerStatus, Opened, SinkSpec, Turn } from "./ledger/protocol";
import { LedgerThread } from "./ledger/thread";
import { forwardMetrics } from "./operating/forward-metrics";
import type { Metrics } from "./operating/metrics";
import { type Log, Troubles } from "./operating/troubles";
import { NodePoller } from "./polling/node-poller";
import { Pace } from "./polling/pace";
import type { ForwardRecord } from "./record/record";
import { SINK_KINDS } from "./sinks/kinds";
import type { Sink, SinkContext } from "./sinks/sink";
import { elapsedSince, type ForwarderWorld, pause } from "./world";

/** The sink of `onRecord` in the spool. Names of the configuration cannot hold a space. */
const CALLBACK = "on record";

/** How often what stands in the spool is looked at for metrics and limits. */
const STATUS_MS = 1_000;
/** How often files of secrets are looked at. */
const SECRETS_MS = 10_000;

/** What a forwarder is made of, beside its configuration. */
export interface ForwarderParts {
  readonly config: LiveConfig;
  readonly log: Log;
  readonly world: ForwarderWorld;
  /** Is called with each record, in order, as one more sink. Where it throws or rejects, it is called again. */
  readonly onRecord?: (record: ForwardRecord) => void | Promise<void>;
  /** Standard output, for sinks of that type. */
  stdout(text: string): Promise<void>;
  /** Reads and compares in a thread of its own; false for tests of the parts. */
  readonly thread?: boolean;
}

/** A node as people see it. */
export interface NodeView {
  readonly name: string;
  readonly tables: number;
  readonly failing: number;
  readonly marks: number;
}

/** A forwarder at work, or one round of it. */
export class Forwarder {
  readonly metrics: Metrics = forwardMetrics();
  readonly troubles: Troubles;
  private readonly pollers = new Map<string, NodePoller>();
  private readonly runners: SinkRunner[] = [];
  private readonly paces = new Map<string, Pace>();
  private readonly polling = new AbortController();
  private readonly delivering = new AbortController();
  private readonly work = new Set<Promise<void>>();
  private readonly waiters = new Set<() => void>();
  private readonly loopDelay = monitorEventLoopDelay({ resolution: 10 });
  private leases: Leases | undefined;
  private stopping: Promise<void> | undefined;
  private lastStatus: LedgerStatus = { sinks: [], bytes: 0, setAside: 0 };

  private constructor(
    private readonly parts: ForwarderParts,
    private readonly ledger: Ledger,
    private readonly opened: Opened,
  ) {
    this.troubles = new Troubles(parts.log);
  }

  /** Opens the state and the sinks; polls nothing yet. @throws {OptionsError | StoreError | Error} */
  static async open(parts: ForwarderParts): Promise<Forwarder> {
    const { config, world, log } = parts;
    if (config.current.sinks.length === 0 && !parts.onRecord) {
      throw new OptionsError("`sinks` names none: what is read would go nowhere.");
    }
    // Before the state is touched: a sink whose package is missing fails here.
    const sinks = await Forwarder.openSinks(parts);
    const store = await leaseStore(config);
    const state = resolve(config.folder, config.current.state);
    const options: LedgerOptions = {
      file: join(state, "forwarder.db"),
      sinks: specsOf(parts),
      records: config.current.records,
      wall: world.wall(),
      now: world.now(),
    };
    const { ledger, opened } = await (parts.thread === false ? StoredLedger : LedgerThread).open(options);
    const forwarder = new Forwarder(parts, ledger, opened);
    if (opened.setAside)
      log.error(
        { file: opened.setAside },
        `The state was broken and is set aside as ${opened.setAside}: every table begins anew.`,
      );
    for (const name of opened.forgotten)
      log.warn(
        { sink: name },
        `Sink "${name}" is not in the configuration any more: what it had not taken is given up.`,
      );
    for (const [name, sink] of sinks) forwarder.addRunner(name, sink, state);
    if (store) forwarder.leases = forwarder.shareNodes(store);
    return forwarder;
  }

  /** Begins to poll and to deliver. */
  start(): void {
    this.deliver();
    if (this.leases) {
      void this.track(this.leases.run(this.polling.signal));
      return;
    }
    for (const name of Object.keys(this.parts.config.current.nodes)) this.startNode(name);
  }

  /** One round: each table once, and all of it delivered. @returns the exit code. */
  async once(signal: AbortSignal): Promise<boolean> {
    this.deliver();
    const { nodes, onceDeadlineMs } = this.parts.config.current;
    const stop = AbortSignal.any([signal, this.polling.signal]);
    const pollers = Object.keys(nodes).map((name) => this.makePoller(name));
    const results = await Promise.all(pollers.map((poller) => poller.once(stop)));
    const deadline = new AbortController();
    const cancel = this.parts.world.timer(() => deadline.abort(), onceDeadlineMs);
    const empty = await this.drained(AbortSignal.any([signal, deadline.signal]));
    cancel();
    if (!empty) {
      const late = this.lastStatus.sinks
        .filter(({ records }) => records > 0)
        .map(({ name, records }) => `"${name}" (${records} records)`);
      this.parts.log.error(
        {},
        `After ${onceDeadlineMs} ms these sinks have not taken everything: ${late.join(", ")}. It stays in the spool.`,
      );
    }
    const refused = this.runners.some(({ name }) => this.metrics.get("rejected_records_total", { sink: name }) > 0);
    return empty && !refused && results.every((ok) => ok);
  }

  /** Stops polling at once, gives the sinks `drainMs` for what is in the spool, and closes the state. Safe to call twice. */
  stop(drainMs = this.parts.config.current.drainMs): Promise<void> {
    this.stopping ??= this.end(drainMs);
    return this.stopping;
  }

  private async end(drainMs: number): Promise<void> {
    this.polling.abort();
    const patience = new AbortController();
    const cancel = this.parts.world.timer(() => patience.abort(), drainMs);
    if (drainMs > 0) await this.drained(patience.signal);
    cancel();
    this.delivering.abort();
    this.loopDelay.disable();
    await Promise.all(this.work);
    const ends = [...this.paces.values()].flatMap(({ lastEnd }) => lastEnd ?? []);
    const before = typeof this.opened.listedBefore === "number" ? [this.opened.listedBefore] : [];
    const all = [...ends, ...before];
    await this.ledger.close(all.length > 0 ? Math.max(...all) : undefined);
  }

  /** Starts to poll a node; with a cluster, in the given turn and until the signal aborts. */
  startNode(name: string, turn?: Turn, signal?: AbortSignal): Promise<void> {
    const poller = this.makePoller(name, turn);
    this.pollers.set(name, poller);
    const stop = signal ? AbortSignal.any([this.polling.signal, signal]) : this.polling.signal;
    return this.track(
      poller.run(stop).finally(() => {
        if (this.pollers.get(name) === poller) this.pollers.delete(name);
      }),
    );
  }

  /** The nodes that are polled here, for people. */
  get nodes(): NodeView[] {
    return [...this.pollers.values()].map(({ name, outcomes }) => {
      const all = [...outcomes.values()];
      return {
        name,
        tables: all.length,
        failing: all.filter(({ ok }) => !ok).length,
        marks: all.reduce((sum, { marks }) => sum + marks, 0),
      };
    });
  }

  /** What the sinks have not taken yet, as of the last second. */
  get status(): LedgerStatus {
    return this.lastStatus;
  }

  /** Why it is not ready: a node that was not tried yet, a sink that is full. A node that is down is no reason. */
  get unready(): string[] {
    const waiting = [...this.pollers.values()].filter(({ tried }) => !tried);
    const full = [...this.troubles.all].filter(([key]) => key.startsWith("full/"));
    return [...waiting.map(({ name }) => `Node ${name} was not tried yet.`), ...full.map(([, message]) => message)];
  }

  /** The page of metrics; the longest stop of the event loop counts from the last call. */
  metricsText(): string {
    this.metrics.set("event_loop_delay_seconds", this.loopDelay.max / 1e9);
    this.loopDelay.reset();
    return this.metrics.text();
  }

  /** Waits until every sink has taken all that is in the spool; false when the signal aborts first. */
  private async drained(signal: AbortSignal): Promise<boolean> {
    for (;;) {
      const acknowledged = this.nextAcknowledgement(signal);
      await this.look();
      if (this.lastStatus.sinks.every(({ records }) => records === 0)) return true;
      if (signal.aborted) return false;
      await acknowledged;
    }
  }

  private deliver(): void {
    this.loopDelay.enable();
    for (const runner of this.runners) void this.track(runner.run(this.delivering.signal));
    void this.track(this.watchStatus());
    void this.track(this.watchSecrets());
  }

  private async watchStatus(): Promise<void> {
    const { signal } = this.delivering;
    while (!signal.aborted) {
      await this.look();
      await pause(this.parts.world, STATUS_MS, signal);
    }
  }

  private async watchSecrets(): Promise<void> {
    const { signal } = this.delivering;
    while (!signal.aborted) {
      await pause(this.parts.world, SECRETS_MS, signal);
      if (!signal.aborted) await this.refreshSecrets();
    }
  }

  private async refreshSecrets(): Promise<void> {
    try {
      if (await this.parts.config.refresh()) this.parts.log.info({}, "Secrets were read again from their files.");
      this.troubles.end("secrets", {}, "The files of secrets can be read again.");
    } catch (error) {
      this.troubles.begin("secrets", {}, `Secrets stay as they are: ${error instanceof Error ? error.message : error}`);
    }
  }

  /** Takes over what the ledger says, for metrics and limits. */
  private async look(): Promise<void> {
    let status: LedgerStatus;
    try {
      status = await this.ledger.status();
    } catch {
      return;
    }
    this.lastStatus = status;
    const { metrics, world } = this;
    metrics.set("spool_bytes", status.bytes);
    metrics.set("stores_set_aside_total", status.setAside);
    for (const { name, records, bytes, oldest, dropped } of status.sinks) {
      const labels = { sink: name };
      metrics.set("lag_records", records, labels);
      metrics.set("lag_bytes", bytes, labels);
      metrics.set("lag_seconds", oldest === undefined ? 0 : Math.max(0, world.wall() - oldest) / 1_000, labels);
      metrics.set("dropped_records_total", dropped, labels);
    }
  }

  private get world(): ForwarderWorld {
    return this.parts.world;
  }

  private addRunner(name: string, sink: Sink, state: string): void {
    const folder = join(state, "rejected", name.replaceAll(" ", "-"));
    this.runners.push(
      new SinkRunner(name, sink, {
        ledger: this.ledger,
        rejected: new RejectedFiles(folder, () => this.world.wall()),
        metrics: this.metrics,
        troubles: this.troubles,
        world: this.world,
        refreshSecrets: () => this.refreshSecrets(),
        acknowledged: () => {
          this.troubles.end(`full/${name}`, { sink: name }, `Sink "${name}" has room in the spool again.`);
          for (const waiter of this.waiters) waiter();
        },
      }),
    );
  }

  private makePoller(name: string, turn?: Turn): NodePoller {
    const { config, world } = this.parts;
    const nodeOptions = () => {
      const options = config.current.nodes[name];
      if (!options) throw new TypeError(`There is no node ${name}.`);
      return options;
    };
    return new NodePoller(
      name,
      {
        ledger: this.ledger,
        pace: this.paceOf(name, turn),
        metrics: this.metrics,
        troubles: this.troubles,
        world,
        config: () => config.current,
        options: nodeOptions,
        refreshSecrets: () => this.refreshSecrets(),
        room: (_, signal) => this.nextAcknowledgement(signal),
        wake: () => {
          for (const runner of this.runners) runner.wake();
        },
      },
      turn,
    );
  }

  /** A node keeps its pace while this process runs, and over its restart; after a takeover a whole pause comes first. */
  private paceOf(name: string, turn: Turn | undefined): Pace {
    const { world, config } = this.parts;
    const { markPauseMs = 0, markPace = "table" } = paceMembers(config.current.nodes[name]);
    const pauseMs = Math.max(config.current.everyMs, markPauseMs);
    const now = world.now();
    const { listedBefore } = this.opened;
    const passed = typeof listedBefore === "number" ? elapsedSince(listedBefore, now) : 0;
    const left = listedBefore === "never" ? 0 : Math.max(0, pauseMs - passed);
    const known = this.paces.get(name);
    if (known && !turn?.takeover) return known;
    const notBefore = now + (turn?.takeover ? pauseMs : left);
    const pace = new Pace({ pauseMs, by: markPace === "node" ? "node" : "table", notBefore }, world);
    this.paces.set(name, pace);
    return pace;
  }

  private shareNodes(store: LeaseStore): Leases {
    const { config, world } = this.parts;
    const { metrics, troubles } = this;
    return new Leases({
      store,
      leaseMs: config.current.cluster?.leaseMs ?? 0,
      member: randomUUID(),
      world,
      metrics,
      troubles,
      nodes: () => Object.keys(config.current.nodes),
      lastEpoch: (node) => this.opened.epochs[node],
      poll: (node, turn, signal) => this.startNode(node, turn, signal),
    });
  }

  private nextAcknowledgement(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        this.waiters.delete(end);
        signal.removeEventListener("abort", end);
        resolve();
      };
      this.waiters.add(end);
      signal.addEventListener("abort", end, { once: true });
      if (signal.aborted) end();
    });
  }

  private track(work: Promise<void>): Promise<void> {
    const tracked = work.finally(() => this.work.delete(tracked));
    this.work.add(tracked);
    return tracked;
  }

  private static async openSinks(parts: ForwarderParts): Promise<[string, Sink][]> {
    const sinks: [string, Sink][] = [];
    for (const { name, type } of parts.config.current.sinks) {
      const kind = SINK_KINDS[type];
      if (kind) sinks.push([name, await kind.open(contextOf(parts, name))]);
    }
    const { onRecord } = parts;
    if (!onRecord) return sinks;
    const callback: Sink = {
      maxRecords: 1_000,
      async deliver(records) {
        for (const [index, record] of records.entries()) {
          try {
            await onRecord(record);
          } catch (error) {
            return { again: records.slice(index), reason: error instanceof Error ? error.message : String(error) };
          }
        }
        return {};
      },
      close: async () => {},
    };
    return [...sinks, [CALLBACK, callback]];
  }
}

/** What a sink is given; its options are read at each use, since secrets from files change. */
export function contextOf(
  { config, world, stdout }: Pick<ForwarderParts, "config" | "world" | "stdout">,
  name: string,
): SinkContext {
  return {
    name,
    format: config.current.format,
    folder: config.folder,
    world,
    stdout,
    options: (schema) => schema.parse(config.current.sinks.find((sink) => sink.name === name)?.own),
  };
}

function leaseStore(config: LiveConfig): Promise<LeaseStore> | undefined {
  if (!config.current.cluster) return undefined;
  return NatsLeaseStore.open(() => {
    const { cluster } = config.current;
    if (!cluster) throw new TypeError("There is no cluster any more.");
    return cluster;
  });
}

function specsOf({ config, onRecord }: ForwarderParts): SinkSpec[] {
  const { spool, sinks } = config.current;
  const specs = sinks.map(({ name, spool: own, only }): SinkSpec => {
    return { name, limits: { ...SPOOL_DEFAULTS, ...spool, ...own }, ...(only && { only }) };
  });
  return onRecord ? [...specs, { name: CALLBACK, limits: { ...SPOOL_DEFAULTS, ...spool } }] : specs;
}

function paceMembers(node: object | undefined): { markPauseMs?: number; markPace?: string } {
  return node ?? {};
}
