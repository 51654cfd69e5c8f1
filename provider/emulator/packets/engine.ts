import { messageOf } from "../../model/errors";
import { MARK_TYPES } from "../../model/mark";
import type { Prefix } from "../../model/prefix";
import type { MarkLosses, TrafficSummary, Verdict } from "../answer-types";
import { MarkStore } from "../marks/mark-store";
import type { MarkLimits } from "../marks/mark-table";
import { type Packet, PacketView } from "../packet/packet";
import { PacketPrefixTable } from "../rules/packet-prefix-table";
import { type MarkTouch, Program, type RuleCounter } from "../rules/program";
import type { RuleSpec, SetReference } from "../rules/rule-schema";
import type { TrafficSource } from "./traffic-source";

export interface PacketEngineOptions {
  /** The clock, in milliseconds, for packets without `at` and for marks. */
  readonly now: () => number;
  /** Finds a prefix-set for a profile; `undefined` if it does not exist. */
  readonly sets: (profile: string, set: SetReference) => PacketPrefixTable | undefined;
  readonly marks?: MarkLimits;
}

export type { TrafficSummary, Verdict } from "../answer-types";

interface EngineProfile {
  readonly name: string;
  readonly marks: MarkStore;
  readonly program: Program;
}

/**
 * The packet path of a node: the longest bound prefix that contains the **destination** of a packet decides on its profile,
 * whose rules are applied. Bound prefixes are those of recipients, so the source has no effect.
 *
 * Any text can name a profile; `arena/profile` is usual.
 *
 * @example
 * ```ts
 * const engine = new PacketEngine({ now: () => clock.now(), sets: (profile, { name }) => tables.get(name) });
 * engine.addProfile("edge/web", [{ id: 1, match: [{ set: { name: "blocked" } }], actions: ["drop"] }]);
 * engine.bind(Prefix.parse("198.51.100.0/24"), "edge/web");
 * engine.receive([{ from: "203.0.113.9", to: "198.51.100.7", proto: "tcp", dport: 443 }]);
 * ```
 */
export class PacketEngine {
  private readonly profiles = new Map<string, EngineProfile>();
  private readonly table = new PacketPrefixTable<EngineProfile>();
  private readonly view = new PacketView();

  constructor(private readonly options: PacketEngineOptions) {}

  /**
   * Adds a profile with rules that `rulesSchema` accepts.
   *
   * @throws {TypeError} if it exists already, or a rule names a set that does not exist.
   */
  addProfile(name: string, rules: readonly RuleSpec[]): void {
    if (this.profiles.has(name)) throw new TypeError(`there is a profile ${name} already`);
    const marks = new MarkStore({ ...this.options.marks, now: this.options.now });
    try {
      const program = new Program(rules, { marks, sets: (set) => this.options.sets(name, set) });
      this.profiles.set(name, { name, marks, program });
    } catch (error) {
      throw new TypeError(`profile ${name}, ${messageOf(error)}`, { cause: error });
    }
  }

  /**
   * Binds a prefix to a profile, from the next packet on, in place of its present binding.
   *
   * @throws {TypeError} if the profile does not exist.
   */
  bind(prefix: Prefix, profile: string): void {
    this.table.set(prefix, this.profile(profile));
  }

  unbindAll(): void {
    this.table.clear();
  }

  /** The marks of a profile. @throws {TypeError} if it does not exist. */
  marks(profile: string): MarkStore {
    return this.profile(profile).marks;
  }

  /** Counters of the `count` actions of a profile, in the order of its rules; `undefined` for rules that do not count. */
  counters(profile: string): (RuleCounter | undefined)[] {
    return this.profile(profile).program.counters();
  }

  /**
   * Receives packets in order and returns the outcome of each.
   *
   * @throws {TypeError} naming a packet that is not valid; those before it have been received.
   */
  receive(packets: Iterable<Packet>): Verdict[] {
    const verdicts: Verdict[] = [];
    for (const packet of packets) {
      const marks: MarkTouch[] = [];
      try {
        this.view.read(packet);
      } catch (error) {
        throw new TypeError(`packet ${verdicts.length + 1}: ${messageOf(error)}`, { cause: error });
      }
      const profile = this.profileOf(this.view);
      const program = profile?.program;
      const index = program?.evaluate(this.view, this.timeOf(this.view), marks) ?? -1;
      const rule = program?.rules[index];
      verdicts.push({
        verdict: program?.verdict(index) ?? "accept",
        ...(profile && { profile: profile.name }),
        ...(rule && { rule: { ...(rule.id !== undefined && { id: rule.id }), ...(rule.name && { name: rule.name }) } }),
        marks,
      });
    }
    return verdicts;
  }

  /** Receives the next `count` packets of a source and returns totals, without an object for each packet. */
  receiveTraffic(source: TrafficSource, count: number): TrafficSummary {
    const { view } = this;
    const before = this.losses();
    const summary = { packets: 0, bytes: 0, accepted: 0, dropped: 0, unbound: 0 };
    for (let index = 0; index < count; index++) {
      source.next(view);
      const program = this.profileOf(view)?.program;
      summary.packets += view.count;
      summary.bytes += view.count * view.length;
      if (program === undefined) summary.unbound += view.count;
      const verdict = program?.verdict(program.evaluate(view, this.timeOf(view))) ?? "accept";
      if (verdict === "drop") summary.dropped += view.count;
      else summary.accepted += view.count;
    }
    const { evicted, refused } = this.losses();
    return { ...summary, evicted: evicted - before.evicted, refused: refused - before.refused };
  }

  private losses(): MarkLosses {
    const tables = [...this.profiles.values()].flatMap(({ marks }) => MARK_TYPES.map((type) => marks.losses(type)));
    return {
      evicted: tables.reduce((sum, { evicted }) => sum + evicted, 0),
      refused: tables.reduce((sum, { refused }) => sum + refused, 0),
    };
  }

  private profileOf(packet: PacketView): EngineProfile | undefined {
    return this.table.find(packet.family, packet.destination);
  }

  private timeOf(packet: PacketView): number {
    return packet.at >= 0 ? packet.at : this.options.now();
  }

  private profile(name: string): EngineProfile {
    const profile = this.profiles.get(name);
    if (profile === undefined) throw new TypeError(`there is no profile ${name}`);
    return profile;
  }
}
