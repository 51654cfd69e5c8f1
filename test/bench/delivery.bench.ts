import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { LiveConfig } from "../../provider/forwarder/config/config";
import { Forwarder } from "../../provider/forwarder/forwarder";
import { silent } from "../../provider/forwarder/telling/troubles";
import { forwarderWorld } from "../../provider/forwarder/world";
import { type Figure, middleOf } from "./figure";
import { SameRecords } from "./plain-script";

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
/** The forwarder and the script take turns; each figure is the median of so many. */
const RUNS = 3;
/** The forwarder, and a script that sends the same records. */
const CONTENDERS = ["forward", "script"] as const;
type Contender = (typeof CONTENDERS)[number];

/** Cost of some work for this process, its threads included. */
interface Cost {
  readonly cpuMs: number;
  readonly peakMiB: number;
  /** The longest stop of the event loop that was its own work: the most CPU time of this thread between two ticks of a timer. */
  readonly ownMs: number;
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

async function measured(work: () => Promise<void>): Promise<Cost> {
  let ownMs = 0;
  let last = process.threadCpuUsage();
  const ticker = setInterval(() => {
    const now = process.threadCpuUsage();
    ownMs = Math.max(ownMs, (now.user + now.system - last.user - last.system) / 1_000);
    last = now;
  }, TICK_MS);
  const before = process.cpuUsage();
  await work();
  clearInterval(ticker);
  const { user, system } = process.cpuUsage(before);
  const peakMiB = process.resourceUsage().maxRSS / 1_024;
  return { cpuMs: (user + system) / 1_000, peakMiB, ownMs };
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

async function script({ nodes, records }: Load, base: string): Promise<void> {
  const same = new SameRecords();
  const cost = await measured(async () => {
    for (let round = 0; round < ROUNDS; round++) await same.postAll(base, nodes, records === "changes");
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

/** Cost of reading, keeping and delivering, and how long they stop a loop, beside a script that keeps nothing. */
export async function deliveryFigures(): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const load of LOADS) {
    const runs: Record<Contender, Run[]> = { forward: [], script: [] };
    for (let turn = 0; turn < RUNS; turn++) {
      for (const what of CONTENDERS) runs[what].push(await run(what, load));
    }
    const add = (name: string, of: (run: Run) => number, unit: string) => {
      const ratio = middleOf(runs.forward.map((one, turn) => of(one) / of(runs.script[turn] as Run)));
      const reference = `script: ${middleOf(runs.script.map(of)).toFixed(0)} ${unit}, ratio ${ratio.toFixed(2)}`;
      figures.push({ name: `${load.name}: ${name}`, value: middleOf(runs.forward.map(of)), unit, reference });
    };
    for (let round = 0; round < ROUNDS; round++) {
      add(`round ${round + 1}`, (one) => one.roundMs[round] as number, "ms");
      add(`round ${round + 1}, from the last answer on`, (one) => one.lastMs[round] as number, "ms");
    }
    add("CPU of a round", (one) => one.cpuMs / ROUNDS, "ms");
    add("peak memory", (one) => one.peakMiB, "MiB");
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
  void (what === "forward" ? forward(load, base, isDone) : script(load, base));
}
