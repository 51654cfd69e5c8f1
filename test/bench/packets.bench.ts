import { background, mixed, PacketEngine, synFlood, type TrafficSource } from "../../provider/emulator/packets";
import { drawAddress, RandomIntegers, senderRanges } from "../../provider/emulator/packets/traffic-source";
import { PacketPrefixTable } from "../../provider/emulator/rules/packet-prefix-table";
import type { RuleSpec } from "../../provider/emulator/rules/rule-schema";
import { Prefix } from "../../provider/model/prefix";
import { type Figure, median, memory } from "./figure";

const PACKETS = 500_000;
/** 198.18.0.0/15, the block for benchmarks (RFC 2544). */
const SENDERS = ["198.18.0.0/15"];
const RECIPIENTS = ["203.0.113.0/24"];

/** Ten rules that use every kind of match and action; most packets walk through all of them. */
const RULES: RuleSpec[] = [
  { id: 1, match: [{ set: { name: "partners", value: { ge: 1000 } } }], actions: ["accept"] },
  { id: 2, match: [{ mark: { type: "shost", id: 9, value: { ge: 1_000_000 } } }], actions: ["drop"] },
  { id: 3, match: [{ protocol: "udp", sourcePort: 53, length: { min: 1000 } }], actions: ["drop"] },
  { id: 4, match: [{ protocol: "tcp", flags: { set: ["syn", "fin"] } }], actions: ["drop"] },
  { id: 5, match: [{ protocol: "icmp", rate: { above: 1000, per: "destination" } }], actions: ["drop"] },
  { id: 6, match: [{ destination: "203.0.113.0/25" }, { destinationPort: ["1-79", "8000-9000"] }], actions: ["drop"] },
  { id: 7, match: [{ source: ["192.0.2.0/24", "198.51.100.0/24"] }], actions: ["drop"] },
  { id: 8, match: [{ set: { name: "partners", of: "source" } }], actions: ["count"] },
  {
    id: 9,
    match: [{ protocol: "tcp", flags: { set: ["syn"], unset: ["ack"] } }],
    actions: [{ hmark: { lifetime: 60 } }],
  },
  { id: 10, match: [{ not: { protocol: ["tcp", "udp", "icmp"] } }], actions: ["drop"] },
];

/** 10 000 prefixes of lengths 20 to 32 in the senders' block and around it. */
function partners(): PacketPrefixTable {
  const random = new RandomIntegers(11);
  const [range] = senderRanges({ to: [], from: ["198.0.0.0/8"] });
  const table = new PacketPrefixTable();
  while (range && table.size < 10_000) {
    const length = random.between(20, 32);
    table.set(Prefix.parse(`${drawAddress(range, random)}/${length}`, { hostBits: "mask" }), random.below(100));
  }
  return table;
}

/** Figures of the packet path: packets a second, look-ups a second, memory after many. */
export async function packetsFigures(): Promise<Figure[]> {
  const table = partners();
  let now = Date.UTC(2026, 0, 1);
  const engine = new PacketEngine({ now: () => now, sets: () => table });
  engine.addProfile("edge/web", RULES);
  for (const prefix of RECIPIENTS) engine.bind(prefix, "edge/web");
  const usual = background({ to: RECIPIENTS, from: SENDERS, seed: 1 });
  const traffic = mixed(5, [
    [7, usual],
    [3, synFlood({ to: RECIPIENTS, from: SENDERS, seed: 2 })],
  ]);
  const pace = (milliseconds: number) => (PACKETS / milliseconds) * 1000;
  const receive = (source: TrafficSource) => {
    now += 1000;
    engine.receiveTraffic(source, PACKETS);
  };
  const generating = pace(
    await median(() => new PacketEngine({ now: () => now, sets: () => table }).receiveTraffic(traffic, PACKETS)),
  );
  const judged = pace(await median(() => receive(traffic)));
  const before = memory();
  for (let round = 0; round < 10; round++) receive(traffic);
  const growth = memory() - before;
  const friendly = traffic.take(50_000);
  const received = 50_000_000 / (await median(() => engine.receive(friendly)));
  const random = new RandomIntegers(4);
  const looked = await median(() => {
    for (let index = 0; index < 1_000_000; index++)
      table.find(4, [(198 << 24) | (random.word() & 0xffffff) | 0, 0, 0, 0]);
  });
  return [
    {
      name: "ten rules, set of 10 000 prefixes: generated and judged",
      value: judged,
      unit: "packets/s",
      reference: "goal: 500 000",
    },
    { name: "generated alone, no profile bound", value: generating, unit: "packets/s", reference: "" },
    { name: "received one by one as objects, with a verdict each", value: received, unit: "packets/s", reference: "" },
    { name: "growth of memory over 5 000 000 packets more", value: growth, unit: "MiB", reference: "goal: none" },
    { name: "longest-prefix match among 10 000", value: 1e9 / looked, unit: "a second", reference: "" },
  ];
}
