/**
 * Clients of the two HTTP APIs, without Pulumi: `pulumi-packetfilter/client`.
 *
 * @packageDocumentation
 */

export type { ListedValue } from "../model/entry";
export { PacketFilterError } from "../model/errors";
export type { EntriesOf, EntryLike, PrefixLike } from "../model/given-entries";
export type { Mark, MarkType, Profile, Rule } from "../model/mark";
export { MARK_TYPES } from "../model/mark";
export type { CanonicalPrefix, HostBits, PrefixProblem } from "../model/prefix";
export { Prefix, PrefixError } from "../model/prefix";
export type { PrefixSetUrl, ResourceUrl } from "../model/resource-url";
export { formatUrl, parseUrl } from "../model/resource-url";
export type { Answers, ListKind, Member, ReceiverAnswers } from "../wire/answers";
export type { SignalingRefusal } from "../wire/signaling";
export type { Outcome, SignalingTruth } from "./errors";
export {
  OptionsError,
  RequestError,
  SignalingIncomplete,
  SignalingRefused,
  UnexpectedResponse,
} from "./errors";
export type { CallOptions, ListedEntry } from "./node-client";
export { NodeClient } from "./node-client";
export type { NodeOptions, ReceiverOptions, TlsOptions } from "./options";
export { DEFAULTS } from "./options";
export { SignalingClient } from "./signaling-client";
export type { World } from "./world";
