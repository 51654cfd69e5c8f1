// Every rule by its name, and `rules`, all of them. A new rule is added here.

export type { EntryNote as Notes } from "../provider/model/entry";
export * from "./all-rules";
export { PolicyConfigError, type PolicyConfigIssue } from "./config/errors";
export { type LoadOptions, loadPolicyConfig, parsePolicyConfig } from "./config/load";
export type { Direction, Meaning, Role } from "./config/meaning";
export type { Level, PolicyConfig, PolicyConfigInput } from "./config/schema";
export { judgeResource, judgeStack, type Report, type Run } from "./judge";
export { NotYetKnown } from "./not-yet-known";
export { policiesOf } from "./pulumi/policies";
export {
  type Entry,
  type Resource,
  type ResourceKind as Kind,
  type ResourceMeta,
  readResource,
  readResources,
  SetResource,
  SignalingResource,
} from "./resources";
export {
  type Context,
  type Finding,
  isResourceRule,
  type Offender,
  type ResourceRule,
  type Rule,
  resourceRule,
  type StackRule,
  type StackView,
  stackRule,
} from "./rule";
export { settingsOf } from "./settings";
export { startPack } from "./start-pack";
export { type RunOptions, startRun } from "./start-run";
