import { describe, expect, test } from "vitest";
import {
  background,
  carpetBombing,
  dnsAmplification,
  mixed,
  type Packet,
  PacketEngine,
  packetSchema,
  synFlood,
} from "../../provider/emulator/packets";
import type { RuleSpec } from "../../provider/emulator/rules/rule-schema";
import { Prefix } from "../../provider/model/prefix";

const DROP_SYN: RuleSpec = {
  id: 1,
  name: "SYN",
  match: [{ protocol: "tcp", flags: { set: ["syn"] } }],
  actions: ["drop"],
};
const SYN: Packet = { from: "203.0.113.9", to: "198.51.100.7", proto: "tcp", dport: 443, flags: ["syn"] };

function node(open: readonly RuleSpec[] = []) {
  const clock = { time: Date.UTC(2026, 0, 1) };
  const engine = new PacketEngine({ now: () => clock.time, sets: () => undefined });
  engine.addProfile("edge/open", open);
  engine.addProfile("edge/guarded", [DROP_SYN]);
  return { clock, engine };
}

describe("a packet", () => {
  test("meets the profile with the longest bound prefix that holds its destination", () => {
    const { engine } = node();
    engine.bind(Prefix.parse("198.51.100.0/24"), "edge/open");
    engine.bind(Prefix.parse("198.51.100.7"), "edge/guarded");
    engine.bind(Prefix.parse("2001:db8::/32"), "edge/guarded");
    const to = (address: string, from = "203.0.113.9") => engine.receive([{ ...SYN, from, to: address }])[0];
    expect(to("198.51.100.7")).toEqual({
      verdict: "drop",
      profile: "edge/guarded",
      rule: { id: 1, name: "SYN" },
      marks: [],
    });
    expect(to("198.51.100.8")).toEqual({ verdict: "accept", profile: "edge/open", marks: [] });
    expect(to("2001:db8::1", "2001:db8::2")).toMatchObject({ verdict: "drop" });
    expect(to("192.0.2.1", "198.51.100.7")).toEqual({ verdict: "accept", marks: [] });
  });

  test("that is none is refused with its position; those before it have been received", () => {
    const { engine } = node([{ id: 5, actions: [{ hmark: {} }] }]);
    engine.bind(Prefix.parse("0.0.0.0/0"), "edge/open");
    const receive = (wrong: Partial<Packet>) => () => engine.receive([SYN, { ...SYN, ...wrong }]);
    expect(receive({ to: "198.51.100" })).toThrow('packet 2: "198.51.100" is not four decimal numbers');
    expect(receive({ to: "2001:db8::1" })).toThrow("packet 2: a packet from 203.0.113.9 cannot go to 2001:db8::1");
    expect(engine.marks("edge/open").export().shost).toEqual([{ address: "203.0.113.9", id: 5, value: 2, age: 0 }]);
  });

  test("with a time of its own is judged at that time", () => {
    const { engine, clock } = node([{ id: 5, actions: [{ hmark: { lifetime: 10 } }] }]);
    engine.bind(Prefix.parse("0.0.0.0/0"), "edge/open");
    const values = (...at: number[]) =>
      engine.receive(at.map((each) => ({ ...SYN, at: clock.time + each }))).map(({ marks }) => marks[0]?.value);
    expect(values(0, 9_999, 19_998, 29_998)).toEqual([1, 2, 3, 1]);
  });
});

describe("traffic", () => {
  const to = ["198.51.100.0/24", "2001:db8:1::/120"];
  const kinds = { background, synFlood, dnsAmplification, carpetBombing };

  test.each(Object.entries(kinds))("of kind %s repeats with its seed, and differs with another", (_name, make) => {
    const first = make({ to, seed: 7 }).take(200);
    expect(make({ to, seed: 7 }).take(200)).toEqual(first);
    expect(make({ to, seed: 8 }).take(200)).not.toEqual(first);
    for (const packet of first) expect(packetSchema.parse(packet)).toEqual(packet);
    const inside = to.map((text) => Prefix.parse(text));
    expect(first.every((packet) => inside.some((prefix) => prefix.contains(Prefix.parse(packet.to))))).toBe(true);
  });

  test("of a SYN flood has SYN alone set and comes from everywhere", () => {
    const packets = synFlood({ to: ["198.51.100.7"], from: ["203.0.113.0/24"], dport: 80 }).take(1000);
    expect(new Set(packets.map(({ dport, flags, to, proto }) => JSON.stringify([proto, to, dport, flags])))).toEqual(
      new Set(['["tcp","198.51.100.7",80,["syn"]]']),
    );
    expect(new Set(packets.map(({ from }) => from)).size).toBeGreaterThan(200);
  });

  test("of a DNS amplification has large answers of few resolvers", () => {
    const packets = dnsAmplification({ to: ["198.51.100.7"] }).take(1000);
    expect(packets.every(({ proto, sport, length = 0 }) => proto === "udp" && sport === 53 && length >= 1100)).toBe(
      true,
    );
    expect(new Set(packets.map(({ from }) => from)).size).toBeLessThanOrEqual(32);
  });

  test("of a carpet bombing reaches every address of the prefix equally", () => {
    const packets = carpetBombing({ to: ["198.51.100.0/26", "2001:db8::/122"] }).take(20_000);
    const hits = new Map<string, number>();
    for (const { to } of packets) hits.set(to, (hits.get(to) ?? 0) + 1);
    expect(hits.size).toBe(128);
    expect(Math.max(...hits.values()) - Math.min(...hits.values())).toBeLessThan(10);
  });

  test("has times when it has a speed", () => {
    expect(
      background({ to, packetsPerSecond: 4, start: 1000 })
        .take(3)
        .map(({ at }) => at),
    ).toEqual([1000, 1250, 1500]);
  });

  test("is mixed by weight, and judged in bulk as it is one by one", () => {
    const make = () =>
      mixed(3, [
        [9, background({ to: ["198.51.100.0/24"] })],
        [1, synFlood({ to: ["198.51.100.7"] })],
        [0, carpetBombing({ to: ["192.0.2.0/24"] })],
      ]);
    const { engine } = node();
    engine.bind(Prefix.parse("198.51.100.0/25"), "edge/guarded");
    const packets = make().take(5000);
    const verdicts = engine.receive(packets);
    const dropped = verdicts.filter(({ verdict }) => verdict === "drop").length;
    expect(engine.receiveTraffic(make(), 5000)).toEqual({
      packets: 5000,
      bytes: packets.reduce((sum, { length = 0 }) => sum + length, 0),
      accepted: 5000 - dropped,
      dropped,
      unbound: verdicts.filter(({ profile }) => profile === undefined).length,
      evicted: 0,
      refused: 0,
    });
    expect(dropped).toBeGreaterThan(500);
    let seen = 0;
    for (const packet of make())
      if (seen++ === 5) expect(packet).toEqual(packets[5]);
      else if (seen > 6) break;
  });

  test("without recipients, senders or weight is refused", () => {
    expect(() => background({ to: [] })).toThrow("`to` must name at least one prefix");
    expect(() => background({ to: ["2001:db8::/32"], from: ["192.0.2.0/24"] })).toThrow(
      "`from` must name an IPv6 prefix",
    );
    expect(() => mixed(1, [])).toThrow("`sources` must have at least one source");
  });
});
