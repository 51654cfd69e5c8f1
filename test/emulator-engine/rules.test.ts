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

function profile(rules: RuleSpec[]) {
  const clock = { time: Date.UTC(2026, 0, 1) };
  const sets: Record<string, PacketPrefixTable> = {
    "local blocked": new PacketPrefixTable([[Prefix.parse("203.0.113.0/24"), 1]]),
    "global blocked": new PacketPrefixTable([
      [Prefix.parse("203.0.113.0/24"), 1],
      [Prefix.parse("203.0.113.8/29"), 50],
    ]),
    "global partners": new PacketPrefixTable([[Prefix.parse("2001:db8::/48"), 7]]),
  };
  const engine = new PacketEngine({
    now: () => clock.time,
    sets: (_profile, { name, scope }) =>
      scope ? sets[`${scope} ${name}`] : (sets[`local ${name}`] ?? sets[`global ${name}`]),
  });
  engine.addProfile("edge/web", rulesSchema.parse(rules));
  for (const prefix of ["0.0.0.0/0", "::/0"]) engine.bind(prefix, "edge/web");
  const receive = (...packets: Packet[]) => engine.receive(packets);
  const verdicts = (...packets: Packet[]) => receive(...packets).map(({ verdict }) => verdict);
  return { clock, sets, engine, receive, verdicts };
}

/** Whether a rule with this match drops the packet. */
function drops(match: MatchSpec, packet: Packet): boolean {
  return profile([{ id: 1, match: [match], actions: ["drop"] }]).verdicts(packet)[0] === "drop";
}

describe("a match", () => {
  const holds: [MatchSpec, Packet][] = [
    [{ source: "203.0.113.0/24" }, SYN],
    [{ source: "203.0.113.9" }, SYN],
    [{ source: "0.0.0.0/0" }, SYN],
    [{ source: ["192.0.2.0/24", "203.0.113.8/31"] }, SYN],
    [{ source: "2001:db8::/32" }, SYN6],
    [{ destination: "198.51.100.7" }, SYN],
    [{ destination: ["2001:db8:1::/48", "192.0.2.0/24"] }, SYN6],
    [{ protocol: "tcp" }, SYN],
    [{ protocol: [17, "tcp"] }, SYN],
    [{ protocol: 6 }, SYN6],
    [{ sourcePort: 40_000 }, SYN],
    [{ destinationPort: ["1-80", 443] }, SYN],
    [{ destinationPort: "443-443" }, SYN],
    [{ flags: { set: ["syn"], unset: ["ack", "rst"] } }, SYN],
    [{ flags: { unset: ["ack"] } }, SYN],
    [{ length: { min: 60 } }, SYN],
    [{ length: { min: 10, max: 60 } }, SYN],
    [{ set: { name: "blocked" } }, SYN],
    [{ set: { name: "blocked", value: 1 } }, SYN],
    [{ set: { name: "blocked", scope: "global", value: { ge: 50, lt: 51 } } }, SYN],
    [{ set: { name: "partners", of: "destination", value: { ne: 8 } } }, { ...SYN6, to: "2001:db8::1" }],
    [{ rate: { above: 0 } }, SYN],
    [{ protocol: "tcp", destinationPort: 443, not: { source: "192.0.2.0/24" } }, SYN],
  ];
  const fails: [MatchSpec, Packet][] = [
    [{ source: "203.0.113.0/29" }, SYN],
    [{ source: "0.0.0.0/0" }, SYN6],
    [{ source: "::/0" }, SYN],
    [{ protocol: ["udp", "icmp"] }, SYN],
    [{ destinationPort: ["1-442", "444-65535"] }, SYN],
    [{ flags: { set: ["syn", "ack"] } }, SYN],
    [{ flags: { unset: ["ack"] } }, { ...SYN, proto: "udp", flags: [] }],
    [{ length: { max: 59 } }, SYN],
    [{ set: { name: "blocked", scope: "global", value: 1 } }, SYN],
    [{ set: { name: "blocked", of: "destination" } }, SYN],
    [{ mark: { type: "shost" } }, SYN],
    [{ rate: { above: 1 } }, SYN],
    [{ protocol: "tcp", destinationPort: 80 }, SYN],
  ];
  test.each(holds)("%j holds", (match, packet) => {
    expect(drops(match, packet)).toBe(true);
    expect(drops({ not: match }, packet)).toBe(false);
    expect(drops({ not: { not: match } }, packet)).toBe(true);
  });
  test.each(fails)("%j does not hold", (match, packet) => {
    expect(drops(match, packet)).toBe(false);
    expect(drops({ not: match }, packet)).toBe(true);
  });

  test("of a set sees what the set holds when the packet comes", () => {
    const { sets, verdicts } = profile([{ id: 1, match: [{ set: { name: "blocked" } }], actions: ["drop"] }]);
    const before = verdicts(SYN);
    sets["local blocked"]?.delete(Prefix.parse("203.0.113.0/24"));
    expect([before, verdicts(SYN)]).toEqual([["drop"], ["accept"]]);
  });

  test("of a rate lets so many packets of a source pass in each window", () => {
    const { clock, verdicts } = profile([{ id: 1, match: [{ rate: { above: 2, window: 10 } }], actions: ["drop"] }]);
    const other = { ...SYN, from: "203.0.113.10" };
    expect(verdicts(SYN, SYN, other, SYN, SYN6)).toEqual(["accept", "accept", "accept", "drop", "accept"]);
    clock.time += 9_999;
    expect(verdicts(SYN)).toEqual(["drop"]);
    clock.time += 1;
    expect(verdicts(SYN, { ...SYN, count: 2 })).toEqual(["accept", "drop"]);
  });

  test.each([
    ["rule", ["accept", "drop", "drop", "drop"]],
    ["destination", ["accept", "drop", "drop", "drop"]],
    ["source", ["accept", "accept", "drop", "drop"]],
    ["pair", ["accept", "accept", "drop", "drop"]],
    ["connection", ["accept", "accept", "accept", "drop"]],
  ] as const)("of a rate per %s counts together what belongs together", (per, expected) => {
    const { verdicts } = profile([{ id: 1, match: [{ rate: { above: 100, per, unit: "bytes" } }], actions: ["drop"] }]);
    expect(verdicts(SYN, { ...SYN, from: "203.0.113.10" }, { ...SYN, sport: 1 }, SYN)).toEqual(expected);
  });

  test("of a mark looks for its id and compares its value, until the record expires", () => {
    const { clock, receive } = profile([
      { id: 1, match: [{ mark: { type: "dhost", id: 8, value: { gt: 2 } } }], actions: ["drop"] },
      { id: 2, match: [{ mark: { type: "dhost", value: { gt: 900 } } }], actions: ["drop"] },
      { id: 3, actions: [{ dhmark: { id: 8, lifetime: 5 } }, { dhmark: { id: 9, set: 7 } }] },
    ]);
    const rules = () => receive(SYN)[0]?.rule?.id;
    expect([rules(), rules(), rules(), rules()]).toEqual([undefined, undefined, undefined, 1]);
    clock.time += 5_000;
    expect(rules()).toBeUndefined();
  });
});

