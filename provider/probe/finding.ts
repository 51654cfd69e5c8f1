import type { NodeOptions, ReceiverOptions } from "../client/options";

/** Settings that the user gave, and that stay where no point decided about them. */
export const CARRIED = [
  "maxEntriesPerRequest",
  "maxValue",
  "maxBytesPerRequest",
  "maxConcurrency",
  "commitDelayMs",
  "markPauseMs",
  "markPace",
  "deadlineMs",
] as const satisfies readonly (keyof NodeOptions)[];

/** Members of a node's configuration that a probe may find: what goes under `node` in `node.json`. */
export type NodeSettings = Pick<NodeOptions, "endpoint" | "answers" | (typeof CARRIED)[number]>;

/** Members of a receiver's configuration that a probe may find. */
export type ReceiverSettings = Pick<ReceiverOptions, "answers">;

/** Switches of the emulator by name, as data: what goes under `dialect` in `node.json`. */
export type DialectSettings = Readonly<Record<string, string | number>>;

/**
 * What one point came to. `observed`: the node showed it; `assumed`: it was asked and could not be told, or only in part;
 * `skipped`: it was not asked; `error`: asking failed.
 */
export type Certainty = "observed" | "assumed" | "skipped" | "error";

/** What was found about one open point. All texts are for people and free of secrets. */
export interface Finding {
  /** Stable, in kebab case: `insert-existing`. */
  readonly point: string;
  /** The question: `insert of what is there`. */
  readonly title: string;
  readonly found: Certainty;
  /** The lists that were asked held nothing, so how what stands in them is written was not seen. */
  readonly unseen?: true;
  /** What the node does, or why that is not known. */
  readonly node: string;
  /** What the node said, shortened. */
  readonly evidence: readonly string[];
  /** What this package assumes. */
  readonly assumes: string;
  /** What to do, where the settings alone do not say it. */
  readonly advice?: string;
  /** What to set, as members of the node. Empty: nothing. */
  readonly settings: Partial<NodeSettings>;
  /** What seems likely and is proved by nothing: to be set only after a look at what it means. Empty: nothing. */
  readonly guesses: Partial<NodeSettings>;
  /** What to set, as members of the receiver. Empty: nothing. */
  readonly receiver: ReceiverSettings;
  /** With which switches the emulator does the same. */
  readonly dialect: DialectSettings;
}

/** What may be left on a node that died. */
export interface LeftBehind {
  /** Url of the set, or the receiver. */
  readonly where: string;
  /** Prefixes that may be applied or staged, or signaled. */
  readonly prefixes: readonly string[];
  /** A sentence and commands: how to remove them. */
  readonly remedy: string;
}

/** What a probe came to. */
export interface ProbeResult {
  readonly findings: readonly Finding[];
  /** All that is to be set, together, with what the user had set before. */
  readonly node: Partial<NodeSettings>;
  /** The same of the receiver. */
  readonly receiver: ReceiverSettings;
  /** What seems likely of all that, and is proved by nothing. */
  readonly guesses: { readonly node: Partial<NodeSettings> };
  /** All switches that were found. */
  readonly dialect: DialectSettings;
  /** Of the points that decide about settings of whom was asked: how many there are, and which could not be looked at, with the reason. */
  readonly looked: { readonly of: number; readonly missed: readonly string[] };
  /** Why node or receiver is of no use as it is, a sentence each, with the way out where there is one. */
  readonly unusable: readonly string[];
  /** Why the probe ended before its time; absent where it did not. */
  readonly stopped?: string;
  /** What could not be cleaned up. Empty: everything is as before. */
  readonly left: readonly LeftBehind[];
}
