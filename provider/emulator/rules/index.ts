export { PrefixTable, type SetLookup } from "./prefix-table";
export { type MarkTouch, Program, type RuleCounter, type RuleEnvironment } from "./program";
export { RATE_KEYS } from "./rate";
export {
  type ActionSpec,
  actionSchema,
  type ComparisonSpec,
  type MatchSpec,
  matchSchema,
  type RuleSpec,
  ruleSchema,
  rulesSchema,
  type SetReference,
} from "./rule-schema";
