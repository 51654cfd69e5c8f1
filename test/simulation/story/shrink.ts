import { play } from "../play";
import type { Run, Scenario, Turn } from "../scenario";

/** Most scenarios that are tried. */
const MOST_TRIES = 250;

/** Drops turns, disturbances, resources, nodes and stacks from a scenario while it still breaks the same promise. */
export async function shrink(scenario: Scenario, promise: string): Promise<Scenario> {
  let [smallest, tries] = [scenario, 0];
  for (;;) {
    let found: Scenario | undefined;
    for (const smaller of smallerOnes(smallest)) {
      if (tries >= MOST_TRIES) return smallest;
      tries += 1;
      const { broken } = await play(smaller);
      if (broken[0]?.promise !== promise) continue;
      found = smaller;
      break;
    }
    if (!found) return smallest;
    smallest = found;
  }
}

function* smallerOnes(scenario: Scenario): Generator<Scenario> {
  const { turns, nodes, stacks } = scenario;
  const without = <T>(all: readonly T[], index: number) => all.filter((_, at) => at !== index);
  for (let at = turns.length - 1; at >= 0; at -= 1) yield { ...scenario, turns: without(turns, at) };
  const change = (at: number, run: number, to: (run: Run) => Run): Scenario => {
    const now = (turn: Turn, index: number): Turn =>
      index === at && turn.kind === "runs"
        ? { ...turn, runs: turn.runs.map((one, place) => (place === run ? to(one) : one)) }
        : turn;
    return { ...scenario, turns: turns.map(now) };
  };
  for (const [at, turn] of turns.entries()) {
    if (turn.kind !== "runs") continue;
    if (turn.runs.length > 1)
      yield {
        ...scenario,
        turns: turns.map((it, index) => (index === at ? { ...turn, runs: turn.runs.slice(0, 1) } : it)),
      };
    for (const [run, { meanwhile }] of turn.runs.entries()) {
      for (const index of meanwhile.keys())
        yield change(at, run, (one) => ({ ...one, meanwhile: without(one.meanwhile, index) }));
    }
  }
  for (const name of namesOf(turns)) yield { ...scenario, turns: turns.map((turn) => withoutResource(turn, name)) };
  for (const [index, { name, dialect }] of nodes.entries()) {
    if (dialect)
      yield { ...scenario, nodes: nodes.map((node, at) => (at === index ? { name, sets: node.sets } : node)) };
    const inUse = JSON.stringify(turns).includes(`"${name}"`);
    if (nodes.length > 1 && !inUse) yield { ...scenario, nodes: without(nodes, index) };
  }
  for (const [index, stack] of stacks.entries()) {
    if (stack.instances > 0)
      yield { ...scenario, stacks: stacks.map((it, at) => (at === index ? { ...it, instances: 0 } : it)) };
  }
}

function namesOf(turns: readonly Turn[]): Set<string> {
  return new Set(
    turns.flatMap((turn) =>
      turn.kind === "runs" ? turn.runs.flatMap(({ program }) => program.map(({ name }) => name)) : [],
    ),
  );
}

function withoutResource(turn: Turn, name: string): Turn {
  if (turn.kind !== "runs") return turn;
  return {
    ...turn,
    runs: turn.runs.map((run) => ({ ...run, program: run.program.filter((one) => one.name !== name) })),
  };
}
