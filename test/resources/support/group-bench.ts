import { type Emulator, startEmulator } from "../../../provider/emulator";
import { type Declared, MiniEngine } from "../../failures/support/engine";

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
