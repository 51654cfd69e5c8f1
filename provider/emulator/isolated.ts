import { messageOf } from "../model/errors";
import { CONTROL } from "./defaults";
import type { EmulatorInfo } from "./info";
import type { EmulatorOptions } from "./options";

/** Options of an isolated emulator. All others are those of the emulator that starts it. */
export interface IsolatedOptions extends Pick<EmulatorOptions, "dialect" | "seed"> {
  /** Its name until it ends, and the label of its first run. Unique among those that run. */
  readonly label: string;
  /** Its content; default: the initial content of the emulator that starts it. */
  readonly state?: Exclude<EmulatorOptions["state"], (...args: never) => unknown>;
}

/** An emulator that another one has started. */
export interface IsolatedEmulator {
  info(): EmulatorInfo;
  close(): Promise<void>;
  readonly closed: Promise<void>;
}

/** Emulators with addresses of their own in the process of one that is shared, each until its label is ended, and all at most as long as that one. */
export class Isolated<Started extends IsolatedEmulator = IsolatedEmulator> {
  private readonly running = new Map<string, { readonly starting: Promise<Started>; started?: Started }>();
  private isOver = false;

  constructor(private readonly begin: (options: IsolatedOptions) => Promise<Started>) {}

  /** @throws {TypeError} where the label is in use, too many run, or all were ended; what `startEmulator` throws. */
  async start(options: IsolatedOptions): Promise<Started> {
    const { label } = options;
    if (this.isOver) throw new TypeError(`This emulator has ended: it starts no "${label}".`);
    if (this.running.has(label)) {
      throw new TypeError(
        `An isolated emulator "${label}" runs already: take another label, or end that one first (DELETE /emulators/${encodeURIComponent(label)}).`,
      );
    }
    if (this.running.size >= CONTROL.isolated)
      throw new TypeError(`${CONTROL.isolated} isolated emulators run, and no more can: end some first.`);
    const running: { starting: Promise<Started>; started?: Started } = { starting: this.begin(options) };
    this.running.set(label, running);
    try {
      const started = await running.starting;
      running.started = started;
      void started.closed.then(() => this.running.delete(label));
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

  /** Also one that is still starting. False where none of this label runs. */
  async end(label: string): Promise<boolean> {
    const running = this.running.get(label);
    if (!running) return false;
    await (await running.starting).close();
    return true;
  }

  /** Ends all, also those that are still starting; no other starts. @throws {AggregateError} with what could not be ended well. */
  async endAll(): Promise<void> {
    this.isOver = true;
    const started = await Promise.allSettled([...this.running.values()].map(({ starting }) => starting));
    // A failed start is reported to the caller that asked for it.
    const ended = await Promise.allSettled(started.map((one) => one.status === "fulfilled" && one.value.close()));
    const reasons = ended.flatMap((one) => (one.status === "rejected" ? [one.reason] : []));
    if (reasons.length > 0) throw new AggregateError(reasons, reasons.map(messageOf).join("; "));
  }
}
