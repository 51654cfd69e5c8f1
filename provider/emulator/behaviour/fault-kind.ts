import type { Reply } from "../http/reply";
import type { Command } from "../journal/entry";
import { type Duration, milliseconds } from "../time/duration";

/** What becomes of a request in the end: an answer, or a connection that breaks. */
export type Delivery =
  | Reply
  /** The connection is reset and nothing is answered. */
  | { readonly cut: "reset" }
  /** The answer breaks off in the middle of its body. */
  | { readonly cut: "truncate"; readonly reply: Reply }
  /** Nothing is answered and the connection stays open. */
  | { readonly cut: "silence" };

/** Changes to how a request is carried out. */
export interface Variation {
  /** Virtual milliseconds from the answer of a commit to its effect; instead of the dialect's. */
  readonly commitDelay?: number;
  /** With an endless delay: what is staged stays staged instead of being lost. */
  readonly keepStaged?: boolean;
  /** Lists show the state before the last commit. */
  readonly stale?: boolean;
}

/** What a kind can be told; see `faultSchema` for the meaning of each. */
export interface FaultParameters {
  readonly status?: number;
  readonly message?: string;
  readonly body?: string;
  readonly retryAfter?: number | string;
  readonly when?: "before" | "after";
  readonly delay?: Duration;
  readonly staged?: "lost" | "kept";
}

/** What a fault can do to a request. */
export interface FaultContext {
  /** What the fault was told, with the defaults of its kind. */
  readonly fault: FaultParameters;
  /** Carries the request out and gives the answer that it would have. At most once. */
  run(variation?: Variation): Promise<Reply>;
  /** An error in the form of the API that was called. */
  error(status: number, message: string): Reply;
  /** Waits in real time, as a slow network or node does. */
  wait(ms: number): Promise<void>;
  /** Breaks all connections and refuses new ones for a time (real milliseconds). */
  outage(ms: number): void;
  /** Drops all staged entries of the node. */
  discardStaged(): void;
  /** The virtual time. */
  now(): Date;
}

/**
 * A kind of fault: all that the emulator, its reference and its page know about it.
 *
 * @example
 * ```ts
 * const teapot: FaultDefinition = {
 *   about: "Answers `status` (418) without effect.",
 *   parameters: { status: 418 },
 *   run: async ({ fault: { status = 418 }, error }) => error(status, "short and stout"),
 * };
 * ```
 */
export interface FaultDefinition {
  /** For people, with the parameters that it knows and their defaults. */
  readonly about: string;
  /** The parameters that it knows with their defaults; `null` where there is none. */
  readonly parameters: { readonly [Name in keyof FaultParameters]: FaultParameters[Name] | null };
  /** Commands of prefix-sets that it has a meaning for, and the only requests that it meets. Default: any request. */
  readonly meets?: readonly Command[];
  readonly run: (context: FaultContext) => Promise<Delivery>;
}

/** The connection breaks and nothing is answered. */
export const RESET: Delivery = { cut: "reset" };

/** Milliseconds of `delay`, which every kind that takes time has a default for. */
export function delayOf({ fault }: FaultContext): number {
  return milliseconds(fault.delay ?? 0);
}

/** Carries the request out first where the fault is to strike after the effect. */
export async function effectIfAfter(context: FaultContext): Promise<void> {
  if (context.fault.when === "after") await context.run();
}
