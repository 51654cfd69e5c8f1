/** The levels of Pulumi. `remediate` is for rules that have `remediate`; elsewhere it means `mandatory`. */
export type Level = "mandatory" | "advisory" | "remediate" | "disabled";

/** Level and settings of single rules, unparsed: each rule parses its own. */
export type RuleSettings = Readonly<Record<string, Level | OwnSettings | undefined>>;

type OwnSettings = Readonly<Record<string, unknown>> & {
  /** Default: that of the rule. */
  readonly level?: Level;
};
