import { hostname } from "node:os";
import { join } from "node:path";
import { loadTransport } from "../client/http";
import { NodeMemories, processMemories } from "../client/world";
import { packageVersion } from "../files/package-version";
import { NatsLeaseStore } from "./cluster/lease-store";
import { DIFFERS, Leases } from "./cluster/leases";
import type { LiveConfig } from "./config/config";
import { differenceOf, pollingOf } from "./config/difference";
import { SecretFiles } from "./config/secret-files";
import { TIMES } from "./defaults";
import { Delivery } from "./delivery/delivery";
import { rejectedLimits, SEND_LETTERS } from "./delivery/rejected";
import { openSinks, type SinkParts, specsOf } from "./delivery/sinks";
import { Health } from "./health";
import { StoredLedger } from "./ledger/ledger";
import type { Ledger, LedgerStatus, Opened } from "./ledger/protocol";
import { LedgerThread } from "./ledger/thread";
import { LastList } from "./polling/mark-turns";
import { NodePollers, type NodeView } from "./polling/node-poller";
import type { Sink } from "./sinks/sink";
import { watchStops } from "./slices";
import { tableOf } from "./table";
import { Metrics } from "./telling/metrics";
import { type Log, Troubles, tellSetAside } from "./telling/troubles";
import { endsWithin, forwarderWorld } from "./world";

export interface ForwarderParts extends SinkParts {
  readonly log: Log;
  /** Memory of nodes, with the pace of their lists of marks. Default: that of the process, on its clock. */
  readonly memories?: NodeMemories;
  /** Reads and compares in a thread of its own, the default; false for one round, and for tests of the parts. */
  readonly thread?: boolean;
}

/** A forwarder at work, or one round of it: pollers fill the ledger, and a runner a sink empties it. */
export class Forwarder {
  readonly metrics = new Metrics();
  readonly troubles: Troubles;
  readonly health: Health;
  private readonly secrets: SecretFiles;
  private readonly delivery: Delivery;
  private readonly pollers: NodePollers;
  private readonly polling = new AbortController();
  private readonly delivering = new AbortController();
  private readonly work = new Set<Promise<void>>();
  private readonly lastList: LastList;
  private leases: Leases | undefined;
  private stopping: Promise<void> | undefined;
  /** True when something did not end in time, as a write to standard output. */
  isStuck = false;

  private constructor(
    private readonly parts: ForwarderParts,
    private readonly store: { readonly ledger: Ledger & { readonly lost?: AbortSignal }; readonly opened: Opened },
    sinks: readonly [name: string, sink: Sink][],
  ) {
    const { config, log, world } = parts;
    const { ledger, opened } = store;
    // A pace belongs to a clock: another clock has its own paces.
    const { memories = world === forwarderWorld ? processMemories : new NodeMemories() } = parts;
    this.troubles = new Troubles(log, world);
    this.countWhatIs();
    this.noteReload(true);
    this.secrets = new SecretFiles(config, { log, troubles: this.troubles, world });
    const { metrics, troubles, secrets } = this;
    const common = { ledger, metrics, troubles, world, secrets };
    const isRead = (table: string) => this.pollers.reads(table);
    this.delivery = new Delivery({ ...common, log, config, isRead }, sinks);
    this.lastList = new LastList(opened.listedBefore, world.monotonic());
    const { delivery, lastList } = this;
    const isShared = () => this.leases?.hasShared;
    const tablesBefore = opened.tables.map(tableOf);
    const refusedByDisk = new Set<string>();
    const polling = { config, delivery, memories, lastList, tablesBefore, refusedByDisk };
    this.pollers = new NodePollers({ ...common, ...polling }, isShared);
    const isPolling = () => !this.polling.signal.aborted;
    this.health = new Health({ pollers: this.pollers, delivery, troubles, isPolling, isShared });
  }

