import type { Wall } from "../../provider/emulator";

/** A machine's clock that a test moves. */
export interface WallByHand extends Wall {
  /** Lets time pass, and calls what falls due. */
  pass(ms: number): void;
  /** Resolves once something waits. */
  waited(): Promise<void>;
}

/** A wall whose time stands still until it is told to pass. */
export function wallByHand(start = Date.UTC(2026, 11, 1, 10)): WallByHand {
  let elapsed = 0;
  let timers: { due: number; run: () => void }[] = [];
  let heard = () => {};
  const first = new Promise<void>((resolve) => {
    heard = resolve;
  });
  return {
    now: () => start + elapsed,
    elapsed: () => elapsed,
    timer(run, ms) {
      const timer = { due: elapsed + ms, run };
      timers.push(timer);
      heard();
      return () => {
        timers = timers.filter((other) => other !== timer);
      };
    },
    pass(ms) {
      elapsed += ms;
      const due = timers.filter((timer) => timer.due <= elapsed);
      timers = timers.filter((timer) => !due.includes(timer));
      for (const { run } of due) run();
    },
    waited: () => first,
  };
}
