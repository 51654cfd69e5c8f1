import fc from "fast-check";
import { expect, test } from "vitest";
import { type Packet, PacketEngine } from "../../provider/emulator/packets";
import { PacketPrefixTable } from "../../provider/emulator/rules/packet-prefix-table";
import { type RuleSpec, rulesSchema } from "../../provider/emulator/rules/rule-schema";
import { Prefix } from "../../provider/model/prefix";
import { Interpreter, SETS } from "./interpreter";

const START = Date.UTC(2026, 0, 1);

const v4 = fc.constantFrom("203.0.113.1", "203.0.113.2", "203.0.113.130", "198.51.100.7");
const v6 = fc.constantFrom("2001:db8::1", "2001:db8::2", "2001:db8:1::1");
const port = fc.constantFrom(0, 53, 80, 443, 65535);
const flag = fc.constantFrom("syn" as const, "ack" as const, "rst" as const);
const protocol = fc.constantFrom("tcp" as const, "udp" as const, 1);
const some = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined, freq: 1 });

const packet = fc
  .record({
    addresses: fc.oneof(fc.tuple(v4, v4), fc.tuple(v6, v6)) as fc.Arbitrary<[string, string]>,
    rest: fc.record({
      proto: protocol,
      sport: port,
      dport: port,
      flags: fc.uniqueArray(flag),
      length: fc.constantFrom(0, 64, 1500),
      count: fc.constantFrom(1, 1, 1, 3),
    }),
    wait: fc.constantFrom(0, 0, 0, 400, 1000, 5000),
  })
  .map(({ addresses: [from, to], rest, wait }) => ({ packet: { from, to, ...rest } as Packet, wait }));

const prefix = fc.constantFrom("203.0.113.0/25", "203.0.113.2", "0.0.0.0/0", "2001:db8::/48", "::/0");
const prefixes = fc.oneof(prefix, fc.array(prefix, { minLength: 1, maxLength: 3 }));
const ports = fc.array(fc.constantFrom(53, 443, "1-80", "400-65535"), { minLength: 1, maxLength: 2 });
const number = fc.nat(5);
const bounds = fc.record(
  { eq: number, ne: number, lt: number, le: number, gt: number, ge: number },
  { requiredKeys: [] },
);
const comparison = fc.oneof(number, bounds);
const markType = fc.constantFrom("shost", "dhost", "sdhost", "conn");
const markId = fc.constantFrom(1, 2, 3);

const members = {
  source: prefixes,
  destination: prefixes,
  protocol: fc.oneof(protocol, fc.array(protocol, { minLength: 1, maxLength: 2 })),
  sourcePort: ports,
  destinationPort: ports,
  flags: fc
    .tuple(fc.uniqueArray(flag), fc.nat(3))
    .map(([flags, cut]) => ({ set: flags.slice(0, cut), unset: flags.slice(cut) })),
  length: fc.record({ min: fc.constantFrom(0, 1, 64), max: fc.constantFrom(64, 1499, 1500) }, { requiredKeys: [] }),
  set: fc.record(
    { name: fc.constantFrom(...Object.keys(SETS)), of: fc.constantFrom("source", "destination"), value: comparison },
    { requiredKeys: ["name"] },
  ),
  mark: fc.record({ type: markType, id: markId, value: comparison }, { requiredKeys: ["type"] }),
  rate: fc.record(
    {
      above: fc.constantFrom(0, 1, 3, 100),
      per: fc.constantFrom("rule", "source", "destination", "pair", "connection"),
      unit: fc.constantFrom("packets", "bytes"),
      window: fc.constantFrom(0.5, 1, 5),
    },
    { requiredKeys: ["above"] },
  ),
};
const single = fc.oneof(
  ...Object.entries(members).map(([name, value]) =>
    (value as fc.Arbitrary<unknown>).map((member) => ({ [name]: member })),
  ),
);
const conjunction = fc.array(single, { minLength: 1, maxLength: 2 }).map((parts) => Object.assign({}, ...parts));
const match = fc.oneof(
  { weight: 4, arbitrary: conjunction },
  { weight: 1, arbitrary: fc.tuple(conjunction, some(single)).map(([not, others]) => ({ ...others, not })) },
);

const markAction = fc
  .tuple(
    fc.constantFrom("hmark", "dhmark", "dmark", "sdhmark", "connmark"),
    fc.oneof(
      fc.constant({}),
      fc.constantFrom("set", "add", "max").chain((name) => number.map((value) => ({ [name]: value }))),
    ),
    some(markId),
    some(fc.constantFrom(0.5, 1, 4)),
  )
  .map(([name, value, id, lifetime]) => ({ [name]: { ...value, ...(id && { id }), ...(lifetime && { lifetime }) } }));
const actions = fc
  .tuple(
    fc.array(fc.oneof(markAction, fc.constant("count")), { maxLength: 3 }),
    some(fc.constantFrom("accept", "drop")),
  )
  .map(([first, verdict]) => (verdict ? [...first, verdict] : first));
const rules = fc
  .array(fc.record({ match: fc.array(match, { maxLength: 2 }), actions }), { minLength: 1, maxLength: 6 })
  .map((all) => all.map((rule, index) => ({ id: index + 1, ...rule })) as RuleSpec[]);

test("compiled rules do what the same rules do when they are interpreted packet by packet", () => {
  fc.assert(
    fc.property(rules, fc.array(packet, { maxLength: 25 }), (given, packets) => {
      const parsed = rulesSchema.parse(given);
      expect(parsed).toEqual(given);
      const clock = { time: START };
      const tables = new Map(
        Object.entries(SETS).map(([name, entries]) => [
          name,
          new PacketPrefixTable(entries.map(([text, value]) => [Prefix.parse(text), value])),
        ]),
      );
      const engine = new PacketEngine({
        now: () => clock.time,
        sets: (_profile, { name }) => tables.get(name),
        marks: { keepExpired: 0 },
      });
      engine.addProfile("p", parsed);
      for (const prefix of ["0.0.0.0/0", "::/0"]) engine.bind(prefix, "p");
      const interpreter = new Interpreter(parsed);
      for (const { packet, wait } of packets) {
        clock.time += wait;
        const [verdict] = engine.receive([packet]);
        const { verdict: expected, rule, marks } = interpreter.evaluate(packet, clock.time);
        expect([verdict?.verdict, verdict?.rule?.id, verdict?.marks]).toEqual([expected, rule, marks]);
      }
      expect(engine.counters("p").map((counter) => counter?.packets)).toEqual(interpreter.counted());
      for (const type of ["shost", "dhost", "sdhost", "conn"] as const) {
        const values = [...engine.marks("p").records(type)].map(({ id, value }) => `${id} ${value}`);
        expect(values.sort()).toEqual(interpreter.values(type, clock.time).sort());
      }
    }),
    { seed: 7, numRuns: 800 },
  );
});
