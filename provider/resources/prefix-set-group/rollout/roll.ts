import { count } from "../../../model/text";
import { notPassed, type Pending } from "./arguments";
import type { Begun } from "./facts";
import { type Event, type FailedWave, next, openNodes, type RolloutState, reduce, type Step } from "./next-step";
import type { Unpassed } from "./wave-check";

/** Outcome of the writes to some nodes. */
export interface Written {
  readonly done: readonly string[];
  /** Nodes without an answer, as far as the group goes on without them. */
  readonly silent: readonly string[];
  readonly failed: readonly string[];
  /** Error of the first failed node. */
  readonly reason: string;
}

/** Effects of the steps of a rollout on the nodes. */
export interface Hands {
  /** Returns the nodes that were begun: after a cancellation, not all. */
  restore(nodes: readonly string[]): Promise<readonly string[]>;
  /** @param isBrief True for nodes that were silent: they are asked for a moment only. */
  write(nodes: readonly string[], isBrief: boolean): Promise<Written>;
  /** Runs the checks of these nodes. Returns those that did not pass, and why. */
  check(nodes: readonly string[], isOnce: boolean): Promise<Unpassed | undefined>;
  /** @param wave Number of a wave that was written, from 1; `undefined` where nodes went back to what they had. */
  pause(wave: number | undefined, of: number): Promise<void>;
  isCancelled(): boolean;
}

/** End of a rollout. */
export interface RolloutEnd {
  /** Sentences for the error, if it is red. */
  readonly text?: string;
  /** The wave that has not passed, for the state. */
  readonly pending?: Pending;
  /** True if the program lacks the check that the open nodes have to pass: the state keeps that check. */
  readonly isBlocked?: boolean;
}

/** Carries out a rollout step by step. */
export async function roll(begun: Begun, hands: Hands, remedy: string): Promise<RolloutEnd> {
  const { pending } = begun;
  let { state } = begun;
  let former: FailedWave | undefined;
  for (;;) {
    const step = next(state);
    if (step.do === "end") break;
    if (hands.isCancelled()) {
      state = reduce(state, { is: "cancelled" });
      break;
    }
    const event = await carryOut(step, state, hands);
    if (event.is === "not passed" && event.isFormer) former = event.red;
    state = reduce(state, event);
  }
  const red = state.red ?? (state.isBlocked ? (former ?? pending) : undefined);
  if (red) return ended(state, red, { begun, remedy });
  // A silent node, which the group goes on without, may hold what has not passed there.
  const open = openNodes(state).filter((node) => state.waves.some((wave) => wave.includes(node)));
  return pending && open.length > 0 ? { pending: { ...pending, ...unpassed(state, open, begun) } } : {};
}

/** Nodes whose check has not passed, with the content that it is about. */
function unpassed({ nodes }: RolloutState, open: readonly string[], { pending, digestAt }: Begun) {
  const digestOf = (node: string) => (nodes.get(node)?.open === "same" ? digestAt(node) : pending?.contents[node]);
  const contents = open.flatMap((node) => {
    const digest = digestOf(node);
    return digest === undefined ? [] : [[node, digest] as const];
  });
  return { nodes: [...open], contents: Object.fromEntries(contents) };
}

async function carryOut(step: Exclude<Step, { do: "end" }>, state: RolloutState, hands: Hands): Promise<Event> {
  const { nodes } = step;
  switch (step.do) {
    case "restore":
      return { is: "restored", nodes: await hands.restore(nodes) };
    case "ask":
    case "check": {
      const isFormer = step.do === "ask";
      const unpassed = await hands.check(nodes, isFormer);
      return unpassed ? { is: "not passed", nodes, red: unpassed, isFormer } : { is: "passed", nodes };
    }
    case "write":
    case "try again": {
      const { done, silent, failed, reason } = await hands.write(nodes, step.do === "try again");
      const red = failed.length > 0 ? { nodes: failed, reason } : undefined;
      const event = { is: "written", nodes: done, silent, ...(red && { red }) } as const;
      const isFinal = next(reduce(state, event)).do === "end";
      const wave = step.do === "write" && step.as === "revert" ? undefined : waveOf(state, nodes);
      if (!red && done.length > 0 && !isFinal && !hands.isCancelled()) await hands.pause(wave, state.waves.length);
      return event;
    }
  }
}

/** Number of the first wave with one of these nodes, from 1. */
function waveOf({ waves }: Pick<RolloutState, "waves">, nodes: readonly string[]): number {
  return waves.findIndex((wave) => wave.some((name) => nodes.includes(name))) + 1;
}

function ended(
  state: RolloutState,
  { nodes, reason }: FailedWave,
  { begun, remedy }: { readonly begun: Begun; readonly remedy: string },
): RolloutEnd {
  const { pending: before } = begun;
  const open = openNodes({ ...state, red: { nodes, reason } });
  const number = waveOf(state, nodes);
  const isOfState = before !== undefined && (number === 0 || state.isBlocked);
  const [wave, of] = isOfState ? [before.wave, before.of] : [Math.max(1, number), state.waves.length];
  const untouched = sayUntouched(state, wave, nodes);
  if (open.length === 0) return { text: `${reason}.${untouched}` };
  const held = state.isBlocked
    ? ` The program now has another check, or none: restore the former one. ${remedy}`
    : ' The next "pulumi up" continues with it.';
  const shown = { wave, of, nodes: nodes.length > 0 ? [...nodes] : open, reason };
  const pending = { wave, of, ...unpassed(state, open, begun), reason };
  return { text: `${notPassed(shown)}${untouched}${held}`, pending, isBlocked: state.isBlocked };
}

/** Sentence about nodes that need the content, and that this run did not write. */
function sayUntouched({ waves, nodes }: RolloutState, number: number, red: readonly string[]): string {
  const isLeft = (name: string) => {
    const node = nodes.get(name);
    const isTouched = (node?.holds && !node.lost) || node?.isRestored || node?.open === "same" || node?.silent;
    return node !== undefined && !isTouched && !red.includes(name);
  };
  const left = waves.map((wave) => wave.filter(isLeft));
  const size = left.flat().length;
  if (size === 0) return "";
  const isLater = left.every((wave, index) => wave.length === 0 || index + 1 > number);
  const [one, more] = isLater ? ["node of a later wave", "nodes of later waves"] : ["other node", "other nodes"];
  return ` ${count(size, `${one} was`, `${more} were`)} not touched.`;
}
