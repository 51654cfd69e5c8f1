import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as pause } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { LiveConfig } from "../../provider/forwarder/config/config";
import { SIZES } from "../../provider/forwarder/defaults";
import { Forwarder } from "../../provider/forwarder/forwarder";
import { StoredLedger } from "../../provider/forwarder/ledger/ledger";
import { silent } from "../../provider/forwarder/telling/troubles";
import { forwarderWorld } from "../../provider/forwarder/world";
import { type Figure, middleOf } from "./figure";
import { postAll, SameRecords } from "./plain-script";

/** Nodes with one table each. */
export interface Load {
  readonly name: string;
  readonly nodes: number;
  readonly marks: number;
  /** Default: `all`. Of a list after the first, {@link PERCENT} are changes. */
  readonly records?: "all" | "changes";
  /** Milliseconds between the answers of two nodes that are asked at once. Default: 0. */
  readonly apartMs?: number;
}

const PERCENT = 2;
const LOADS: readonly Load[] = [
  { name: "100 000 marks", nodes: 1, marks: 100_000 },
  { name: "50 nodes with 1 000 marks", nodes: 50, marks: 1_000 },
  { name: "50 nodes with 1 000 marks, 5 ms apart", nodes: 50, marks: 1_000, apartMs: 5 },
  { name: "changes of 50 nodes with 1 000 marks, 5 ms apart", nodes: 50, marks: 1_000, records: "changes", apartMs: 5 },
  { name: "changes of 100 000 marks", nodes: 1, marks: 100_000, records: "changes" },
  { name: "changes of 1 000 000 marks", nodes: 1, marks: 1_000_000, records: "changes" },
];
const ROUNDS = 4;
/** The forwarder and the scripts take turns; each figure is the median of so many. */
const RUNS = 3;
/** The forwarder, a script that sends the same records, and one whose records are a third as large. */
type Contender = "forward" | "same" | "lean";

/** Cost of some work for this process, its threads included. */
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

/** Cost of a run of four rounds. */
interface Run extends Cost {
  /** Of each round: from the first list that was answered to the last record that was acknowledged. */
  readonly roundMs: readonly number[];
  /** Of each round: from the last list that was answered to the last record that was acknowledged. */
  readonly lastMs: readonly number[];
}

/** Pause between two looks at the loop: a shorter one would be most of the measured work. */
const TICK_MS = 10;

/** A thread that does nothing but measure its own loop. */
const IDLE = `
  const delay = require("node:perf_hooks").monitorEventLoopDelay({ resolution: ${TICK_MS} });
  delay.enable();
  const { parentPort } = require("node:worker_threads");
  parentPort.once("message", () => parentPort.postMessage(delay.max / 1e6));`;

async function measured(work: () => Promise<void>): Promise<Cost> {
  const idle = new Worker(IDLE, { eval: true });
  const delay = monitorEventLoopDelay({ resolution: TICK_MS });
  let ownMs = 0;
  let last = process.threadCpuUsage();
  const ticker = setInterval(() => {
    const now = process.threadCpuUsage();
    ownMs = Math.max(ownMs, (now.user + now.system - last.user - last.system) / 1_000);
    last = now;
  }, TICK_MS);
  const before = process.cpuUsage();
  delay.enable();
  await work();
  delay.disable();
  clearInterval(ticker);
  const { user, system } = process.cpuUsage(before);
  idle.postMessage("end");
  const [besideMs] = await once(idle, "message");
  await idle.terminate();
  const peakMiB = process.resourceUsage().maxRSS / 1_024;
  return { cpuMs: (user + system) / 1_000, peakMiB, stopMs: delay.max / 1e6, ownMs, besideMs };
}

interface Peer {
  readonly base: string;
  /** When each list was answered, and how many records were acknowledged by when. */
  stats(): Promise<{ answered: number[]; taken: [at: number, records: number][] }>;
}

/** Runs `work` beside nodes with such a load, and a sink. */
export async function withPeer<T>({ marks, apartMs = 0 }: Load, work: (peer: Peer) => Promise<T>): Promise<T> {
  const peer = fork(join(__dirname, "forward-peer.js"), [marks, PERCENT, apartMs].map(String));
  try {
    const [port] = await once(peer, "message");
    const base = `http://127.0.0.1:${port}`;
    return await work({ base, stats: async () => (await fetch(`${base}/stats`, { method: "POST" })).json() as never });
  } finally {
    peer.disconnect();
  }
}

/** Records of so many rounds. */
function recordsOf({ nodes, marks, records = "all" }: Load, rounds: number): number {
  const share = records === "all" ? 1 : PERCENT / 100;
  return nodes * marks * (1 + (rounds - 1) * share);
}

async function forward({ nodes, records = "all" }: Load, base: string, isDone: () => Promise<boolean>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "packetfilter-bench-"));
  const config = {
    nodes: Object.fromEntries(Array.from({ length: nodes }, (_, n) => [`node${n}`, { endpoint: `${base}/node${n}` }])),
    watch: [{ arena: "edge", types: ["shost" as const] }],
    records,
    sinks: [{ name: "web", type: "http", url: `${base}/in` }],
  };
  const live = await LiveConfig.ofObject(config, {}, folder);
  const forwarder = await Forwarder.open({ config: live, log: silent, world: forwarderWorld, stdout: async () => {} });
  const cost = await measured(async () => {
    forwarder.start();
    while (!(await isDone())) await pause(500);
  });
  process.send?.(cost);
  await forwarder.stop();
  rmSync(folder, { recursive: true, force: true });
}

