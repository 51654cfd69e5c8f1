import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { LiveConfig } from "../../provider/forwarder/config/config";
import { Forwarder } from "../../provider/forwarder/forwarder";
import { silent } from "../../provider/forwarder/telling/troubles";
import { systemWorld } from "../../provider/forwarder/world";
import type { Figure } from "./figure";
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
];
const ROUNDS = 4;
/** The forwarder and the scripts take turns; each figure is the median of so many. */
const RUNS = 3;
/** The forwarder, a script that sends the same records, and one whose records are a third as large. */
type Contender = "forward" | "same" | "lean";

/** Cost of a run of four rounds. */
interface Run {
  /** Of each round: from the first list that was answered to the last record that was acknowledged. */
  readonly roundMs: readonly number[];
  /** Of each round: from the last list that was answered to the last record that was acknowledged. */
  readonly lastMs: readonly number[];
  readonly cpuMs: number;
  readonly peakMiB: number;
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
  const forwarder = await Forwarder.open({ config: live, log: silent, world: systemWorld, stdout: async () => {} });
  const before = cpuMs();
  forwarder.start();
  while (!(await isDone())) await pause(500);
  process.send?.(usage(before));
  await forwarder.stop();
  rmSync(folder, { recursive: true, force: true });
}

async function script({ nodes, records }: Load, base: string, contender: Contender): Promise<void> {
  const before = cpuMs();
  const same = new SameRecords();
  for (let round = 0; round < ROUNDS; round++) {
    await (contender === "same" ? same.postAll(base, nodes, records === "changes") : postAll(base, nodes));
  }
  process.send?.(usage(before));
}

function usage(before: number): Pick<Run, "cpuMs" | "peakMiB"> {
  return { cpuMs: cpuMs() - before, peakMiB: process.resourceUsage().maxRSS / 1_024 };
}

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/** Runs one of them in a process of its own, so that none starts warm, or with the memory of another. */
async function run(what: Contender, load: Load): Promise<Run> {
  return withPeer(load, async ({ base, stats }) => {
    const child = fork(__filename, [what, JSON.stringify(load), base], { execArgv: [] });
    const [used] = (await once(child, "message")) as [Pick<Run, "cpuMs" | "peakMiB">];
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

/** The middle of some figures. */
export function middleOf(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}

/** `records: all`: what delivery costs, beside scripts that keep nothing. */
export async function deliveryFigures(): Promise<Figure[]> {
  const figures: Figure[] = [];
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
