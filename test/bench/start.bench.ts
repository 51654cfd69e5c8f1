import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { type Load, withPeer } from "./delivery.bench";
import { type Figure, middleOf } from "./figure";

const LOADS: readonly Load[] = [
  { name: "1 mark", nodes: 1, marks: 1 },
  { name: "100 000 marks", nodes: 1, marks: 100_000 },
  { name: "50 nodes with 1 000 marks", nodes: 50, marks: 1_000 },
];
const RUNS = 7;
const CLI = join(process.cwd(), "dist/provider/cli.js");
const SCRIPT = `new (require(${JSON.stringify(join(__dirname, "plain-script.js"))}).SameRecords)().postAll(process.argv[1], Number(process.argv[2]))`;
const COUNTING = join(__dirname, "counting-cpu.js");

/** Of a whole process: its processor time, and the time from the first list that was answered to the last record taken. */
interface Run {
  readonly cpuMs: number;
  readonly roundMs: number;
}

type Contender = "script" | "forward" | "cached";

async function run(what: Contender, load: Load, folder: string): Promise<Run> {
  return withPeer(load, async ({ base, stats }) => {
    const config = join(folder, "forwarder.yaml");
    const nodes = Array.from({ length: load.nodes }, (_, n) => [`node${n}`, { endpoint: `${base}/node${n}` }]);
    const parts = {
      nodes: Object.fromEntries(nodes),
      watch: [{ arena: "edge", types: ["shost"] }],
      records: "all",
      sinks: [{ name: "web", type: "http", url: `${base}/in` }],
    };
    writeFileSync(config, JSON.stringify(parts));
    rmSync(join(folder, "forwarder-state"), { recursive: true, force: true });
    const args =
      what === "script" ? ["-e", SCRIPT, base, String(load.nodes)] : [CLI, "forward", "--once", "--config", config];
    const cache = what === "cached" ? { NODE_COMPILE_CACHE: join(folder, "compiled") } : {};
    const child = spawn(process.execPath, ["--require", COUNTING, ...args], {
      env: { ...process.env, ...cache },
      stdio: ["ignore", "ignore", "inherit", "pipe"],
    });
    const [counted] = await Promise.all([text(child.stdio[3] as never), once(child, "close")]);
    const { answered, taken } = await stats();
    return { cpuMs: Number(counted), roundMs: (taken.at(-1)?.[0] ?? Number.NaN) - (answered[0] ?? 0) };
  });
}

/** One round in a process of its own, its start included: the command as it is packed, without and with Node's compile cache, beside the script. */
export async function startFigures(): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), "packetfilter-bench-"));
  const figures: Figure[] = [];
  for (const load of LOADS) {
    const runs: Record<Contender, Run[]> = { script: [], forward: [], cached: [] };
    for (let turn = 0; turn < RUNS; turn++) {
      for (const what of ["script", "forward", "cached"] as const) runs[what].push(await run(what, load, folder));
    }
    for (const what of ["forward", "cached"] as const) {
      const add = (name: string, of: (one: Run) => number) => {
        const ratio = middleOf(runs[what].map((one, turn) => of(one) / of(runs.script[turn] as Run)));
        const reference = `script: ${middleOf(runs.script.map(of)).toFixed(0)} ms, ratio ${ratio.toFixed(2)}`;
        const title = `${load.name}, ${what === "cached" ? "compile cache, " : ""}${name}`;
        figures.push({ name: title, value: middleOf(runs[what].map(of)), unit: "ms", reference });
      };
      add("CPU of the process", ({ cpuMs }) => cpuMs);
      add("list to acknowledged", ({ roundMs }) => roundMs);
    }
  }
  rmSync(folder, { recursive: true });
  return figures;
}
