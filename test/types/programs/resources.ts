// What a Pulumi program says, right and wrong. The compiler is the test: `npm run check` reads it, nothing runs it.
import * as pulumi from "@pulumi/pulumi";
import { NodeClient, Prefix, type PrefixSetUrl } from "../../../provider/client";
import {
  type AnswersArgs,
  CloudSignaling,
  type CloudSignalingArgs,
  ConfigError,
  type EntriesInput,
  type EntryArgs,
  type GetMarksArgs,
  type GetPrefixSetArgs,
  type GetProfilesArgs,
  type GetRulesArgs,
  type GetSignalingsArgs,
  type GroupNode,
  type GroupNodeArgs,
  type GroupNodesInput,
  getMarks,
  getPrefixSet,
  getPrefixSetOutput,
  getProfiles,
  getSignalings,
  type ListedValue,
  type Mark,
  type MarkType,
  type NodeArgs,
  type NodeInput,
  PacketFilterError,
  type PrefixInput,
  PrefixSet,
  type PrefixSetArgs,
  PrefixSetEntry,
  type PrefixSetEntryArgs,
  PrefixSetGroup,
  type PrefixSetGroupArgs,
  type Profile,
  Provider,
  type ProviderArgs,
  type ReceiverArgs,
  type ReceiverInput,
  RequestError,
  type Rollout,
  type RolloutArgs,
  type RolloutCheck,
  type Rule,
  readPrefixFile,
  SignalingRefused,
  type TlsArgs,
  UnexpectedResponse,
  type WaveSize,
  type Waves,
} from "../../../provider/index";

const config = new pulumi.Config();
const token = config.requireSecret("token");
const place = { arena: "edge", set: "blocked" };
const one = Prefix.parse("192.0.2.0/24");

// Prefixes and entries, in all forms.
export const prefixes: PrefixInput[] = ["192.0.2.7", one, pulumi.output("192.0.2.0/24"), Promise.resolve(one)];
// @ts-expect-error a number is no prefix
prefixes.push(7);

export const entries: EntriesInput[] = [
  ["192.0.2.7", one],
  {
    "192.0.2.0/24": 1,
    "203.0.113.7": { value: 2, reason: "SYN flood", expires: pulumi.output("2030-01-31T18:00:00Z") },
  },
  new Map([[one, 3]]),
  new Map([["192.0.2.0/24", { value: 3, ticket: "INC-4711" }]]),
  new Set(["192.0.2.7"]),
  [["192.0.2.0/24", 1]],
  [{ prefix: one, value: 7 }],
  getPrefixSet(place),
  getPrefixSetOutput(place),
  readPrefixFile("blocked.txt"),
  pulumi.secret(["192.0.2.7"]),
];
// @ts-expect-error a text is no list
entries.push("192.0.2.0/24");
// @ts-expect-error a misspelt note
entries.push([{ prefix: "192.0.2.0/24", reasons: "SYN flood" }]);
// @ts-expect-error an Output loses a Map
entries.push(pulumi.output(new Map([["192.0.2.0/24", 1]])));

export const entry: EntryArgs = { value: 1, reason: token, ticket: "INC-4711" };
// @ts-expect-error a time is a text
entry.expires = 1_900_000_000;

// Resources and what they have as outputs.
const setArgs: PrefixSetArgs = {
  ...place,
  entries: ["192.0.2.7"],
  exclusive: false,
  shortestPrefix: { ipv4: 8 },
  maxRemovals: "10%",
};
const blocked = new PrefixSet("blocked", setArgs, { protect: true });
export const count: pulumi.Output<number> = blocked.count;
export const held: pulumi.Output<Record<string, number>> = blocked.entries;
// @ts-expect-error there is no such argument
setArgs.maxRemoval = 3;
// @ts-expect-error one of two words
setArgs.onExisting = "replace";
// @ts-expect-error a family has four letters
setArgs.shortestPrefix = { v4: 8 };
// @ts-expect-error the arena is missing
new PrefixSet("nowhere", { set: "blocked", entries: [] });
// @ts-expect-error an output is read
blocked.count = pulumi.output(1);

const entryArgs: PrefixSetEntryArgs = { ...place, prefix: one, onDestroy: "created" };
export const scanner = new PrefixSetEntry("scanner", entryArgs);
export const canonical: pulumi.Output<string> = scanner.prefix;
// @ts-expect-error what a set does is nothing for an entry
entryArgs.onDestroy = "clear";

const signalingArgs: CloudSignalingArgs = { prefixes: [one, "198.51.100.7"], stops: "all" };
export const signaling = new CloudSignaling("attack", signalingArgs);
export const receiverOf: pulumi.Output<pulumi.Unwrap<ReceiverInput> | undefined> = signaling.receiver;
// @ts-expect-error prefixes are a list
signalingArgs.prefixes = "198.51.100.7";

// A node as it was given is what an output is typed as.
export const nodeOf: pulumi.Output<string | undefined> = blocked.node.apply((node) =>
  typeof node === "string" ? node : node?.endpoint,
);
// @ts-expect-error it may be the name of one
export const timeout = blocked.node.apply((node) => node?.timeoutMs);

