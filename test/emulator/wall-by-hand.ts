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
      const until = elapsed + ms;
      for (;;) {
        const [next] = timers.filter(({ due }) => due <= until).sort((a, b) => a.due - b.due);
        if (!next) break;
        timers = timers.filter((other) => other !== next);
        elapsed = next.due;
        next.run();
      }
      elapsed = until;
    },
    waited: () => first,
  };
}
