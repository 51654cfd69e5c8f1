import type { DialectSettings, Finding, NodeSettings, ProbeResult, ReceiverSettings } from "./finding";

/** What `--out` writes, and `--settings` and `--check` read: settings for the stack, a dialect for the emulator, and what is not known. */
export interface NodeFile {
  /** Members of a node of the configuration. */
  readonly node: Partial<NodeSettings>;
  /** Members of a receiver. */
  readonly receiver: ReceiverSettings;
  /** Switches of `emulator --dialect`. */
  readonly dialect: DialectSettings;
  /** Settings that seem likely and that nothing has proved: they belong into `node` once a person has looked. */
  readonly guesses?: { readonly node: Partial<NodeSettings> };
  /** Points that were found out. */
  readonly known: readonly string[];
  /** Points that were not, each with the reason. */
  readonly unknown: Readonly<Record<string, string>>;
}

/** The file of a result. */
export function nodeFile({ node, receiver, guesses, dialect, findings }: ProbeResult): NodeFile {
  const isKnown = ({ found, unseen }: Finding) => (found === "observed" || found === "assumed") && !unseen;
  return {
    node,
    receiver,
    dialect,
    ...(Object.keys(guesses.node).length > 0 && { guesses }),
    known: findings.filter(isKnown).map(({ point }) => point),
    unknown: Object.fromEntries(findings.filter((one) => !isKnown(one)).map(({ point, node: why }) => [point, why])),
  };
}
