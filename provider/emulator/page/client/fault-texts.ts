import type { ActiveFault, Fault, FaultPreset } from "../schemas";

/** How often a fault strikes. */
export const STRIKES = {
  once: { text: "the next time", fault: {} },
  always: { text: "every time", fault: { every: 1 } },
  third: { text: "every third time", fault: { every: 3 } },
  tenth: { text: "one in ten, by chance", fault: { rate: 0.1 } },
} as const satisfies Record<string, { text: string; fault: Fault }>;

export type Strike = keyof typeof STRIKES;

const TIMING = new Set(["every", "rate", "seed", "times", "nth"]);

/** The fault of a preset that is armed, however often it strikes. */
export function armed({ fault: wanted }: FaultPreset, faults: readonly ActiveFault[]): ActiveFault | undefined {
  return faults.find(({ fault, spent }) => !spent && effect(fault) === effect(wanted));
}

/** How many requests the faults of a preset have met, spent ones included. */
export function hitsOf({ fault: wanted }: FaultPreset, faults: readonly ActiveFault[]): number {
  return faults.filter(({ fault }) => effect(fault) === effect(wanted)).reduce((sum, { hits }) => sum + hits, 0);
}

/** What a fault does, however often. */
function effect(fault: Fault): string {
  return Object.entries(fault)
    .filter(([name]) => !TIMING.has(name))
    .map(([name, value]) => `${name}=${value}`)
    .sort()
    .join(" ");
}

/** A fault in a few words: which requests, how often. */
export function faultText({ kind: _, seed: __, every, rate, times, nth, ...rest }: Fault): string {
  const often = [
    nth !== undefined && `from request ${nth} on`,
    every !== undefined && (every === 1 ? "every time" : `every ${every} requests`),
    rate !== undefined && `${Number(rate) * 100} % by chance`,
    times !== undefined && `${times} times at most`,
  ].filter(Boolean);
  const which = Object.entries(rest).map(([name, value]) => `${name} ${value}`);
  return [...(which.length > 0 ? which : ["any request"]), ...(often.length > 0 ? often : ["once"])].join(", ");
}
