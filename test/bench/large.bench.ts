import { readFileSync, statSync, watch } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startEmulator } from "../../provider/emulator";
import { TestStack } from "../e2e/support/stack";
import type { Figure } from "./figure";

/** Entries in a loop, as `10.0.0.0/32` and so on. */
const prefix = '"10." + (i >> 16) + "." + ((i >> 8) & 255) + "." + (i & 255) + "/32"';
const loop = (count: number, body: string) => `for (let i = 0; i < ${count}; i++) { ${body} }`;
const one = (count: number) =>
  `const entries = {}; ${loop(count, `entries[${prefix}] = 1;`)} new pf.PrefixSet("set", { arena: "edge", set: "blocked", entries });`;
const single = (count: number) =>
  loop(count, `new pf.PrefixSetEntry("e" + i, { arena: "edge", set: "blocked", prefix: ${prefix} });`);

const SKIP = { PULUMI_SKIP_CHECKPOINTS: "true" };
const GZIP = { PULUMI_DIY_BACKEND_GZIP: "true" };
const WIDE = ["--parallel", "128"];
/** The entries with which each lever is tried. */
const LEVER = 300;

/** Effect of the settings in docs/guides/large-stacks.md: seconds of `pulumi up`, commits, and bytes of state. */
export async function largeFigures(): Promise<Figure[]> {
  const figures: Figure[] = [];
  const add = (name: string, { seconds, commits, writes, written, state }: Cost) => {
    const reference = `${commits} commits, state ${size(state)}, written ${writes} times, ${size(written)} in all`;
    figures.push({ name, value: seconds, unit: "s", reference });
  };
  for (const count of [100, 1_000, 10_000, 50_000]) add(`one set of ${count}`, await up(one(count)));
  for (const count of [100, LEVER, 1_000]) add(`${count} single entries`, await up(single(count)));
  add(`${LEVER}, --parallel 128`, await up(single(LEVER), WIDE));
  add(`${LEVER}, compressed state`, await up(single(LEVER), [], GZIP));
  add(`${LEVER}, no checkpoints`, await up(single(LEVER), [], SKIP));
  add(`${LEVER}, no checkpoints, --parallel 128`, await up(single(LEVER), WIDE, SKIP));
  add("1000, no checkpoints, --parallel 128", await up(single(1_000), WIDE, SKIP));
  return [...figures, ...(await starts())];
}

interface Cost {
  readonly seconds: number;
  readonly commits: number;
  /** Number of writes of the state, and their total bytes. */
  readonly writes: number;
  readonly written: number;
  /** Bytes of the state in the end. */
  readonly state: number;
}

async function up(program: string, args: string[] = [], more: Record<string, string> = {}): Promise<Cost> {
  await using emulator = await startEmulator({ state: { arenas: { edge: { sets: { blocked: {} } } } } });
  // As a user's processes start, without what makes those of the tests cheaper.
  const env = { NODE_OPTIONS: "", NODE_COMPILE_CACHE: "", ...more };
  await using stack = await TestStack.create({ program, env, config: { endpoint: emulator.endpoint } });
  const folder = join(stack.folder, ".backend/.pulumi/stacks/journey");
  let [writes, written, file] = [0, 0, ""];
  const watcher = watch(folder, (event, name) => {
    if (event !== "rename" || !STATE_FILE.test(name ?? "")) return;
    file = join(folder, name ?? "");
    writes += 1;
    written += bytes(file);
  });
  const start = performance.now();
  const run = await stack.up("--skip-preview", ...args);
  const seconds = (performance.now() - start) / 1_000;
  watcher.close();
  if (run.code !== 0) throw new Error(run.text);
  return { seconds, commits: emulator.requests({ cmd: "commit" }).length, writes, written, state: bytes(file) };
}

/** The state itself: beside it stand its attributes, its last version and files that are still being written. */
const STATE_FILE = /^test\.json(\.gz)?$/;

/** The file is replaced while this looks. */
function bytes(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

/** A preview of the quickstart's program, which is nothing but the start of programs. */
async function starts(): Promise<Figure[]> {
  await using emulator = await startEmulator({ state: { arenas: { edge: { sets: { blocked: {}, partners: {} } } } } });
  const [head = ""] = readFileSync("examples/quickstart/index.ts", "utf8").split("// These recipients");
  const program = head.replace(/^import .*\n/, "");
  const cache = await mkdtemp(join(tmpdir(), "packetfilter-bench-"));
  const config = { endpoint: emulator.endpoint };
  const env = { NODE_OPTIONS: "", NODE_COMPILE_CACHE: "" };
  await using typed = await TestStack.create({ program, language: "typescript", env, config });
  await using plain = await TestStack.create({ program, env, config });
  const settings = {
    "TypeScript, just changed": { stack: typed, isNew: true, env: {} },
    "TypeScript, unchanged": { stack: typed, isNew: false, env: {} },
    "TypeScript, just changed, no type check": {
      stack: typed,
      isNew: true,
      env: { PULUMI_NODEJS_TRANSPILE_ONLY: "true" },
    },
    "TypeScript, unchanged, compile cache": { stack: typed, isNew: false, env: { NODE_COMPILE_CACHE: cache } },
    JavaScript: { stack: plain, isNew: false, env: {} },
  };
  const times: Record<string, number[]> = {};
  // One after the other and again: the machine may be slower for a while.
  for (let run = 0; run < 4; run++) {
    for (const [name, { stack, isNew, env: more }] of Object.entries(settings)) {
      if (isNew) await stack.program(`${program}\n// ${name} ${run}`);
      stack.environment({ PULUMI_NODEJS_TRANSPILE_ONLY: undefined, ...env, ...more });
      const start = performance.now();
      await stack.must("preview");
      // The first run fills caches.
      if (run > 0) times[name] = [...(times[name] ?? []), (performance.now() - start) / 1_000];
    }
  }
  await rm(cache, { recursive: true });
  return Object.entries(times).map(([name, all]) => {
    const [first = 0, middle = 0, last = 0] = all.sort((a, b) => a - b);
    const reference = `middle of three, ${first.toFixed(1)} to ${last.toFixed(1)}`;
    return { name: `preview of a small program: ${name}`, value: middle, unit: "s", reference };
  });
}

function size(number: number): string {
  return number >= 1e6 ? `${(number / 1e6).toFixed(1)} MB` : `${(number / 1e3).toFixed(0)} kB`;
}
