import type { MarkType } from "../model/mark";
import { Prefix } from "../model/prefix";
import { formatUrl, parseUrl } from "../model/resource-url";
import { type Dialect, type DialectSettings, dialect } from "./behaviour/dialect";
import type { ActiveFault, Fault } from "./behaviour/faults";
import { expectNone, type UnmetFault, unmetFaults } from "./behaviour/unmet-faults";
import * as call from "./door/calls";
import { strictly } from "./door/strict";
import type { ClientTls } from "./http/tls";
import { expectCount, expectInOrder, waitFor } from "./journal/expectations";
import { type Har, har } from "./journal/har";
import type { JournalEntry, JournalFilter, JournalRange } from "./journal/journal";
import type { Run } from "./journal/runs";
import type { MarkRecord } from "./marks";
import type { EmulatorOptions } from "./options";
import { packageVersion } from "./package-root";
import type { Packet, TrafficSource, TrafficSummary, Verdict } from "./packets";
import type { RuleCounter } from "./rules";
import { type ClientCredentials, credentials, type EmulatorInfo } from "./signaling/credentials";
import type { Simulation } from "./simulation";
import type { PrefixSetContent, PrefixSetStore } from "./state/prefix-set-store";
import type { EmulatorState } from "./state/state";
import { UnknownResource } from "./state/unknown-resource";
import type { VirtualClock } from "./time/clock";
import { type Duration, milliseconds } from "./time/duration";
import { type Assembly, assemble } from "./wiring";

/** How to wait for a request. */
export interface RequestWait {
  /** Real time, default 5 s. */
  readonly within?: Duration;
  /** Index of the first entry of the journal that counts, default: of all that it holds. */
  readonly since?: number;
}

/**
 * A running emulator: a node and a signaling receiver on loopback, and what a test asks and changes behind the backs of their clients.
 *
 * @example
 * ```ts
 * await using emulator = await startEmulator();
 * await fetch(`${emulator.endpoint}/fapi`, { method: "POST", … });
 * emulator.prefixSet("prefixset://edge/blocked").applied;   // { "192.0.2.0/24": 1, … }
 * ```
 */
export class Emulator implements AsyncDisposable {
  private readonly simulation: Simulation;

  private constructor(private readonly parts: Assembly) {
    this.simulation = parts.simulation;
    parts.control.serve(this);
  }

  /** See `startEmulator`. @internal */
  static async start(options: EmulatorOptions): Promise<Emulator> {
    return new Emulator(await assemble(options));
  }

  /** With `tls: true` or `"mutual"`: what a client trusts, and its own certificate, in PEM. */
  get tls(): ClientTls | undefined {
    return this.parts.tls;
  }

  /** The virtual clock: `advance("1h")`, `freeze()`, `now`. */
  get clock(): VirtualClock {
    return this.simulation.clock;
  }

  /** Base address of the node API, without `/fapi`. */
  get endpoint(): string {
    return this.parts.server.origin;
  }

  /** Base address of the signaling API. */
  get signalingUrl(): string {
    return `${this.parts.server.origin}/path`;
  }

  /** Base address of the test deployment of the signaling API. */
  get testSignalingUrl(): string {
    return `${this.parts.server.origin}/request`;
  }

  /** Base address of the control API, which is no part of the protocol. */
  get control(): string {
    return this.parts.controlServer.origin;
  }

  /** The token that the control API wants, if it wants one. */
  get controlToken(): string | undefined {
    return this.simulation.options.controlToken;
  }

  /** The clients of the signaling API. */
  get clients(): readonly ClientCredentials[] {
    return credentials(this.simulation.contents.signaling);
  }

  /** The two clients of the test deployment. */
  get testClients(): readonly ClientCredentials[] {
    return credentials(this.simulation.contents.testSignaling);
  }

  /** What the ready line of the command says. */
  info(): EmulatorInfo {
    const { endpoint, signalingUrl, testSignalingUrl, control, clients, testClients, controlToken, tls } = this;
    const info = { endpoint, signalingUrl, testSignalingUrl, control, clients, testClients };
    return { ...info, ...(controlToken !== undefined && { controlToken }), ...(tls && { tls }) };
  }

  /** The seed of everything that is drawn by chance. */
  get seedNumber(): number {
    return this.simulation.options.seed;
  }

  /** How the open points of the contract are settled. */
  get dialect(): Dialect {
    return this.simulation.dialect;
  }

  /** Changes the dialect from the next request on, by name or by switches; switches not given have their defaults. */
  setDialect(choice: string | DialectSettings): void {
    this.simulation.dialect = dialect(choice);
  }

