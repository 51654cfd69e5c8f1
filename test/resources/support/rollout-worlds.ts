import {
  type Event,
  foreseen,
  next,
  nodeState,
  openNodes,
  type RolloutState,
  reduce,
  type Step,
} from "../../../provider/resources/prefix-set-group/rollout/model";

const WAVES = [["a"], ["b"], ["c", "d"]] as const;
const NODES = WAVES.flat();
const CONTENTS = [0, 1, 2] as const;
type Content = (typeof CONTENTS)[number];

/** A node, with what is true of it, and with what the state of the group says. */
interface Truth {
  readonly holds: Content;
  /** Contents that were live here, and those that have passed here. */
  readonly was: readonly Content[];
  readonly passed: readonly Content[];
  readonly known: Content;
  readonly history: readonly Content[];
  readonly isPending: boolean;
  /** The content whose write did not end here. */
  readonly attempted?: Content;
}
type World = ReadonlyMap<string, Truth>;

const LOSSES = [["a"], ["c", "d"], NODES];

const START: World = new Map(
  NODES.map((name) => [name, { holds: 0, was: [0], passed: [0], known: 0, history: [], isPending: false } as Truth]),
);

function begin(world: World, content: Content, lost: readonly string[] = []): RolloutState {
  const nodes = [...world].map(([name, it]) => {
    const { known, holds, history, attempted, isPending } = it;
    const facts = {
      ...{
        holds: known === content && attempted === undefined,
        had: history.includes(content),
        lost: lost.includes(name),
      },
      // What a killed run brought in place of the content of the state is a loss.
      lost: lost.includes(name) || (known === content && holds !== content),
      ...{ isPending, isAttempted: attempted === content, isFound: known !== content && holds === content },
    };
    return [name, nodeState(facts)] as const;
  });
  return { waves: WAVES, nodes: new Map(nodes), hasCheck: true, isBlocked: false, maxSilent: 1 };
}

const add = (list: readonly Content[], content: Content) => [...new Set([...list, content])].sort();
const without = (list: readonly Content[], content: Content) => list.filter((it) => it !== content);

function set(world: World, names: readonly string[], change: (it: Truth) => Truth): World {
  return new Map([...world].map(([name, it]) => [name, names.includes(name) ? change(it) : it]));
}

/** Possible outcomes of a step, and the world after each. */
function* outcomes(step: Step, world: World, content: Content): Generator<readonly [Event, World]> {
  if (step.do === "end") return;
  const { nodes } = step;
  if (step.do === "restore") {
    const whole = (it: Truth) => (it.known === content ? { ...it, holds: content } : it);
    yield [{ is: "restored", nodes }, set(world, nodes, whole)];
    return;
  }
  const write = (names: readonly string[]) =>
    set(world, names, (it) => ({
      ...it,
      ...{ holds: content, known: content, attempted: undefined },
      history: without(add(it.history, it.known), content),
      was: add(it.was, content),
      passed: it.holds === content ? it.passed : without(it.passed, content),
    }));
  if (step.do === "write" || step.do === "try again") {
    yield [{ is: "written", nodes }, write(nodes)];
    for (const one of nodes) {
      const rest = nodes.filter((name) => name !== one);
      const others = write(rest);
      for (const isApplied of [true, false]) {
        const failed = set(others, [one], (it) => ({
          ...it,
          ...{ attempted: content, history: without(add(it.history, it.known), content) },
          ...(isApplied && { holds: content, was: add(it.was, content), passed: without(it.passed, content) }),
        }));
        yield [{ is: "written", nodes: rest, red: { nodes: [one], reason: "" } }, failed];
      }
      yield [{ is: "written", nodes: rest, silent: [one] }, others];
    }
    return;
  }
  const pass = (names: readonly string[]) => set(world, names, (it) => ({ ...it, passed: add(it.passed, it.holds) }));
  yield [{ is: "passed", nodes }, pass(nodes)];
  if (step.do === "ask") {
    const event = { is: "not passed", nodes, red: { nodes, reason: "" }, isFormer: true } as const;
    yield [event, set(world, nodes, (it) => ({ ...it, passed: without(it.passed, it.holds) }))];
  }
  for (const one of nodes) {
    const others = pass(nodes.filter((name) => name !== one));
    const ill = set(others, [one], (it) => ({ ...it, passed: without(it.passed, it.holds) }));
    yield [{ is: "not passed", nodes, red: { nodes: [one], reason: "" }, isFormer: step.do === "ask" }, ill];
  }
}