  /** Opens the state and the sinks; polls nothing yet. @throws {OptionsError | StoreError | Error} */
  static async open(parts: ForwarderParts): Promise<Forwarder> {
    const { config, world, log } = parts;
    // Modules are loaded here, while nothing waits for the event loop yet.
    loadTransport();
    // Before the state is opened: a missing package of a sink fails here.
    const sinks = await openSinks(parts);
    const { cluster } = config.current;
    const leases = cluster && (await NatsLeaseStore.open(() => config.current.cluster ?? cluster));
    const spec = {
      file: join(config.stateFolder, "forwarder.db"),
      sinks: specsOf(parts),
      records: config.current.records,
      reserveBytes: config.current.reserveBytes,
      wall: world.wall(),
    };
    const { ledger, opened } = await (parts.thread === false ? StoredLedger.open(spec) : LedgerThread.open(spec));
    if (opened.setAside) tellSetAside(log, opened.setAside);
    if (opened.copyOf !== undefined) {
      const message = `The state ${spec.file} is a copy: it was last opened as ${opened.copyOf}, and it does not know later deliveries. Every table begins with a reset.`;
      log.warn({ file: spec.file, copyOf: opened.copyOf }, message);
    }
    const forwarder = new Forwarder(parts, { ledger, opened }, sinks);
    forwarder.forget(opened.forgotten);
    if (leases) forwarder.leases = forwarder.sharing(leases);
    return forwarder;
  }

  /** Begins to poll and to deliver. */
  start(): void {
    this.deliver();
    const { signal } = this.polling;
    if (this.leases) void this.track(this.leases.run(signal));
    else void this.track(this.pollers.follow(signal));
  }

  /**
   * Continues with another configuration: unchanged parts keep their leases and connections.
   *
   * @returns false if nothing is done, since everything has to start again: another state folder, another cluster. @throws
   * {Error} if a sink cannot be opened, or the disk is full: the former configuration stays in use.
   */
  async reload(next: LiveConfig): Promise<boolean> {
    const { config } = this.parts;
    const difference = differenceOf(config.current, next.current);
    if (!difference) return false;
    const sooner = { ...this.parts, config: next };
    // Opens no connection: a missing package of a sink fails here.
    for (const [, sink] of await openSinks(sooner)) await sink.close();
    const specs = [...specsOf(this.parts), ...specsOf(sooner)];
    await Promise.all([...difference.sinks].map((name) => this.delivery.end(name)));
    try {
      const { records, reserveBytes } = next.current;
      this.forget(await this.store.ledger.configure({ sinks: specsOf(sooner), records, reserveBytes }));
      config.adopt(next);
      this.countWhatIs();
    } finally {
      for (const [name, sink] of await openSinks(this.parts, difference.sinks)) this.delivery.begin(name, sink);
    }
    for (const { name } of specs) this.delivery.changed(name);
    for (const name of difference.nodes) {
      if (Object.hasOwn(config.current.nodes, name)) this.pollers.anew(name);
      else this.forgetNode(name);
    }
    if (this.leases) this.leases.wake();
    else void this.track(this.pollers.follow(this.polling.signal));
    return true;
  }

  /** Says in the metrics whether the configuration that was read last is in use. */
  noteReload(successful: boolean): void {
    this.metrics.set("config_last_reload_successful", successful ? 1 : 0);
  }

  /** One round: each table once, and all of it delivered. @returns whether nothing failed. */
  async once(signal: AbortSignal): Promise<boolean> {
    this.deliver();
    const { onceDeadlineMs } = this.parts.config.current;
    const read = await this.pollers.once(AbortSignal.any([signal, this.polling.signal]));
    const empty = await this.delivery.drained(onceDeadlineMs, signal);
    if (!empty) {
      const waiting = this.status.sinks.filter(({ records }) => records > 0);
      const late = waiting.map(({ name, records }) => `"${name}" (${records} records)`).join(", ") || "unknown";
      const when = signal.aborted ? "At the signal" : `After ${onceDeadlineMs} ms`;
      const message = `${when} these sinks have not taken everything: ${late}. It stays in the spool.`;
      this.parts.log.error({}, message);
    }
    return read && empty && !this.delivery.hasRefused;
  }

  /** Stops polling at once, gives the sinks `drainMs` for what is in the spool, and closes the state. Safe to call twice. */
  stop(drainMs = this.parts.config.current.drainMs): Promise<void> {
    this.stopping ??= this.end(drainMs);
    return this.stopping;
  }

  /**
   * Aborts when the forwarder is to be stopped: a sink is gone for good, as standard output without a reader is, or, with an error,
   * its state.
   */
  get ended(): AbortSignal {
    const { lost } = this.store.ledger;
    return AbortSignal.any([this.delivery.ended, ...(lost ? [lost] : [])]);
  }

  /** The nodes that are polled here, for people. */
  get nodes(): NodeView[] {
    return this.pollers.views;
  }

  /** Undelivered records of the sinks, as of the last second. */
  get status(): LedgerStatus {
    return this.delivery.status;
  }

