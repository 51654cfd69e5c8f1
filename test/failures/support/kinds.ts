import type { Fault } from "../../../provider/emulator";

/** Something that goes wrong at a request. */
export interface Kind {
  readonly name: string;
  /** The fault at the node or receiver, without its place; none for a death of the provider itself. */
  readonly fault?: Fault;
  /** The provider process ends before or after the request. */
  readonly death?: "before" | "after";
  /** Real milliseconds until nothing of it is under way any more. */
  readonly lingers?: number;
}

/** Much longer than the clients of these runs wait for an answer, so that a busy machine does not turn a slow answer into one in time. */
const SLOW_MS = 200;

export const KINDS: readonly Kind[] = [
  { name: "500", fault: { status: 500 } },
  { name: "500 after the effect", fault: { status: 500, when: "after" } },
  { name: "503", fault: { status: 503 } },
  { name: "429 with Retry-After", fault: { status: 429, retryAfter: 1 } },
  { name: "413", fault: { status: 413 } },
  { name: "slow answer past the time-out, effect late", fault: { kind: "delay", delay: SLOW_MS }, lingers: SLOW_MS },
  { name: "slow answer past the time-out, effect at once", fault: { kind: "silence" } },
  { name: "connection refused", fault: { kind: "refuse", delay: 20 }, lingers: 20 },
  { name: "reset before the effect", fault: { kind: "reset" } },
  { name: "lost answer after the effect", fault: { kind: "lost-answer" } },
  { name: "truncated body", fault: { kind: "truncated" } },
  { name: "HTML from a proxy", fault: { kind: "html" } },
  { name: "HTML from a proxy, status 200", fault: { kind: "html", status: 200 } },
  { name: "HTML from a proxy after the effect", fault: { kind: "html", when: "after" } },
  { name: "unknown shape", fault: { kind: "unknown-shape" } },
  { name: "unknown shape before the effect", fault: { kind: "unknown-shape", when: "before" } },
  { name: "commit applied late", fault: { kind: "late-commit", delay: 20, cmd: "commit" }, lingers: 20 },
  { name: "commit never applied", fault: { kind: "stuck-commit", cmd: "commit" } },
  { name: "node restarted, staged entries lost", fault: { kind: "restart", delay: 10 }, lingers: 10 },
  { name: "provider killed before the request", death: "before" },
  { name: "provider killed after the request", death: "after" },
];
