// What a test says to an emulator, right and wrong. The compiler is the test.
import { Prefix } from "../../../provider/client";
import {
  type ActiveFault,
  type ClientTls,
  type CommitRecord,
  type ConnectOptions,
  connectEmulator,
  DIALECTS,
  type Dialect,
  type DialectName,
  type DialectSettings,
  type Duration,
  dialect,
  type Emulator,
  type EmulatorFixtures,
  type EmulatorInfo,
  type EmulatorOptions,
  type EmulatorState,
  ExpectationError,
  emulatorFixtures,
  type Fault,
  type FaultKind,
  type FixtureOptions,
  type Har,
  type IsolatedOptions,
  type JournalEntry,
  type JournalFilter,
  type MarkQuery,
  type MarkRecord,
  type MarkRecords,
  type NodeAuth,
  type Packet,
  type PrefixSetContent,
  type ProgramOptions,
  type RemoteEmulator,
  type RequestCount,
  type RuleSpec,
  type Run,
  type RunningProgram,
  runProgram,
  StateError,
  type SwitchName,
  startEmulator,
  synFlood,
  type TrafficOptions,
  type TrafficRequest,
  type TrafficSource,
  type TrafficSummary,
  UnknownResource,
  type UnmetFault,
  UnmetFaultError,
  type Verdict,
  type VirtualClock,
  type Wall,
} from "../../../provider/emulator";

// Dialects and faults.
export const settings: DialectSettings = { listShows: "staged", commitDelay: 200, prefixKey: "net.cidr" };
// @ts-expect-error there is no such switch
export const noSettings: DialectSettings = { listShow: "staged" };
// @ts-expect-error one of its words
export const noWord: DialectSettings = { listShows: "both" };
export const whole: Dialect = dialect("seed:42");
// @ts-expect-error a dialect does not change
whole.listShows = "staged";
export const names: DialectName[] = ["strict", "seed:7"];
// @ts-expect-error there is no such dialect
names.push("stricter");
export const verbose: DialectSettings = DIALECTS.verbose;
// @ts-expect-error nor here
DIALECTS.stricter;
export const prefixKey: string | undefined = DIALECTS.default.prefixKey;
export const name: SwitchName = "listEnvelope";
// @ts-expect-error a switch by its name
export const noName: SwitchName = "envelope";
export const kind: FaultKind = "lost-answer";
// @ts-expect-error one of the kinds
export const noKind: FaultKind = "lost";
export const faults: Fault[] = [
  { cmd: "commit", status: 503 },
  { rate: 0.1, seed: 42, kind: "reset" },
  { delay: "1s", kind },
];
// @ts-expect-error a misspelt member
faults.push({ command: "commit" });
// @ts-expect-error a status is a number
faults.push({ status: "503" });

// What it holds.
export const rule: RuleSpec = {
  id: 70_001,
  match: [{ protocol: "tcp", flags: { set: ["syn"] } }, { not: { set: { name: "partners", value: { ge: 2 } } } }],
  actions: [{ hmark: { add: 1, lifetime: 3_600 } }, "drop"],
};
// @ts-expect-error there is no such action
export const noRule: RuleSpec = { actions: ["reject"] };
// @ts-expect-error a flag by its name
export const noFlag: RuleSpec = { match: [{ flags: { set: ["SYN"] } }] };
export const marks: MarkRecords = {
  conn: [{ source: "203.0.113.9", destination: "198.51.100.7", protocol: "tcp", id: 1 }],
};
// @ts-expect-error a record has an id
export const noMarks: MarkRecords = { shost: [{ address: "203.0.113.9" }] };
export const state: EmulatorState = {
  arenas: { edge: { sets: { blocked: { "192.0.2.0/24": 1 } }, profiles: { web: { rules: [rule], marks } } } },
  signaling: { clients: [{ clientId: "client-a", secretKey: "key-a", prefixes: ["198.51.100.0/24"] }] },
};
// @ts-expect-error what a file holds has values
export const noState: EmulatorState = { arenas: { edge: { sets: { blocked: ["192.0.2.0/24"] } } } };

// How it starts.
export const auth: NodeAuth = { basic: { user: "operator", password: "password" } };
// @ts-expect-error a password is missing
export const noAuth: NodeAuth = { basic: { user: "operator" } };
export const spans: Duration[] = ["1.5s", 200];
// @ts-expect-error a number or a text
spans.push({ seconds: 1 });
export const wall: Partial<Wall> = { now: () => 0 };
// @ts-expect-error its time is a number
export const noWall: Partial<Wall> = { now: () => "now" };
export const options: EmulatorOptions = {
  state,
  dialect: settings,
  auth,
  tls: { cert: "-----BEGIN CERTIFICATE-----", key: "-----BEGIN PRIVATE KEY-----" },
  latency: "5ms..40ms",
  replay: "record.ndjson",
};
// @ts-expect-error a misspelt option
export const noOptions: EmulatorOptions = { controlport: 9_180 };
export const isolated: IsolatedOptions = { label: "file-7", state };
// @ts-expect-error it has a label
export const noIsolated: IsolatedOptions = { seed: 7 };
export const connect: ConnectOptions = { token: "a-token-of-16-letters" };
// @ts-expect-error a misspelt option
export const noConnect: ConnectOptions = { tokn: "a-token-of-16-letters" };

