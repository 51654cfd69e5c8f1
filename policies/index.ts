export { PolicyConfigError, type PolicyConfigIssue } from "./config/errors";
export { CONFIG_FILE, type LoadOptions, loadPolicyConfig, parsePolicyConfig } from "./config/load";
export type { Direction, Meaning, Role } from "./config/meaning";
export { type PolicyConfig, type PolicyConfigInput, policyConfigSchema } from "./config/schema";
export { REGISTRY_DATE, SPECIAL_PURPOSE_BLOCKS, type SpecialPurposeBlock } from "./data/special-purpose";
export { judgeResource, judgeStack, type Report, type Run } from "./judge";
export { rules } from "./list";
export { policiesOf } from "./pulumi/policies";
export {
  type Entry,
  type Kind,
  type Notes,
  type Resource,
  type ResourceMeta,
  readResource,
  SetResource,
  SignalingResource,
} from "./resources";
export {
  type Context,
  type Finding,
  isResourceRule,
  type Level,
  type Offender,
  type ResourceRule,
  type Rule,
  resourceRule,
  type StackRule,
  type StackView,
  stackRule,
} from "./rule";
export { allowedValues } from "./rules/allowed-values";
export { destinationWithinOwned } from "./rules/destination-within-owned";
export { endpointTransport } from "./rules/endpoint-transport";
export { maxEntries } from "./rules/max-entries";
export { maxLifetime } from "./rules/max-lifetime";
export { naming } from "./rules/naming";
export { organisationRails } from "./rules/organisation-rails";
export { prefixLength } from "./rules/prefix-length";
export { productionDestroy } from "./rules/production-destroy";
export { productionRemovals } from "./rules/production-removals";
export { protectedPrefixes } from "./rules/protected-prefixes";
export { requireReason } from "./rules/require-reason";
export { signalingCount } from "./rules/signaling-count";
export { signalingLength } from "./rules/signaling-length";
export { signalingWithinOwned } from "./rules/signaling-within-owned";
export { specialPurposeRanges } from "./rules/special-purpose";
export { settingsOf } from "./settings";
export { blastRadius } from "./stack/blast-radius";
export { blockAllowConflict } from "./stack/block-allow-conflict";
export { exclusiveOwner } from "./stack/exclusive-owner";
export { expiredExceptions } from "./stack/expired-exceptions";
export { redundantPrefixes } from "./stack/redundant-prefixes";
export { signalingAndBlock } from "./stack/signaling-and-block";
export { signalingsAtOnce } from "./stack/signalings-at-once";
export { type RunOptions, startRun } from "./start-run";
export { NotYetKnown } from "./unknown";
