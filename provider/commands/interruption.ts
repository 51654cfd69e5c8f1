export { removeHeld } from "../files/held";

/** A signal by which people and machines ask a command to end. */
export type StopSignal = "SIGINT" | "SIGTERM";

/** Milliseconds that a command has, once it is asked to end, to say what is done and what is not. Then it is ended. */
const GRACE_MS = 1_800;

/** As a shell tells a process that a signal ended: 128 and its number. */
const EXIT_CODES: Readonly<Record<StopSignal, number>> = { SIGINT: 130, SIGTERM: 143 };

/** Why a command ended before its time: the reason of the signal `stop` of its surroundings. */
export class Interrupted extends Error {
  override readonly name = "Interrupted";

  constructor(readonly signal: StopSignal = "SIGTERM") {
    super(`Ended by ${signal}.`);
  }
}

/** Those that wait for the signal themselves, since it is how they end. */
const services = new WeakSet<AbortSignal>();

/** Ends once the process is asked to end: for services, which end well by it (exit code 0). */
export async function stopped(stop: AbortSignal): Promise<void> {
  services.add(stop);
  await aborted(stop);
}

/** Those that take back what they did at a node before they end, for as long as that takes. */
const careful = new WeakSet<AbortSignal>();

/** Says that a command is not to be left before it has taken back what it did. A second signal ends it all the same. */
export function takesBack(stop: AbortSignal): void {
  careful.add(stop);
}

/** The work, or the interruption as soon as it comes: what the work was about to wait for is left. @throws {Interrupted} */
export async function unlessStopped<T>(stop: AbortSignal, work: Promise<T>): Promise<T> {
  work.catch(() => undefined);
  return Promise.race([
    aborted(stop).then(() => {
      throw interruptionOf(stop);
    }),
    work,
  ]);
}

/** Why it stopped. */
function interruptionOf({ reason }: AbortSignal): Interrupted {
  return reason instanceof Interrupted ? reason : new Interrupted();
}

/**
 * The exit code of a command: its own, or, where it was asked to end and is no service, that of the signal. One that has not
 * ended when its time is over is left.
 *
 * @param graceMs Milliseconds; a test that gives more tells a command that ends from one that is left.
 */
export async function exitCode(stop: AbortSignal, command: Promise<number>, graceMs = GRACE_MS): Promise<number> {
  const ofSignal = () => EXIT_CODES[interruptionOf(stop).signal];
  const own = command.then((code) => (stop.aborted && !services.has(stop) ? ofSignal() : code));
  const overdue = aborted(stop).then(async () => {
    await new Promise<void>((resolve) => setTimeout(resolve, graceMs).unref());
    if (services.has(stop) || careful.has(stop)) return own;
    return ofSignal();
  });
  return Promise.race([own, overdue]);
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
