import { join } from "node:path";
import { StoredLedger } from "../../../provider/forwarder/ledger/ledger";
import type { LedgerOptions, SinkSpec } from "../../../provider/forwarder/ledger/protocol";
import type { ArrivedList } from "../../../provider/forwarder/reading/arrived-list";
import { type ForwardRecord, readBatch } from "../../../provider/forwarder/record/record";

/** The table of most lists. */
export const TABLE = { node: "fra1", arena: "edge", profile: "web", type: "shost" } as const;
export const JANUARY = Date.UTC(2026, 0, 1);

/** A sink as a ledger knows it. */
export const sink = (name: string, limits: Partial<SinkSpec["limits"]> = {}, only?: SinkSpec["only"]): SinkSpec => ({
  name,
  limits: { maxBytes: 1e9, maxAgeMs: 0, whenFull: "pause", ...limits },
  ...(only && { only }),
});

/** Opens the ledger of a folder in this thread. */
export const openLedger = (folder: string, sinks: readonly SinkSpec[], more: Partial<LedgerOptions> = {}) =>
  StoredLedger.open({ file: join(folder, "forwarder.db"), sinks, records: "changes", wall: JANUARY, ...more });

/** Marks as a node lists them, numbered from `from` on. */
export const listed = (count: number, value: number | ((n: number) => number), from = 0) =>
  Array.from({ length: count }, (_, index) => {
    const n = index + from;
    const v = typeof value === "number" ? value : value(n);
    return { a: `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`, id: 1, v, t: 600 };
  });

/** A list of a table that has arrived: its marks, or the text of the answer. */
export const arrived = (marks: readonly object[] | string, more: Partial<ArrivedList> = {}): ArrivedList => ({
  table: TABLE,
  body: [Buffer.from(typeof marks === "string" ? marks : JSON.stringify(marks))],
  wall: JANUARY,
  now: 1_000,
  rules: [],
  habits: {},
  snapshot: false,
  ...more,
});

/** Records that a sink would deliver next; nothing is acknowledged. */
export async function unread(ledger: StoredLedger, name: string): Promise<ForwardRecord[]> {
  const batches = await ledger.next(name, 1_000_000);
  const range = { start: 0, end: Number.POSITIVE_INFINITY };
  return batches.flatMap(({ body, sink }) => readBatch(Buffer.from(body), { ...range, sink }));
}

/** A sink has taken all of it. */
export async function takeAll(ledger: StoredLedger, name: string): Promise<void> {
  await ledger.acknowledge(name, (await ledger.next(name, 1_000_000)).at(-1)?.position ?? 0);
}
