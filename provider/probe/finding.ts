import type { NodeOptions, ReceiverOptions } from "../client/options";

/** Settings of the user that stay if no point decided about them. */
export const CARRIED = [
  "maxEntriesPerRequest",
  "maxValue",
  "insertExisting",
  "commitUrl",
  "maxBytesPerRequest",
  "maxConcurrency",
  "commitDelayMs",
  "markPauseMs",
  "markPace",
  "deadlineMs",
] as const satisfies readonly (keyof NodeOptions)[];

/** Members of a node's configuration that a probe may find: `node` in `node.json`. */
export type NodeSettings = Pick<NodeOptions, "endpoint" | "answers" | (typeof CARRIED)[number]>;

/** Members of a receiver's configuration that a probe may find. */
export type ReceiverSettings = Pick<ReceiverOptions, "answers">;

/** Switches of the emulator by name: `dialect` in `node.json`. */
export type DialectSettings = Readonly<Record<string, string | number>>;

/** Result of one open point. All texts are for people and free of secrets. */
export interface Finding {
  /** Stable, in kebab case: `insert-existing`. */
  readonly point: string;
  /** The question: `insert of what is there`. */
  readonly title: string;
  /**
   * `observed`: the node showed it; `assumed`: its answers do not settle it, or only in part; `skipped`: it was not asked;
   * `error`: asking failed.
   */
  readonly found: "observed" | "assumed" | "skipped" | "error";
  /** The lists were empty, so the form of their elements was not seen. */
  readonly unseen?: true;
  /** Behaviour of the node, or the reason why it is not known. */
  readonly node: string;
  /** Answers of the node, shortened. */
  readonly evidence: readonly string[];
  /** Assumption of this package. */
  readonly assumes: string;
  /** Next step, if the settings alone do not say it. */
  readonly advice?: string;
  /** Stable name of the outcome, one of those of its point. */
  readonly outcome: string;
  /**
   * Place where the observation is expressed: a setting; a switch of the dialect; nowhere, as the node does what the contract
   * says; nowhere, though it was seen; nowhere, as no known good answer shows it.
   */
  readonly expressed: "setting" | "dialect" | "contract" | "beyond" | "unknown";
  /** Members of the node to set. */
  readonly settings: Partial<NodeSettings>;
  /** Members of the receiver to set. */
  readonly receiver: ReceiverSettings;
  /** Switches with which the emulator does the same. */
  readonly dialect: DialectSettings;
}

/** Changes that may be left at a node or receiver. */
export interface LeftBehind {
  /** Url of the set, or the receiver. */
  readonly where: string;
  /** Prefixes that may be applied or staged, or signaled. */
  readonly prefixes: readonly string[];
  /** A sentence and commands: how to remove them. */
  readonly remedy: string;
}

export interface ProbeResult {
  readonly findings: readonly Finding[];
  /** All settings of the node, those that the user had given included. */
  readonly node: Partial<NodeSettings>;
  readonly receiver: ReceiverSettings;
  /** All switches that were found. */
  readonly dialect: DialectSettings;
  /** Number of the points that decide about settings, and those that could not be asked, with the reason. */
  readonly looked: { readonly of: number; readonly missed: readonly string[] };
  /** Sentences that say why node or receiver cannot be used, with the remedy if there is one. */
  readonly unusable: readonly string[];
  /** Reason of an early end. */
  readonly stopped?: string;
  /** Changes that could not be cleaned up. Empty: everything is as before. */
  readonly left: readonly LeftBehind[];
}

/** True for a point that was found out, by answers that held something. */
export function isKnown({ found, unseen }: Finding): boolean {
  return (found === "observed" || found === "assumed") && !unseen;
}

/**
 * Exit code of a probe, the highest that holds: 5, changes are left; 4, something was seen that nothing expresses; 1, the probe
 * ended early or the answers to a point make no sense; 0, also with points that were not asked or that nothing shows.
 */
export function exitCode({ findings, left, stopped }: Pick<ProbeResult, "findings" | "left" | "stopped">): number {
  if (left.length > 0) return 5;
  if (findings.some(({ expressed }) => expressed === "beyond")) return 4;
  return stopped !== undefined || findings.some(({ found }) => found === "error") ? 1 : 0;
}

/** File that `--out` writes, and that `--settings` and `--check` read. */
export interface NodeFile extends Pick<ProbeResult, "node" | "receiver" | "dialect"> {
  readonly known: readonly string[];
  /** Points that could not be found out, each with the reason. */
  readonly unknown: Readonly<Record<string, string>>;
}

export function nodeFile({ node, receiver, dialect, findings }: ProbeResult): NodeFile {
  const known = findings.filter(isKnown).map(({ point }) => point);
  const unknown = findings.filter((one) => !isKnown(one)).map(({ point, node: why }) => [point, why]);
  return { node, receiver, dialect, known, unknown: Object.fromEntries(unknown) };
}
