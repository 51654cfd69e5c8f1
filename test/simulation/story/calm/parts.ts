import type { Act, Declared, Door, Entries, NodePlan, Run, Scenario, Turn } from "../../scenario";
import { START } from "../../world/machines";
import type { Random } from "../../world/random";

/** Milliseconds. */
export const HOUR_MS = 3_600_000;
/** Addresses of a set that is large enough for a limit: few removals need no permission. */
export const MANY = Array.from({ length: 24 }, (_, index) => `192.0.2.${index + 1}/32`);
export const [WIDE, KEPT, FOREIGN] = ["203.0.113.0/24", "2001:db8::/32", "198.18.0.0/15"];
export const SIGNALED = ["198.51.100.1/32", "198.51.100.2/32", "198.51.100.3/32"];
export const SET = "prefixset://edge/blocked";
export const OTHER_SET = "prefixset://edge/partners";
/** A set of the same name in a profile. */
const LOCAL_SET = "prefixset://edge/web/blocked";

/** An entry as a program writes it: its value, or that and a note. */
type Written = number | { readonly value: number; readonly expires?: string; readonly reason?: string };
export type Content = Readonly<Record<string, Written>>;
export type Args = Readonly<Record<string, unknown>>;

/** Events of a small world. */
export interface Course {
  readonly turns: readonly Turn[];
  readonly settings?: Args;
  /** Content of the set at the start, at both nodes. */
  readonly sets?: Entries;
  /** Active signalings at the start. */
  readonly active?: readonly string[];
  /** Provider resources beside the default one; 0 without it. */
  readonly instances?: number;
  /** The first node, where it is not as the others are. */
  readonly node?: Pick<NodePlan, "aliases" | "dialect">;
  /** Dialect of the receiver. */
  readonly receiver?: NodePlan["dialect"];
}

/** The scenario of a course: two nodes, a receiver and one stack. */
export function worldOf(seed: number, door: Door, course: Course): Scenario {
  const { settings = {}, turns, sets = {}, active = [], node, instances = 0, receiver } = course;
  return {
    seed,
    nodes: ["n1", "n2"].map((name) => ({
      name,
      sets: { [SET]: sets, [OTHER_SET]: {}, [LOCAL_SET]: {} },
      ...(name === "n1" && node),
    })),
    receivers: [{ name: "r1", active, ...(receiver && { dialect: receiver }) }],
    stacks: [{ name: "stack-1", door, settings: { distinctNodes: true, ...settings }, instances }],
    turns,
  };
}

/** A set at a node, or at two of them. */
export function holder(random: Random, entries: Content, more: Args): Declared {
  const args = { arena: "edge", set: "blocked", entries, ...more };
  return random.chance(0.7)
    ? { type: "PrefixSet", name: "blocked", args: { ...args, node: "n1" } }
    : { type: "PrefixSetGroup", name: "group", args: { ...args, nodes: ["n1", "n2"] } };
}

export function entryOf(prefix: string, more: Args): Declared {
  const args = { arena: "edge", set: "partners", node: "n1", prefix, value: 1, ...more };
  return { type: "PrefixSetEntry", name: `entry-${prefix.replace(/[^\da-f]/g, "-")}`, args };
}

export const run = (command: Run["command"], program: readonly Declared[], more: Partial<Run> = {}): Turn => ({
  kind: "runs",
  runs: [{ stack: 0, command, program, options: {}, meanwhile: [], ...more }],
});
/** The gate of a pipeline, which fails on drift. */
export const gateOf = (program: readonly Declared[]) => run("preview", program, { options: { refresh: true } });
export const act = (what: Act): Turn => ({ kind: "act", act: what });
export const inAnHour = () => new Date(START + HOUR_MS).toISOString();
export const plain = (prefixes: readonly string[], value = 1): Content =>
  Object.fromEntries(prefixes.map((prefix) => [prefix, value]));

export function without(entries: Content, gone: readonly string[]): Content {
  return Object.fromEntries(Object.entries(entries).filter(([prefix]) => !gone.includes(prefix)));
}
