import { type Emulator, startEmulator } from "../../provider/emulator";
import { TestStack } from "../e2e/support/stack";
import { type Figure, middleOf } from "./figure";

const arenas = { edge: { sets: { blocked: {} } } };
/** Pairs of runs, one with the look and one without, in turn: the machine may be slower for a while. */
const PAIRS = 7;

/** Cost of the look in a plain `up` that has nothing to do: seconds with it, beside the same run with `detectDrift: off`. */
export async function lookFigures(): Promise<Figure[]> {
  const entries = `const entries = {};
    for (let i = 0; i < 10000; i++) entries["10." + (i >> 16) + "." + ((i >> 8) & 255) + "." + (i & 255) + "/32"] = 1;`;
  const set = `${entries} new pf.PrefixSet("set", { arena: "edge", set: "blocked", node: "n0", entries });`;
  const apart = (nodes: number) =>
    `for (let i = 0; i < ${nodes}; i++) new pf.PrefixSet("set" + i, { arena: "edge", set: "blocked", node: "n" + i, entries: ["192.0.2.0/24"] });`;
  return [
    figure("no change of 10000 entries", "at most 1.10 ×", await cost({ nodes: 1, program: set })),
    figure(
      "100 healthy nodes, declared one by one",
      "at most 1 s more",
      await cost({ nodes: 100, program: apart(100) }),
    ),
    figure(
      "16 silent nodes, declared one by one",
      "at most 4 s more",
      await cost({
        nodes: 16,
        program: apart(16),
        after: (node) => node.fail({ cmd: "list", kind: "silence", times: 1e6 }),
      }),
    ),
  ];
}

interface Cost {
  /** Seconds with the look, of the run in the middle. */
  readonly seconds: number;
  /** The same without it. */
  readonly without: number;
  /** In the middle of all pairs: how many times as long, and how many seconds more. */
  readonly ratio: number;
  readonly more: number;
}

interface Case {
  readonly nodes: number;
  readonly program: string;
  /** Change of each node after it was written. */
  readonly after?: (node: Emulator) => void;
}

async function cost({ nodes, program, after = () => {} }: Case): Promise<Cost> {
  const emulators = await Promise.all(Array.from({ length: nodes }, () => startEmulator({ state: { arenas } })));
  const addresses = emulators.map(({ endpoint }, index) => [`n${index}`, { endpoint }] as const);
  // As a user's processes start, without what makes those of the tests cheaper.
  const env = { NODE_OPTIONS: "" };
  await using stack = await TestStack.create({ program, env, config: { nodes: Object.fromEntries(addresses) } });
  await stack.must("up", "--yes", "--skip-preview");
  emulators.forEach(after);
  const seconds = async (detectDrift: string) => {
    await stack.must("config", "set", "packetfilter:detectDrift", detectDrift);
    const start = performance.now();
    await stack.must("up", "--yes", "--skip-preview", "--expect-no-changes");
    return (performance.now() - start) / 1_000;
  };
  const pairs: { seen: number; blind: number }[] = [];
  for (let pair = 0; pair < PAIRS; pair++) pairs.push({ blind: await seconds("off"), seen: await seconds("auto") });
  await Promise.all(emulators.map((emulator) => emulator.close()));
  return {
    seconds: middleOf(pairs.map(({ seen }) => seen)),
    without: middleOf(pairs.map(({ blind }) => blind)),
    ratio: middleOf(pairs.map(({ seen, blind }) => seen / blind)),
    more: middleOf(pairs.map(({ seen, blind }) => seen - blind)),
  };
}

function figure(name: string, goal: string, { seconds, without, ratio, more }: Cost): Figure {
  const reference = `${ratio.toFixed(2)} × and ${more.toFixed(2)} s more than without the look (${without.toFixed(2)} s)  ${goal}`;
  return { name, value: seconds, unit: "s", reference };
}
