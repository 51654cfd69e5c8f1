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

interface Running<Started> {
  readonly label: string;
  readonly starting: Promise<Started>;
  started?: Started;
}

/** Emulators with their own addresses in the process of a shared one. Each runs until its label is ended, or until the shared one ends. */
export class Isolated<Started extends IsolatedEmulator = IsolatedEmulator> {
  /** Several of one label while the last one replaces the others. */
  private readonly running = new Set<Running<Started>>();
  private isOver = false;

  constructor(private readonly begin: (options: IsolatedOptions) => Promise<Started>) {}

  /** @throws {TypeError} if the label is in use, too many run, or all were ended; errors of `startEmulator`. */
  async start({ replace = false, ...options }: IsolatedOptions): Promise<Started> {
    const { label } = options;
    if (this.isOver) throw new TypeError(`This emulator has ended and cannot start "${label}".`);
    const former = this.of(label);
    if (former.length > 0 && !replace) {
      throw new TypeError(
        `An isolated emulator "${label}" is already running: use another label, set \`replace: true\`, or end that one first (DELETE /emulators/${encodeURIComponent(label)}).`,
      );
    }
    if (former.length === 0 && this.running.size >= CONTROL.isolated)
      throw new TypeError(
        `${CONTROL.isolated} isolated emulators are running, the most that are allowed: end one first.`,
      );
    const running: Running<Started> = { label, starting: this.begin(options) };
    this.running.add(running);
    try {
      running.started = await running.starting;
    } catch (error) {
      this.running.delete(running);
      throw error;
    }
    void running.started.closed.then(() => this.running.delete(running));
    await this.endEach(former);
    return running.started;
  }

  list(): { label: string; endpoint: string; control: string }[] {
    return [...this.running].flatMap(({ label, started }) => {
      if (!started) return [];
      const { endpoint, control } = started.info();
      return [{ label, endpoint, control }];
    });
  }

  /** Ends the emulator of a label, also one that is still starting. False if there is none. */
  async end(label: string): Promise<boolean> {
    return this.endEach(this.of(label));
  }

  /** Ends all, also those that are still starting, and starts no more. */
  async endAll(): Promise<void> {
    this.isOver = true;
    await this.endEach([...this.running]);
  }

  private of(label: string): Running<Started>[] {
    return [...this.running].filter((one) => one.label === label);
  }

  /** False if there is none. The caller of a failed start gets its error. */
  private async endEach(each: readonly Running<Started>[]): Promise<boolean> {
    const started = await Promise.allSettled(each.map(({ starting }) => starting));
    await Promise.all(started.map((one) => one.status === "fulfilled" && one.value.close()));
    for (const one of each) this.running.delete(one);
    return each.length > 0;
  }
}
