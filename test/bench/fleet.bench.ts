import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TestStack } from "../e2e/support/stack";
import type { Figure } from "./figure";
import { type Nodes, startNodes } from "./fleet/nodes";
import { watchMemory } from "./peers/process-tree";

/** Nodes, and entries that each holds; `PACKETFILTER_BENCH_FLEET=10x1000` measures another size. */
const SIZES = [
  [100, 10_000],
  [1_000, 1_000],
] as const;

const STEPS = ["create", "no change", "one entry changed", "refresh"] as const;
type Step = (typeof STEPS)[number];

/** Limit of each step: another step, and the largest multiple of its time. */
const GOALS: Readonly<Record<Step, { readonly against: (sum: Sum) => number; readonly words: string }>> = {
  create: { against: ({ script, floor }) => script + floor, words: "× (script + floor), at most 1.3" },
  "no change": { against: ({ single }) => single, words: "× a single PrefixSet, at most 1.2" },
  "one entry changed": { against: ({ script, floor }) => script + floor, words: "× (script + floor), at most 1.3" },
  refresh: { against: ({ script, floor }) => script + floor, words: "× (script's lists + floor), at most 1.3" },
};

interface Sum {
  readonly script: number;
  readonly floor: number;
  readonly single: number;
}

/** One set on many nodes as a group, beside a script without Pulumi, the engine's floor for one set, and a single `PrefixSet`, in one run. */
export async function fleetFigures(): Promise<Figure[]> {
  const given = process.env.PACKETFILTER_BENCH_FLEET?.split("x").map(Number) as [number, number] | undefined;
  const figures: Figure[] = [];
  for (const [nodes, entries] of given ? [given] : SIZES) figures.push(...(await figuresOf(nodes, entries)));
  return figures;
}

async function figuresOf(count: number, size: number): Promise<Figure[]> {
  await using nodes = await startNodes(count, ["group", "single", "script"]);
  const script = await scriptSeconds(nodes, size);
  const floor = await stackSeconds(nodes, size, FLOOR);
  const single = await stackSeconds(nodes, size, SINGLE);
  const group = await stackSeconds(nodes, size, GROUP);
  const title = `${count} nodes × ${size}`;
  const steps = STEPS.map((step): Figure => {
    const [mine, sum] = [
      group.seconds[step],
      { script: script[step], floor: floor.seconds[step], single: single.seconds[step] },
    ];
    const parts = `script ${sum.script.toFixed(1)}, floor ${sum.floor.toFixed(1)}, single ${sum.single.toFixed(1)} s`;
    const { against, words } = GOALS[step];
    return {
      name: `${title}, ${step}`,
      value: mine,
      unit: "s",
      reference: `${(mine / against(sum)).toFixed(2)} ${words} (${parts})`,
    };
  });
  return [
    ...steps,
    {
      name: `${title}, state`,
      value: group.state / 1_000,
      unit: "kB",
      reference: `${(group.state / single.state).toFixed(2)} × that of one set, at most 1.3`,
    },
    {
      name: `${title}, provider's memory at most`,
      value: group.megabytes,
      unit: "MiB",
      reference: `at most 600; single ${single.megabytes.toFixed(0)}, floor ${floor.megabytes.toFixed(0)}`,
    },
  ];
}

const entriesOf = (size: number, last: number) => `
  const entries = {};
  for (let i = 0; i < ${size}; i++) entries["10." + (i >> 16) + "." + ((i >> 8) & 255) + "." + (i & 255) + "/32"] = 1;
  entries["192.0.2.1/32"] = ${last};`;

const FLOOR = `
  const provider = { create: async (outs) => ({ id: "x", outs }), update: async (id, olds, outs) => ({ outs }) };
  class Nothing extends pulumi.dynamic.Resource {
    constructor(name, args) { super(provider, name, args, undefined, "packetfilter", "Nothing"); }
  }
  new Nothing("set", { arena: "edge", set: "floor", entries });`;
const SINGLE = 'new pf.PrefixSet("set", { arena: "edge", set: "single", entries, node: "node0" });';
const GROUP = `
  const nodes = Object.keys(new pulumi.Config("packetfilter").requireObject("nodes"));
  new pf.PrefixSetGroup("set", { arena: "edge", set: "group", entries, nodes });`;

async function stackSeconds({ endpoints }: Nodes, size: number, resource: string) {
  const nodes = Object.fromEntries(Object.entries(endpoints).map(([name, endpoint]) => [name, { endpoint }]));
  const program = (last: number) => `${entriesOf(size, last)} ${resource}`;
  // As a user's processes start, without what makes those of the tests cheaper.
  await using stack = await TestStack.create({ program: program(1), env: { NODE_OPTIONS: "" }, config: { nodes } });
  let megabytes = 0;
  const timed = async (run: () => Promise<{ code: number | null; text: string }>) => {
    const memory = watchMemory(process.pid);
    const start = performance.now();
    const { code, text } = await run();
    const seconds = (performance.now() - start) / 1_000;
    megabytes = Math.max(megabytes, memory.stop().provider);
    if (code !== 0) throw new Error(text);
    return seconds;
  };
  const create = await timed(() => stack.up("--skip-preview"));
  const none = await timed(() => stack.up("--skip-preview"));
  await stack.program(program(2));
  const one = await timed(() => stack.up("--skip-preview"));
  const refresh = await timed(() => stack.pulumi("refresh", "--yes", "--skip-preview"));
  const file = join(stack.folder, ".backend/.pulumi/stacks/journey/test.json");
  const state = (await stat(file)).size;
  return {
    seconds: { create, "no change": none, "one entry changed": one, refresh } satisfies Record<Step, number>,
    state,
    megabytes,
  };
}

async function scriptSeconds({ endpoints }: Nodes, size: number): Promise<Record<Step, number>> {
  const folder = await mkdtemp(join(tmpdir(), "packetfilter-fleet-"));
  const run = async (last: number, dry = false) => {
    const entries: Record<string, number> = {};
    for (let i = 0; i < size; i++) entries[`10.${i >> 16}.${(i >> 8) & 255}.${i & 255}/32`] = 1;
    entries["192.0.2.1/32"] = last;
    const file = join(folder, "work.json");
    await writeFile(file, JSON.stringify({ endpoints: Object.values(endpoints), set: "script", entries, dry }));
    const start = performance.now();
    const child = spawn(process.execPath, [join(__dirname, "fleet/script.js"), file], {
      stdio: ["ignore", "inherit", "inherit"],
    });
    const [code] = await once(child, "exit");
    if (code !== 0) throw new Error(`The script ended with ${code}.`);
    return (performance.now() - start) / 1_000;
  };
  try {
    return {
      create: await run(1),
      "no change": await run(1),
      "one entry changed": await run(2),
      refresh: await run(2, true),
    };
  } finally {
    await rm(folder, { recursive: true });
  }
}