// What it is asked and tells.
export const filter: JournalFilter = { cmd: "commit", contains: Prefix.parse("192.0.2.7"), run: "file-7" };
// @ts-expect-error there is no such command
export const noFilter: JournalFilter = { cmd: "apply" };
export const counts: RequestCount[] = [1, { min: 1, max: 2 }];
// @ts-expect-error a misspelt bound
counts.push({ atLeast: 1 });
export const query: MarkQuery = { id: 110, contains: "203.0.113.0/24", limit: 10 };
// @ts-expect-error of one table by its type
export const noQuery: MarkQuery = { type: "shost" };
export const packet: Packet = { from: "203.0.113.9", to: "198.51.100.7", proto: "tcp", flags: ["syn"] };
// @ts-expect-error it goes somewhere
export const noPacket: Packet = { from: "203.0.113.9", proto: "tcp" };
export const traffic: TrafficOptions = { to: ["198.51.100.7", Prefix.parse("198.51.100.0/28")], seed: 7 };
// @ts-expect-error recipients are a list
export const noTraffic: TrafficOptions = { to: "198.51.100.7" };
export const request: TrafficRequest = { kind: "synFlood", to: ["198.51.100.7"], count: 10 };
// @ts-expect-error there is no such kind
export const noRequest: TrafficRequest = { kind: "flood", to: ["198.51.100.7"], count: 10 };
export const source: TrafficSource = synFlood({ ...traffic, dport: 80 });
// @ts-expect-error a port is a number
synFlood({ ...traffic, dport: "http" });

export async function ask(emulator: Emulator): Promise<unknown[]> {
  const content: PrefixSetContent = emulator.prefixSet("prefixset://edge/blocked");
  emulator.change("prefixset://edge/blocked", {
    insert: [Prefix.parse("192.0.2.7")],
    delete: Object.keys(content.applied),
  });
  // @ts-expect-error a value is a number
  emulator.change("prefixset://edge/blocked", { insert: [["192.0.2.7", true]] });
  // @ts-expect-error what is staged is told, not what is wanted
  content.wanted;
  emulator.signal("client-a", { start: new Set(["198.51.100.7"]) });
  // @ts-expect-error a text is no list
  emulator.signal("client-a", { stop: "198.51.100.7" });
  const active: ActiveFault = emulator.fail(faults[0] as Fault);
  // @ts-expect-error its hits are counted
  active.hits = 0;
  const unmet: readonly UnmetFault[] = emulator.unmetFaults();
  // @ts-expect-error why is told in words
  const code: number = unmet[0]?.reason;
  const entries: readonly JournalEntry[] = emulator.requests(filter, { since: 3, limit: 1 });
  const commit: CommitRecord | undefined = entries[0]?.commit;
  // @ts-expect-error a commit has no author
  commit?.author;
  // @ts-expect-error a number of entries
  emulator.requests(filter, { limit: "all" });
  // @ts-expect-error a span
  await emulator.waitForRequest(filter, { within: true });
  // @ts-expect-error one of four
  const isReceiver = entries[0]?.api === "receiver";
  const runs: readonly Run[] = emulator.runs;
  // @ts-expect-error a run has commits
  runs[0]?.flushes;
  const archive: Har = emulator.har();
  // @ts-expect-error it is of one version
  const version: "1.1" = archive.log.version;
  const info: EmulatorInfo = emulator.info();
  // @ts-expect-error a client has a secret key
  info.clients[0]?.secret;
  // @ts-expect-error where it listens is told
  info.port = 9_180;
  const tls: ClientTls | undefined = emulator.tls;
  // @ts-expect-error a client that trusts it needs its authority
  tls?.authority;
  const clock: VirtualClock = emulator.clock;
  clock.advance("1h");
  // @ts-expect-error time goes on
  clock.rewind("1h");
  const verdicts: readonly Verdict[] = emulator.receive([packet]);
  // @ts-expect-error a verdict is one of two words
  const rejected = verdicts[0]?.verdict === "reject";
  const summary: TrafficSummary = await emulator.receiveTraffic(source, 100, { signal: AbortSignal.timeout(1_000) });
  // @ts-expect-error packets that went through are accepted
  summary.passed;
  // @ts-expect-error what was recorded is answered by the option of this name
  emulator.replay(source, 100);
  const records: readonly MarkRecord[] = emulator.marks("profile://edge/web", "shost", query);
  // @ts-expect-error a record has no host
  records[0]?.host;
  return [code, isReceiver, version, rejected];
}

export async function far(): Promise<void> {
  const remote: RemoteEmulator = await connectEmulator("http://127.0.0.1:9180", connect);
  // @ts-expect-error from afar it is a promise
  remote.prefixSet("prefixset://edge/blocked").applied;
  const fixtureOptions: FixtureOptions = { reset: false };
  // @ts-expect-error a misspelt option
  fixtureOptions.resets = false;
  const fixtures: EmulatorFixtures<RemoteEmulator> = emulatorFixtures(remote, fixtureOptions);
  // @ts-expect-error there are two of them
  fixtures.node;
  const programOptions: ProgramOptions = { workDir: "infrastructure", config: { "packetfilter:maxRemovals": 5 } };
  // @ts-expect-error its folder is missing
  const noProgram: ProgramOptions = { stack: "test" };
  await using program: RunningProgram = await runProgram(await startEmulator(options), programOptions ?? noProgram);
  await program.preview({ expectNoChanges: true });
  // @ts-expect-error nothing is imported
  await program.import();
}

export function told(error: unknown): string {
  if (error instanceof ExpectationError || error instanceof UnknownResource) return error.message;
  if (error instanceof StateError) {
    // @ts-expect-error it says the place in its message
    return error.place;
  }
  // @ts-expect-error the faults are told
  if (error instanceof UnmetFaultError) return error.fault;
  throw error;
}
