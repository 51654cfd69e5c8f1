import { messageOf } from "../../model/errors";
import { formatUrl } from "../../model/resource-url";
import { PACKETS_AT_ONCE } from "../defaults";
import type { MarkLimits, MarkStore } from "../marks";
import { type Packet, PacketEngine, type TrafficSource, type TrafficSummary, type Verdict } from "../packets";
import type { RuleCounter } from "../rules/program";
import { globalSet, type SetReference } from "../rules/rule-schema";
import type { VirtualClock } from "../time/clock";
import type { Bindings } from "./bindings";
import type { Holdings } from "./holdings";
import { StateError } from "./state";

/** The packet path of the emulated node: rules use the applied entries of its sets, and packets the bindings of signaling. */
export class PacketPath {
  private readonly engine: PacketEngine;
  private boundFor = -1;
  private ended = false;

  /** @throws {StateError} if a rule names a set that does not exist. */
  constructor(
    private readonly holdings: Holdings,
    private readonly bindings: Bindings,
    clock: VirtualClock,
    limits: MarkLimits | undefined,
  ) {
    this.engine = new PacketEngine({
      now: () => clock.ms,
      sets: (profile, reference) => this.lookup(profile, reference),
      marks: limits,
    });
    for (const [arena, { profiles }] of holdings.arenas) {
      for (const [name, { rules, marks }] of profiles) {
        const profile = profileKey(arena, name);
        try {
          this.engine.addProfile(profile, rules);
          this.engine.marks(profile).import(marks);
        } catch (error) {
          throw new StateError(`The state is not valid: ${messageOf(error)}.`);
        }
      }
    }
  }

  marks(arena: string, profile: string): MarkStore {
    return this.engine.marks(profileKey(arena, profile));
  }

  counters(arena: string, profile: string): (RuleCounter | undefined)[] {
    return this.engine.counters(profileKey(arena, profile));
  }

  /** Receives packets and returns the outcome of each. @throws {TypeError} naming a packet that is not valid. */
  receive(packets: Iterable<Packet>): Verdict[] {
    this.followSignaling();
    return this.engine.receive(packets).map(({ profile, ...verdict }) => {
      const [arena = "", name = ""] = profile?.split("/") ?? [];
      return { ...verdict, ...(profile && { profile: formatUrl({ kind: "profile", arena, profile: name }) }) };
    });
  }

  /** Ends all traffic in progress, since its profiles and marks are replaced. */
  end(): void {
    this.ended = true;
  }

  /**
   * Receives the next packets of a source and returns totals; other work goes on meanwhile. `signal` or {@link end} ends it
   * early; the totals then cover the packets so far.
   */
  async receiveTraffic(source: TrafficSource, count: number, signal?: AbortSignal): Promise<TrafficSummary> {
    const total = { packets: 0, bytes: 0, accepted: 0, dropped: 0, unbound: 0, evicted: 0, refused: 0 };
    for (let left = count; left > 0 && !signal?.aborted && !this.ended; left -= PACKETS_AT_ONCE) {
      this.followSignaling();
      const part = this.engine.receiveTraffic(source, Math.min(left, PACKETS_AT_ONCE));
      for (const key of Object.keys(total) as (keyof typeof total)[]) total[key] += part[key];
      await new Promise((resolve) => setImmediate(resolve));
    }
    return total;
  }

  private lookup(profile: string, { name, scope }: SetReference) {
    const elsewhere = globalSet(name);
    if (elsewhere) return scope === "local" ? undefined : this.holdings.set(elsewhere)?.lookup();
    const [arena = "", own = ""] = profile.split("/");
    const local = scope === "global" ? undefined : this.holdings.profile(arena, own)?.sets.get(name);
    const global = scope === "local" ? undefined : this.holdings.arenas.get(arena)?.sets.get(name);
    return (local ?? global)?.lookup();
  }

  /** Updates the engine's bindings after changes by signaling. */
  private followSignaling(): void {
    const { revision } = this.bindings;
    if (this.boundFor === revision) return;
    this.engine.unbindAll();
    for (const { prefix, arena, profile } of this.bindings.all()) this.engine.bind(prefix, profileKey(arena, profile));
    this.boundFor = revision;
  }
}

/** Unique, since names cannot contain a slash. */
function profileKey(arena: string, profile: string): string {
  return `${arena}/${profile}`;
}