  get unready(): string[] {
    return Object.values(this.health.ready).flatMap(({ reasons }) => reasons);
  }

  metricsText(): string {
    this.metrics.set("ready", this.unready.length === 0 ? 1 : 0);
    return this.metrics.text();
  }

  /** Notes for an operator of a forwarder that is ready: a rollout that waits for readiness would wait for ever. */
  get notes(): string[] {
    const differs = this.troubles.all.get(DIFFERS);
    const letters = this.delivery.view.flatMap(({ name, rejected: { records, bytes } }) => {
      if (records === 0) return [];
      return [`Sink "${name}" has refused records for good: ${records} (${bytes} bytes) wait, ${SEND_LETTERS}.`];
    });
    return [...(differs === undefined ? [] : [differs]), ...letters, ...this.pollers.unmatched];
  }

  private async end(drainMs: number): Promise<void> {
    this.polling.abort();
    if (drainMs > 0) await this.delivery.drained(drainMs, this.store.ledger.lost);
    this.delivering.abort();
    const { world, log } = this.parts;
    const isOver = await endsWithin(world, TIMES.stopMs, Promise.all(this.work));
    this.isStuck = !isOver;
    const closing = this.store.ledger.close(this.lastList.at).then((lost) => this.delivery.losses.add(lost));
    try {
      // A disk that does not respond keeps it open.
      const isClosed = await endsWithin(world, TIMES.stopMs, closing);
      this.isStuck ||= !isClosed;
    } finally {
      this.delivery.losses.report(true);
      this.troubles.flush(true);
      if (this.isStuck) log.warn({}, `Some work did not end within ${TIMES.stopMs} ms: it is abandoned.`);
    }
  }

  /** Sinks that are not in the configuration any more. */
  private forget(sinks: readonly string[]): void {
    for (const sink of sinks) {
      this.troubles.forget((key) => ABOUT_SINKS.some((about) => key === `${about}/${sink}`));
    }
  }

  private forgetNode(node: string): void {
    this.troubles.forget(
      (key) =>
        key.startsWith(`table/${node}/`) ||
        ["structure", "profiles", "lease"].some((about) => key === `${about}/${node}`),
    );
  }

  /** Makes the metrics of what the configuration names, each at 0. */
  private countWhatIs(): void {
    const { nodes, cluster } = this.parts.config.current;
    const names = Object.keys(nodes);
    const sinks = specsOf(this.parts);
    this.metrics.know({
      nodes: names,
      sinks: sinks.map(({ name }) => name),
      hasCluster: cluster !== undefined,
      version: packageVersion(),
    });
    this.metrics.set("nodes", names.length);
    for (const { name, limits } of sinks) {
      this.metrics.set("spool_limit_bytes", limits.maxBytes, { sink: name });
      this.metrics.set("rejected_limit_bytes", rejectedLimits(this.parts.config, name).maxBytes, { sink: name });
      this.metrics.set("spool_full_in_seconds", Number.POSITIVE_INFINITY, { sink: name });
    }
  }

  private deliver(): void {
    const { signal } = this.delivering;
    void this.track(this.delivery.run(signal));
    const noteStop = (seconds: number) => this.metrics.observe("event_loop_delay_seconds", seconds);
    void this.track(watchStops(this.parts.world, signal, noteStop));
    void this.track(this.secrets.watch(signal));
  }

  private sharing(store: NatsLeaseStore): Leases {
    const { metrics, troubles } = this;
    const { config, world } = this.parts;
    return new Leases({
      store,
      leaseMs: config.current.cluster?.leaseMs ?? 0,
      member: config.current.cluster?.member ?? `${hostname()}:${config.stateFolder}`,
      world,
      metrics,
      troubles,
      nodes: () => Object.keys(config.current.nodes),
      polling: () => pollingOf(config.current),
      lastEpoch: (node) => this.store.opened.epochs[node],
      poll: (node, turn, signal) =>
        this.track(this.pollers.run(node, AbortSignal.any([this.polling.signal, signal]), turn)),
    });
  }

  private track(work: Promise<void>): Promise<void> {
    const tracked = work.finally(() => this.work.delete(tracked));
    this.work.add(tracked);
    return tracked;
  }
}

/** Beginnings of the keys of {@link Troubles} about a sink. */
const ABOUT_SINKS = ["sink", "full", "behind", "rejected", "rejected-full", "stuck", "spool"];