// Many nodes.
const own: GroupNodeArgs = { entries: { "203.0.113.9": 2 }, maxRemovals: 3 };
// @ts-expect-error the wave of a node stands in `rollout`
own.wave = 1;
export const nodes: GroupNodesInput[] = [["fra1", "ams1"], { fra1: {}, ams1: own }];
// @ts-expect-error a name is a text
nodes.push([1]);
const check: RolloutCheck = { url: "https://health.example/{node}", headers: { authorization: token } };
// @ts-expect-error a program and its arguments
check.command = "./healthy.sh";
export const size: WaveSize = "20%";
// @ts-expect-error a percentage has its sign
export const noSize: WaveSize = "20";
export const waves: Waves[] = [[["lab1"], 5, size], { canary: ["lab1"], size: 10 }];
// @ts-expect-error names are a list
waves.push({ canary: "lab1" });
const rollout: RolloutArgs = { waves: [["lab1"], "50%"], pauseMs: 1_000, check };
// @ts-expect-error milliseconds are a number
rollout.pauseMs = "1s";
const groupArgs: PrefixSetGroupArgs = { ...place, entries: ["192.0.2.7"], nodes: ["fra1"], rollout };
// @ts-expect-error a group has nodes
groupArgs.node = "fra1";
const group = new PrefixSetGroup("all", groupArgs);
export const red: pulumi.Output<Rollout | undefined> = group.rollout;
export const different: pulumi.Output<GroupNode | undefined> = group.nodes.apply(({ fra1 }) => fra1);
// @ts-expect-error its nodes have endpoints
export const endpoint = group.endpoint;

// Connections.
const tls: TlsArgs = { ca: token, serverName: "fra1.example.net" };
// @ts-expect-error a certificate is a text
export const noTls: TlsArgs = { ca: true };
const answers: AnswersArgs = { path: { prefixset: "payload.rows" }, absent: "empty" };
// @ts-expect-error there is no such kind of list
export const noAnswers: AnswersArgs = { path: { sets: "payload.rows" } };
const node: NodeArgs = { endpoint: "https://192.0.2.10", headers: { authorization: token }, tls, answers };
// @ts-expect-error its address is missing
export const noNode: NodeArgs = { timeoutMs: 5_000 };
export const nodeInputs: NodeInput[] = ["fra1", node, pulumi.output("fra1")];
// @ts-expect-error a misspelt member
nodeInputs.push({ endpoint: "https://192.0.2.10", timeout: 5_000 });
const receiver: ReceiverArgs = { url: "https://signal.example.net", clientId: "client-a", secretKey: token };
// @ts-expect-error its secret is missing
export const noReceiver: ReceiverArgs = { url: "https://signal.example.net", clientId: "client-a" };
export const receiverInputs: ReceiverInput[] = ["main", receiver];
// @ts-expect-error a number is no name
receiverInputs.push(1);
const providerArgs: ProviderArgs = {
  endpoint: "https://192.0.2.10",
  node: { timeoutMs: 5_000 },
  nodes: { fra1: node },
  detectDrift: "off",
};
export const eu = new Provider("eu", providerArgs);
// @ts-expect-error an unknown member
providerArgs.node = { maxTries: 5 };
// @ts-expect-error a member of nodes
providerArgs.receiver = { markPauseMs: 3_000 };
// @ts-expect-error one of three words
providerArgs.detectDrift = "always";

// Read functions.
const inArena: GetProfilesArgs = { arena: "edge" };
const inProfile: GetRulesArgs = { ...inArena, profile: "web" };
export const marksArgs: GetMarksArgs = { ...inProfile, type: "shost" };
// @ts-expect-error there is no such table
marksArgs.type = "host";
export const setOf: GetPrefixSetArgs = { arena: "edge", set: "blocked", node: "fra1" };
// @ts-expect-error the set is missing
export const noSet: GetPrefixSetArgs = inArena;
// @ts-expect-error the profile is missing
export const noRules: GetRulesArgs = inArena;
// @ts-expect-error an arena has no number
export const noProfiles: GetProfilesArgs = { arena: 1 };
export const signalingsArgs: GetSignalingsArgs = { receiver: "main" };
// @ts-expect-error a read function wants plain values
signalingsArgs.receiver = pulumi.output("main");
// @ts-expect-error signalings have a receiver
signalingsArgs.node = "fra1";

export async function read(): Promise<[Profile[], Mark[], Rule[], MarkType]> {
  const client = new NodeClient({ endpoint: "https://192.0.2.10" });
  const url: PrefixSetUrl = { kind: "prefixset", ...place };
  const listed = await client.listPrefixSet(url);
  new PrefixSet("copy", { ...place, entries: listed });
  new CloudSignaling("again", { prefixes: await getSignalings() });
  const value: ListedValue | undefined = (await getPrefixSet(place))["192.0.2.0/24"];
  // @ts-expect-error some nodes list texts
  const number: number | undefined = value;
  const profiles = await getProfiles(inArena);
  // @ts-expect-error a profile has a name
  profiles[0]?.names;
  const marks = await getMarks({ ...inProfile, type: "shost" });
  // @ts-expect-error a mark has an address
  marks[0]?.host;
  const rules = await client.listRules("edge", "web");
  // @ts-expect-error what a rule does is not told
  rules[0]?.actions;
  return [profiles, marks, rules, number === undefined ? "shost" : "conn"];
}

// Errors.
export function told(error: unknown): string {
  if (error instanceof RequestError) return `${error.outcome} ${error.status}`;
  if (error instanceof SignalingRefused) return error.reason;
  if (error instanceof UnexpectedResponse) return error.message;
  if (error instanceof ConfigError) return error.message;
  // @ts-expect-error only a request has a status
  if (error instanceof PacketFilterError) return error.status;
  throw error;
}
