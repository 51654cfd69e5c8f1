import { Agent } from "undici";
import type { Dispatcher } from "../../../provider/client/http";
import { NodeMemories, type World } from "../../../provider/client/world";

/** The longest real wait for any pause, in milliseconds. */
const LONGEST_MS = 8;
/** Longest real pause within a wait, in milliseconds. */
const PART_MS = 4;

/**
 * A world of a provider process in which pauses pass at once and count in full, and which can end between any two
 * requests: what a killed process would have sent is never sent, and nothing it waits for ever happens.
 */
export class HurriedWorld implements World {
  readonly memories = new NodeMemories();
  private ahead = 0;
  private readonly agent = new Agent({ connections: 32, pipelining: 1, headersTimeout: 0, bodyTimeout: 0 });
  private sent = 0;
  private dead = false;
  private announce: () => void = () => {};
  /** Settles when the process is killed. */
  readonly killed = new Promise<void>((resolve) => {
    this.announce = resolve;
  });

  constructor(
    /** Kills at this request, counted from 1: before it is sent, or once it was answered. */
    private readonly death?: { readonly request: number; readonly when: "before" | "after" },
  ) {}

  get isKilled(): boolean {
    return this.dead;
  }

  monotonic = (): number => performance.now() + this.ahead;
  wall = (): number => performance.timeOrigin + this.monotonic();
  /** The middle of what a pause may be, always: a run repeats exactly. */
  random = (): number => 0.5;

  sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      const real = Math.min(ms, LONGEST_MS);
      const cancel = this.after(real, () => {
        this.ahead += ms - real;
        resolve();
      });
      signal?.addEventListener("abort", () => resolve(cancel()), { once: true });
    });

  /**
   * In parts, with whatever happens meanwhile between them: the node is in this process, so on a machine that is busy its answer comes late and the
   * time-out with it. A time-out means that no answer is coming, not that the process had no time to give it.
   */
  after = (ms: number, run: () => void): (() => void) => {
    let parts = Math.max(1, Math.floor(ms / PART_MS));
    const part = () => {
      parts -= 1;
      if (parts > 0) timer = setTimeout(part, PART_MS);
      else if (!this.dead) run();
    };
    let timer = setTimeout(part, Math.min(ms, PART_MS));
    return () => clearTimeout(timer);
  };

  // An own property, since clients copy the world that they are given.
  readonly dispatcher: Dispatcher = Object.create(this.agent, {
    dispatch: { value: (...call: Parameters<Dispatcher["dispatch"]>) => this.dispatch(...call) },
  });

  private dispatch(...[options, handler]: Parameters<Dispatcher["dispatch"]>): boolean {
    if (this.dead) return false;
    this.sent += 1;
    if (this.sent !== this.death?.request) return this.agent.dispatch(options, handler);
    if (this.death.when === "before") {
      this.kill();
      return false;
    }
    const kill = () => this.kill();
    const ignore = () => {};
    return this.agent.dispatch(options, {
      onRequestStart: ignore,
      onResponseStart: ignore,
      onResponseData: ignore,
      onResponseEnd: kill,
      onResponseError: kill,
    });
  }

  /** Ends the process. */
  kill(): void {
    this.dead = true;
    void this.agent.destroy();
    this.announce();
  }

  /** The end of a process that has nothing to do any more. */
  async end(): Promise<void> {
    if (!this.dead) await this.agent.close();
    this.dead = true;
  }
}
