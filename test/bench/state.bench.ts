import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type EmulatorState, startEmulator } from "../../provider/emulator";
import { toYaml } from "../../provider/emulator/state/state-yaml";
import { type Figure, median } from "./figure";

const SET = "prefixset://edge/blocked";
const CLI = join(__dirname, "../../provider/cli.js");
const address = (at: number) => `10.${at >> 16}.${(at >> 8) & 255}.${at & 255}`;

/** A state as `capture` writes it. */
function state({ marks, entries }: { marks: number; entries: number }): EmulatorState {
  const shost = Array.from({ length: marks }, (_, at) => ({
    address: address(at),
    id: 70_001,
    value: 1 + (at % 4_000),
    lifetime: 60 + (at % 3_500),
  }));
  const blocked = Object.fromEntries(Array.from({ length: entries }, (_, at) => [`${address(at)}/32`, 1 + (at % 9)]));
  return {
    arenas: { edge: { sets: { blocked }, profiles: { web: { prefixes: ["198.51.100.0/24"], marks: { shost } } } } },
  };
}

/** From the start of the process to its ready line, and how large the process was by then. */
async function ready(file: string): Promise<{ ms: number; mebibytes: number }> {
  const start = performance.now();
  const child = spawn(process.execPath, [CLI, "emulator", "--json", "--state", file], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(child.stdout, "data");
  const ms = performance.now() - start;
  // Linux tells it; elsewhere there is no figure.
  const status = await readFile(`/proc/${child.pid}/status`, "utf8").catch(() => "");
  const mebibytes = Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1024;
  child.kill("SIGTERM");
  await once(child, "exit");
  return { ms, mebibytes };
}

/** Figures of states: how long a large one takes to load, and what keeping each change costs. */
export async function stateFigures(): Promise<Figure[]> {
  const figures: Figure[] = [];
  const add = (name: string, value: number, unit: string, reference = "") => {
    figures.push({ name, value, unit, reference });
  };
  const folder = await mkdtemp(join(tmpdir(), "packetfilter-bench-"));
  const large = [
    ["100 000 marks", state({ marks: 100_000, entries: 0 })],
    ["100 000 entries of a set", state({ marks: 0, entries: 100_000 })],
  ] as const;
  for (const [name, it] of large) {
    for (const form of ["yaml", "json"] as const) {
      const file = join(folder, `state.${form}`);
      await writeFile(file, form === "yaml" ? toYaml(it) : JSON.stringify(it));
      const { ms, mebibytes } = await ready(file);
      add(`${name} as ${form.toUpperCase()}: until the ready line`, ms, "ms", "goal: 1 500 ms");
      add(`${name} as ${form.toUpperCase()}: largest size of the process until then`, mebibytes, "MiB");
    }
  }

  for (const persist of [undefined, join(folder, "kept.json")]) {
    await using emulator = await startEmulator({ state: state({ marks: 0, entries: 10_000 }), persist });
    const call = async (command: object) => {
      const headers = { "content-type": "application/json" };
      const init = { method: "POST", headers, body: JSON.stringify({ url: SET, ...command }) };
      await (await fetch(`${emulator.endpoint}/fapi`, init)).text();
    };
    let at = 0;
    const ms = await median(
      async () => {
        for (let n = 0; n < 50; n += 1) {
          at += 1;
          await call({ cmd: "insert", data: [{ p: `198.18.${at >> 8}.${at & 255}/32`, v: 1 }] });
          await call({ cmd: "commit" });
        }
      },
      { runs: 5, warmUp: 1 },
    );
    add(`insert and commit in a set of 10 000 entries, ${persist ? "kept in a file" : "not kept"}`, ms / 50, "ms");
  }
  await rm(folder, { recursive: true });
  return figures;
}
