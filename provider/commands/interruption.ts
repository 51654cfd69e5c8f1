import { aborted } from "../client/clock";

export { removeHeld } from "../files/held";

type StopSignal = "SIGINT" | "SIGTERM";

/** Milliseconds for a command to report its state after it was asked to end. */
const GRACE_MS = 1_800;

/** The numbers of the signals and 128, as in shells. */
const EXIT_CODES: Readonly<Record<StopSignal, number>> = { SIGINT: 130, SIGTERM: 143 };

/** Reason of `CliIo.stop`. */
export class Interrupted extends Error {
  override readonly name = "Interrupted";

  constructor(readonly signal: StopSignal = "SIGTERM") {
    super(`Ended by ${signal}.`);
  }
}

/** Signals of services, which end with success. */
const services = new WeakSet<AbortSignal>();

/** Resolves once the process is asked to end: for services, whose exit code is 0 then. */
export async function stopped(stop: AbortSignal): Promise<void> {
  services.add(stop);
  await aborted(stop);
}

/** Signals of commands that take back changes before they end, for as long as that takes. */
const careful = new WeakSet<AbortSignal>();

/** Lets a command take back its changes before it ends. A second signal ends it at once. */
export function takesBack(stop: AbortSignal): void {
  careful.add(stop);
}

/** Signals of commands whose own exit code holds, since it says more than that of the signal. */
const outspoken = new WeakSet<AbortSignal>();

/** Lets a command end with its own exit code although it was asked to end. */
export function keepsCode(stop: AbortSignal): void {
  outspoken.add(stop);
}

/** Returns the result of the work, unless the process is asked to end before. @throws {Interrupted} */
export async function unlessStopped<T>(stop: AbortSignal, work: Promise<T>): Promise<T> {
  work.catch(() => undefined);
  return Promise.race([
    aborted(stop).then(() => {
      throw interruptionOf(stop);
    }),
    work,
  ]);
}

function interruptionOf({ reason }: AbortSignal): Interrupted {
  return reason instanceof Interrupted ? reason : new Interrupted();
}

/**
 * The exit code of a command: its own, or that of the signal, unless it is a service. A command that does not end in time is
 * abandoned.
 */
export async function exitCode(stop: AbortSignal, command: Promise<number>, graceMs = GRACE_MS): Promise<number> {
  const ofSignal = () => EXIT_CODES[interruptionOf(stop).signal];
  const isOwn = () => services.has(stop) || outspoken.has(stop);
  const own = command.then((code) => (stop.aborted && !isOwn() ? ofSignal() : code));
  const overdue = aborted(stop).then(async () => {
    await new Promise<void>((resolve) => setTimeout(resolve, graceMs).unref());
    if (services.has(stop) || careful.has(stop)) return own;
    return ofSignal();
  });
  return Promise.race([own, overdue]);
}
