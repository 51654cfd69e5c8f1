import type { MarkType } from "../model/mark";
import { Prefix } from "../model/prefix";
import { formatUrl, parseUrl } from "../model/resource-url";
import type { MarkRecord } from "./marks";
import type { Packet, TrafficSource, TrafficSummary, Verdict } from "./packets";
import { EmulatorRequests } from "./requests";
import type { RuleCounter } from "./rules";
import type { PrefixSetContent, PrefixSetStore } from "./state/prefix-set-store";
import type { EmulatorState } from "./state/state";
import { UnknownResource } from "./state/unknown-resource";
import * as call from "./validation/arguments";
import { strictly } from "./validation/strict";

/** What a running emulator holds, and what a test changes of it behind the backs of its clients. */
export abstract class EmulatorContents extends EmulatorRequests {
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
   * @param options `signal` ends it, as {@link reset}, {@link seed} and the end of the emulator do; the sum is of the packets until then.
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
    client.start(start, {
      signalingPartial: "valid-ones",
      signalingOverlap: "accepted",
      lease: this.simulation.dialect.lease,
    });
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
    return [...this.simulation.snapshots.keys()];
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
