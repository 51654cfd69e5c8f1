import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { Worker } from "node:worker_threads";
import { LiveConfig } from "../../provider/forwarder/config/config";
import { SIZES } from "../../provider/forwarder/defaults";
import { Forwarder } from "../../provider/forwarder/forwarder";
import { StoredLedger } from "../../provider/forwarder/ledger/ledger";
import { EVENTS } from "../../provider/forwarder/record/rows";
import { silent } from "../../provider/forwarder/telling/troubles";
import { systemWorld } from "../../provider/forwarder/world";
import type { Figure } from "./figure";
import { postAll } from "./plain-script";

interface Stats {
  readonly lists: number;
  readonly bytesOut: number;
  readonly records: number;
  readonly latencies: readonly number[];
  readonly acknowledgedAt: number;
  readonly firstListedAt: number;
}

interface Load {
  readonly name: string;
  readonly nodes: number;
  readonly marks: number;
  readonly percent: number;
  /** Lists of each table after the first one. */
  readonly rounds: number;
}

const LOADS: readonly Load[] = [
  { name: "100 000 marks, 2 % change", nodes: 1, marks: 100_000, percent: 2, rounds: 4 },
  { name: "50 nodes with 1 000 marks, 2 % change", nodes: 50, marks: 1_000, percent: 2, rounds: 4 },
  { name: "1 000 000 marks, 2 % change", nodes: 1, marks: 1_000_000, percent: 2, rounds: 4 },
];

/** Cost of a run for this process, its threads included. */
interface Cost {
  readonly cpuMs: number;
  readonly peakMiB: number;
  /** The longest stop of the event loop, by the clock. */
  readonly stopMs: number;
  /** Part of such a stop that was this thread's own work: the most CPU time between two ticks of a timer. */
  readonly ownMs: number;
  /** The longest stop of a loop beside it that does nothing: what other programs and threads do to any loop. */
  readonly besideMs: number;
}

/** A thread that does nothing but measure its own loop. */
class IdleLoop {
  private readonly worker = new Worker(
    `const { monitorEventLoopDelay } = require("node:perf_hooks");
     const { parentPort } = require("node:worker_threads");
     const delay = monitorEventLoopDelay({ resolution: 10 });
     delay.enable();
     parentPort.once("message", () => parentPort.postMessage(delay.max / 1e6));`,
    { eval: true },
  );

  async end(): Promise<number> {
    this.worker.postMessage("end");
    const [max] = await once(this.worker, "message");
    await this.worker.terminate();
    return Number(max);
  }
}

/** Pause between two looks at the loop: a shorter one would be most of the measured work. */
const TICK_MS = 10;

async function measured(work: () => Promise<void>): Promise<Cost> {
  globalThis.gc?.();
  const beside = new IdleLoop();
  const delay = monitorEventLoopDelay({ resolution: TICK_MS });
  let ownMs = 0;
  let last = process.threadCpuUsage();
  const ticker = setInterval(() => {
    const now = process.threadCpuUsage();
    ownMs = Math.max(ownMs, (now.user + now.system - last.user - last.system) / 1_000);
    last = now;
  }, TICK_MS);
  const before = process.cpuUsage();
  let peak = 0;
  const timer = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss());
  }, 50);
  delay.enable();
  await work();
  delay.disable();
  clearInterval(timer);
  clearInterval(ticker);
  const { user, system } = process.cpuUsage(before);
  const besideMs = await beside.end();
  return { cpuMs: (user + system) / 1_000, peakMiB: peak / 2 ** 20, stopMs: delay.max / 1e6, ownMs, besideMs };
}

async function withPeer(load: Load, work: (base: string, stats: () => Promise<Stats>) => Promise<void>): Promise<void> {
  const peer = fork(join(__dirname, "forward-peer.js"), [String(load.marks), String(load.percent)]);
  const [port] = await once(peer, "message");
  const base = `http://127.0.0.1:${port}`;
  await work(base, async () => (await fetch(`${base}/stats`, { method: "POST" })).json() as Promise<Stats>);
  peer.disconnect();
}

