import * as pulumi from "@pulumi/pulumi";
import type { ListedValue } from "../model/entry";
import type { Mark, MarkType, Profile, Rule } from "../model/mark";
import { programSettings } from "./settings";
import type { NodeArgs, NodeInput, ReceiverArgs, ReceiverInput } from "./types";

/** A node as a plain value: a name in the configuration, or the node itself. */
type PlainNode = string | pulumi.Unwrap<NodeArgs>;

/** A receiver as a plain value. */
type PlainReceiver = string | pulumi.Unwrap<ReceiverArgs>;

/** Arguments of {@link getProfiles}. */
export interface GetProfilesArgs {
  /** The arena. */
  arena: string;
  /** Default: the node of the configuration or of the environment. */
  node?: PlainNode;
}

/** Arguments of {@link getRules}. */
export interface GetRulesArgs extends GetProfilesArgs {
  /** The profile. */
  profile: string;
}

/** Arguments of {@link getMarks}. */
export interface GetMarksArgs extends GetRulesArgs {
  /** Which table: `shost`, `dhost`, `sdhost` or `conn` (docs/contributing/contract.md#mark-types). */
  type: MarkType;
  /** Value of the header `User-Arena`; default: the arena. */
  userArena?: string;
}

/** Arguments of {@link getPrefixSet}. */
export interface GetPrefixSetArgs extends GetProfilesArgs {
  /** Profile of a local set. */
  profile?: string;
  /** The set. */
  set: string;
}

/** Arguments of {@link getSignalings}. */
export interface GetSignalingsArgs {
  /** Default: the receiver of the configuration or of the environment. */
  receiver?: PlainReceiver;
}

/** The same arguments with Inputs in place of plain values. */
export type WithInputs<T> = {
  [K in keyof T]: K extends "node" ? NodeInput : K extends "receiver" ? ReceiverInput : pulumi.Input<T[K]>;
};

/**
 * Lists the profiles of an arena, in previews too.
 *
 * @throws {RequestError} when the node does not answer as the contract says.
 * @example
 * ```ts
 * const profiles = await getProfiles({ arena: "edge" });
 * ```
 */
export async function getProfiles(args: GetProfilesArgs): Promise<Profile[]> {
  return (await reading()).getProfiles(programSettings(), args);
}

/**
 * Lists the rules of a profile.
 *
 * @throws {RequestError} when the node does not answer as the contract says.
 * @example
 * ```ts
 * const rules = await getRules({ arena: "edge", profile: "web" });
 * ```
 */
export async function getRules(args: GetRulesArgs): Promise<Rule[]> {
  return (await reading()).getRules(programSettings(), args);
}

/**
 * Lists a mark table of a profile. Calls for one table share an answer while it is under way and for the node's
 * `markPauseMs` after it, however the node is named; a table that was listed otherwise waits for its pause.
 *
 * @throws {RequestError} when the node does not answer as the contract says.
 * @example
 * ```ts
 * const sources = await getMarks({ arena: "edge", profile: "web", type: "shost" });
 * ```
 */
export async function getMarks(args: GetMarksArgs): Promise<Mark[]> {
  return (await reading()).getMarks(programSettings(), args);
}

/**
 * Lists a prefix-set: canonical prefix to value. A value that others wrote may be none that an entry can be given here (a
 * fraction, a text); it comes as the node lists it.
 *
 * @throws {RequestError} when the node does not answer as the contract says, or lists a prefix with two values.
 * @example
 * ```ts
 * const held = await getPrefixSet({ arena: "edge", set: "blocked" });   // canonical prefix to value
 * ```
 */
export async function getPrefixSet(args: GetPrefixSetArgs): Promise<Record<string, ListedValue>> {
  return (await reading()).getPrefixSet(programSettings(), args);
}

/**
 * Lists the prefixes with active signaling, canonical.
 *
 * @throws {RequestError} when the receiver does not answer as the contract says.
 * @example
 * ```ts
 * const active = await getSignalings();
 * ```
 */
export async function getSignalings(args: GetSignalingsArgs = {}): Promise<string[]> {
  return (await reading()).getSignalings(programSettings(), args);
}

/**
 * {@link getProfiles} with Inputs.
 *
 * @example
 * ```ts
 * const profiles = getProfilesOutput({ arena: other.getOutput("arena") });
 * ```
 */
export function getProfilesOutput(args: WithInputs<GetProfilesArgs>): pulumi.Output<Profile[]> {
  return lifted(args, getProfiles);
}

/**
 * {@link getRules} with Inputs.
 *
 * @example
 * ```ts
 * const rules = getRulesOutput({ arena: "edge", profile: other.getOutput("profile") });
 * ```
 */
export function getRulesOutput(args: WithInputs<GetRulesArgs>): pulumi.Output<Rule[]> {
  return lifted(args, getRules);
}

/**
 * {@link getMarks} with Inputs.
 *
 * @example
 * ```ts
 * const marks = getMarksOutput({ arena: "edge", profile: other.getOutput("profile"), type: "shost" });
 * ```
 */
export function getMarksOutput(args: WithInputs<GetMarksArgs>): pulumi.Output<Mark[]> {
  return lifted(args, getMarks);
}

/**
 * {@link getPrefixSet} with Inputs.
 *
 * @example
 * ```ts
 * const held = getPrefixSetOutput({ arena: blocked.arena, set: blocked.set });
 * ```
 */
export function getPrefixSetOutput(args: WithInputs<GetPrefixSetArgs>): pulumi.Output<Record<string, ListedValue>> {
  return lifted(args, getPrefixSet);
}

/**
 * {@link getSignalings} with Inputs.
 *
 * @example
 * ```ts
 * const active = getSignalingsOutput({ receiver: config.require("receiver") });
 * ```
 */
export function getSignalingsOutput(args: WithInputs<GetSignalingsArgs> = {}): pulumi.Output<string[]> {
  return lifted(args, getSignalings);
}

/** Loaded when it is called, since most programs read nothing. */
const reading = () => import("../settings/read-functions.js");

function lifted<A, R>(args: WithInputs<A>, read: (args: A) => Promise<R>): pulumi.Output<R> {
  return pulumi.output(args).apply((known) => read(known as A)) as pulumi.Output<R>;
}
