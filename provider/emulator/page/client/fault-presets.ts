import type { ActiveFault, Fault } from "./types";

/** A fault to switch on by click, and what it does in the words of somebody who looks for it. */
export interface Preset {
  readonly title: string;
  readonly text: string;
  readonly fault: Fault;
}

export const PRESETS: readonly (readonly [group: string, presets: readonly Preset[]])[] = [
  [
    "Commits",
    [
      { title: "Commit fails", text: "503, nothing is applied", fault: { cmd: "commit", status: 503 } },
      {
        title: "Commit's answer is lost",
        text: "applied, then the connection breaks",
        fault: { cmd: "commit", kind: "lost-answer" },
      },
      {
        title: "Slow commit",
        text: "3 s until effect and answer",
        fault: { cmd: "commit", kind: "slow-commit", delay: "3s" },
      },
      {
        title: "Late commit",
        text: "answered at once, applied 3 s later",
        fault: { cmd: "commit", kind: "late-commit", delay: "3s" },
      },
      {
        title: "Stuck commit",
        text: "answered as if all were well, never applied",
        fault: { cmd: "commit", kind: "stuck-commit" },
      },
    ],
  ],
  [
    "Entries and lists",
    [
      {
        title: "Too many requests",
        text: "429 with Retry-After 1",
        fault: { api: "node", status: 429, retryAfter: 1 },
      },
      { title: "Table full", text: "inserts answer 507", fault: { cmd: "insert", kind: "full-table" } },
      { title: "Stale list", text: "shows the set before its last commit", fault: { cmd: "list", kind: "stale-list" } },
      { title: "List breaks off", text: "in the middle of its body", fault: { cmd: "list", kind: "truncated" } },
      {
        title: "Unknown shape",
        text: "a list in a form that nobody promised",
        fault: { cmd: "list", kind: "unknown-shape" },
      },
    ],
  ],
  [
    "Connection",
    [
      { title: "Connection reset", text: "before the effect", fault: { kind: "reset" } },
      { title: "Silence", text: "takes effect, is never answered", fault: { kind: "silence" } },
      { title: "Slow answer", text: "2 s", fault: { kind: "delay", delay: "2s" } },
      { title: "Page of a proxy", text: "502 with HTML", fault: { kind: "html" } },
      { title: "Restart", text: "away for 1 s, staged entries are lost", fault: { kind: "restart", delay: "1s" } },
      { title: "Clock skew", text: "the Date header is an hour ahead", fault: { kind: "clock-skew" } },
    ],
  ],
  [
    "Signaling",
    [
      { title: "Start fails", text: "500, nothing is moved", fault: { op: "start", status: 500 } },
      {
        title: "Start's answer is lost",
        text: "moved, then the connection breaks",
        fault: { op: "start", kind: "lost-answer" },
      },
      {
        title: "Stop's answer is lost",
        text: "moved back, then the connection breaks",
        fault: { op: "stop", kind: "lost-answer" },
      },
      { title: "Status fails", text: "500", fault: { op: "status", status: 500 } },
    ],
  ],
];

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
export function armed({ fault: wanted }: Preset, faults: readonly ActiveFault[]): ActiveFault | undefined {
  const text = (fault: Fault) =>
    Object.entries({ kind: "error", ...fault })
      .filter(([name]) => !TIMING.has(name))
      .map(([name, value]) => `${name}=${value}`)
      .sort()
      .join(" ");
  return faults.find(({ fault, spent }) => !spent && text(fault) === text(wanted));
}

/** A fault in a few words: which requests, how often. */
export function faultWords({ kind: _, seed: __, every, rate, times, nth, ...rest }: Fault): string {
  const often = [
    nth !== undefined && `from request ${nth} on`,
    every !== undefined && (every === 1 ? "every time" : `every ${every} requests`),
    rate !== undefined && `${Number(rate) * 100} % by chance`,
    times !== undefined && `${times} times at most`,
  ].filter(Boolean);
  const which = Object.entries(rest).map(([name, value]) => `${name} ${value}`);
  return [...(which.length > 0 ? which : ["any request"]), ...(often.length > 0 ? often : ["once"])].join(", ");
}
