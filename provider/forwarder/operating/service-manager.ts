import type { Clock } from "../../client/clock";
import { messageOf } from "../../model/errors";
import { type Log, Troubles } from "../telling/troubles";
import type { Environment } from "../world";

export interface ServiceManagerParts {
  /** `NOTIFY_SOCKET`, `WATCHDOG_USEC` and `WATCHDOG_PID`, as the manager sets them. */
  readonly env: Environment;
  readonly clock: Pick<Clock, "after" | "monotonic">;
  readonly log: Log;
  /** Runs a program to its end, with the variables of this process. */
  execute(program: string, args: readonly string[], folder: string): Promise<string>;
}

const PROGRAM = "systemd-notify";

/**
 * Reports the status of the service to a service manager (sd_notify(3)): systemd then waits for starts and reloads, and
 * restarts a service that is not alive. A program sends it, since Node has no datagram sockets of Unix, and the packages that
 * have some are compiled where they are installed.
 */
export class ServiceManager {
  private last: Promise<unknown> = Promise.resolve();
  private cancel = (): void => {};
  private readonly troubles: Troubles;

  private constructor(private readonly parts: ServiceManagerParts) {
    this.troubles = new Troubles(parts.log);
  }

  /** @returns `undefined` if no manager asks for it. */
  static of(parts: ServiceManagerParts): ServiceManager | undefined {
    return parts.env.NOTIFY_SOCKET ? new ServiceManager(parts) : undefined;
  }

  /** It works, from the start or again after a reload. */
  ready(): void {
    this.notify("READY=1");
  }

  /** It reads its configuration again; {@link ready} follows. */
  reloading(): void {
    this.notify("RELOADING=1", `MONOTONIC_USEC=${Math.round(this.parts.clock.monotonic() * 1_000)}`);
  }

  stopping(): void {
    this.cancel();
    this.notify("STOPPING=1");
  }

  /** Reports to the manager's watchdog, if it has one, twice in its time while the service is alive. */
  watch(isAlive: () => boolean): void {
    const { env, clock } = this.parts;
    const { WATCHDOG_USEC: microseconds, WATCHDOG_PID: pid = String(process.pid) } = env;
    if (!(Number(microseconds) > 0) || pid !== String(process.pid)) return;
    const turn = (): void => {
      if (isAlive()) this.notify("WATCHDOG=1");
      this.cancel = clock.after(Number(microseconds) / 2_000, turn);
    };
    turn();
  }

  /** One at a time: their order counts. */
  private notify(...assignments: string[]): void {
    this.last = this.last.then(async () => {
      try {
        await this.parts.execute(PROGRAM, assignments, ".");
        this.troubles.end(PROGRAM, {}, "The service manager gets the status of the service again.");
      } catch (error) {
        const message = `The service manager does not get the status of the service: ${messageOf(error)}.`;
        this.troubles.begin(PROGRAM, {}, message);
      }
    });
  }
}
