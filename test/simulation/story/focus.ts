import type { Declared, Entries, NodePlan, Scenario, StackPlan, Turn } from "../scenario";
import type { Random } from "../world/random";
import { HEALTH } from "./group-changes";
import { type Design, entries, entryOf, type Sites, withOtherEntries } from "./programs";
import { type Course, redWave, upNow } from "./red-waves";

/** Parts of a world that a focused story takes from the usual draw. */
interface Draws {
  readonly stack: StackPlan;
  node(name: string): NodePlan;
}

/** A scenario about one group of a few nodes: changes that stop at a check or at a refused value, and what becomes of them. */
export function aboutOneGroup(random: Random, { node, stack }: Draws): Omit<Scenario, "seed"> & { site: Sites } {
  const names = Array.from({ length: random.int(2, 4) }, (_, index) => `n${index + 1}`);
  // Two nodes are free: they may join the group.
  const all = [...names, "n8", "n9"];
  const isRefusing = random.chance(0.25);
  const nodes = all.map((name) => (isRefusing ? refusing(random, node(name)) : node(name)));
  const site: Sites = { nodes: all, receivers: [], own: all, instances: stack.instances, hasTwins: false };
  const course: Course = { stack: 0, site, nodes, designs: [programOf(random, names)] };
  const turns: Turn[] = [upNow(course, {}, [])];
  const episodes = random.chance(0.3) ? 2 : 1;
  for (let episode = 0; episode < episodes; episode += 1)
    turns.push(...(isRefusing && random.chance(0.7) ? refusedValue(random, course) : redWave(random, course, 3)));
  return { nodes, receivers: [], stacks: [stack], turns, site };
}

/** A group with waves and a check, and now and then entries of a set beside it. */
function programOf(random: Random, nodes: readonly string[]): Design {
  const waves = { one: [1, 1], grow: [1, 2], canary: { canary: [random.pick(nodes)], size: 1 } };
  const args = {
    arena: "edge",
    set: "blocked",
    nodes,
    entries: entries(random, 0),
    onExisting: "adopt",
    rollout: { waves: waves[random.pick(["one", "grow", "canary"] as const)], check: HEALTH, checkTimeoutMs: 12_000 },
    ...(random.chance(0.25) && { maxUnreachable: 1 }),
  };
  const group: Declared = { type: "PrefixSetGroup", name: "group", args };
  const single = random.some(["192.0.2.0/25", "203.0.113.0/24", "2001:db8:1::/48"], 0.3);
  return { stack: 0, resources: [group, ...single.map((prefix) => entryOf(random, nodes[0] ?? "", prefix))] };
}

/** Greatest value that a refusing node takes, and one that it refuses. */
const [MOST, REFUSED] = [255, 300];

/** A node that refuses great values, with what it does to the other entries of such a request. */
export function refusing(random: Random, { dialect, ...plan }: NodePlan): NodePlan {
  const refusedEntry = random.pick(["nothing", "rest", "before"]);
  return { ...plan, dialect: { ...dialect, maxValue: MOST, refusedEntry } };
}

/** A value that the nodes refuse, and what the operator does then. */
function refusedValue(random: Random, course: Course): Turn[] {
  const { designs, stack } = course;
  const before = designs.at(-1) as Design;
  const changed = before.resources.map((it) => (random.chance(0.7) ? withOtherEntries(random, it, stack) : it));
  const at = random.int(0, changed.length - 1);
  const refused = changed.map((it, index) => (index === at ? withValue(random, it, REFUSED) : it));
  designs.push({ stack, resources: refused });
  const turns = [upNow(course, random.chance(0.3) ? { continueOnError: true } : {}, [])];
  const corrected = changed.map((it, index) => (index === at ? withValue(random, it, random.int(1, 3)) : it));
  const next = random.weighted({ corrected: 3, back: 2, destroy: 1 });
  designs.push(next === "corrected" ? { stack, resources: corrected } : before);
  if (next === "destroy")
    turns.push({ kind: "runs", runs: [{ stack, command: "destroy", program: [], options: {}, meanwhile: [] }] });
  return [...turns, upNow(course, {}, [])];
}

/** The same with this value of one entry. */
function withValue(random: Random, one: Declared, value: number): Declared {
  if (one.type === "PrefixSetEntry") return { ...one, args: { ...one.args, value } };
  const all = one.args.entries as Entries;
  return { ...one, args: { ...one.args, entries: { ...all, [random.pick(Object.keys(all))]: value } } };
}