/** Rounds of the real forwarder. The first list, all `added`, is measured apart from those that follow. */
async function forwarded(
  load: Load,
): Promise<{ first: Cost; rest: Cost; firstMs: number; restMs: number; roundMs: number; bytesOut: number }> {
  const folder = mkdtempSync(join(tmpdir(), "packetfilter-bench-"));
  let result: Awaited<ReturnType<typeof forwarded>> | undefined;
  await withPeer(load, async (base, stats) => {
    const nodes = Object.fromEntries(
      Array.from({ length: load.nodes }, (_, n) => [`node${n}`, { endpoint: `${base}/node${n}`, timeoutMs: 60_000 }]),
    );
    const config = {
      nodes,
      watch: [{ arena: "edge", types: ["shost"] }],
      sinks: [{ name: "web", type: "http", url: `${base}/in` }],
    };
    const live = await LiveConfig.ofObject(config, {}, folder);
    const forwarder = await Forwarder.open({ config: live, log: silent, world: systemWorld, stdout: async () => {} });
    const acknowledged = () => forwarder.metrics.get("sent_records_total", { sink: "web" });
    const taken = () =>
      Object.keys(nodes).reduce(
        (sum, node) => sum + forwarder.metrics.get("polls_total", { node, outcome: "taken" }),
        0,
      );
    const until = async (isSo: () => boolean) => {
      while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 5));
    };
    const read = () =>
      Object.keys(nodes)
        .flatMap((node) => EVENTS.map((event) => forwarder.metrics.get("records_total", { node, event })))
        .reduce((sum, count) => sum + count, 0);
    const isEmpty = () => acknowledged() === read();
    const firsts = load.nodes * load.marks;
    const first = await measured(async () => {
      forwarder.start();
      await until(() => acknowledged() >= firsts);
    });
    // What was listed during a long first delivery is delivered before the rounds begin.
    await until(isEmpty);
    const before = await stats();
    const takenBefore = taken();
    const firstMs = before.acknowledgedAt - before.firstListedAt;
    const listsBefore = before.latencies.length;
    const wanted = takenBefore + load.rounds * load.nodes;
    const rest = await measured(() => until(() => taken() >= wanted && isEmpty()));
    const { bytesOut, latencies } = await stats();
    const rounds = (taken() - takenBefore) / load.nodes;
    await forwarder.stop(0);
    const sorted = latencies.slice(listsBefore + 1).sort((a, b) => a - b);
    result = {
      first,
      rest,
      firstMs,
      restMs: sorted[sorted.length >> 1] ?? 0,
      roundMs: rest.cpuMs / rounds,
      bytesOut: (bytesOut - before.bytesOut) / rounds,
    };
  });
  rmSync(folder, { recursive: true, force: true });
  if (!result) throw new Error("The benchmark ended without a result.");
  return result;
}

async function straightforward(load: Load): Promise<{ cost: Cost; ms: number; bytesOut: number }> {
  let result: Awaited<ReturnType<typeof straightforward>> | undefined;
  await withPeer(load, async (base, stats) => {
    let ms = 0;
    const cost = await measured(async () => {
      for (let round = 0; round < load.rounds; round++) {
        const began = performance.now();
        await postAll(base, load.nodes);
        ms = performance.now() - began;
      }
    });
    result = { cost, ms, bytesOut: (await stats()).bytesOut / load.rounds };
  });
  if (!result) throw new Error("The benchmark ended without a result.");
  return result;
}

/** A list of so many marks, as the pieces in which a node's answer arrives. */
function listOf(marks: number): Uint8Array<ArrayBuffer>[] {
  const one = (at: number) => ({ a: `10.${at >> 16}.${(at >> 8) & 255}.${at & 255}`, id: 70_001, v: 1, t: 60 });
  const text = new TextEncoder().encode(JSON.stringify(Array.from({ length: marks }, (_, at) => one(at))));
  const pieces = Math.ceil(text.length / SIZES.largestPieceBytes);
  return Array.from({ length: pieces }, (_, at) =>
    text.slice(at * SIZES.largestPieceBytes, (at + 1) * SIZES.largestPieceBytes),
  );
}

