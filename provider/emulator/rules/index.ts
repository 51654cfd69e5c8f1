export { PacketPrefixTable } from "./packet-prefix-table";
export type { RuleCounter } from "./program";
export {
  type ActionSpec,
  type ComparisonSpec,
  globalSet,
  type MatchSpec,
  type RuleSpec,
  ruleSchema,
  rulesSchema,
  type SetReference,
} from "./rule-schema";
