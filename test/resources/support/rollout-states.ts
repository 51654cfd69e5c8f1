import {
  type Event,
  foreseen,
  type NodeFacts,
  type NodeState,
  next,
  nodeState,
  openNodes,
  type RolloutState,
  reduce,
  type Step,
} from "../../../provider/resources/prefix-set-group/rollout/next-step";

/** Four nodes in three waves. */
const WAVES = [["a"], ["b"], ["c", "d"]] as const;
const NODES: readonly string[] = WAVES.flat();

type Flag = keyof NodeFacts;
const FLAGS: readonly Flag[] = ["holds", "had", "isPending", "isUnpassed", "isFound", "isReplaced"];

/** All subsets of a list. */
export const subsets = <T>(list: readonly T[]): T[][] =>
  Array.from({ length: 2 ** list.length }, (_, bits) => list.filter((_, at) => Math.floor(bits / 2 ** at) % 2 === 1));

/**
 * Nodes as any run can begin with them, by the product's own reading of the facts. A node that holds the content by the state was
 * not found with it, and going back to it is nothing.
 */
const KINDS: readonly NodeState[] = distinct(
  subsets(FLAGS)
    .map((names) => Object.fromEntries(FLAGS.map((flag) => [flag, names.includes(flag)])) as unknown as NodeFacts)
    .filter(({ holds, had, isFound }) => !(holds && (had || isFound)))
    .map(nodeState),
);

function distinct(all: readonly NodeState[]): NodeState[] {
  return [...new Map(all.map((node) => [codeOf(node), node])).values()];
}

/** A node of a run as a letter. */
function codeOf({ holds, had, open, lost, silent, isPassedOver }: NodeState): string {
  const flags = [holds, had, lost, silent, isPassedOver].reduce<number>(
    (sum, flag) => 2 * sum + Number(flag === true),
    0,
  );
  return String.fromCharCode(64 + 4 * flags + [undefined, "same", "former", "replaced"].indexOf(open));
}

/** Checks of a rollout: its own, and one that its open nodes have to pass and the program no longer has. */
type Asked = Pick<RolloutState, "hasCheck" | "isBlocked">;

/** A rollout at the start of a run. Only open nodes can block it. */
function rollout(
  nodes: readonly NodeState[],
  { hasCheck, isBlocked }: Asked,
  { silent = [], lost = [] }: Partial<Record<"silent" | "lost", readonly string[]>> = {},
): RolloutState {
  const all = nodes.map((node, index) => {
    const name = NODES[index] as string;
    return [name, { ...node, silent: silent.includes(name), lost: lost.includes(name) }] as const;
  });
  const isHeld = isBlocked && nodes.some(({ open }) => open !== undefined);
  return { waves: WAVES, nodes: new Map(all), hasCheck, isBlocked: isHeld, maxSilent: 1 };
}

/** Possible outcomes of a step: the first is the one that a preview hopes for. */
function outcomes(step: Step): Event[] {
  if (step.do === "end") return [];
  const { nodes } = step;
  if (step.do === "restore") return [{ is: "restored", nodes }];
  const rest = (one: string) => nodes.filter((name) => name !== one);
  const red = (one: string) => ({ nodes: [one], reason: "" });
  if (step.do === "write" || step.do === "try again") {
    const failed = nodes.flatMap((one): Event[] => [
      { is: "written", nodes: rest(one), red: red(one) },
      { is: "written", nodes: rest(one), silent: [one] },
    ]);
    return [{ is: "written", nodes }, ...failed, { is: "cancelled" }];
  }
  const isFormer = step.do === "ask";
  const passed: Event = { is: "passed", nodes };
  const none: Event = { is: "not passed", nodes, red: { nodes, reason: "" }, isFormer };
  const some = nodes.map((one): Event => ({ is: "not passed", nodes, red: red(one), isFormer }));
  return [...(isFormer ? [none, passed] : [passed, none]), ...some, { is: "cancelled" }];
}

/** Node to which the content comes before its time: nodes of an earlier wave have not passed it, and it was not there before. */
function tooEarly(step: Step, { nodes, waves }: RolloutState): string | undefined {
  if (step.do !== "write" && step.do !== "try again") return undefined;
  return step.nodes.find((name) => {
    const node = nodes.get(name);
    if (node?.had) return false;
    const earlier = waves
      .slice(
        0,
        Math.max(
          0,
          waves.findIndex((wave) => wave.includes(name)),
        ),
      )
      .flat();
    return earlier.some((other) => {
      const it = nodes.get(other) as NodeState;
      return !(it.holds && it.open === undefined && !it.lost) && !it.silent;
    });
  });
}

