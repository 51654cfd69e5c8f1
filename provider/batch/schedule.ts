/** Timers as an argument, so that tests decide when time passes. */
export interface Schedule {
  /** Calls `run` once after `ms` milliseconds; the returned function cancels it. */
  after(ms: number, run: () => void): () => void;
}

/** The timers of Node. */
export const realSchedule: Schedule = {
  after(ms, run) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};
