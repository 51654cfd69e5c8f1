import { createServer as createHttpServer, type ServerResponse } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Server } from "node:net";
import { afterEach, expect, test, vi } from "vitest";
import { NodeClient } from "../../provider/client";
import { SIZES } from "../../provider/forwarder/defaults";
import type { StoredLedger } from "../../provider/forwarder/ledger/ledger";
import { LedgerThread } from "../../provider/forwarder/ledger/thread";
import { MarkSource } from "../../provider/forwarder/polling/mark-source";
import { TablePoller } from "../../provider/forwarder/polling/table-poller";
import { Baseline } from "../../provider/forwarder/reading/baseline";
import type { Format } from "../../provider/forwarder/record/formats";
import { Outgoing } from "../../provider/forwarder/record/outgoing";
import type { ForwardRecord } from "../../provider/forwarder/record/record";
import { RowWriter } from "../../provider/forwarder/record/rows";
import { parcelOf } from "../../provider/forwarder/sinks/sink";
import { until } from "./support/clock";
import { RECORD, startForwarding, temporaryFolder } from "./support/forward";
import { httpSink } from "./support/http-sink";
import { arrived, listed, openLedger, sink } from "./support/ledger";
import { openSink } from "./support/sinks";

/** Counts what is done between two turns of the event loop, by name, and keeps the most of each. */
class PerTurn implements Disposable {
  readonly most: Record<string, number> = {};
  private now: Record<string, number> = {};
  private running = true;
  private readonly restore: (() => void)[] = [];

  constructor() {
    const turn = (): void => {
      this.now = {};
      if (this.running) setImmediate(turn);
    };
    turn();
  }

  count(name: string): void {
    const count = (this.now[name] ?? 0) + 1;
    this.now[name] = count;
    this.most[name] = Math.max(this.most[name] ?? 0, count);
  }

  /** Counts the calls of a method. */
  watch<T extends object>(of: T, method: keyof T & string): void {
    const original = Reflect.get(of, method) as (...args: unknown[]) => unknown;
    const count = (): void => this.count(method);
    Reflect.set(of, method, function counted(this: T, ...args: unknown[]) {
      count();
      return original.apply(this, args);
    });
    this.restore.push(() => Reflect.set(of, method, original));
  }

  [Symbol.dispose](): void {
    this.running = false;
    for (const put of this.restore) put();
  }
}

const servers: Server[] = [];
afterEach(() => {
  vi.restoreAllMocks();
  for (const server of servers.splice(0)) server.close();
});

async function listening(server: Server): Promise<number> {
  servers.push(server);
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  return (server.address() as AddressInfo).port;
}

test("many sinks that write out at once take one slice of records a turn", async () => {
  using folder = temporaryFolder();
  using turns = new PerTurn();
  // As each protocol acknowledges.
  const items = Array.from({ length: 1_500 }, () => ({ create: { status: 201 } }));
  const http = await httpSink(({ url }) => [200, url === "/_bulk" ? JSON.stringify({ items }) : ""]);
  const syslog = await listening(createTcpServer((socket) => socket.resume()));
  const url = http.url.replace("/in", "/");
  const sinks: [type: string, own: object, format: Format][] = [
    ["stdout", {}, "plain"],
    ["file", { path: "marks.ndjson" }, "plain"],
    ["http", { url }, "ecs"],
    ["http", { url, gzip: true }, "otel"],
    ["elasticsearch", { url, index: "marks" }, "ecs"],
    ["otlp", { url }, "plain"],
    ["syslog", { host: "127.0.0.1", port: syslog, message: "cef" }, "plain"],
  ];
  const count = 1_500;
  const written = new Map<number, Set<string>>();
  const seen = (sink: number, recordId: string): void => {
    const records = written.get(sink) ?? new Set();
    written.set(sink, records);
    // A record is written out by one sink once, however often the sink looks at it.
    if (!records.has(recordId)) turns.count("records");
    records.add(recordId);
  };
  const recordsFor = (sink: number) =>
    Array.from({ length: count }, (_, n): ForwardRecord => {
      const recordId = `r-${n}`;
      return {
        ...RECORD,
        value: n,
        sequence: n,
        recordId,
        get message() {
          seen(sink, recordId);
          return "one line";
        },
      };
    });
  await Promise.all(
    sinks.map(async ([type, own, format], index) => {
      const sink = await openSink(type, own, { format, folder: folder.path });
      const parcel = await parcelOf(sink, Outgoing.of(recordsFor(index)));
      expect(await sink.deliver([parcel], new AbortController().signal)).toEqual({});
      await sink.close();
    }),
  );
  expect([...written.values()].map(({ size }) => size)).toEqual(sinks.map(() => count));
  expect(turns.most).toEqual({ records: SIZES.recordsASlice });
});

