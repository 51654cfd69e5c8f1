import { statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { z } from "zod";
import { SIZES } from "../../provider/forwarder/defaults";
import type { ForwardRecord } from "../../provider/forwarder/record/record";
import { serveHere } from "../support/raw-server";
import { TestClock, until } from "./support/clock";
import { startForwarding, temporaryFolder } from "./support/forward";

const NODES = 4;
const MARKS = 200;
/** Marks of a list that have another value in the next one, and marks that give way to others. */
const CHANGED = 20;
const MOVED = 5;
const DAY = 86_400_000;
/** Days by which the date is set ahead and back, after every hundred rounds. */
const STEPS = [1, -2, 1_000, -999];

/** The list of a table at its nth reading. */
function listOf(nth: number): string {
  const data = Array.from({ length: MARKS }, (_, n) => {
    const isMoved = n < MOVED;
    const a = isMoved ? `203.0.113.${(nth * MOVED + n) % 250}` : `198.18.0.${n}`;
    return { a, id: 1, v: n < MOVED + CHANGED ? nth : 1, t: 3_600 };
  });
  return JSON.stringify({ data });
}

setFlagsFromString("--expose-gc");
const collect: () => void = runInNewContext("gc");

/** Memory after garbage collection, in MiB. */
function heapMiB(): number {
  for (let round = 0; round < 3; round++) collect();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return (heapUsed + arrayBuffers) / 2 ** 20;
}

test("20 000 lists, with the clock set to and fro: all arrives once, and nothing grows", {
  timeout: 1_800_000,
}, async ({ annotate }) => {
  using folder = temporaryFolder();
  const nth = new Map<string, number>();
  await using server = await serveHere(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const { url } = JSON.parse(body) as { url: string };
    if (url.startsWith("arena:")) return void response.end('{"data":[{"name":"web"}]}');
    if (url.startsWith("profile:")) return void response.end('{"data":[{"id":1,"name":"syn"}]}');
    const node = request.url ?? "";
    const round = (nth.get(node) ?? 0) + 1;
    nth.set(node, round);
    response.end(listOf(round));
  });

  const names = Array.from({ length: NODES }, (_, n) => `node${n}`);
  /** Records that arrived of each node: their number, and the last sequence. */
  const arrived = new Map(names.map((name) => [name, { records: 0, sequence: 0 }]));
  const gaps: string[] = [];
  const clock = new TestClock();
  const { forwarder, told } = await startForwarding(
    {
      nodes: Object.fromEntries(names.map((name) => [name, { endpoint: `${server.url}/${name}` }])),
      watch: [{ arena: "edge", types: ["shost"] }],
      sinks: [{ name: "disk", type: "file", path: "marks.ndjson", rotateBytes: 1_000_000, keep: 1 }],
      state: "state",
    },
    folder.path,
    {
      world: clock,
      onRecord: ({ node, sequence, event }: ForwardRecord) => {
        const of = arrived.get(node) ?? { records: 0, sequence: 0 };
        if (sequence !== of.sequence + 1 || event === "reset") gaps.push(`${node} ${of.sequence} ${sequence} ${event}`);
        arrived.set(node, { records: of.records + 1, sequence });
      },
    },
  );
  const taken = () =>
    names.reduce((sum, node) => sum + forwarder.metrics.get("polls_total", { node, outcome: "taken" }), 0);
  let polls = NODES;
  const pollUpTo = async (count: number): Promise<void> => {
    for (; polls < count; polls += NODES) {
      if (polls % (100 * NODES) === 0) clock.jump(DAY * (STEPS[(polls / (100 * NODES)) % STEPS.length] ?? 0));
      clock.advance(3_000);
      await until(() => taken() === polls + NODES);
    }
  };
  /** Counts after so many lists. */
  const standing = async () => {
    await until(async () => {
      clock.advance(100);
      await new Promise((resolve) => setTimeout(resolve, 150));
      return read("SELECT count(*) AS count FROM batches").count === 0;
    });
    const { count: tables } = read("SELECT count(*) AS count FROM tables");
    const { count: kept } = read(
      "SELECT max(bytes) AS count FROM (SELECT sum(length(body)) AS bytes FROM baseline GROUP BY table_id)",
    );
    return {
      tables,
      series: forwarder.metricsText().split("\n").length,
      timers: clock.waiting,
      isBaselineBounded: kept < 2 * SIZES.baselineChangesBytes,
      isStoreBounded: statSync(file).size < NODES * 4 * SIZES.baselineChangesBytes,
      sockets: process.getActiveResourcesInfo().filter((name) => name === "TCPSocketWrap").length <= NODES * 4,
    };
  };
  const file = join(folder.path, "state", "forwarder.db");
  const read = (sql: string) => {
    const db = new DatabaseSync(file, { readOnly: true });
    try {
      return z.object({ count: z.number() }).parse(db.prepare(sql).get());
    } finally {
      db.close();
    }
  };

  await until(() => taken() === NODES);
  await pollUpTo(2_000);
  const early = await standing();
  const earlyMiB = heapMiB();
  await pollUpTo(20_000);
  const late = await standing();
  await annotate(`heap after 2 000 lists ${earlyMiB.toFixed(1)} MiB, after 20 000 ${heapMiB().toFixed(1)} MiB`);
  expect(late).toEqual(early);
  expect(early).toMatchObject({ tables: NODES, isBaselineBounded: true, isStoreBounded: true, sockets: true });

  // Each list after the first: marks that have another value, and of those that gave way what came and what went.
  const rounds = 20_000 / NODES;
  const records = MARKS + (rounds - 1) * (CHANGED + 2 * MOVED);
  expect([...arrived.values()]).toEqual(names.map(() => ({ records, sequence: records })));
  expect(gaps).toEqual([]);
  expect(told.lines).toEqual([]);
  await forwarder.stop(0);
});
