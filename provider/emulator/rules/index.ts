export type { RuleEnvironment } from "./environment";
export { PacketPrefixTable, type SetLookup } from "./packet-prefix-table";
export { type MarkTouch, Program, type RuleCounter } from "./program";
export { RATE_KEYS } from "./rate";
export {
  type ActionSpec,
  actionSchema,
  type ComparisonSpec,
  globalSet,
  type MatchSpec,
  matchSchema,
  type RuleSpec,
  ruleSchema,
  rulesSchema,
  type SetReference,
} from "./rule-schema";
