import { aborted } from "../../client/clock";
import { growingPause } from "../../client/pauses";
import { messageOf } from "../../model/errors";
import type { LiveConfig } from "../config/config";
import { TIMES } from "../defaults";
import type { Forwarder } from "../forwarder";
import { allHold } from "../health";
import { type Log, Troubles } from "../telling/troubles";
import { endsWithin, type ForwarderWorld, forwarderWorld } from "../world";
import { isSamePlace, Listener } from "./http-server";
import type { ServiceManager } from "./service-manager";

export interface ServiceParts {
  readonly log: Log;
  /** Called with the status. Default: not called. */
  readonly manager?: ServiceManager | undefined;
  /** Default: the machine's clock. */
  readonly world?: Pick<ForwarderWorld, "sleep" | "after" | "random">;
  open(config: LiveConfig): Promise<Forwarder>;
  /** Called once the first one is open, before it answers or lists. Default: not called. */
  opened?(): void;
}

/** A forwarder that runs until it is stopped, and that can change its configuration meanwhile. */
export class Service {
  private readonly over = new AbortController();
  private readonly listener = new Listener(
    () => this.current,
    () => this.good.current.listen,
  );
  private reloading = Promise.resolve();
  private isStopping = false;
  /** True after {@link stop} when something did not end, and keeps the process. */
  isStuck = false;
  private readonly troubles: Troubles;
  /** Gives up the next try to listen. */
  private cancel = (): void => {};

  private constructor(
    private readonly parts: ServiceParts,
    /** The last good one. */
    private good: LiveConfig,
    private current: Forwarder,
  ) {
    this.troubles = new Troubles(parts.log);
  }

  /** Starts to forward. An address that cannot be listened on is tried again meanwhile. @throws what opening does. */
  static async start(config: LiveConfig, parts: ServiceParts): Promise<Service> {
    const service = new Service(parts, config, await parts.open(config));
    parts.opened?.();
    await service.listen(1);
    service.begin(service.current);
    parts.manager?.ready();
    parts.manager?.watch(() => allHold(service.current.health.alive));
    return service;
  }

  get config(): LiveConfig {
    return this.good;
  }

  get forwarder(): Forwarder {
    return this.current;
  }

  /** Aborts when it cannot go on: with an error, or when a sink is gone for good, as standard output without a reader is. */
  get ended(): AbortSignal {
    return this.over.signal;
  }

  /** Reads the configuration again, and uses it. If it is invalid, the former one stays in use. */
  reload(read: () => Promise<LiveConfig>): void {
    this.reloading = this.reloading.then(async () => {
      if (this.isStopping) return;
      const { log, manager } = this.parts;
      manager?.reloading();
      try {
        await this.take(await read());
        this.current.noteReload(true);
        log.info({}, "The configuration was read again.");
      } catch (error) {
        this.current.noteReload(false);
        log.error({}, `The new configuration is refused, and the old one stays in use: ${messageOf(error)}`);
      }
      manager?.ready();
    });
  }

  /** Stops, within a bounded time. @throws {Error} when the state cannot be closed. */
  async stop(): Promise<void> {
    this.isStopping = true;
    this.cancel();
    this.parts.manager?.stopping();
    try {
      this.isStuck ||= !(await endsWithin(this.parts.world ?? forwarderWorld, TIMES.stopMs, this.reloading));
      await this.current.stop();
    } finally {
      this.isStuck ||= this.current.isStuck;
      await this.listener.close();
    }
  }

  /** Listens as the configuration says, or tries again later: another process may leave the port, an address come up. */
  private async listen(tries: number): Promise<void> {
    const { log, world = forwarderWorld } = this.parts;
    const { listen } = this.good.current;
    if (this.isStopping || !listen || this.listener.url) return;
    try {
      await this.listener.move(listen);
      const { url } = this.listener;
      log.info({ url }, `Answers on ${url}/metrics.`);
    } catch (error) {
      const words = `${messageOf(error)} It is tried again, and marks are forwarded meanwhile.`;
      this.troubles.begin("listen", { address: listen.address }, words);
      const ms = growingPause(tries, TIMES.listenFirstPauseMs, TIMES.listenLongestPauseMs, world.random);
      // One at a time, since a reload may move it.
      const again = () => this.listen(tries + 1);
      this.cancel = world.after(ms, () => {
        this.reloading = this.reloading.then(again);
      });
    }
  }

  private async take(next: LiveConfig): Promise<void> {
    const before = this.good.current.listen;
    const moves = !isSamePlace(before, next.current.listen);
    if (moves) await this.listener.move(next.current.listen);
    try {
      if (!(await this.current.reload(next))) await this.replace(next);
    } catch (error) {
      if (moves) await this.listener.move(before).catch(() => this.listen(1));
      throw error;
    }
  }

  /** One state folder has one forwarder: the old one ends before the new one starts. Nothing is drained, and nothing is lost. */
  private async replace(next: LiveConfig): Promise<void> {
    // A state that could not be closed is given up as it is: the next one may be on another disk.
    await this.current.stop(0).catch((error: unknown) => this.parts.log.error({}, messageOf(error)));
    this.isStuck ||= this.current.isStuck;
    try {
      this.begin(await this.parts.open(next));
      this.good = next;
    } catch (error) {
      try {
        this.begin(await this.parts.open(this.good));
      } catch (worse) {
        this.over.abort(worse);
      }
      throw error;
    }
  }

  private begin(forwarder: Forwarder): void {
    this.current = forwarder;
    const { ended } = forwarder;
    void aborted(ended).then(() => this.over.abort(ended.reason));
    forwarder.start();
  }
}
