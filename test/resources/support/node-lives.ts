import {
  type Event,
  type NodeState,
  nodeState,
  reduce,
  type Step,
} from "../../../provider/resources/prefix-set-group/rollout/next-step";
import { codeOf } from "./rollout-states";

/** A node between two runs: what is true of it, and what the state of the group says. Contents are numbers from 0. */
interface Life {
  readonly holds: number;
  /** The content that it holds has passed its check here. */
  readonly passed: boolean;
  /** Content by the state of the group, and whether it had passed when the node held it last. */
  readonly known: number;
  readonly knownPassed: boolean;
  readonly isPending: boolean;
  /** The content whose write did not end here. */
  readonly attempted: number | undefined;
  /** The last run went on without it. */
  readonly isUnreached: boolean;
  /** Contents that were live here by the state, and those that were live or tried in truth. */
  readonly history: readonly number[];
  readonly was: readonly number[];
}

/** The node in a run of a content. */
interface Here extends Pick<Life, "holds" | "passed" | "was"> {
  readonly node: NodeState;
  readonly did: "nothing" | "wrote" | "failed";
}

const START: Life = {
  ...{
    holds: 0,
    passed: true,
    known: 0,
    knownPassed: true,
    isPending: false,
    attempted: undefined,
    isUnreached: false,
  },
  ...{ history: [], was: [0] },
};

const ALONE = { waves: [["a"]], hasCheck: true, isBlocked: false, maxSilent: 1 };

const added = (list: readonly number[], one: number) => [...new Set([...list, one])].sort();
const without = (list: readonly number[], one: number) => list.filter((it) => it !== one);

function begin(life: Life, content: number, silent: boolean): NodeState {
  const { holds, known, attempted, history, isPending, isUnreached } = life;
  const isKnown = known === content;
  const isOpen = attempted !== undefined || isUnreached;
  return {
    ...nodeState({
      ...{ holds: isKnown && !isOpen, isPending, isAttempted: attempted === content },
      had: history.includes(content) || (isKnown && isOpen),
      // A silent node has no list.
      ...{ isFound: !silent && !isKnown && holds === content, isReplaced: !silent && holds !== known },
      ...{ lost: !silent && isKnown && holds !== content, silent },
    }),
  };
}

/** Outcomes of a step at the node: the event, and what is true then. */
function outcomes(
  step: Step["do"],
  here: Here,
  { known, knownPassed }: Life,
  content: number,
): [Event, Omit<Here, "node">][] {
  const [nodes, red] = [["a"], { nodes: ["a"], reason: "" }];
  const { holds, passed, was, did } = here;
  const isFormer = step === "ask";
  switch (step) {
    case "restore": {
      const isWhole = known === content && holds !== content;
      return [[{ is: "restored", nodes }, isWhole ? { holds: content, passed: knownPassed, was, did } : here]];
    }
    case "ask":
    case "check":
      return [
        [
          { is: "passed", nodes },
          { ...here, passed: true },
        ],
        [
          { is: "not passed", nodes, red, isFormer },
          // A check where the content has not come says nothing about the one that had passed there.
          { ...here, passed: passed && holds !== content },
        ],
      ];
    default: {
      const brought = { holds: content, passed: holds === content && passed, was: added(was, content) };
      return [
        [
          { is: "written", nodes },
          { ...brought, did: "wrote" },
        ],
        [
          { is: "written", nodes: [], red },
          { ...brought, did: "failed" },
        ],
        [
          { is: "written", nodes: [], red },
          { holds, passed, was: added(was, content), did: "failed" },
        ],
        [{ is: "written", nodes: [], silent: nodes }, here],
      ];
    }
  }
}

/** The node after a run that ended or was cancelled. */
function ended(life: Life, { holds, passed, was, did, node }: Here, content: number): Life {
  const open = {
    isPending: node.open !== undefined,
    isUnreached: node.silent === true || (did === "nothing" && life.isUnreached),
  };
  if (did === "nothing") return whole({ ...life, holds, passed, was, ...open });
  const history = without(added(life.history, life.known), content);
  const state = did === "wrote" ? { known: content, attempted: undefined } : { attempted: content };
  return whole({ ...life, holds, passed, was, ...open, history, ...state });
}

const whole = (life: Life): Life => (life.holds === life.known ? { ...life, knownPassed: life.passed } : life);

/**
 * Searches all that can become of one node, over any number of runs of three contents, each ended, cancelled or killed at any step.
 * What the rollout takes for true of it must be true.
 *
 * @param steps Kinds of steps that come to a node, as {@link walkStates} found them.
 */
export function walkLives(steps: ReadonlyMap<string, ReadonlySet<Step["do"]>>): {
  lives: number;
  problems: readonly string[];
} {
  const problems = new Set<string>();
  const lives = new Map([[JSON.stringify(START), START]]);
  const keep = (life: Life) => {
    const key = JSON.stringify(life);
    if (!lives.has(key)) lives.set(key, life);
  };
  const run = (life: Life, content: number, silent: boolean) => {
    const node = begin(life, content, silent);
    const first: Here = { ...life, node, did: "nothing" };
    const isKnown = node.had || node.open === "same" || node.holds;
    if (isKnown && !life.was.includes(content)) problems.add(`${content} was never here: ${JSON.stringify(life)}`);
    const places = new Map([["", first]]);
    for (const here of places.values()) {
      const { holds, open, lost, silent } = here.node;
      const isTrue = here.holds === content && here.passed;
      if (holds && open === undefined && !lost && !silent && !isTrue)
        problems.add(`counts as passed, and is not: ${JSON.stringify([life, here])}`);
      keep(ended(life, here, content));
      keep(whole({ ...life, holds: here.holds, passed: here.passed, was: here.was }));
      for (const step of steps.get(codeOf(here.node)) ?? []) {
        for (const [event, { holds, passed, was, did }] of outcomes(step, here, life, content)) {
          const after = reduce({ ...ALONE, nodes: new Map([["a", here.node]]) }, event).nodes.get("a") as NodeState;
          const next: Here = { holds, passed, was, did, node: after };
          places.set(JSON.stringify(next), next);
        }
      }
    }
  };
  for (const life of lives.values())
    for (const content of [0, 1, 2]) for (const silent of [false, true]) run(life, content, silent);
  return { lives: lives.size, problems: [...problems] };
}
