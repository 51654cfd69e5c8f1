import { readdirSync, readFileSync } from "node:fs";
import { startEmulator } from "../../provider/emulator";
import { TestStack } from "../e2e/support/stack";
import type { Figure } from "./figure";

const arenas = { edge: { sets: { blocked: {} } } };

/** A resource that does nothing, as the measure of what the engine itself costs. */
export const NO_OP = `
  const provider = { create: async (inputs) => ({ id: "x", outs: inputs }) };
  class Nothing extends pulumi.dynamic.Resource {
    constructor(name, args) { super(provider, name, args, undefined, "packetfilter", "Nothing"); }
  }`;

const prefix = '"10." + (i >> 8) + "." + (i & 255) + ".0/24"';
const loop = (count: number, body: string) => `for (let i = 0; i < ${count}; i++) { ${body} }`;
const map = (count: number) => `
  const entries = {};
  ${loop(count, `entries["10." + (i >> 16) + "." + ((i >> 8) & 255) + "." + (i & 255) + "/32"] = 1;`)}`;

/** Cost of a whole `pulumi up` compared with as many resources that do nothing, in the same run. */
export async function engineFigures(): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const count of [1, 100, 500, 1_000]) {
    const nothing = await up(
      `${NO_OP} ${loop(count, `new Nothing("e" + i, { arena: "edge", set: "blocked", prefix: ${prefix} });`)}`,
    );
    const ours = await up(
      loop(count, `new pf.PrefixSetEntry("e" + i, { arena: "edge", set: "blocked", prefix: ${prefix} });`),
    );
    const goal = count === 500 ? "at most 1.3 × no-op" : "";
    figures.push(
      {
        name: `${count} entries, up`,
        value: ours.seconds,
        unit: "s",
        reference: `${ratio(ours, nothing)} × no-op (${nothing.seconds.toFixed(1)} s)  ${goal}`,
      },
      { name: `${count} entries, commits`, value: ours.commits, unit: "", reference: `${ours.requests} requests` },
    );
  }
  for (const count of [10_000, 50_000]) {
    const nothing = await up(`${NO_OP} ${map(count)} new Nothing("set", { arena: "edge", set: "blocked", entries });`);
    const ours = await up(`${map(count)} new pf.PrefixSet("set", { arena: "edge", set: "blocked", entries });`);
    const goal = count === 10_000 ? "at most 1.6 × no-op" : "";
    figures.push(
      {
        name: `one set of ${count}, up`,
        value: ours.seconds,
        unit: "s",
        reference: `${ratio(ours, nothing)} × no-op (${nothing.seconds.toFixed(1)} s)  ${goal}`,
      },
      {
        name: `one set of ${count}, provider's memory at most`,
        value: ours.megabytes,
        unit: "MiB",
        reference: `no-op: ${nothing.megabytes.toFixed(0)} MiB`,
      },
    );
  }
  return figures;
}

interface Cost {
  readonly seconds: number;
  readonly commits: number;
  readonly requests: number;
  readonly megabytes: number;
}

async function up(program: string): Promise<Cost> {
  await using emulator = await startEmulator({ state: { arenas } });
  // As a user's processes start, without what makes those of the tests cheaper.
  const env = { NODE_OPTIONS: "" };
  await using stack = await TestStack.create({ program, env, config: { endpoint: emulator.endpoint } });
  let megabytes = 0;
  const timer = setInterval(() => {
    megabytes = Math.max(megabytes, providerMemory(stack.folder));
  }, 100);
  const start = performance.now();
  const run = await stack.up("--skip-preview");
  clearInterval(timer);
  if (run.code !== 0) throw new Error(run.text);
  const seconds = (performance.now() - start) / 1_000;
  return {
    seconds,
    megabytes,
    commits: emulator.requests({ cmd: "commit" }).length,
    requests: emulator.journal.length,
  };
}

function ratio(a: Cost, b: Cost): string {
  return (a.seconds / b.seconds).toFixed(2);
}

/** The highest resident size so far of the provider process of a project, in MiB; 0 where the system does not tell. */
function providerMemory(folder: string): number {
  try {
    const sizes = readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .map((pid) => residentSize(pid, folder));
    return Math.max(0, ...sizes);
  } catch {
    return 0;
  }
}

function residentSize(pid: string, folder: string): number {
  try {
    if (!readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("dynamic-provider")) return 0;
    if (!readFileSync(`/proc/${pid}/environ`, "utf8").includes(folder)) return 0;
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1_024;
  } catch {
    // The process ended meanwhile.
    return 0;
  }
}
