import type { DialectSettings, Finding, NodeSettings, ProbeResult, ReceiverSettings } from "./finding";

/** File that `--out` writes, and that `--settings` and `--check` read. */
export interface NodeFile {
  /** Members of a node of the configuration. */
  readonly node: Partial<NodeSettings>;
  /** Members of a receiver. */
  readonly receiver: ReceiverSettings;
  /** Switches of `emulator --dialect`. */
  readonly dialect: DialectSettings;
  readonly known: readonly string[];
  /** Points that could not be found out, each with the reason. */
  readonly unknown: Readonly<Record<string, string>>;
}

export function nodeFile({ node, receiver, dialect, findings }: ProbeResult): NodeFile {
  const isKnown = ({ found, unseen }: Finding) => (found === "observed" || found === "assumed") && !unseen;
  return {
    node,
    receiver,
    dialect,
    known: findings.filter(isKnown).map(({ point }) => point),
    unknown: Object.fromEntries(findings.filter((one) => !isKnown(one)).map(({ point, node: why }) => [point, why])),
  };
}
