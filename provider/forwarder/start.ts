import { aborted } from "../client/clock";
import { messageOf } from "../model/errors";
import { LiveConfig } from "./config/config";
import type { ForwarderConfig } from "./config/types";
import { Forwarder } from "./forwarder";
import { Service } from "./operating/service";
import type { ForwardRecord } from "./record/record";
import { standardOutput } from "./standard-output";
import { type Log, silent } from "./telling/troubles";
import { type ForwarderWorld, forwarderWorld } from "./world";

/** Options of a forwarder in a program. */
export interface StartOptions {
  /**
   * Is called with each record, in order and one at a time, as one more sink: with its own place in the spool, so that after a
   * restart it continues where it was. If it throws or rejects, it is called again after a pause.
   */
  readonly onRecord?: (record: ForwardRecord) => void | Promise<void>;
  /** Stops the forwarder, as `stop()` does. */
  readonly signal?: AbortSignal;
  /**
   * Log for troubles; default: none. `console` or a pino logger fit. A forwarder that its signal or the loss of its state stops says
   * nowhere else that its state could not be closed; `stop()` rejects then.
   */
  readonly log?: Log;
  /** Folder of relative paths in the configuration. Default: the working folder. */
  readonly folder?: string;
  /** Variables for `${NAME}` in the configuration. Default: none. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Clocks, timers and randomness; for tests. */
  readonly world?: ForwarderWorld;
  /** Standard output, for a sink of that type. Default: that of the process. */
  readonly stdout?: (text: string) => Promise<void>;
}

/** A forwarder that runs in this process. */
export interface RunningForwarder extends AsyncDisposable {
  /** Stops polling, gives the sinks `drainMs` for what is in the spool, and closes the state. */
  stop(): Promise<void>;
  /** Metrics in the form of Prometheus. */
  metrics(): string;
}

/**
 * Starts to poll and to forward. Everything that was taken over is in the state folder: a process that ended or was killed
 * continues from there the next time.
 *
 * @throws {OptionsError} for a wrong configuration, before anything is opened, and where this Node is older than 22.15. @throws
 * {StoreError} when the state folder cannot be used.
 * @example
 * ```ts
 * await using forwarder = await startForwarder(
 *   { nodes: { fra1: { endpoint: "http://192.0.2.10" } }, watch: [{ arena: "edge" }] },
 *   { onRecord: (record) => console.log(record.message) },
 * );
 * ```
 */
export async function startForwarder(config: ForwarderConfig, options: StartOptions = {}): Promise<RunningForwarder> {
  const {
    onRecord,
    signal,
    log = silent,
    folder = ".",
    env = {},
    world = forwarderWorld,
    stdout = standardOutput(),
  } = options;
  const live = await LiveConfig.ofObject(config, env, folder);
  const open = (now: LiveConfig) => Forwarder.open({ config: now, log, world, stdout, ...(onRecord && { onRecord }) });
  const service = await Service.start(live, { log, world, open });
  const stop = (): Promise<void> => service.stop();
  const stopByItself = (): void => void stop().catch((error: unknown) => log.error({}, messageOf(error)));
  for (const ending of [service.ended, signal]) if (ending) void aborted(ending).then(stopByItself);
  if (signal?.aborted) await stop();
  return { stop, metrics: () => service.forwarder.metricsText(), [Symbol.asyncDispose]: stop };
}
