/**
 * The resources, read functions and errors of pulumi-packetfilter, as a Pulumi program uses them.
 * @packageDocumentation
 */

export { RequestError, SignalingRefused, UnexpectedResponse } from "./client/errors";
export type { ListedValue } from "./model/entry";
export { PacketFilterError } from "./model/errors";
export type { Mark, MarkType, Profile, Rule } from "./model/mark";
export type {
  AddressCount,
  DuplicateRule,
  EntriesLike,
  ExcludeOptions,
  PrefixColumns,
  PrefixEntries,
  PrefixEntry,
  PrefixFileFormat,
  PrefixFileOptions,
  PrefixFileProblem,
} from "./prefixes";
export {
  aggregatePrefixes,
  countAddresses,
  excludePrefixes,
  intersectPrefixes,
  mergeEntries,
  PrefixFileError,
  parsePrefixes,
  readPrefixFile,
} from "./prefixes";
export { CloudSignaling, type CloudSignalingArgs } from "./pulumi/cloud-signaling";
export { PrefixSet, type PrefixSetArgs } from "./pulumi/prefix-set";
export { PrefixSetEntry, type PrefixSetEntryArgs } from "./pulumi/prefix-set-entry";
export {
  type GroupNode,
  type GroupNodeArgs,
  type GroupNodesInput,
  PrefixSetGroup,
  type PrefixSetGroupArgs,
  type Rollout,
  type RolloutArgs,
  type RolloutCheck,
  type WaveSize,
  type Waves,
} from "./pulumi/prefix-set-group";
export { Provider, type ProviderArgs } from "./pulumi/provider";
export {
  type GetMarksArgs,
  type GetPrefixSetArgs,
  type GetProfilesArgs,
  type GetRulesArgs,
  type GetSignalingsArgs,
  getMarks,
  getMarksOutput,
  getPrefixSet,
  getPrefixSetOutput,
  getProfiles,
  getProfilesOutput,
  getRules,
  getRulesOutput,
  getSignalings,
  getSignalingsOutput,
} from "./pulumi/read-functions";
export type {
  AnswersArgs,
  EntriesInput,
  EntryArgs,
  NodeArgs,
  NodeInput,
  PrefixInput,
  ReceiverArgs,
  ReceiverInput,
  TlsArgs,
} from "./pulumi/types";
export { ConfigError } from "./settings/settings";
