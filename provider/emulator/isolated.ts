import { messageOf } from "../model/errors";
import { dialect } from "./behaviour/dialect";
import { CONTROL } from "./defaults";
import type { EmulatorInfo } from "./info";
import type { IsolatedOptions } from "./isolated-types";

export type { IsolatedOptions } from "./isolated-types";

/** An emulator started by another one. */
export interface IsolatedEmulator {
  info(): EmulatorInfo;
  close(): Promise<void>;
  readonly closed: Promise<void>;
}

/** Emulators with their own addresses in the process of a shared one. Each runs until its label is ended, or until the shared one ends. */
export class Isolated<Started extends IsolatedEmulator = IsolatedEmulator> {
  private readonly running = new Map<string, { readonly starting: Promise<Started>; started?: Started }>();
  private isOver = false;

  constructor(private readonly begin: (options: IsolatedOptions) => Promise<Started>) {}

  /** @throws {TypeError} if the label is in use, too many run, or all were ended; errors of `startEmulator`. */
  async start({ replace = false, ...options }: IsolatedOptions): Promise<Started> {
    const { label } = options;
    // What cannot start ends none that runs.
    dialect(options.dialect);
    if (replace) await this.end(label);
    if (this.isOver) throw new TypeError(`This emulator has ended and cannot start "${label}".`);
    if (this.running.has(label)) {
      throw new TypeError(
        `An isolated emulator "${label}" is already running: use another label, set \`replace: true\`, or end that one first (DELETE /emulators/${encodeURIComponent(label)}).`,
      );
    }
    if (this.running.size >= CONTROL.isolated)
      throw new TypeError(
        `${CONTROL.isolated} isolated emulators are running, the most that are allowed: end one first.`,
      );
    const running: { starting: Promise<Started>; started?: Started } = { starting: this.begin(options) };
    this.running.set(label, running);
    try {
      const started = await running.starting;
      running.started = started;
      void started.closed.then(() => this.forget(label, running));
      return started;
    } catch (error) {
      this.running.delete(label);
      throw error;
    }
  }

  list(): { label: string; endpoint: string; control: string }[] {
    return [...this.running].flatMap(([label, { started }]) => {
      if (!started) return [];
      const { endpoint, control } = started.info();
      return [{ label, endpoint, control }];
    });
  }

  /** Ends the emulator of a label, also one that is still starting. False if there is none. */
  async end(label: string): Promise<boolean> {
    const running = this.running.get(label);
    if (!running) return false;
    await (await running.starting).close();
    this.forget(label, running);
    return true;
  }

  /** Its label may be that of another one by now. */
  private forget(label: string, running: unknown): void {
    if (this.running.get(label) === running) this.running.delete(label);
  }

  /** Ends all, also those that are still starting, and starts no more. @throws {AggregateError} with the errors of their ends. */
  async endAll(): Promise<void> {
    this.isOver = true;
    const started = await Promise.allSettled([...this.running.values()].map(({ starting }) => starting));
    // The caller of a failed start gets its error.
    const ended = await Promise.allSettled(started.map((one) => one.status === "fulfilled" && one.value.close()));
    const reasons = ended.flatMap((one) => (one.status === "rejected" ? [one.reason] : []));
    if (reasons.length > 0) throw new AggregateError(reasons, reasons.map(messageOf).join("; "));
  }
}
