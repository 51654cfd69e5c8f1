import type { Packet } from "../../provider/emulator/packets";
import type { ActionSpec, ComparisonSpec, MatchSpec, RuleSpec } from "../../provider/emulator/rules/rule-schema";
import type { MarkType } from "../../provider/model/mark";
import { Prefix } from "../../provider/model/prefix";

/** The prefix-sets that rules under test may name. */
export const SETS: Record<string, [prefix: string, value: number][]> = {
  nested: [
    ["203.0.113.0/24", 1],
    ["203.0.113.128/25", 2],
    ["203.0.113.2/32", 3],
    ["2001:db8::/32", 4],
    ["2001:db8:1::/48", 5],
  ],
  everything: [
    ["0.0.0.0/0", 0],
    ["::/0", 5],
  ],
  empty: [],
};

const NUMBERS: Record<string, number> = { tcp: 6, udp: 17 };
const TABLES = {
  hmark: "shost",
  shost: "shost",
  dhmark: "dhost",
  dmark: "dhost",
  dhost: "dhost",
  sdhmark: "sdhost",
  sdhost: "sdhost",
  connmark: "conn",
  conn: "conn",
} as const;
const PER = { source: "shost", destination: "dhost", pair: "sdhost", connection: "conn", rule: "rule" } as const;

/**
 * The rules read as they are written, with text for keys, maps for tables and a search through all prefixes:
 * slow, and simple enough to be seen to be right.
 */
export class Interpreter {
  private readonly marks = new Map<string, { type: MarkType; id: number; value: number; end: number }>();
  private readonly rates = new Map<object, { window: number; counts: Map<string, number> }>();
  private readonly counts = new Map<RuleSpec, number>();

  constructor(private readonly rules: readonly RuleSpec[]) {}

  evaluate(packet: Packet, now: number) {
    const marks: { type: MarkType; id: number; value: number }[] = [];
    for (const rule of this.rules) {
      if (!(rule.match ?? []).every((match) => this.holds(match, packet, now))) continue;
      for (const action of rule.actions ?? []) {
        if (action === "accept" || action === "drop") return { verdict: action, rule: rule.id, marks };
        if (action === "count") this.counts.set(rule, (this.counts.get(rule) ?? 0) + (packet.count ?? 1));
        else marks.push(this.mark(action, rule, packet, now));
      }
    }
    return { verdict: "accept", rule: undefined, marks };
  }

  counted(): (number | undefined)[] {
    return this.rules.map((rule) => (rule.actions?.includes("count") ? (this.counts.get(rule) ?? 0) : undefined));
  }

  values(type: MarkType, now: number): string[] {
    return [...this.marks.values()].flatMap((mark) =>
      mark.type === type && mark.end > now ? [`${mark.id} ${mark.value}`] : [],
    );
  }

  private holds(match: MatchSpec, packet: Packet, now: number): boolean {
    const { source, destination, protocol, sourcePort, destinationPort, flags, length, set, mark, not, rate } = match;
    const carried = packet.flags ?? [];
    const size = packet.length ?? 64;
    if (source && !covers([source].flat(), packet.from)) return false;
    if (destination && !covers([destination].flat(), packet.to)) return false;
    if (protocol !== undefined && ![protocol].flat().some((each) => numberOf(each) === numberOf(packet.proto)))
      return false;
    if (sourcePort !== undefined && !includes([sourcePort].flat(), packet.sport ?? 0)) return false;
    if (destinationPort !== undefined && !includes([destinationPort].flat(), packet.dport ?? 0)) return false;
    if (flags) {
      if (numberOf(packet.proto) !== 6) return false;
      if (!(flags.set ?? []).every((flag) => carried.includes(flag))) return false;
      if (flags.unset?.some((flag) => carried.includes(flag))) return false;
    }
    if (length && (size < (length.min ?? 0) || size > (length.max ?? 65535))) return false;
    if (set) {
      const value = longest(SETS[set.name] ?? [], set.of === "destination" ? packet.to : packet.from);
      if (value === undefined || !compares(set.value, value)) return false;
    }
    if (mark) {
      const found = [...this.marks].some(([key, held]) => {
        const sameId = mark.id === undefined || mark.id === held.id;
        return (
          key === `${keyOf(TABLES[mark.type], packet)} ${held.id}` &&
          sameId &&
          held.end > now &&
          compares(mark.value, held.value)
        );
      });
      if (!found) return false;
    }
    if (not && this.holds(not, packet, now)) return false;
    if (rate) {
      const window = Math.floor(now / ((rate.window ?? 1) * 1000));
      const before = this.rates.get(rate);
      const state = before?.window === window ? before : { window, counts: new Map<string, number>() };
      this.rates.set(rate, state);
      const key = keyOf(PER[rate.per ?? "source"], packet);
      const total = (state.counts.get(key) ?? 0) + (packet.count ?? 1) * (rate.unit === "bytes" ? size : 1);
      state.counts.set(key, total);
      if (total <= rate.above) return false;
    }
    return true;
  }

  private mark(action: Exclude<ActionSpec, string>, rule: RuleSpec, packet: Packet, now: number) {
    const [name, spec = {}] = Object.entries(action)[0] as [keyof typeof TABLES, (typeof action)["hmark"]];
    const type = TABLES[name];
    const id = spec.id ?? rule.id ?? 0;
    const key = `${keyOf(type, packet)} ${id}`;
    const before = this.marks.get(key);
    const live = before && before.end > now ? before : { value: 0, end: Number.POSITIVE_INFINITY };
    const end = spec.lifetime === undefined ? live.end : now + spec.lifetime * 1000;
    const count = packet.count ?? 1;
    const value =
      spec.set ?? (spec.max === undefined ? live.value + (spec.add ?? 1) * count : Math.max(spec.max, live.value));
    this.marks.set(key, { type, id, value, end });
    return { type, id, value };
  }
}

function keyOf(type: MarkType | "rule", { from, to, proto, sport = 0, dport = 0 }: Packet): string {
  if (type === "shost") return `${type} ${from}`;
  if (type === "dhost") return `${type} ${to}`;
  if (type === "sdhost") return `${type} ${from} ${to}`;
  return type === "rule" ? type : `${type} ${from} ${to} ${sport} ${dport} ${proto}`;
}

function numberOf(protocol: string | number): number {
  return typeof protocol === "number" ? protocol : (NUMBERS[protocol] ?? -1);
}

function covers(prefixes: string[], address: string): boolean {
  return prefixes.some((prefix) => Prefix.parse(prefix).contains(Prefix.parse(address)));
}

function longest(entries: [string, number][], address: string): number | undefined {
  const covering = entries.filter(([prefix]) => covers([prefix], address));
  return covering.sort(([a], [b]) => Prefix.parse(b).length - Prefix.parse(a).length)[0]?.[1];
}

function includes(ports: (number | string)[], port: number): boolean {
  return ports.some((each) => {
    const [from = 0, to = from] = String(each).split("-").map(Number);
    return from <= port && port <= to;
  });
}

function compares(spec: ComparisonSpec | undefined, value: number): boolean {
  if (spec === undefined) return true;
  if (typeof spec === "number") return value === spec;
  const { eq = value, ne, lt = Number.POSITIVE_INFINITY, le = value, gt = -1, ge = value } = spec;
  return value === eq && value !== ne && value < lt && value <= le && value > gt && value >= ge;
}