test("of many nodes that answer at once one is gone on with in each turn", async () => {
  using folder = temporaryFolder();
  using turns = new PerTurn();
  const count = 20;
  const held = new Map<string, ServerResponse[]>();
  const answers: Record<string, string> = {
    "arena://edge": '{"data":[{"name":"web"}]}',
    "profile://edge/web": '{"data":[{"id":1,"name":"syn"}]}',
    "mark://edge/web": '{"data":[{"a":"203.0.113.45","id":1,"v":1,"t":60}]}',
  };
  const port = await listening(
    createHttpServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      const { url } = JSON.parse(Buffer.concat(chunks).toString());
      const waiting = [...(held.get(url) ?? []), response];
      held.set(url, waiting);
      if (waiting.length === count) for (const each of waiting) each.end(answers[url]);
    }),
  );
  turns.watch(NodeClient.prototype, "listRules");
  turns.watch(TablePoller.prototype, "run");
  turns.watch(MarkSource.prototype, "list");
  turns.watch(LedgerThread.prototype, "take");
  const { forwarder } = await startForwarding(
    {
      nodes: Object.fromEntries(
        Array.from({ length: count }, (_, n) => [`node${n}`, { endpoint: `http://127.0.0.1:${port}/node${n}` }]),
      ),
      watch: [{ arena: "edge", types: ["shost"] }],
      state: folder.path,
    },
    folder.path,
    { thread: true, onRecord: () => {} },
  );
  await until(() => forwarder.nodes.reduce((sum, { marks }) => sum + marks, 0) === count);
  await forwarder.stop(0);
  expect(turns.most).toEqual({ listRules: 1, run: 1, list: 1, take: 1 });
});

test("a table of any size is compared and loaded in slices", async () => {
  using folder = temporaryFolder();
  using turns = new PerTurn();
  const count = 30_000;
  turns.watch(RowWriter.prototype, "add");
  turns.watch(Baseline.prototype, "found");
  turns.watch(Baseline.prototype, "remove");
  let now = 1_000;
  const read = async (ledger: StoredLedger, value: number, from = 0) => {
    now += 3_000;
    return (await ledger.take(arrived(listed(count - from, value, from), { now }))).events;
  };
  const { ledger } = await openLedger(folder.path, [sink("disk")]);
  expect(await read(ledger, 1)).toEqual({ added: count });
  // The third reading is where the baseline is written whole.
  expect(await read(ledger, 2)).toEqual({ changed: count });
  expect(await read(ledger, 3)).toEqual({ changed: count });
  await ledger.close(now);
  const { ledger: again } = await openLedger(folder.path, [sink("disk")]);
  expect(await read(again, 3, count - 10)).toEqual({ gone: count - 10 });
  await again.close(now);
  const { add = 0, found = 0, remove = 0 } = turns.most;
  expect(Math.max(add, found, remove)).toBeLessThanOrEqual(Math.max(SIZES.rowsASlice, SIZES.rowsABatch));
  expect(Math.min(add, found, remove)).toBeGreaterThan(500);
});
