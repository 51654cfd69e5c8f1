import { describe, expect, test } from "vitest";
import { z } from "zod";
import { type Packet, PacketEngine, packetSchema } from "../../provider/emulator/packets";
import { PacketPrefixTable } from "../../provider/emulator/rules/packet-prefix-table";
import { type MatchSpec, type RuleSpec, ruleSchema, rulesSchema } from "../../provider/emulator/rules/rule-schema";
import { Prefix } from "../../provider/model/prefix";

const SYN: Packet = {
  from: "203.0.113.9",
  to: "198.51.100.7",
  proto: "tcp",
  sport: 40_000,
  dport: 443,
  flags: ["syn"],
  length: 60,
};
const SYN6: Packet = { ...SYN, from: "2001:db8::9", to: "2001:db8:1::7" };

/** An engine whose one profile has these rules, and all addresses. */
function engineOf(rules: RuleSpec[]): PacketEngine {
  const sets: Record<string, PacketPrefixTable> = {
    "local blocked": new PacketPrefixTable([[Prefix.parse("203.0.113.0/24"), 1]]),
    "global blocked": new PacketPrefixTable([
      [Prefix.parse("203.0.113.0/24"), 1],
      [Prefix.parse("203.0.113.8/29"), 50],
    ]),
    "global partners": new PacketPrefixTable([[Prefix.parse("2001:db8::/48"), 7]]),
  };
  const engine = new PacketEngine({
    now: () => Date.UTC(2026, 0, 1),
    sets: (_profile, { name, scope }) =>
      scope ? sets[`${scope} ${name}`] : (sets[`local ${name}`] ?? sets[`global ${name}`]),
  });
  engine.addProfile("edge/web", rulesSchema.parse(rules));
  for (const prefix of ["0.0.0.0/0", "::/0"]) engine.bind(Prefix.parse(prefix), "edge/web");
  return engine;
}

/** Whether a rule with this match drops the packet. */
function drops(match: MatchSpec, packet: Packet): boolean {
  const [verdict] = engineOf([{ id: 1, match: [match], actions: ["drop"] }]).receive([packet]);
  return verdict?.verdict === "drop";
}

test.each<[MatchSpec, Packet, boolean]>([
  [{ source: ["192.0.2.0/24", "203.0.113.8/31"] }, SYN, true],
  [{ source: "203.0.113.10/31" }, SYN, false],
  [{ destination: "198.51.100.0/24" }, SYN, true],
  [{ destination: ["2001:db8::/48", "203.0.113.0/24"] }, SYN6, false],
  [{ protocol: 6 }, SYN6, true],
  [{ protocol: ["udp", "icmp"] }, SYN, false],
  [{ sourcePort: [53, "39999-40000"] }, SYN, true],
  [{ sourcePort: "1-39999" }, SYN, false],
  [{ destinationPort: "443-443" }, SYN, true],
  [{ destinationPort: [80, "444-65535"] }, SYN, false],
  [{ flags: { set: ["syn"], unset: ["ack"] } }, SYN, true],
  [{ flags: { set: ["syn"], unset: ["ack"] } }, { ...SYN, flags: ["syn", "ack"] }, false],
  [{ flags: { set: ["syn", "ack"] } }, SYN, false],
  [{ flags: { set: ["syn"] } }, { ...SYN, proto: "udp" }, false],
  [{ length: { min: 60, max: 60 } }, SYN, true],
  [{ length: { min: 61 } }, SYN, false],
  [{ length: { max: 59 } }, SYN, false],
  [{ set: { name: "blocked", value: 1 } }, SYN, true],
  [{ set: { name: "blocked", scope: "global", value: { ge: 50, lt: 51 } } }, SYN, true],
  [{ set: { name: "blocked", scope: "global", value: 1 } }, SYN, false],
  [{ set: { name: "blocked", scope: "global", value: { lt: 50 } } }, SYN, false],
  [{ set: { name: "blocked", scope: "global", value: { le: 50, gt: 49, eq: 50 } } }, SYN, true],
  [{ set: { name: "blocked", scope: "global", value: { gt: 50 } } }, SYN, false],
  [{ set: { name: "blocked", scope: "global", value: { ge: 51 } } }, SYN, false],
  [{ set: { name: "blocked", scope: "global", value: { ne: 50 } } }, SYN, false],
  [{ set: { name: "partners", of: "destination", value: { ne: 8 } } }, { ...SYN6, to: "2001:db8::1" }, true],
  [{ set: { name: "partners" } }, SYN, false],
  [{ set: { name: "blocked", of: "destination" } }, SYN, false],
  [{ protocol: "tcp", destinationPort: 443, not: { source: "192.0.2.0/24" } }, SYN, true],
])("%j of a packet: %j is %j", (match, packet, holds) => {
  expect(drops(match, packet)).toBe(holds);
  expect(drops({ not: match }, packet)).toBe(!holds);
  expect(drops({ not: { not: match } }, packet)).toBe(holds);
});

/** A second packet that differs from the first in nothing but one side or port. */
const OTHER = { from: { from: "203.0.113.10" }, to: { to: "198.51.100.8" }, sport: { sport: 1 } };

test.each([
  ["source", ["to", "sport"]],
  ["destination", ["from", "sport"]],
  ["pair", ["sport"]],
  ["connection", []],
  ["rule", ["from", "to", "sport"]],
] as const)("a rate by %s counts packets together that differ only in %j", (per, together) => {
  for (const [member, other] of Object.entries(OTHER)) {
    const rules: RuleSpec[] = [{ id: 1, match: [{ rate: { above: 1, per } }], actions: ["drop"] }];
    const second = engineOf(rules).receive([SYN, { ...SYN, ...other }])[1];
    expect([member, second?.verdict]).toEqual([member, together.includes(member as never) ? "drop" : "accept"]);
  }
});

