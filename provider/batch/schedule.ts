/** Time as an argument, so that tests decide when it passes. */
export interface Schedule {
  /** Milliseconds since some moment. */
  now(): number;
  /** Calls `run` once after `ms` milliseconds; the returned function cancels it. */
  after(ms: number, run: () => void): () => void;
}

/** The clock and the timers of Node. */
export const realSchedule: Schedule = {
  now: () => performance.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};
