import { messageOf } from "../model/errors";
import { CONTROL } from "./defaults";
import type { EmulatorOptions } from "./options";
import type { EmulatorInfo } from "./signaling/credentials";

/** How an isolated emulator starts. What is not said here is as in the emulator that is asked for it. */
export interface IsolatedOptions extends Pick<EmulatorOptions, "dialect" | "seed"> {
  /** What it is called until it ends, and the label of its first run. Unique among those that run. */
  readonly label: string;
  /** What it holds; default: what the emulator that is asked for it started with. */
  readonly state?: Exclude<EmulatorOptions["state"], (...args: never) => unknown>;
}

/** What is known of an emulator that another one has started. */
export interface IsolatedEmulator {
  info(): EmulatorInfo;
  close(): Promise<void>;
  readonly closed: Promise<void>;
}

/** Emulators with addresses of their own in the process of one that is shared, each until its label is ended, and all at most as long as that one. */
export class Isolated<Started extends IsolatedEmulator = IsolatedEmulator> {
  private readonly running = new Map<string, Started | undefined>();

  constructor(private readonly begin: (options: IsolatedOptions) => Promise<Started>) {}

  /** @throws {TypeError} where the label is in use, or too many run; what `startEmulator` throws. */
  async start(options: IsolatedOptions): Promise<Started> {
    const { label } = options;
    if (this.running.has(label)) {
      throw new TypeError(
        `An isolated emulator "${label}" runs already: take another label, or end that one first (DELETE /emulators/${encodeURIComponent(label)}).`,
      );
    }
    if (this.running.size >= CONTROL.isolated)
      throw new TypeError(`${CONTROL.isolated} isolated emulators run, and no more can: end some first.`);
    this.running.set(label, undefined);
    try {
      const started = await this.begin(options);
      this.running.set(label, started);
      void started.closed.then(() => this.running.delete(label));
      return started;
    } catch (error) {
      this.running.delete(label);
      throw error;
    }
  }

  list(): { label: string; endpoint: string; control: string }[] {
    return [...this.running].flatMap(([label, started]) => {
      if (!started) return [];
      const { endpoint, control } = started.info();
      return [{ label, endpoint, control }];
    });
  }

  /** False where none of this label runs. */
  async end(label: string): Promise<boolean> {
    const started = this.running.get(label);
    if (!started) return false;
    await started.close();
    return true;
  }

  /** Ends all. @throws {AggregateError} with what could not be ended well. */
  async endAll(): Promise<void> {
    const ended = await Promise.allSettled([...this.running.values()].map((started) => started?.close()));
    const reasons = ended.flatMap((one) => (one.status === "rejected" ? [one.reason] : []));
    if (reasons.length > 0) throw new AggregateError(reasons, reasons.map(messageOf).join("; "));
  }
}
