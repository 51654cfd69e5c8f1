import { z } from "zod";
import type { Reply } from "../http/reply";
import type { Command } from "../journal/entry";
import { durationSchema, milliseconds } from "../time/duration";

/** Outcome of a request: an answer, or a broken connection. */
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
  /** With an endless delay: staged changes stay staged instead of being lost. */
  readonly keepStaged?: boolean;
  /** Lists show the state before the last change of applied entries. */
  readonly stale?: boolean;
}

/** Seconds, or a date as HTTP writes it (RFC 9110, 10.2.3 and 5.6.7). */
const RETRY_AFTER = /^(\d{1,9}|[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT)$/;

export const faultParameters = z.strictObject({
  status: z.int().min(200).max(599).optional().describe("Status of the answer, if the kind has one."),
  body: z.string().optional().describe("Body of the answer, if the kind has one."),
  message: z.string().optional().describe("Text of the error, if the kind has one."),
  retryAfter: z
    .union([
      z.int().min(0),
      z.string().regex(RETRY_AFTER, 'must be seconds or an HTTP date such as "Tue, 01 Dec 2026 00:00:00 GMT"'),
    ])
    .optional()
    .describe("Retry-After of an error: seconds or an HTTP date."),
  when: z
    .enum(["before", "after"])
    .optional()
    .describe("Whether the request takes effect first; the default depends on the kind."),
  delay: durationSchema.optional().describe("Duration, for the kinds that take time."),
  staged: z
    .enum(["lost", "kept"])
    .optional()
    .describe("Fate of staged entries at a restart or a stuck commit; default lost."),
});
export type FaultParameters = z.input<typeof faultParameters>;

/** Means of a fault to act on a request. */
export interface FaultContext {
  /** Parameters of the fault, with the defaults of its kind. */
  readonly fault: FaultParameters;
  /** Carries the request out and returns its normal answer. At most once. */
  run(variation?: Variation): Promise<Reply>;
  /** An error in the form of the called API. */
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
 * A kind of fault, for the emulator, its reference and its page.
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
  /** Description, with parameters and their defaults. */
  readonly about: string;
  /** Its parameters with their defaults; `null` for none. */
  readonly parameters: { readonly [Name in keyof FaultParameters]: FaultParameters[Name] | null };
  /** The only commands of prefix-sets to which it applies. Default: any request. */
  readonly meets?: readonly Command[];
  /** True if it affects every caller, whichever request triggers it. */
  readonly meetsEveryone?: true;
  /** True for parameters by which it changes the emulator's own node: it has no effect where another one answers. */
  readonly changesNode?: (fault: FaultParameters) => boolean;
  readonly run: (context: FaultContext) => Promise<Delivery>;
}

/** Milliseconds of `delay`; every kind that takes time has a default. */
export function delayOf({ fault }: FaultContext): number {
  return milliseconds(fault.delay ?? 0);
}

/** Replaces the answer of the request, which takes effect first with `when: "after"`. */
export function instead(end: (context: FaultContext) => Delivery): FaultDefinition["run"] {
  return async (context) => {
    if (context.fault.when === "after") await context.run();
    return end(context);
  };
}
