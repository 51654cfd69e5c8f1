import { startEmulator } from "../../provider/emulator";
import { TestStack } from "../e2e/support/stack";
import { NO_OP } from "./engine.bench";
import type { Figure } from "./figure";

const NODES = 50;
const ENTRIES = 1_000;

const entries = `
  const entries = {};
  for (let i = 0; i < ${ENTRIES}; i++) entries["10.0." + (i >> 8) + "." + (i & 255) + "/32"] = 1;`;
const names = `Array.from({ length: ${NODES} }, (_, index) => "node" + index)`;
const fleet = (more: string) =>
  `${entries} new pf.PrefixSetFleet("blocked", { arena: "edge", set: "blocked", entries, nodes: ${names}, ${more} });`;

/** One set on fifty nodes against fifty resources that do nothing with as many entries, in one run. */
export async function fleetFigures(): Promise<Figure[]> {
  const nothing = await up(`${NO_OP} ${entries} for (const name of ${names}) new Nothing(name, { entries });`);
  const figures: Figure[] = [];
  for (const [name, more] of [
    ["all at once", ""],
    ["in five waves", 'waves: ["20%", "20%", "20%", "20%"]'],
  ] as const) {
    const ours = await up(fleet(more));
    const reference = `${(ours.seconds / nothing.seconds).toFixed(2)} × ${NODES} no-op resources (${nothing.seconds.toFixed(1)} s)`;
    figures.push(
      { name: `${NODES} nodes with ${ENTRIES} entries, ${name}`, value: ours.seconds, unit: "s", reference },
      {
        name: `${NODES} nodes, ${name}, commits`,
        value: ours.commits,
        unit: "",
        reference: `${ours.requests} requests`,
      },
    );
  }
  return figures;
}

async function up(program: string): Promise<{ seconds: number; commits: number; requests: number }> {
  const state = { arenas: { edge: { sets: { blocked: {} } } } };
  const nodes = await Promise.all(Array.from({ length: NODES }, () => startEmulator({ state })));
  const config = { nodes: Object.fromEntries(nodes.map(({ endpoint }, index) => [`node${index}`, { endpoint }])) };
  // As a user's processes start, without what makes those of the tests cheaper.
  await using stack = await TestStack.create({ program, env: { NODE_OPTIONS: "" }, config });
  const start = performance.now();
  const run = await stack.up("--skip-preview");
  const seconds = (performance.now() - start) / 1_000;
  if (run.code !== 0) throw new Error(run.text);
  const sum = (count: (node: (typeof nodes)[number]) => number) => nodes.reduce((all, node) => all + count(node), 0);
  const [commits, requests] = [
    sum((node) => node.requests({ cmd: "commit" }).length),
    sum(({ journal }) => journal.length),
  ];
  await Promise.all(nodes.map((node) => node.close()));
  return { seconds, commits, requests };
}