async function script({ nodes, records }: Load, base: string, contender: Contender): Promise<void> {
  const same = new SameRecords();
  const cost = await measured(async () => {
    for (let round = 0; round < ROUNDS; round++) {
      await (contender === "same" ? same.postAll(base, nodes, records === "changes") : postAll(base, nodes));
    }
  });
  process.send?.(cost);
}

/** Runs one of them in a process of its own, so that none starts warm, or with the memory of another. */
async function run(what: Contender, load: Load): Promise<Run> {
  return withPeer(load, async ({ base, stats }) => {
    const child = fork(__filename, [what, JSON.stringify(load), base], { execArgv: [] });
    const [used] = (await once(child, "message")) as [Cost];
    const { answered, taken } = await stats();
    child.kill();
    const rounds = Array.from({ length: ROUNDS }, (_, round) => round);
    const endOf = (round: number) =>
      taken.find(([, records]) => records >= recordsOf(load, round + 1))?.[0] ?? Number.NaN;
    const roundMs = rounds.map((round) => endOf(round) - (answered[round * load.nodes] ?? 0));
    const lastMs = rounds.map((round) => endOf(round) - (answered[(round + 1) * load.nodes - 1] ?? 0));
    return { ...used, roundMs, lastMs };
  });
}

/** A list of so many marks, as the pieces in which a node's answer arrives. */
function listOf(marks: number): Uint8Array<ArrayBuffer>[] {
  const one = (at: number) => ({ a: `10.${at >> 16}.${(at >> 8) & 255}.${at & 255}`, id: 70_001, v: 1, t: 60 });
  const text = new TextEncoder().encode(JSON.stringify(Array.from({ length: marks }, (_, at) => one(at))));
  const pieces = Math.ceil(text.length / SIZES.portionBytes);
  return Array.from({ length: pieces }, (_, at) => text.slice(at * SIZES.portionBytes, (at + 1) * SIZES.portionBytes));
}

/** The first list of a table, in the store's own loop: here in this thread, in a service in one beside it. */
async function stored(marks: number): Promise<Figure> {
  const folder = mkdtempSync(join(tmpdir(), "packetfilter-bench-"));
  const { ledger } = await StoredLedger.open({
    file: join(folder, "forwarder.db"),
    sinks: [{ name: "web", limits: { maxBytes: 2 ** 40, maxAgeMs: 0, whenFull: "pause" } }],
    records: "changes",
    wall: Date.now(),
  });
  const table = { node: "fra1", arena: "edge", profile: "web", type: "shost" } as const;
  const about = { wall: Date.now(), now: 1_000, rules: [], habits: {}, snapshot: false };
  const list = { ...about, table, body: listOf(marks) };
  let ms = 0;
  const { stopMs } = await measured(async () => {
    // A stop is noticed between two ticks: one lies before it, and one behind.
    await pause(2 * TICK_MS);
    const began = performance.now();
    await ledger.take(list);
    ms = performance.now() - began;
    await pause(2 * TICK_MS);
  });
  await ledger.close(undefined);
  rmSync(folder, { recursive: true, force: true });
  const name = `${marks} marks: longest stop of the store at the first list`;
  return { name, value: stopMs, unit: "ms", reference: `all of its work: ${ms.toFixed(0)} ms` };
}

/** Cost of reading, keeping and delivering, and how long they stop a loop, beside scripts that keep nothing. */
export async function deliveryFigures(): Promise<Figure[]> {
  // Deliveries of other tables wait for one slice of rows, for the parser of JSON, or for the transaction, and not for all of it.
  const figures = [await stored(100_000), await stored(1_000_000)];
  for (const load of LOADS) {
    // The lean script posts everything.
    const contenders: readonly Contender[] = ["forward", "same", ...(load.records ? [] : (["lean"] as const))];
    const runs: Record<Contender, Run[]> = { forward: [], same: [], lean: [] };
    for (let turn = 0; turn < RUNS; turn++) {
      for (const what of contenders) runs[what].push(await run(what, load));
    }
    const add = (name: string, of: (run: Run) => number, unit: string) => {
      const beside = (what: Contender) => {
        const ratio = middleOf(runs.forward.map((one, turn) => of(one) / of(runs[what][turn] as Run)));
        return `${middleOf(runs[what].map(of)).toFixed(0)} ${unit}, ratio ${ratio.toFixed(2)}`;
      };
      const scripts = contenders.slice(1).map((what) => `${what} records: ${beside(what)}`);
      const reference = `script, ${scripts.join("; ")}`;
      figures.push({ name: `${load.name}: ${name}`, value: middleOf(runs.forward.map(of)), unit, reference });
    };
    for (let round = 0; round < ROUNDS; round++) {
      add(`round ${round + 1}`, (one) => one.roundMs[round] as number, "ms");
      add(`round ${round + 1}, from the last answer on`, (one) => one.lastMs[round] as number, "ms");
    }
    add("CPU of a round", (one) => one.cpuMs / ROUNDS, "ms");
    add("peak memory", (one) => one.peakMiB, "MiB");
    add("longest stop of the event loop", (one) => one.stopMs, "ms");
    add("longest stop of an idle loop beside it", (one) => one.besideMs, "ms");
    add("longest work of the event loop without a pause, goal 50", (one) => one.ownMs, "ms of CPU");
  }
  return figures;
}

if (process.send && process.argv[1] === __filename) {
  const [what = "", text = "", base = ""] = process.argv.slice(2);
  const load: Load = JSON.parse(text);
  const isDone = async () => {
    const stats = await fetch(`${base}/stats`, { method: "POST" });
    const { taken } = (await stats.json()) as { taken: [number, number][] };
    return (taken.at(-1)?.[1] ?? 0) >= recordsOf(load, ROUNDS);
  };
  void (what === "forward" ? forward(load, base, isDone) : script(load, base, what as Contender));
}
