import { Prefix } from "../../model/prefix";
import { RATE_KEYS } from "../defaults";
import { packetKey } from "../marks/mark-key";
import type { MarkStore } from "../marks/mark-store";
import { flagBits, type PacketView, PROTOCOLS, type Protocol, protocolNumber, type TcpFlag } from "../packet/packet";
import { markType } from "../validation/mark-type";
import { PacketPrefixTable } from "./packet-prefix-table";
import type { ComparisonSpec, MatchSpec, RateSpec, SetReference } from "./rule-schema";

/** Marks, sets and other data for the rules of a profile. */
export interface RuleEnvironment {
  readonly marks: MarkStore;
  /** Finds a set for the profile; `undefined` if it does not exist. Called when the rules are compiled. */
  readonly sets: (set: SetReference) => PacketPrefixTable | undefined;
}

/** Tests a match for a packet at a time. */
export type Matcher = (packet: PacketView, now: number) => boolean;

type Side = "source" | "destination";

/**
 * The members of a match as functions, in the order of evaluation: `rate` is last, so that it counts only packets that
 * match everything else.
 */
export function compileMatch(match: MatchSpec, environment: RuleEnvironment): Matcher[] {
  const matchers: Matcher[] = [];
  const add = <Spec>(spec: Spec | undefined, compile: (spec: Spec) => Matcher) => {
    if (spec !== undefined) matchers.push(compile(spec));
  };
  add(match.source, (prefixes) => inPrefixes("source", [prefixes].flat()));
  add(match.destination, (prefixes) => inPrefixes("destination", [prefixes].flat()));
  add(match.protocol, (protocols) => isProtocol([protocols].flat()));
  add(match.sourcePort, (ports) => hasPort("source", [ports].flat()));
  add(match.destinationPort, (ports) => hasPort("destination", [ports].flat()));
  add(match.flags, ({ set = [], unset = [] }) => hasFlags(set, unset));
  add(
    match.length,
    ({ min = 0, max = 65535 }) =>
      (packet) =>
        packet.length >= min && packet.length <= max,
  );
  add(match.set, (spec) => inSet(spec, environment));
  add(match.mark, ({ type, id, value }) => {
    const query = { type: markType(type) ?? "shost", id, valueMatches: compileComparison(value) };
    return (packet, now) => environment.marks.matches(query, packet, now);
  });
  add(match.not, (negated) => {
    const negatedMatchers = compileMatch(negated, environment);
    return (packet, now) => !negatedMatchers.every((matcher) => matcher(packet, now));
  });
  add(match.rate, isAboveRate);
  return matchers;
}

function inPrefixes(side: Side, texts: string[]): Matcher {
  const table = new PacketPrefixTable(texts.map((text) => [Prefix.parse(text), true]));
  return (packet) => table.find(packet.family, packet[side]) !== undefined;
}

function inSet(spec: NonNullable<MatchSpec["set"]>, environment: RuleEnvironment): Matcher {
  const set = environment.sets({ name: spec.name, scope: spec.scope });
  if (set === undefined) {
    const scope = spec.scope ? `${spec.scope} ` : "";
    throw new TypeError(`there is no ${scope}prefix-set "${spec.name}": create it before the rules that name it`);
  }
  const side = spec.of ?? "source";
  const valueMatches = compileComparison(spec.value);
  return (packet) => {
    const value = set.find(packet.family, packet[side]);
    return value !== undefined && valueMatches(value);
  };
}

function isProtocol(protocols: Protocol[]): Matcher {
  const numbers = new Set(protocols.map(protocolNumber));
  return (packet) => numbers.has(packet.proto);
}

function hasPort(side: Side, ports: (number | string)[]): Matcher {
  const ranges = ports.map((port) => {
    const [from = 0, to = from] = String(port).split("-").map(Number);
    return { from, to };
  });
  const member = side === "source" ? "sport" : "dport";
  return (packet) => ranges.some(({ from, to }) => packet[member] >= from && packet[member] <= to);
}

function hasFlags(set: readonly TcpFlag[], unset: readonly TcpFlag[]): Matcher {
  const flags = flagBits(set);
  const mask = flags | flagBits(unset);
  return (packet) => packet.proto === PROTOCOLS.tcp && (packet.flags & mask) === flags;
}

type ValueTest = (value: number) => boolean;

const tests: Record<string, (operand: number) => ValueTest> = {
  eq: (operand) => (value) => value === operand,
  ne: (operand) => (value) => value !== operand,
  lt: (operand) => (value) => value < operand,
  le: (operand) => (value) => value <= operand,
  gt: (operand) => (value) => value > operand,
  ge: (operand) => (value) => value >= operand,
};

/** A comparison as a function; without a comparison every value matches. */
function compileComparison(spec: ComparisonSpec | undefined): ValueTest {
  if (spec === undefined) return () => true;
  const conditions = typeof spec === "number" ? { eq: spec } : spec;
  const all = Object.entries(conditions).flatMap(([name, operand]) => tests[name]?.(operand as number) ?? []);
  return (value) => all.every((test) => test(value));
}

const tables = { source: "shost", destination: "dhost", pair: "sdhost", connection: "conn" } as const;

/**
 * Counts packets in windows of fixed length that begin at its multiples on the clock: simple and repeatable, without memory
 * of earlier windows. A packet is counted before the comparison with the rate. Keys beyond {@link RATE_KEYS} in one window
 * are counted together.
 */
function isAboveRate({ above, per = "source", unit, window: seconds = 1 }: RateSpec): Matcher {
  /** Counts by key; further keys are counted under `undefined`. */
  const counts = new Map<string | undefined, number>();
  let window = Number.NaN;
  return (packet, now) => {
    const current = Math.floor(now / (seconds * 1000));
    if (current !== window) counts.clear();
    window = current;
    // Keys of the two families differ in their number of words.
    const own = per === "rule" ? undefined : String(packetKey(tables[per], packet));
    const key = counts.has(own) || counts.size < RATE_KEYS ? own : undefined;
    const count = (counts.get(key) ?? 0) + (unit === "bytes" ? packet.length * packet.count : packet.count);
    counts.set(key, count);
    return count > above;
  };
}
