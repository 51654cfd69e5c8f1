// What a program says to a node and a receiver, right and wrong. The compiler is the test.
import {
  type Answers,
  type CallOptions,
  type CanonicalPrefix,
  DEFAULTS,
  type EntriesOf,
  type EntryLike,
  formatUrl,
  type HostBits,
  type ListedEntry,
  type ListKind,
  type Member,
  NodeClient,
  type NodeOptions,
  OptionsError,
  type Outcome,
  Prefix,
  PrefixError,
  type PrefixLike,
  type PrefixProblem,
  type PrefixSetUrl,
  parseUrl,
  type ReceiverAnswers,
  type ReceiverOptions,
  RequestError,
  type ResourceUrl,
  SignalingClient,
  SignalingIncomplete,
  type SignalingRefusal,
  type SignalingTruth,
  type TlsOptions,
  type World,
} from "../../../provider/client";

const one = Prefix.parse("192.0.2.1/24", { hostBits: "mask" });
// @ts-expect-error prefixes are made by reading texts
export const made = new Prefix("192.0.2.0/24");
// @ts-expect-error a prefix does not change
one.length = 25;
export const canonical: CanonicalPrefix = Prefix.canonical("192.0.2.7");
// @ts-expect-error not every text is canonical
export const notCanonical: CanonicalPrefix = "192.0.2.7";
export const hostBits: HostBits = "reject";
// @ts-expect-error one of two words
export const noHostBits: HostBits = "keep";
export const likes: PrefixLike[] = [one, canonical, "192.0.2.7"];
// @ts-expect-error a number is no prefix
likes.push(1);
export const entryLike: EntryLike<{ readonly value: number }> = { prefix: one, value: 1 };
// @ts-expect-error its value is missing
export const noEntryLike: EntryLike<{ readonly value: number }> = { prefix: one };
export const given: EntriesOf<{ readonly value?: number }>[] = [likes, { "192.0.2.7": 1 }, [[one, { value: 2 }]]];
// @ts-expect-error a text is no list
given.push("192.0.2.7");

export const addresses: ResourceUrl[] = [
  { kind: "arena", arena: "edge" },
  { kind: "profile", arena: "edge", profile: "web" },
  { kind: "mark", arena: "edge", profile: "web" },
];
// @ts-expect-error an arena has no set
addresses.push({ kind: "arena", arena: "edge", set: "blocked" });
// @ts-expect-error a table of marks belongs to a profile
addresses.push({ kind: "mark", arena: "edge" });
export const set: PrefixSetUrl = { kind: "prefixset", arena: "edge", set: "blocked" };
export const url: ResourceUrl = parseUrl("prefixset://edge/blocked");
// @ts-expect-error a set has a name
export const noSet: PrefixSetUrl = { kind: "prefixset", arena: "edge" };
// @ts-expect-error an address is no text here
formatUrl("prefixset://edge/blocked");
// @ts-expect-error any address may be none of a set
export const anySet: PrefixSetUrl = { ...url };

export const tls: TlsOptions = { ca: "-----BEGIN CERTIFICATE-----" };
// @ts-expect-error whether a certificate is looked at is no setting
export const noTls: TlsOptions = { rejectUnauthorized: false };
export const answers: Answers = {
  format: { marks: "csv" },
  names: { value: "weight" },
  success: { member: "ok", values: [true] },
};
// @ts-expect-error there is no such format
export const noAnswers: Answers = { format: "xml" };
export const receiverAnswers: ReceiverAnswers = { empty: 404 };
// @ts-expect-error a member of a node's answers
export const noReceiverAnswers: ReceiverAnswers = { absent: "empty" };
export const kind: ListKind = "prefixset";
// @ts-expect-error a list of sets does not exist
export const noKind: ListKind = "sets";
export const member: Member = "prefixLength";
// @ts-expect-error one of the names that answers have
export const noMember: Member = "size";
export const options: NodeOptions = { endpoint: "http://192.0.2.10", tls, answers, timeoutMs: DEFAULTS.timeoutMs };
// @ts-expect-error an unknown member
export const noOptions: NodeOptions = { endpoint: "http://192.0.2.10", absentSet: "empty" };
export const receiver: ReceiverOptions = { url: "http://192.0.2.20", clientId: "client-a", secretKey: "key-a" };
// @ts-expect-error a receiver has a url
export const noReceiver: ReceiverOptions = { endpoint: "http://192.0.2.20", clientId: "client-a", secretKey: "key-a" };
export const world: Partial<World> = { random: () => 0.5 };
// @ts-expect-error a number from 0 up to 1
export const noWorld: Partial<World> = { random: () => "0.5" };
export const call: CallOptions = { signal: AbortSignal.timeout(1_000) };
// @ts-expect-error times stand in the options of the client
export const noCall: CallOptions = { timeoutMs: 1_000 };

export async function use(): Promise<void> {
  const client = new NodeClient(options, world);
  // @ts-expect-error an address alone is no node
  new NodeClient("http://192.0.2.10");
  const listed: ListedEntry[] = await client.listPrefixSet(set, call);
  await client.insert(set, listed);
  await client.insert(set, new Map([[one, 2]]));
  await client.insert(set, likes);
  // @ts-expect-error one prefix is no list
  await client.insert(set, one);
  // @ts-expect-error a set is named by its parts
  await client.insert("prefixset://edge/blocked", listed);
  await client.delete(set, listed);
  // @ts-expect-error a record is no list
  await client.delete(set, { "192.0.2.7": 1 });
  // @ts-expect-error there is no such table
  await client.listMarks("edge", "web", "host");
  // @ts-expect-error what an entry is of
  listed[0]?.address;
  const signaling = new SignalingClient(receiver);
  const { started, unseen } = await signaling.ensureActive(await signaling.status());
  await signaling.ensureInactive(["198.51.100.7"], { started });
  // @ts-expect-error a text is no list
  await signaling.start("198.51.100.7");
  // @ts-expect-error what is started is not stopped
  (await signaling.ensureActive([])).stopped;
  if (unseen) throw unseen;
}

export function told(error: unknown): string | undefined {
  if (error instanceof OptionsError) return error.message;
  if (error instanceof PrefixError) {
    const problem: PrefixProblem = error.problem;
    // @ts-expect-error one of some words
    const wrong: PrefixProblem = "wrong";
    return problem ?? wrong;
  }
  if (error instanceof RequestError) {
    const outcome: Outcome = error.outcome;
    // @ts-expect-error it was refused, not sent, or is unknown
    return outcome === "done" ? undefined : outcome;
  }
  if (error instanceof SignalingIncomplete) {
    const truth: SignalingTruth = error;
    // @ts-expect-error it has no status of its own
    return truth.verified ? error.state : undefined;
  }
  const refusal: SignalingRefusal = "already-active";
  // @ts-expect-error one of some words
  const noRefusal: SignalingRefusal = "busy";
  return refusal ?? noRefusal;
}