describe("a walk through the rules", () => {
  test("goes on after marks and counters, and ends with the first verdict", () => {
    const { engine, receive } = profile([
      { id: 10, name: "all", actions: ["count", { hmark: {} }, { sdhmark: { id: 77, max: 5, lifetime: 60 } }] },
      { id: 11, match: [{ protocol: "udp" }], actions: ["drop"] },
      { id: 12, name: "web", match: [{ destinationPort: 443 }], actions: [{ connmark: { set: 3 } }, "accept"] },
      { id: 13, actions: ["count", "drop"] },
    ]);
    const marks = [
      { type: "shost", id: 10, value: 2 },
      { type: "sdhost", id: 77, value: 5 },
    ];
    expect(receive({ ...SYN, count: 2 }, { ...SYN, dport: 80 })).toEqual([
      {
        verdict: "accept",
        profile: "edge/web",
        rule: { id: 12, name: "web" },
        marks: [...marks, { type: "conn", id: 12, value: 3 }],
      },
      {
        verdict: "drop",
        profile: "edge/web",
        rule: { id: 13 },
        marks: [{ type: "shost", id: 10, value: 3 }, marks[1]],
      },
    ]);
    expect(engine.counters("edge/web")).toEqual([
      { packets: 3, bytes: 180 },
      undefined,
      undefined,
      { packets: 1, bytes: 60 },
    ]);
    expect(engine.marks("edge/web").export()).toEqual({
      shost: [{ address: "203.0.113.9", id: 10, value: 3, age: 0 }],
      sdhost: [{ source: "203.0.113.9", destination: "198.51.100.7", id: 77, value: 5, lifetime: 60, age: 0 }],
      conn: [
        {
          ...{ source: "203.0.113.9", destination: "198.51.100.7", sourcePort: 40_000, destinationPort: 443 },
          ...{ protocol: "tcp", id: 12, value: 3, age: 0 },
        },
      ],
    });
  });

  test("accepts what no rule decides on", () => {
    expect(profile([{ id: 1, name: "from another node", extra: { policy: "x" } }]).receive(SYN)).toEqual([
      { verdict: "accept", profile: "edge/web", marks: [] },
    ]);
  });
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
    expect(() => profile(rules)).toThrow('profile edge/web, rule 4 "list": there is no local prefix-set "nowhere"');
  });
});

test("rules and packets have a JSON Schema", () => {
  const { $defs } = z.toJSONSchema(z.strictObject({ rule: ruleSchema, packet: packetSchema }));
  expect(Object.keys($defs ?? {}).sort()).toEqual(["Action", "Comparison", "MarkAction", "Match", "Packet", "Rule"]);
  expect($defs?.Packet).toMatchObject({ required: ["from", "to", "proto"] });
});