  /** What a set holds, and what a commit would make of it. @throws {UnknownResource} when there is no such set. */
  prefixSet(url: string): PrefixSetContent {
    return this.set(url).content();
  }

  /** The prefixes with active signaling, by client id. */
  get signalings(): Record<string, string[]> {
    return Object.fromEntries(
      [...this.simulation.contents.signaling.clients].map(([id, client]) => [id, client.active()]),
    );
  }

  /** The same of the test deployment. */
  get testSignalings(): Record<string, string[]> {
    return Object.fromEntries(
      [...this.simulation.contents.testSignaling.clients].map(([id, client]) => [id, client.active()]),
    );
  }

  /** The url of the profile that an address or prefix is bound to: `profile://edge/protected`. */
  boundProfile(address: string): string | undefined {
    const binding = this.simulation.contents.bindings.of(Prefix.parse(strictly(call.text, address, "boundProfile()")));
    return binding && formatUrl({ kind: "profile", arena: binding.arena, profile: binding.profile });
  }

  /**
   * Packets that arrive at the node, in order, and what became of each: verdict, profile, rule and marks touched of each. A packet meets the
   * profile to which the longest bound prefix of its destination is bound.
   *
   * @throws {TypeError} naming the packet that is not valid.
   * @example
   * ```ts
   * emulator.receive([{ from: "203.0.113.9", to: "198.51.100.7", proto: "tcp", dport: 443 }])[0].verdict;   // "accept"
   * ```
   */
  receive(packets: Iterable<Packet>): Verdict[] {
    const verdicts = this.simulation.contents.packetPath.receive(call.checkedPackets(packets));
    this.simulation.changed({ kind: "marks" });
    return verdicts;
  }

  /**
   * Receives the next `count` packets of generated traffic, and sums up. Other requests are served meanwhile.
   *
   * @param options `signal` ends it, as {@link reset}, {@link seed} and {@link close} do; the sum is of the packets until then.
   */
  async replay(traffic: TrafficSource, count: number, options: { signal?: AbortSignal } = {}): Promise<TrafficSummary> {
    strictly(call.replay, { traffic, count, options }, "replay()");
    const summary = await this.simulation.contents.packetPath.replay(traffic, count, options.signal);
    this.simulation.changed({ kind: "marks" });
    return summary;
  }

  /** The marks of a profile, expired ones that are still kept included. @throws {UnknownResource} when there is no such profile. */
  marks(url: string, type: MarkType): MarkRecord[] {
    strictly(call.markTable, { url, type }, "marks()");
    const { arena, profile } = this.profileOf(url);
    return [...this.simulation.contents.packetPath.marks(arena, profile).records(type)];
  }

  /** The number of marks of a profile, and at most `limit` of them. @throws {UnknownResource} when there is no such profile. */
  markTable(url: string, type: MarkType, limit: number): { active: number; expired: number; records: MarkRecord[] } {
    strictly(call.markTable, { url, type, limit }, "markTable()");
    const { arena, profile } = this.profileOf(url);
    const marks = this.simulation.contents.packetPath.marks(arena, profile);
    const records: MarkRecord[] = [];
    for (const record of marks.records(type)) {
      if (records.length === limit) break;
      records.push(record);
    }
    return { ...marks.count(type), records };
  }

  /** What `count` actions of a profile counted, in the order of its rules. @throws {UnknownResource} */
  counters(url: string): (RuleCounter | undefined)[] {
    const { arena, profile } = this.profileOf(url);
    return this.simulation.contents.packetPath.counters(arena, profile);
  }

  /** What the emulator was asked and answered, secrets cut out. */
  get journal(): readonly JournalEntry[] {
    return this.simulation.journal.entries;
  }

  /**
   * The entries of the journal that match, oldest first.
   *
   * @example
   * ```ts
   * emulator.requests({ cmd: "commit" });
   * emulator.requests({ status: 400 }, { limit: 1 })[0]?.answer;   // why the last request that was wrong was refused
   * ```
   */
  requests(filter: JournalFilter = {}, range: JournalRange = {}): JournalEntry[] {
    return this.simulation.journal.find(
      strictly(call.journalFilter, filter, "requests()"),
      strictly(call.journalRange, range, "requests()"),
    );
  }

  /**
   * The requests in runs: those between two pauses (`runPause`), or those that carry one label in the header `Packetfilter-Run`.
   * The last thousand, oldest first; `requests({ run: 3 })` are the requests of one.
   *
   * @example
   * ```ts
   * emulator.beginRun("second up");
   * await up();
   * emulator.runs.map(describeRun).at(-1);   // "run 2 (second up): 4 requests, no commit"
   * ```
   */
  get runs(): readonly Run[] {
    return this.simulation.journal.runs.list();
  }