/** Reason why a step is wrong: a content comes to a node that no run brought it to, before the nodes of earlier waves have passed it. */
function wrong(step: Step, world: World, state: RolloutState, content: Content): string | undefined {
  if (step.do !== "write" && step.do !== "try again") return undefined;
  for (const name of step.nodes) {
    const it = world.get(name) as Truth;
    if (it.attempted === content || it.was.includes(content)) continue;
    const wave = WAVES.findIndex((nodes) => (nodes as readonly string[]).includes(name));
    const earlier = WAVES.slice(0, wave).flat();
    const behind = earlier.filter(
      (other) => !world.get(other)?.passed.includes(content) && !state.nodes.get(other)?.silent,
    );
    if (behind.length > 0) return `${content} comes to ${name} before ${behind.join()} passed`;
  }
  return undefined;
}

/** The state of the group after a run that was not killed. */
function ended(world: World, state: RolloutState): World {
  const open = openNodes(state);
  return new Map([...world].map(([name, it]) => [name, { ...it, isPending: open.includes(name) }]));
}

const nodesOf = (world: World) =>
  [...world.values()].map(({ holds, known, was, passed, history, isPending, attempted }) =>
    [holds, known, was.join(""), passed.join(""), [...history].sort().join(""), Number(isPending), attempted].join(),
  );

/** Nodes of one wave can change places: nothing tells them apart. */
const keyOf = (world: World) => {
  const nodes = nodesOf(world);
  return WAVES.map((wave) => nodes.splice(0, wave.length).sort().join(";")).join("|");
};

const placeOf = (world: World, { nodes, isAsked, isTriedAgain, red }: RolloutState) =>
  JSON.stringify([nodesOf(world), [...nodes.values()], isAsked, isTriedAgain, red !== undefined]);

/** Worlds after each run, and what was wrong in one of the runs. */
interface Walked {
  /** Number of the worlds in which the first run begins, the second one, and so on. */
  readonly worlds: readonly number[];
  readonly problems: readonly string[];
}

/**
 * Takes so many runs one after the other, each in every world that the ones before can leave: of every content, with every event at each of its steps, ended or
 * killed at any of them.
 *
 * @param every The last run is taken in one of so many worlds.
 */
export function walkWorlds(runs: number, every = 1): Walked {
  const problems = new Set<string>();
  const seen = new Set([keyOf(START)]);
  const counts: number[] = [];
  let worlds: World[] = [START];
  for (let run = 1; run <= runs; run += 1) {
    const isFinal = run === runs;
    counts.push(worlds.length);
    const after: World[] = [];
    const push = (world: World) => {
      if (isFinal) return;
      const key = keyOf(world);
      if (seen.has(key)) return;
      seen.add(key);
      after.push(world);
    };
    for (const world of isFinal ? worlds.filter((_, index) => index % every === 0) : worlds)
      judge(world, { problems, push });
    worlds = after;
  }
  return { worlds: counts, problems: [...problems] };
}

/** All runs of all programs in a world. */
function judge(world: World, { problems, push }: { problems: Set<string>; push: (world: World) => void }): void {
  for (const content of CONTENTS) {
    const begun = begin(world, content);
    const preview = foreseen(begun).map(shown);
    for (const lost of LOSSES) {
      const [first, ...rest] = foreseen(begin(world, content, lost)).map(shown);
      const others = preview.filter((step) => !step.startsWith("restore"));
      const isFirst = first?.startsWith("restore") && lost.every((name) => first.includes(name));
      if (!isFirst || `${rest}` !== `${others}`) problems.add(`${lost} is not restored first`);
    }
    const walked = new Set<string>();
    const walk = (at: World, state: RolloutState, done: readonly string[], asHoped: boolean) => {
      const key = placeOf(at, state);
      // The way there matters only to the comparison with the preview.
      if (!asHoped && walked.has(key)) return;
      walked.add(key);
      const step = next(state);
      const found = wrong(step, at, state, content);
      if (found) problems.add(`${found}: ${done} in ${keyOf(world)}`);
      // A killed run leaves no state.
      push(new Map([...at].map(([name, it]) => [name, { ...it, ...stateOf(world, name) }])));
      if (step.do === "end") {
        if (asHoped && JSON.stringify(done) !== JSON.stringify(preview)) problems.add(`${done} is not ${preview}`);
        push(ended(at, state));
        return;
      }
      let isFirst = true;
      for (const [event, after] of outcomes(step, at, content)) {
        const isHoped = step.do === "ask" ? event.is === "not passed" && event.red.nodes === step.nodes : isFirst;
        walk(after, reduce(state, event), [...done, shown(step)], asHoped && isHoped);
        isFirst = false;
      }
    };
    walk(world, begun, [], true);
  }
}

function shown(step: Step): string {
  return step.do === "end" ? "end" : `${step.do} ${step.nodes}`;
}

/** A node by the state of the group. */
function stateOf(world: World, name: string): Pick<Truth, "known" | "history" | "isPending" | "attempted"> {
  const { known, history, isPending, attempted } = world.get(name) as Truth;
  return { known, history, isPending, ...{ attempted } };
}
