import type { Disturbance, Entries, NodePlan, Run, RunOptions, Scenario, StackPlan, Turn } from "../scenario";
import { Random } from "../world/random";
import { actOf, disturbances, lasting } from "./events";
import { aboutOneGroup, refusing } from "./focus";
import {
  BLOCKED,
  COMMON_COMMIT,
  type Design,
  FORBIDDEN,
  FOREIGN,
  firstProgram,
  nextProgram,
  PARTNERS,
  type Sites,
  twinOf,
  withMistake,
} from "./programs";
import { withCommands, withDestroy, withRare } from "./rare";
import { checkedGroup, redWave } from "./red-waves";

/** Switches of nodes that must make no difference to any promise. */
const DIALECTS: readonly Readonly<Record<string, unknown>>[] = [
  {},
  {},
  {},
  { insertExisting: "error" },
  { deleteAbsent: "error" },
  { listShows: "staged" },
  { emptyCommit: "error" },
  { commitDelay: 800 },
  { singleAddress: "bare", deleteSpelling: "listed" },
];

/** One seed of so many is about one group, and has rare kinds in every second of its stories. */
const FOCUSED_EVERY = 3;

/** One of so many of the other seeds has nodes that refuse great values, of which those have none. */
const REFUSING_EVERY = 8;

/** In one of so many seeds a commit publishes all sets of its arena. */
const COMMON_COMMITS_EVERY = 10;

/** Everything that a seed draws. */
export function generate(seed: number): Scenario {
  const scenario = seed % FOCUSED_EVERY === 1 ? focused(seed) : usual(seed);
  return seed % COMMON_COMMITS_EVERY === 5 ? withCommonCommits(scenario) : scenario;
}

/** Such nodes apply commits at once: a late one has no changes of single sets in the journal yet. */
function withCommonCommits(scenario: Scenario): Scenario {
  const nodes = scenario.nodes.map(({ dialect: { commitDelay, ...dialect } = {}, ...node }) => ({
    ...node,
    dialect: { ...dialect, commitUrl: COMMON_COMMIT },
  }));
  const stacks = scenario.stacks.map(({ settings: { node, ...settings }, ...stack }) => ({
    ...stack,
    settings: { ...settings, node: { ...(node as object), commitUrl: COMMON_COMMIT } },
  }));
  return { ...scenario, nodes, stacks };
}

function focused(seed: number): Scenario {
  const random = new Random(seed).fork("focused");
  const { site, turns, ...world } = aboutOneGroup(random, {
    stack: stackOf(random, 0, false),
    node: (name) => nodeOf(random, name, false),
  });
  if (seed % 2 === 0) return { seed, ...world, turns };
  // The pair of the next one, which has none, too.
  const rare = new Random(seed).fork("rare");
  const both = withRare(rare, seed + FOCUSED_EVERY, withRare(rare, seed, turns, [site]), [site]);
  return { seed, ...world, turns: both };
}

function usual(seed: number): Scenario {
  const random = new Random(seed).fork("scenario");
  const count = random.weighted({ 1: 4, 2: 4, 3: 8, 4: 6, 6: 3, 12: 1 });
  const names = Array.from({ length: Number(count) }, (_, index) => `n${index + 1}`);
  const hasTwins = random.chance(0.1);
  const nodes = names.map((name) => nodeOf(random, name, hasTwins));
  const receivers = random.chance(0.6)
    ? [{ name: "r1", active: random.some(["198.51.100.1/32", "198.51.100.200/32"], 0.3) }]
    : [];
  const isShared = random.chance(0.3);
  const stacks = Array.from({ length: isShared ? 2 : 1 }, (_, index) => stackOf(random, index, hasTwins));
  const sites = stacks.map(
    ({ instances }, index): Sites => ({
      nodes: names,
      receivers: receivers.map(({ name }) => name),
      own: stacks.length === 1 ? names : names.filter((_, at) => at % 2 === index),
      instances,
      hasTwins,
    }),
  );
  const drawn = withRare(new Random(seed).fork("rare"), seed, turnsOf(random, sites, nodes), sites);
  const destroyed = withDestroy(new Random(seed).fork("destroy"), seed, drawn, sites);
  const turns = withCommands(new Random(seed).fork("commands"), seed, destroyed, sites);
  if (seed % REFUSING_EVERY !== 0) return { seed, nodes, receivers, stacks, turns };
  const strict = new Random(seed).fork("refusing");
  return { seed, nodes: nodes.map((node) => refusing(strict, node)), receivers, stacks, turns };
}

function nodeOf(random: Random, name: string, hasTwin: boolean): NodePlan {
  const dialect = random.pick(DIALECTS);
  const foreign: Entries = random.chance(0.2) ? { [FOREIGN[0]]: 9 } : {};
  const others: Entries = random.chance(0.2) ? { "203.0.113.7/32": 5 } : {};
  const sets = { [BLOCKED]: others, [PARTNERS]: foreign };
  return {
    name,
    ...(hasTwin && { aliases: [twinOf(name)] }),
    sets,
    ...(Object.keys(dialect).length > 0 && { dialect }),
  };
}

