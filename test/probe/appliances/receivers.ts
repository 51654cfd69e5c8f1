import type { Appliance, Asked, Reply } from "./appliance";

/** Answers of a receiver of some vendor, and the time until a change takes effect. */
export interface ReceiverKind {
  readonly delayMs: number;
  /** Prefixes of a start that start though one of them cannot. Default: `none`. */
  readonly partial?: "none" | "others" | "before";
  /** An answer in place of its own; `undefined`: its own. */
  instead?(asked: Asked, appliance: Appliance): Reply | undefined;
  status(active: readonly string[]): Reply;
  /** @param prefixes Those of the request. */
  done(operation: "start" | "stop", prefixes: readonly string[]): Reply;
  refused(text: string): Reply;
}

const json = (value: unknown, status = 200): Reply => ({ status, body: JSON.stringify(value) });

export const RECEIVERS = {
  /** As the contract shows it. */
  plain: {
    delayMs: 0,
    status: (active) => json({ IP_prefix: active }),
    done: () => ({ body: "ok" }),
    refused: (body) => ({ status: 409, body }),
  },
  /** Takes two seconds for everything, and judges by what it shows meanwhile. */
  late: {
    delayMs: 2_000,
    status: (active) => json({ IP_prefix: active }),
    done: () => ({ body: "ok" }),
    refused: (body) => ({ status: 400, body }),
  },
  /** Says by one word beside the contract's text how it went, always with 200, and takes effect within a second. */
  wordy: {
    delayMs: 800,
    status: (active) => json({ outcome: "done", active }),
    done: () => json({ outcome: "done" }),
    refused: (why) => json({ outcome: "error", why }),
  },
} as const satisfies Record<string, ReceiverKind>;
