/**
 * The rollout of a content over the nodes of a group, as a value: what is where, and what is the next step. No request is made
 * here. Preview and `up` take the same steps, and a test walks through all states.
 *
 * - A content goes to a node if it was live there before, or once all earlier waves hold it and their checks have passed.
 * - A node that holds it without having passed, be it in part, is asked before any other node gets it.
 * - The check of an older content is asked once more; if it fails, that node gets the new content in its own wave.
 * - Lost entries are restored before anything is asked, and that is no step of a wave.
 */

/** A node as the rollout knows it. */
export interface NodeState {
  /** It holds the content of the program, as far as is known. */
  readonly holds: boolean;
  /** That content was live here before: to go back to it is no new change. */
  readonly had?: boolean;
  /**
   * A check has not passed here: of the content of the program, which this node holds or may hold, or of another one, which it
   * holds (`former`) or which something has replaced since (`replaced`): its check would say nothing about that one.
   */
  readonly open?: "same" | "former" | "replaced";
  /** It lacks entries that it held, and that the program still declares. */
  readonly lost?: boolean;
  /** This run restored them. */
  readonly isRestored?: boolean;
  /** It did not answer a look of this run. */
  readonly silent?: boolean;
  /** It did not answer its write, and the group goes on without it. */
  readonly isPassedOver?: boolean;
}

export interface RolloutState {
  /** Waves of the program, with all of its nodes. */
  readonly waves: readonly (readonly string[])[];
  readonly nodes: ReadonlyMap<string, NodeState>;
  /** True if there is a check to ask. Without one a node passes when it is written. */
  readonly hasCheck: boolean;
  /** True if the program has another check than the one that open nodes have to pass, or none: it brings nothing new before. */
  readonly isBlocked: boolean;
  /** Nodes whose silence the group allows. */
  readonly maxSilent: number;
  /** The check of an older content has been asked. */
  readonly isAsked?: boolean;
  /** Silent nodes have had their last try. */
  readonly isTriedAgain?: boolean;
  readonly red?: FailedWave;
}

/** A step that did not succeed: the run ends. */
export interface FailedWave {
  readonly nodes: readonly string[];
  readonly reason: string;
}

/** Facts about a node and the content of the program. */
export interface NodeFacts extends Pick<NodeState, "holds" | "had" | "lost" | "silent"> {
  /** The state names it in the wave that has not passed. */
  readonly isPending: boolean;
  /** It is the content that has not passed here. */
  readonly isUnpassed: boolean;
  /** It was observed with this content, which no known run has written: one was killed. */
  readonly isFound: boolean;
  /** It was observed without the content of the state. */
  readonly isReplaced: boolean;
}

/** A node at the start of a run. */
export function nodeState({ isPending, isUnpassed, isFound, isReplaced, ...node }: NodeFacts): NodeState {
  const isSame = isFound || isUnpassed || node.holds;
  if (!isPending && !isFound) return node;
  return { ...node, open: isSame ? "same" : isReplaced ? "replaced" : "former" };
}

export type Step =
  | { readonly do: "restore" | "try again"; readonly nodes: readonly string[] }
  | { readonly do: "ask"; readonly nodes: readonly string[] }
  | { readonly do: "write"; readonly as: "revert" | "repair" | "wave"; readonly nodes: readonly string[] }
  | { readonly do: "check"; readonly nodes: readonly string[] }
  | { readonly do: "end" };

export type Event =
  | { readonly is: "restored"; readonly nodes: readonly string[] }
  /** Nodes that were written, failed, or did not answer, as far as the group allows that. */
  | {
      readonly is: "written";
      readonly nodes: readonly string[];
      readonly silent?: readonly string[];
      readonly red?: FailedWave;
    }
  | { readonly is: "passed"; readonly nodes: readonly string[] }
  | {
      readonly is: "not passed";
      readonly nodes: readonly string[];
      readonly red: FailedWave;
      readonly isFormer?: boolean;
    }
  | { readonly is: "cancelled" };

/** The next step of a rollout in this state. */
export function next(state: RolloutState): Step {
  const { nodes, waves, red, isAsked, isBlocked } = state;
  const all = [...nodes.keys()];
  const those = (is: (node: NodeState) => boolean) => all.filter((name) => is(nodes.get(name) as NodeState));
  if (red) return { do: "end" };
  const lost = those(({ lost, silent }) => lost === true && !silent);
  if (lost.length > 0) return { do: "restore", nodes: lost };
  const former = those(({ open }) => open === "former");
  if (former.length > 0 && !isAsked) return { do: "ask", nodes: former };
  const back = those((node) => node.had === true && !node.holds && !isSkipped(state, node));
  const healthyFirst = [...back].sort((a, b) => Number(isOpen(state, a)) - Number(isOpen(state, b)));
  if (back.length > 0) return { do: "write", as: "revert", nodes: healthyFirst };
  const same = those(({ open }) => open === "same");
  const holds = (name: string) => nodes.get(name)?.holds === true;
  const whole = same.filter(holds);
  const half = same.filter((name) => !holds(name) && isDue(state, name));
  if (half.length > 0 && !isBlocked) return { do: "write", as: "repair", nodes: half };
  if (same.length > 0) return { do: "check", nodes: whole.length > 0 ? whole : same };
  // What has not passed is gone there, and the program lacks the check that a new content would have to pass: the node itself is asked.
  const replaced = those(({ open }) => open === "replaced");
  if (isBlocked && replaced.length > 0) return { do: "check", nodes: replaced };
  if (isBlocked && those(({ open }) => open !== undefined).length > 0) return { do: "end" };
  for (const wave of waves) {
    const behind = wave.filter((name) => {
      const node = nodes.get(name) as NodeState;
      return !node.holds && !isSkipped(state, node);
    });
    if (behind.length > 0) return { do: "write", as: "wave", nodes: behind };
    const unasked = wave.filter((name) => isOpen(state, name) && nodes.get(name)?.holds);
    if (unasked.length > 0) return { do: "check", nodes: unasked };
  }
  const silent = those(({ silent, holds }) => silent === true && !holds);
  if (silent.length > 0 && !state.isTriedAgain) return { do: "try again", nodes: silent };
  return { do: "end" };
}

