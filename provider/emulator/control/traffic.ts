import { z } from "zod";
import type { MarkType } from "../../model/mark";
import { CONTROL } from "../defaults";
import type { MarkLosses, MarkRecord } from "../marks";
import {
  background,
  carpetBombing,
  dnsAmplification,
  type Packet,
  packetSchema,
  synFlood,
  type TrafficSource,
  type TrafficSummary,
  type Verdict,
} from "../packets";
import type { RuleCounter } from "../rules/program";
import type { Simulation } from "../simulation";
import { strictly } from "../validation/strict";
import { markLosses, markRecord, trafficSummary, verdict } from "./answers";
import { checkedPackets, markQuery, markTable, text } from "./arguments";
import { withTexts } from "./given";
import { profileOf } from "./lookup";
import { method, operation } from "./operation";
import type { MarkQuery, TrafficRequest } from "./schema-types";

const KINDS = { background, synFlood, dnsAmplification, carpetBombing };

const counter: z.ZodType<RuleCounter | null> = z.object({ packets: z.int(), bytes: z.int() }).nullable();

/** Numbers of a whole mark table. */
const table = markLosses.extend({ active: z.int(), expired: z.int() });

/** Numbers of a mark table, and the selected records. */
export interface MarkTable extends MarkLosses {
  /** Number of live records. */
  readonly active: number;
  /** Number of expired records that are still kept. */
  readonly expired: number;
  /** The selected records. */
  readonly records: readonly MarkRecord[];
}

const marks = operation("GET /marks", "The marks of a profile, with expired ones that are still kept.", {
  input: markTable.extend({ limit: markTable.shape.limit.describe("Most records, default 1000.") }),
  answer: table.extend({ records: z.array(markRecord) }) as z.ZodType<MarkTable>,
  outline: table.extend({ records: z.custom<unknown[]>(Array.isArray) }),
  run: ({ contents }, { url, type, limit = CONTROL.marks, ...filter }): MarkTable => {
    const { arena, profile } = profileOf(contents, url);
    const table = contents.packetPath.marks(arena, profile);
    const records: MarkRecord[] = [];
    for (const record of table.records(type, filter)) {
      if (records.length === limit) break;
      records.push(record);
    }
    return { ...table.count(type), ...table.losses(type), records };
  },
});

/** Traffic to generate in the emulator's process. */
export const trafficRequest = z
  .strictObject({
    kind: z.enum(Object.keys(KINDS) as [keyof typeof KINDS]).describe("Kind of the packets."),
    to: z.array(z.string()).min(1).describe("Prefixes of recipients."),
    from: z.array(z.string()).min(1).optional().describe("Prefixes of senders; default: documentation prefixes."),
    count: z.int().min(1).max(CONTROL.traffic).describe("Number of packets."),
    seed: z.int().min(0).optional().describe("Default: the emulator's seed."),
  })
  .describe("Traffic to generate in the emulator: kind, recipients, senders and number of packets.");

export type { MarkQuery, TrafficRequest } from "./schema-types";

const arrivingTraffic = operation(
  "POST /traffic",
  "Receives generated traffic and returns totals. A disconnected caller, a reset or a new state ends it; the totals then cover the packets so far.",
  {
    input: trafficRequest,
    answer: trafficSummary,
    run: (simulation, { kind, count, seed = simulation.options.seed, ...options }, { signal }) =>
      receiveTraffic(simulation, KINDS[kind]({ seed, ...options }), count, signal),
  },
);

/** Operations on packets, marks and counters. */
export const traffic = {
  /**
   * Lets packets arrive at the node, in order, and returns verdict, profile, rule and changed marks of each. The longest
   * bound prefix that contains the destination decides on the profile.
   *
   * @throws {TypeError} naming a packet that is not valid.
   * @example
   * ```ts
   * emulator.receive([{ from: "203.0.113.9", to: "198.51.100.7", proto: "tcp", dport: 443 }])[0].verdict;   // "accept"
   * ```
   */
  receive: method(
    operation("POST /packets", "Lets packets arrive, in order, and returns the outcome of each.", {
      input: z.array(packetSchema).max(CONTROL.packets) as z.ZodType<Iterable<Packet>>,
      answer: z.array(verdict),
      run: ({ contents, changed }, packets): Verdict[] => {
        try {
          return contents.packetPath.receive(packets);
        } finally {
          changed("marks");
        }
      },
    }),
    (packets: Iterable<Packet>) => checkedPackets(packets),
  ),

  traffic: arrivingTraffic,

  /**
   * The marks of a profile, with expired ones that are still kept; optionally only those with an id or address, or the first ones.
   *
   * @throws {UnknownResource} if the profile does not exist.
   * @example
   * ```ts
   * emulator.marks("profile://edge/web", "shost", { id: 110, contains: "203.0.113.0/24", limit: 10 });
   * ```
   */
  marks: method(
    marks,
    (url: string, type: MarkType, query: MarkQuery = {}) => {
      const { limit = CONTROL.allMarks, ...filter } = strictly(markQuery, withTexts(query), "marks()");
      return { ...strictly(markTable, { url, type }, "marks()"), ...filter, limit };
    },
    ({ records }) => records,
  ),

  /**
   * Numbers of marks of a profile, of losses to a full table, and at most `limit` of the marks.
   *
   * @throws {UnknownResource} if the profile does not exist.
   */
  markTable: method(marks, (url: string, type: MarkType, limit: number) =>
    strictly(markTable, { url, type, limit }, "markTable()"),
  ),

  /** Counters of the `count` actions of a profile, in the order of its rules. @throws {UnknownResource} */
  counters: method(
    operation(
      "GET /counters",
      "Counters of the count actions of a profile, in the order of its rules; null for rules that do not count.",
      {
        input: z.strictObject({ url: z.string().describe("Of the profile.") }),
        answer: z.array(counter),
        run: ({ contents }, { url }) => {
          const { arena, profile } = profileOf(contents, url);
          return contents.packetPath.counters(arena, profile).map((it) => it ?? null);
        },
      },
    ),
    (url: string) => ({ url: strictly(text, url, "The url of a profile") }),
    (counters) => counters.map((it) => it ?? undefined),
  ),
};

/** Member of a client in place of `receiveTraffic`, whose traffic the caller generates. */
export const remoteTraffic = {
  /** Generates traffic in the emulator's process and returns totals. An `AbortSignal` ends it. */
  traffic: method(arrivingTraffic, (...[request]: [request: TrafficRequest, signal?: AbortSignal]) =>
    strictly(trafficRequest, withTexts(request), "traffic()"),
  ),
};

/** Receives generated traffic until `signal` ends it, and returns totals. */
export async function receiveTraffic(
  { contents, changed }: Simulation,
  source: TrafficSource,
  count: number,
  signal?: AbortSignal,
): Promise<TrafficSummary> {
  try {
    return await contents.packetPath.receiveTraffic(source, count, signal);
  } finally {
    changed("marks");
  }
}