/** The same state under other names of the nodes of one wave, which nothing tells apart, has the same key. */
function keyOf({ waves, nodes, isAsked, isTriedAgain, isBlocked, red }: RolloutState): string {
  const letters = waves.map((wave) =>
    wave
      .map((name) => codeOf(nodes.get(name) as NodeState))
      .sort()
      .join(""),
  );
  return (
    letters.join("") + [isAsked === true, isTriedAgain === true, isBlocked, red !== undefined].map(Number).join("")
  );
}

const shown = (step: Step) => (step.do === "end" ? "end" : `${step.do} ${step.nodes}`);

/** Problems of a run that begins so: every loss is restored first, and the steps of the preview bring it to a good end. */
function judge(nodes: readonly NodeState[], silent: readonly string[], asked: Asked): string[] {
  const start = rollout(nodes, asked, { silent });
  const preview = foreseen(start);
  const steps = preview.map(shown);
  const problems: string[] = [];
  const { done, end } = carriedOut(start, ([first]) => first);
  if (`${done}` !== `${steps}`) problems.push(`${done} is not the preview ${steps}`);
  // The preview takes it that an older content fails again, which ends a run that waits for its check.
  const { end: good } = start.isBlocked
    ? carriedOut(start, (all) => all.find(({ is }) => is === "passed") ?? all[0])
    : { end };
  const left = NODES.filter((name) => !good.nodes.get(name)?.holds && good.nodes.get(name)?.silent !== true);
  const isBehind = left.length + openNodes(good).filter((name) => !silent.includes(name)).length > 0;
  if (isBehind) problems.push(`a run in which all goes well ends without ${left}`);
  const answering = NODES.filter((name) => !silent.includes(name));
  for (const lost of subsets(answering).slice(1)) {
    const [first, ...rest] = foreseen(rollout(nodes, asked, { silent, lost })).map(shown);
    if (first !== `restore ${lost}` || `${rest}` !== `${steps}`) problems.push(`${lost} is not restored first`);
  }
  return problems;
}

/** The steps of a run whose events are these, and its end. */
function carriedOut(start: RolloutState, eventOf: (all: readonly Event[]) => Event | undefined) {
  const done: string[] = [];
  let end = start;
  for (let step = next(end); step.do !== "end"; step = next(end)) {
    done.push(shown(step));
    end = reduce(end, eventOf(outcomes(step)) as Event);
  }
  return { done, end };
}

/** Numbers of what was reached, and what was wrong. */
interface Walked {
  /** Runs by what they begin with. */
  readonly starts: number;
  /** States of these runs, each with all events. */
  readonly states: number;
  readonly problems: readonly string[];
}

/**
 * Searches the states of a rollout: from every combination of what is known about the four nodes, with each of these sets of nodes
 * silent, through every event at every step.
 */
export function walkStates(
  silences: readonly (readonly string[])[],
  asked: Asked = { hasCheck: true, isBlocked: false },
): Walked {
  const problems = new Set<string>();
  const seen = new Set<string>();
  let starts = 0;
  const walk = (start: RolloutState) => {
    const states = [start];
    for (let state = states.pop(); state; state = states.pop()) {
      const key = keyOf(state);
      if (seen.has(key)) continue;
      seen.add(key);
      const step = next(state);
      if (step.do === "end") continue;
      if (state.isBlocked && step.do === "write" && step.as !== "revert")
        problems.add(
          `${shown(step)} is new, and the check of what is there has not passed: ${JSON.stringify([...state.nodes])}`,
        );
      const early = tooEarly(step, state);
      if (early !== undefined)
        problems.add(`${shown(step)} comes to ${early} too early in ${JSON.stringify([...state.nodes])}`);
      for (const event of outcomes(step)) states.push(reduce(state, event));
    }
  };
  const begin = (nodes: readonly NodeState[]) => {
    for (const silent of silences) {
      starts += 1;
      for (const problem of judge(nodes, silent, asked))
        problems.add(`${problem}: ${silent} silent, ${JSON.stringify(nodes)}`);
      walk(rollout(nodes, asked, { silent }));
      walk(rollout(nodes, asked, { silent, lost: NODES.filter((name) => !silent.includes(name)) }));
    }
  };
  for (const a of KINDS)
    for (const b of KINDS)
      for (const c of KINDS) for (const d of KINDS) if (codeOf(c) <= codeOf(d)) begin([a, b, c, d]);
  return { starts, states: seen.size, problems: [...problems] };
}