/** The first list of a table, in the store's own loop: here in this thread, in a service in one beside it. */
async function stored(marks: number): Promise<{ stopMs: number; ms: number }> {
  const folder = mkdtempSync(join(tmpdir(), "packetfilter-bench-"));
  const { ledger } = await StoredLedger.open({
    file: join(folder, "forwarder.db"),
    sinks: [{ name: "web", limits: { maxBytes: 2 ** 40, maxAgeMs: 0, whenFull: "pause" } }],
    records: "changes",
    wall: Date.now(),
  });
  const list = {
    table: { node: "fra1", arena: "edge", profile: "web", type: "shost" } as const,
    body: listOf(marks),
    wall: Date.now(),
    now: 1_000,
    rules: [],
    habits: {},
    snapshot: false,
  };
  let ms = 0;
  // A stop is noticed between two ticks: one lies before it, and one behind.
  const tick = () => new Promise((resolve) => setTimeout(resolve, 2 * TICK_MS));
  const { stopMs } = await measured(async () => {
    await tick();
    const began = performance.now();
    await ledger.take(list);
    ms = performance.now() - began;
    await tick();
  });
  await ledger.close(undefined);
  rmSync(folder, { recursive: true, force: true });
  return { stopMs, ms };
}

/** Figures of the forwarder, each load beside a straightforward script in the same run. */
export async function forwarderFigures(): Promise<Figure[]> {
  const figures: Figure[] = [];
  // Deliveries of other tables wait for one slice of rows, for the parser of JSON, or for the transaction, and not for all of it.
  for (const marks of [100_000, 1_000_000]) {
    const { stopMs, ms } = await stored(marks);
    const name = `${marks.toLocaleString("en").replaceAll(",", " ")} marks: longest stop of the store at the first list`;
    figures.push({ name, value: stopMs, unit: "ms", reference: `all of its work: ${ms.toFixed(0)} ms` });
  }
  // What other programs on the machine do to any event loop, before anything of ours runs.
  const idle = await measured(() => new Promise((resolve) => setTimeout(resolve, 3_000)));
  figures.push({
    name: "an idle process: longest stop of the event loop",
    value: idle.stopMs,
    unit: "ms",
    reference: "",
  });
  for (const load of LOADS) {
    const add = (name: string, value: number, unit: string, reference = "") =>
      figures.push({ name: `${load.name}: ${name}`, value, unit, reference });
    const { first, rest, firstMs, restMs, roundMs, bytesOut } = await forwarded(load);
    const script = await straightforward(load);
    if (load.nodes === 1) {
      add("first list, from answer to acknowledged", firstMs, "ms", `${load.marks} records`);
      add("changes, from answer to acknowledged", restMs, "ms", `script, all of a round: ${script.ms.toFixed(0)} ms`);
    }
    add("CPU of the first list", first.cpuMs, "ms");
    add("CPU of a round", roundMs, "ms", `script: ${(script.cost.cpuMs / load.rounds).toFixed(0)} ms`);
    add(
      "peak memory of the process",
      Math.max(first.peakMiB, rest.peakMiB),
      "MiB",
      `script: ${script.cost.peakMiB.toFixed(0)} MiB`,
    );
    add(
      "longest stop of the event loop",
      Math.max(first.stopMs, rest.stopMs),
      "ms",
      `an idle loop beside it: ${Math.max(first.besideMs, rest.besideMs).toFixed(0)} ms; script: ${script.cost.stopMs.toFixed(0)} ms`,
    );
    add(
      "longest work of the event loop without a pause",
      Math.max(first.ownMs, rest.ownMs),
      "ms of CPU",
      `script: ${script.cost.ownMs.toFixed(0)} ms; goal: 50 ms`,
    );
    add("out in a round", bytesOut / 1e6, "MB", `script: ${(script.bytesOut / 1e6).toFixed(1)} MB`);
  }
  return figures;
}