function stackOf(random: Random, index: number, hasTwins: boolean): StackPlan {
  const door = random.pick(["dynamic", "plugin"] as const);
  return {
    name: `stack-${index + 1}`,
    door,
    settings: {
      ...(!hasTwins && { distinctNodes: true }),
      ...(random.chance(0.1) && { forbiddenPrefixes: JSON.stringify([FORBIDDEN]) }),
    },
    instances: random.weighted({ 0: 8, 1: 2, 2: 1 }) === "0" ? 0 : random.int(1, 2),
  };
}

function turnsOf(random: Random, sites: readonly Sites[], nodes: readonly NodePlan[]): Turn[] {
  const turns: Turn[] = [];
  const designs = sites.map((each, stack) => [firstProgram(random, stack, each)]);
  for (const [stack, [design]] of designs.entries()) turns.push(runsOf([upOf(design as Design, stack, {}, [])]));
  const length = random.int(4, 8);
  for (let turn = 0; turn < length; turn += 1) {
    if (random.chance(0.3)) {
      const count = random.int(1, 2);
      for (let act = 0; act < count; act += 1)
        turns.push(...lasting(random, actOf(random, sites[0] as Sites, nodes), turns));
      continue;
    }
    const stack = random.int(0, sites.length - 1);
    const own = designs[stack] as Design[];
    if (checkedGroup(own.at(-1) as Design) && random.chance(0.3)) {
      turns.push(...redWave(random, { stack, site: sites[stack] as Sites, nodes, designs: own }));
      turn += 1;
      continue;
    }
    const last = turns.at(-1);
    const wasDisturbed =
      last?.kind === "runs" && last.runs.some((run) => run.stack === stack && run.meanwhile.length > 0);
    const runs = [runOf(random, stack, sites, designs, nodes, wasDisturbed)];
    if (sites.length > 1 && random.chance(0.3)) runs.push(runOf(random, 1 - stack, sites, designs, nodes));
    turns.push(runsOf(runs));
  }
  return turns;
}

const runsOf = (runs: readonly Run[]): Turn => ({ kind: "runs", runs });

function upOf({ resources }: Design, stack: number, options: RunOptions, meanwhile: readonly Disturbance[]): Run {
  return { stack, command: "up", program: resources, options, meanwhile };
}

function runOf(
  random: Random,
  stack: number,
  sites: readonly Sites[],
  designs: Design[][],
  nodes: readonly NodePlan[],
  wasDisturbed = false,
): Run {
  const site = sites[stack] as Sites;
  const own = designs[stack] as Design[];
  const current = own.at(-1) as Design;
  const meanwhile = disturbances(random, site, nodes);
  if (site.instances > 0 && random.chance(0.1)) {
    const next = nextProgram(random, current, own, site);
    own.push(next);
    return { ...upOf(next, stack, {}, []), isDeaf: true };
  }
  // What a run left half-done, the next one may no longer want.
  const former = own.at(-2);
  if (wasDisturbed && former && random.chance(0.3)) {
    own.push(former);
    return upOf(former, stack, {}, []);
  }
  if (random.chance(0.06)) return { ...upOf(withMistake(random, current), stack, {}, []), isMistake: true };
  switch (random.weighted({ up: 10, upRefresh: 3, refresh: 3, preview: 2, previewRefresh: 2, destroy: 1 })) {
    case "up": {
      const next = nextProgram(random, current, own, site);
      own.push(next);
      return upOf(next, stack, optionsOf(random, next), meanwhile);
    }
    case "upRefresh": {
      const next = nextProgram(random, current, own, site);
      own.push(next);
      return upOf(next, stack, { ...optionsOf(random, next), refresh: true }, meanwhile);
    }
    case "refresh":
      return { stack, command: "refresh", program: [], options: {}, meanwhile };
    case "preview":
      return { stack, command: "preview", program: current.resources, options: {}, meanwhile };
    case "previewRefresh":
      return { stack, command: "preview", program: current.resources, options: { refresh: true }, meanwhile };
    case "destroy":
      return { stack, command: "destroy", program: [], options: {}, meanwhile };
  }
}

function optionsOf(random: Random, { resources }: Design): RunOptions {
  const some = random.pick(resources).name;
  switch (random.weighted({ none: 20, target: 1, exclude: 1, replace: 1, continue: 2, parallel: 2 })) {
    case "target":
      return { targets: [some] };
    case "exclude":
      return { excludes: [some] };
    case "replace":
      return { replace: [some] };
    case "continue":
      return { continueOnError: true };
    case "parallel":
      return { parallel: 1 };
    case "none":
      return {};
  }
}
