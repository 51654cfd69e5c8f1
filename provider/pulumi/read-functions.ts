import * as pulumi from "@pulumi/pulumi";
import { connectionKey } from "../client/credentials";
import type { NodeClient } from "../client/node-client";
import { DEFAULTS } from "../client/options";
import type { ListedValue } from "../model/entry";
import type { Mark, MarkType, Profile, Rule } from "../model/mark";
import { programSettings } from "./settings";
import { SharedMarks } from "./shared-marks";
import type { NodeArgs, NodeInput, ReceiverArgs, ReceiverInput } from "./types";

/** A node as a plain value: a name in the configuration, or the node itself. */
export type PlainNode = string | pulumi.Unwrap<NodeArgs>;

/** A receiver as a plain value. */
export type PlainReceiver = string | pulumi.Unwrap<ReceiverArgs>;

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
  /** Which table: `shost`, `dhost`, `sdhost` or `conn` (docs/contract.md#mark-types). */
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

const sharedMarks = new SharedMarks();

/**
 * Lists the profiles of an arena. Runs in the program, in previews too.
 *
 * @throws {RequestError} when the node does not answer as the contract says.
 * @example
 * ```ts
 * const profiles = await getProfiles({ arena: "edge" });
 * ```
 */
export function getProfiles(args: GetProfilesArgs): Promise<Profile[]> {
  return withNode(args.node, (node) => node.listProfiles(args.arena));
}

/**
 * Lists the rules of a profile. @throws {RequestError}
 *
 * @example
 * ```ts
 * const rules = await getRules({ arena: "edge", profile: "web" });
 * ```
 */
export function getRules(args: GetRulesArgs): Promise<Rule[]> {
  return withNode(args.node, (node) => node.listRules(args.arena, args.profile));
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
  const { arena, profile, type, userArena } = args;
  const { options } = programSettings().node(args.node);
  const key = JSON.stringify([arena, profile, type, userArena, connectionKey(options)]);
  const call = userArena === undefined ? {} : { userArena };
  return sharedMarks.read(key, options.markPauseMs ?? DEFAULTS.markPauseMs, () =>
    withNode(args.node, (node) => node.listMarks(arena, profile, type, call)),
  );
}

/**
 * Lists a prefix-set: canonical prefix to value. A value that others wrote may be none that an entry can be given here (a
 * fraction, a text); it comes as the node lists it.
 *
 * @throws {RequestError}
 * @example
 * ```ts
 * const held = await getPrefixSet({ arena: "edge", set: "blocked" });   // canonical prefix to value
 * ```
 */
export function getPrefixSet(args: GetPrefixSetArgs): Promise<Record<string, ListedValue>> {
  const { arena, profile, set } = args;
  const url = { kind: "prefixset" as const, arena, set, ...(profile === undefined ? {} : { profile }) };
  return withNode(args.node, async (node) => {
    const list = await node.listPrefixSet(url);
    return Object.fromEntries(list.map(({ prefix, value }) => [prefix.toString(), value]));
  });
}

/**
 * Lists the prefixes with active signaling, canonical. @throws {RequestError}
 *
 * @example
 * ```ts
 * const active = await getSignalings();
 * ```
 */
export async function getSignalings(args: GetSignalingsArgs = {}): Promise<string[]> {
  const { SignalingClient } = await import("../client/signaling-client.js");
  const client = new SignalingClient(programSettings().receiver(args.receiver).options);
  try {
    return (await client.status()).map(String);
  } finally {
    await client.close();
  }
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

function lifted<A, R>(args: WithInputs<A>, read: (args: A) => Promise<R>): pulumi.Output<R> {
  return pulumi.output(args).apply((known) => read(known as A)) as pulumi.Output<R>;
}

async function withNode<R>(node: PlainNode | undefined, read: (client: NodeClient) => Promise<R>): Promise<R> {
  // Loaded here, since most programs read nothing.
  const { NodeClient } = await import("../client/node-client.js");
  const client = new NodeClient(programSettings().node(node).options);
  try {
    return await read(client);
  } finally {
    await client.close();
  }
}