/** The state after an event. */
export function reduce(state: RolloutState, event: Event): RolloutState {
  switch (event.is) {
    case "restored":
      return changed(state, event.nodes, (node) => ({ ...node, lost: false, isRestored: true }));
    case "written": {
      const { nodes, silent = [], red } = event;
      const written = changed(state, nodes, (node) => ({
        ...unopened(node),
        ...{ holds: true, silent: false },
        ...openBy(state.hasCheck || state.isBlocked),
      }));
      const failed = changed(written, red?.nodes ?? [], (node) => ({ ...node, open: "same" }));
      const quiet = changed(failed, silent, (node) => ({ ...node, silent: true, isPassedOver: true }));
      const isTriedAgain = state.isTriedAgain || nextIsLast(state);
      return { ...quiet, isTriedAgain, ...(red && { red }) };
    }
    case "passed":
      return released(changed(state, event.nodes, unopened));
    case "not passed": {
      const passed = event.nodes.filter((name) => !event.red.nodes.includes(name));
      const left = released(changed(state, passed, unopened));
      return event.isFormer ? { ...left, isAsked: true } : { ...left, red: event.red };
    }
    case "cancelled":
      return { ...state, red: { nodes: openNodes(state), reason: "the run was cancelled" } };
  }
}

/** Nodes whose check has not passed: those of the step that failed first. */
export function openNodes({ nodes, red }: Pick<RolloutState, "nodes" | "red">): string[] {
  const open = [...nodes].flatMap(([name, { open }]) => (open === undefined ? [] : [name]));
  const first = open.filter((name) => red?.nodes.includes(name));
  return [...first, ...open.filter((name) => !first.includes(name))];
}

/** The steps of a run in which all goes well, apart from the check of an older content. */
export function foreseen(state: RolloutState): Step[] {
  const steps: Step[] = [];
  for (let now = state; ; ) {
    const step = next(now);
    if (step.do === "end") return steps;
    steps.push(step);
    now = reduce(now, asHoped(step));
  }
}

function asHoped(step: Exclude<Step, { readonly do: "end" }>): Event {
  const { nodes } = step;
  if (step.do === "restore") return { is: "restored", nodes };
  if (step.do === "ask") return { is: "not passed", nodes, red: { nodes, reason: "" }, isFormer: true };
  return step.do === "check" ? { is: "passed", nodes } : { is: "written", nodes };
}

/** Without open nodes, the program's own check decides. */
function released(state: RolloutState): RolloutState {
  return { ...state, isBlocked: state.isBlocked && openNodes(state).length > 0 };
}

function unopened({ open: _, ...node }: NodeState): NodeState {
  return node;
}

function openBy(isOpen: boolean): Pick<NodeState, "open"> {
  return isOpen ? { open: "same" } : {};
}

function isOpen({ nodes }: RolloutState, name: string): boolean {
  return nodes.get(name)?.open !== undefined;
}

/** A silent node is passed over, as far as the group allows it: it gets its turn at the end. */
function isSkipped({ nodes, maxSilent }: RolloutState, { silent, isPassedOver }: NodeState): boolean {
  if (isPassedOver) return true;
  return silent === true && [...nodes.values()].filter((node) => node.silent).length <= maxSilent;
}

/** True for a node of the program that is not skipped, and before which each wave has passed. */
function isDue(state: RolloutState, name: string): boolean {
  const { waves, nodes } = state;
  const own = waves.findIndex((wave) => wave.includes(name));
  if (own < 0 || isSkipped(state, nodes.get(name) as NodeState)) return false;
  return waves
    .slice(0, own)
    .flat()
    .every((earlier) => {
      const node = nodes.get(earlier) as NodeState;
      return isSkipped(state, node) || (node.holds && node.open === undefined);
    });
}

function nextIsLast(state: RolloutState): boolean {
  return next(state).do === "try again";
}

function changed(state: RolloutState, names: readonly string[], change: (node: NodeState) => NodeState): RolloutState {
  const nodes = new Map(state.nodes);
  for (const name of names) {
    const node = nodes.get(name);
    if (node) nodes.set(name, change(node));
  }
  return { ...state, nodes };
}
