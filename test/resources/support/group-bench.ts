import { type Emulator, startEmulator } from "../../../provider/emulator";
import { type Declared, MiniEngine } from "../../failures/support/engine";
import { HurriedWorld } from "../../failures/support/hurried-world";
import { startHealth } from "../../support/health";

export const URL = "prefixset://edge/blocked";
export const [A, B, C] = ["192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24"] as const;

/** Nodes with two empty sets, by name, and an engine with an empty state whose configuration has them. */
export async function bench(...names: string[]) {
  const pairs = await Promise.all(names.map(async (name) => [name, await emptyNode()] as const));
  const nodes = Object.fromEntries(pairs) as Record<string, Emulator>;
  const config: Record<string, unknown> = { nodes: configured(nodes) };
  const engine = new MiniEngine(config);
  return {
    nodes,
    engine,
    config,
    node: (name: string) => nodes[name] as Emulator,
    held: () => Object.fromEntries(Object.entries(nodes).map(([name, node]) => [name, node.prefixSet(URL).applied])),
    /** Requests to each node since the last call, without nodes that got none. */
    asked: () => {
      const all = Object.entries(nodes).map(([name, node]) => [name, node.journal.map(({ cmd }) => cmd)] as const);
      for (const [, node] of pairs) node.clearJournal();
      return Object.fromEntries(all.filter(([, commands]) => commands.length > 0));
    },
    outputs: () => engine.state.find(({ type }) => type === "PrefixSetGroup")?.outputs ?? {},
    [Symbol.asyncDispose]: async () => void (await Promise.all(Object.values(nodes).map((node) => node.close()))),
  };
}

function emptyNode() {
  return startEmulator({ state: { arenas: { edge: { sets: { blocked: {}, other: {} } } } } });
}

export function configured(nodes: Record<string, Pick<Emulator, "endpoint">>) {
  return Object.fromEntries(Object.entries(nodes).map(([name, { endpoint }]) => [name, { endpoint }]));
}

export function group(entries: object, nodes: unknown, more: object = {}): Declared {
  return { type: "PrefixSetGroup", name: "blocked", args: { arena: "edge", set: "blocked", entries, nodes, ...more } };
}

export const NODES = ["ams1", "fra1", "lab1"];
export const WAVES = [["lab1"], ["fra1"], ["ams1"]];

/** A group of three nodes with waves and a check, and what its runs say. `fill` brings the first content. */
export async function waves(more: object = {}) {
  const stack = await bench(...NODES);
  const doctor = await startHealth();
  const { engine } = stack;
  const rollout = { waves: WAVES, check: { url: doctor.url }, checkTimeoutMs: 1_000, ...more };
  const program = (entries: object, args: object = {}) => [group(entries, NODES, { rollout, ...args })];
  const told = ({ errors, ...rest }: Awaited<ReturnType<typeof engine.up>>) => ({
    ...rest,
    error: errors.map(({ message }) => message).join("\n"),
  });
  const up = async (entries: object, args: object = {}, options: Parameters<typeof engine.up>[1] = {}) =>
    told(await engine.up(program(entries, args), options));
  return {
    ...{ ...stack, doctor, rollout, up },
    preview: async (entries: object, args: object = {}, options: { refresh?: boolean } = {}) =>
      told(await engine.preview(program(entries, args), options)),
    /** Kills ups of a content, each one request later than the one before, until it is so at the nodes. */
    killed: async (isDone: (held: ReturnType<typeof stack.held>) => boolean, entries: object, args: object = {}) => {
      for (let request = 1; !isDone(stack.held()) && request < 20; request++)
        await up(entries, args, { world: new HurriedWorld({ request, when: "after" }) });
    },
    /** The engine replaces the group: it asks for a create beside the old one, and for its delete later. */
    replace: () => {
      engine.state = engine.state.map((it) => ({ ...it, replaced: true }));
    },
    async fill(entries: object = { [A]: 1 }, args: object = {}) {
      const { error } = await up(entries, args);
      if (error !== "") throw new Error(error);
      doctor.asked();
      stack.asked();
    },
    [Symbol.asyncDispose]: async () => {
      await doctor[Symbol.asyncDispose]();
      await stack[Symbol.asyncDispose]();
    },
  };
}

/** The same, filled. */
export async function filled(more: object = {}, entries?: object, args: object = {}) {
  const group = await waves(more);
  await group.fill(entries, args);
  return group;
}