test("a rate counts packets or bytes of a window that match all else, each before it is compared", () => {
  const at = (ms: number, more: Partial<Packet> = {}) => ({ ...SYN, ...more, at: Date.UTC(2026, 0, 1) + ms });
  const verdicts = (rate: NonNullable<MatchSpec["rate"]>, packets: Packet[]) => {
    const rules: RuleSpec[] = [{ id: 1, match: [{ rate, protocol: "tcp" }], actions: ["drop"] }];
    return engineOf(rules)
      .receive(packets)
      .map(({ verdict }) => verdict);
  };
  const udp = at(0, { proto: "udp" });
  expect(verdicts({ above: 1 }, [udp, at(0), at(999), at(1_000)])).toEqual(["accept", "accept", "drop", "accept"]);
  expect(verdicts({ above: 1, window: 2 }, [at(0), at(1_999), at(2_000)])).toEqual(["accept", "drop", "accept"]);
  expect(verdicts({ above: 120, unit: "bytes" }, [at(0), at(0), at(0)])).toEqual(["accept", "accept", "drop"]);
  expect(verdicts({ above: 2 }, [at(0, { count: 3 })])).toEqual(["drop"]);
});

test("marks are made by table, id and operation, matched while they live, and a verdict ends the walk", () => {
  const engine = engineOf([
    { id: 1, match: [{ mark: { type: "sdhost", id: 7, value: { ge: 6 } } }], actions: ["count", "drop"] },
    { id: 2, match: [{ mark: { type: "dhost" } }], actions: [{ shost: { max: 4 } } as never, "accept"] },
    { id: 3, actions: ["count", { sdhmark: { id: 7, add: 2, lifetime: 10 } }, { dhmark: { set: 9, lifetime: 5 } }] },
    { id: 4, actions: [{ connmark: {} }, "drop"] },
  ]);
  const at = (seconds: number, count = 1) => ({ ...SYN, count, at: Date.UTC(2026, 0, 1) + 1_000 * seconds });
  const outcome = ({ verdict, rule, marks }: ReturnType<typeof engine.receive>[number]) => [
    verdict,
    rule?.id,
    ...marks.map(({ type, id, value }) => `${type} ${id} ${value}`),
  ];
  expect(engine.receive([at(0, 2), at(1), at(6), at(7), at(17)]).map(outcome)).toEqual([
    ["drop", 4, "sdhost 7 4", "dhost 3 9", "conn 4 2"],
    ["accept", 2, "shost 2 4"],
    ["drop", 4, "sdhost 7 6", "dhost 3 9", "conn 4 3"],
    ["drop", 1],
    ["drop", 4, "sdhost 7 2", "dhost 3 9", "conn 4 4"],
  ]);
  expect(engine.counters("edge/web").map((counter) => counter?.packets)).toEqual([1, undefined, 4, undefined]);
});

describe("rules are refused with the place and the remedy", () => {
  test.each([
    [[{ id: 1, match: [{ flags: { set: ["sny"] } }] }], "0.match.0.flags.set.0", 'one of "fin"|"syn"'],
    [[{ id: 1, match: [{ not: {} }] }], "0.match.0.not", "a match needs a member"],
    [[{ id: 1, match: [{ source: "192.0.2.1/24" }] }], "0.match.0.source", 'write "192.0.2.0/24"'],
    [
      [{ id: 1, match: [{ destinationPort: "90-10" }] }],
      "0.match.0.destinationPort",
      '"90-10" is not a range of ports',
    ],
    [[{ id: 1, match: [{ flags: { set: ["syn"], unset: ["syn"] } }] }], "0.match.0.flags", "both set and unset"],
    [[{ id: 1, match: [{ length: { min: 9, max: 8 } }] }], "0.match.0.length", "`min` must not be above `max`"],
    [[{ id: 1, match: [{ port: 1 }] }], "0.match.0", 'Unrecognized key: "port"'],
    [[{ id: 1, match: [{ set: { name: "a b" } }] }], "0.match.0.set.name", 'the name "a b" contains " "'],
    [[{ id: 1, actions: ["drop", "count"] }], "0.actions.1", '"drop" ends the rule'],
    [[{ id: 1, actions: ["dorp"] }], "0.actions.0", 'an action is "accept", "drop", "count", or one of'],
    [[{ id: 1, actions: [{ hmark: { set: 1, add: 2 } }] }], "0.actions.0.hmark", "one of `set`, `add` and `max`"],
    [[{ actions: [{ hmark: {} }] }], "0.actions.0", "needs an `id`"],
    [[{ id: 1 }, { id: 1 }], "1.id", "the id 1 is used twice"],
  ])("%j", (rules, path, message) => {
    const issue = rulesSchema.safeParse(rules).error?.issues[0];
    expect([issue?.path.join("."), issue?.message]).toEqual([path, expect.stringContaining(message)]);
  });

  test("that name a set which does not exist", () => {
    const rules: RuleSpec[] = [{ id: 4, name: "list", match: [{ set: { name: "nowhere", scope: "local" } }] }];
    expect(() => engineOf(rules)).toThrow('profile edge/web, rule 4 "list": there is no local prefix-set "nowhere"');
  });
});

test("rules and packets have a JSON Schema", () => {
  const { $defs } = z.toJSONSchema(z.strictObject({ rule: ruleSchema, packet: packetSchema }));
  expect(Object.keys($defs ?? {}).sort()).toEqual(["Action", "Comparison", "MarkAction", "Match", "Packet", "Rule"]);
  expect($defs?.Packet).toMatchObject({ required: ["from", "to", "proto"] });
});