  /**
   * From now on requests belong to another run, whatever pauses there are; those that carry a label of their own stay with theirs. Without
   * a label a new run begins, which ends at its first pause.
   */
  beginRun(label?: string): Run {
    return this.simulation.journal.runs.begin(label);
  }

  /**
   * Waits until a request that matches is answered, and gives its entry. One that the journal holds already counts, from the entry
   * `since` on. Nothing is polled, and `within` (default `"5s"`) is real time: a clock that stands still ends no wait.
   *
   * @throws {ExpectationError} when none came in time, naming those that came near.
   * @example
   * ```ts
   * const commit = await emulator.waitForRequest({ cmd: "commit", status: 200 }, { within: "2s" });
   * ```
   */
  async waitForRequest(filter: JournalFilter, options: RequestWait = {}, signal?: AbortSignal): Promise<JournalEntry> {
    strictly(call.journalFilter, filter, "waitForRequest()");
    const { within = "5s", since } = strictly(call.requestWait, options, "waitForRequest()");
    const { journal, waits } = this.simulation;
    const ended = signal ? AbortSignal.any([signal, waits.signal]) : waits.signal;
    return waitFor(journal, filter, { within: milliseconds(within), since, timer: waits.timer, signal: ended });
  }

  /**
   * Says that so many requests match, and gives their entries.
   *
   * @throws {ExpectationError} naming those that are too many, or those that came near.
   * @example
   * ```ts
   * emulator.expectRequests({ cmd: "commit", url: "prefixset://edge/blocked" }, 1);
   * ```
   */
  expectRequests(filter: JournalFilter, count: number): JournalEntry[] {
    strictly(call.journalFilter, filter, "expectRequests()");
    return expectCount(
      this.simulation.journal,
      filter,
      strictly(call.requestCount, count, "expectRequests(): the count"),
    );
  }

  /**
   * Says that requests came one after the other, and gives their entries. Others may be between them.
   *
   * @throws {ExpectationError} naming the first that is missing, and those that came near.
   * @example
   * ```ts
   * emulator.expectOrder([{ cmd: "insert" }, { cmd: "delete" }, { cmd: "commit", status: 200 }]);
   * ```
   */
  expectOrder(filters: readonly JournalFilter[]): JournalEntry[] {
    strictly(call.requestOrder, filters, "expectOrder()");
    return expectInOrder(this.simulation.journal, filters);
  }

  /** The journal as an HTTP archive (HAR 1.2), which the network views of browsers open; runs are its pages. */
  har(): Har {
    return har(this.simulation.journal, this.endpoint, packageVersion());
  }

  /** Empties the journal, and forgets the runs. */
  clearJournal(): void {
    this.simulation.journal.clear();
  }

  /** Sets a fault, which strikes once unless it says otherwise. @throws {TypeError} when the fault is not valid. */
  fail(fault: Fault): ActiveFault {
    return this.simulation.faults.add(fault);
  }

  /** The faults that were set. */
  get faults(): ActiveFault[] {
    return this.simulation.faults.list();
  }

  /** Removes one fault. @throws {UnknownResource} when there is none with this id. */
  removeFault(id: number): void {
    if (!this.simulation.faults.remove(id)) throw new UnknownResource(`There is no fault ${id}.`);
  }

  /** The faults that were set and struck nothing so far, each with the reason and the requests that came nearest. */
  unmetFaults(): UnmetFault[] {
    return unmetFaults(this.faults, this.journal);
  }

  /**
   * Fails when a fault that was set was never met: what a test wanted to show with it, it has not shown.
   *
   * @throws {UnmetFaultError} naming each fault, and the requests that came nearest.
   * @example
   * ```ts
   * emulator.fail({ cmd: "commit", status: 503 });
   * await programUnderTest(emulator.endpoint);
   * emulator.expectAllFaultsMet();
   * ```
   */
  expectAllFaultsMet(): void {
    expectNone(this.unmetFaults());
  }

  /** Removes all faults. */
  clearFaults(): void {
    this.simulation.faults.clear();
  }

