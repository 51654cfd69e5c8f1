import type { Fault } from "./fault-schema";

type Preset = readonly [title: string, text: string, fault: Fault];

/** Faults that the page switches on by click, each with its effect. */
const PRESETS = {
  Commits: [
    ["Commit fails", "503, nothing is applied", { kind: "error", cmd: "commit", status: 503 }],
    ["Commit's answer is lost", "applied, then the connection breaks", { kind: "lost-answer", cmd: "commit" }],
    ["Slow commit", "3 s until effect and answer", { kind: "slow-commit", cmd: "commit", delay: "3s" }],
    ["Late commit", "answered at once, applied 3 s later", { kind: "late-commit", cmd: "commit", delay: "3s" }],
    ["Stuck commit", "answered as a success, never applied", { kind: "stuck-commit", cmd: "commit" }],
  ],
  "Entries and lists": [
    ["Too many requests", "429 with Retry-After 1", { kind: "error", api: "node", status: 429, retryAfter: 1 }],
    ["List breaks off", "in the middle of its body", { kind: "truncated", cmd: "list" }],
    ["Unknown shape", "a list in an unexpected form", { kind: "unknown-shape", cmd: "list" }],
    ["Table full", "inserts answer 507", { kind: "full-table", cmd: "insert" }],
    ["Stale list", "shows the set before its last change", { kind: "stale-list", cmd: "list" }],
  ],
  Connection: [
    ["Slow answer", "2 s", { kind: "delay", delay: "2s" }],
    ["Connection reset", "before the effect", { kind: "reset" }],
    ["Silence", "takes effect, is never answered", { kind: "silence" }],
    ["Page of a proxy", "502 with HTML", { kind: "html" }],
    ["Restart", "away for 1 s, staged entries are lost", { kind: "restart", delay: "1s" }],
    ["Clock skew", "the Date header is an hour ahead", { kind: "clock-skew" }],
  ],
  Signaling: [
    ["Start fails", "500, nothing is moved", { kind: "error", op: "start", status: 500 }],
    ["Status fails", "500", { kind: "error", op: "status", status: 500 }],
    ["Start's answer is lost", "moved, then the connection breaks", { kind: "lost-answer", op: "start" }],
    ["Stop's answer is lost", "moved back, then the connection breaks", { kind: "lost-answer", op: "stop" }],
  ],
} as const satisfies Record<string, readonly Preset[]>;

/** The presets, group by group, in the order in which the page shows them. */
export function faultPresets() {
  return Object.entries<readonly Preset[]>(PRESETS).flatMap(([group, presets]) =>
    presets.map(([title, text, fault]) => ({ group, title, text, fault })),
  );
}