  /**
   * Changes the applied entries of a set at once, as somebody at the node's console would: no request, no commit, no
   * journal entry.
   *
   * @throws {UnknownResource} when there is no such set; {PrefixError} for a bad prefix.
   */
  change(url: string, changes: { insert?: Record<string, number>; delete?: readonly string[] }): void {
    strictly(call.setChanges, changes, "change()");
    const set = this.set(url);
    const removed = (changes.delete ?? []).map((text) => [Prefix.parse(text).toString(), null] as const);
    const inserted = Object.entries(changes.insert ?? {}).map(
      ([text, value]) => [Prefix.parse(text).toString(), value] as const,
    );
    const batch = new Map([...removed, ...inserted]);
    set.change(batch);
    this.simulation.changed({ kind: "applied", url: formatUrl(parseUrl(url)), changes: batch });
  }

  /** Starts and stops signaling of a client without a request. A prefix that is active, or is not, already stays as it is. @throws {UnknownResource} */
  signal(clientId: string, changes: { start?: readonly string[]; stop?: readonly string[] }): void {
    strictly(call.signalChanges, changes, "signal()");
    const client =
      this.simulation.contents.signaling.clients.get(clientId) ??
      this.simulation.contents.testSignaling.clients.get(clientId);
    if (!client) throw new UnknownResource(`There is no signaling client ${clientId}.`);
    const start = client.read(changes.start ?? []);
    const stop = client.read(changes.stop ?? []);
    if (!start || !stop)
      throw new UnknownResource(
        `Client ${clientId} may signal ${client.state.prefixes.join(", ")} and longer prefixes only.`,
      );
    client.stop(stop, { signalingPartial: "valid-ones" });
    client.start(start, { signalingPartial: "valid-ones", signalingOverlap: "accepted", lease: this.dialect.lease });
  }

  /** Replaces everything that the emulator holds. Journal, faults, dialect and clock stay. @throws {StateError} */
  seed(state: EmulatorState): void {
    this.simulation.seed(state);
  }

  /** Back to the start: the first state, real time, no faults, an empty journal, the first dialect. */
  reset(): void {
    this.simulation.reset();
  }

  /** Names of the snapshots, in the order in which they were first taken. */
  get snapshots(): readonly string[] {
    return this.simulation.snapshots.names();
  }

  /** Keeps what the emulator holds now under a name, until it ends. One of this name is replaced. */
  snapshot(name: string): void {
    this.simulation.snapshots.set(strictly(call.name, name, "snapshot()"), this.state());
  }

  /** Puts back what a snapshot kept, as {@link seed} does. @throws {UnknownResource} when there is none of this name. */
  restore(name: string): void {
    const state = this.simulation.snapshots.get(strictly(call.name, name, "restore()"));
    if (!state) throw this.noSnapshot(name);
    this.seed(state);
  }

  /** Forgets a snapshot. @throws {UnknownResource} when there is none of this name. */
  deleteSnapshot(name: string): void {
    if (!this.simulation.snapshots.delete(strictly(call.name, name, "deleteSnapshot()"))) throw this.noSnapshot(name);
  }

  /** What the emulator holds, in the form that `state` takes. Commits that are on their way count as not there. */
  state(): EmulatorState {
    return this.simulation.contents.export();
  }

  /**
   * Stops serving, breaks all connections, and writes what is still to be kept.
   *
   * @throws {UnmetFaultError} with the option `expectAllFaultsMet`, once all is closed.
   */
  async close(): Promise<void> {
    this.clock.clear();
    this.simulation.contents.packetPath.end();
    this.simulation.waits.end();
    await Promise.all([this.parts.server.close(), this.parts.controlServer.close()]);
    await this.parts.persistence?.close();
    await this.parts.elsewhere.close();
    if (this.simulation.options.expectAllFaultsMet) this.expectAllFaultsMet();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  private noSnapshot(name: string): UnknownResource {
    return new UnknownResource(
      `There is no snapshot ${JSON.stringify(name)}; there are ${this.snapshots.map((it) => JSON.stringify(it)).join(", ") || "none"}.`,
    );
  }

  private profileOf(text: string): { arena: string; profile: string } {
    const url = parseUrl(strictly(call.text, text, "The url of a profile"));
    if (
      (url.kind === "profile" || url.kind === "mark") &&
      this.simulation.contents.holdings.profile(url.arena, url.profile)
    )
      return url;
    throw new UnknownResource(`There is no profile ${text}: write profile://ARENA/PROFILE.`);
  }

  private set(url: string): PrefixSetStore {
    strictly(call.text, url, "The url of a prefix-set");
    const set = this.simulation.contents.holdings.setByUrl(url);
    if (set) return set;
    throw new UnknownResource(
      `There is no prefix-set ${url}; there are ${[...this.simulation.contents.holdings.sets()].map(([name]) => name).join(", ") || "none"}.`,
    );
  }
}
