import type { Act, Declared, Disturbance, NodePlan, RunOptions, Turn } from "../scenario";
import type { Random } from "../world/random";
import { disturbances } from "./events";
import { anotherCheck, groupOf, otherNodes, otherWaves, renamed, withNodes } from "./group-changes";
import { BLOCKED, type Design, nextProgram, type Sites, withOtherEntries } from "./programs";

/** A stack with the programs that it has had. */
export interface Course {
  readonly stack: number;
  readonly site: Sites;
  readonly nodes: readonly NodePlan[];
  /** Oldest first; the next program is added. */
  readonly designs: Design[];
}

/** The group of a program whose waves wait for a check. */
export function checkedGroup(design: Design): Declared | undefined {
  const group = groupOf(design);
  const { check } = (group?.args.rollout ?? {}) as { check?: object };
  return group && check && nodesOf(group).length > 1 ? group : undefined;
}

/** A change that the check of a wave stops, what the operator does then, and more often than not the end of it. */
export function redWave(random: Random, course: Course, most = 2): Turn[] {
  const { designs, stack } = course;
  const group = checkedGroup(designs.at(-1) as Design);
  if (!group) return [];
  const node = random.chance(0.7) ? firstOf(group) : random.pick(nodesOf(group));
  const ill = { actor: "health", node, state: random.pick(["fail", "fail", "hang"] as const) } as const;
  change(course, (it) => withOtherEntries(random, it, stack));
  const turns: Turn[] = [];
  const events = duringChange(random, course);
  if (random.chance(0.8)) turns.push(act(ill), upNow(course, {}, events));
  else turns.push(upNow(course, {}, [{ kind: "act", request: random.int(1, 8), act: ill }, ...events]));
  const steps = random.int(1, most);
  const wasKilled = events.some(({ kind }) => kind === "kill");
  for (let step = 0; step < steps; step += 1)
    turns.push(...afterwards(random, course, node, wasKilled && step === 0 ? AFTER_KILL : STEPS));
  if (random.chance(0.7)) turns.push(act({ ...ill, state: "pass" }));
  if (random.chance(0.5)) turns.push(upNow(course, {}, []));
  return turns;
}

/** The first node of the first wave. */
function firstOf(group: Declared): string {
  const { waves } = group.args.rollout as { waves: { canary?: readonly string[] } };
  return waves.canary?.[0] ?? nodesOf(group)[0] ?? "";
}

const nodesOf = ({ args }: Declared) => args.nodes as readonly string[];
const act = (what: Act): Turn => ({ kind: "act", act: what });

function duringChange(random: Random, { site, nodes }: Course): readonly Disturbance[] {
  switch (random.weighted({ nothing: 5, written: 5, asked: 2, kill: 2, cancel: 2, cancelAsked: 1, other: 2 })) {
    case "nothing":
      return [];
    case "written":
      return [{ kind: "kill", of: "commit", request: random.int(1, 3), when: "after" }];
    case "asked":
      return [{ kind: "kill", of: "check", request: random.int(1, 3), when: "before" }];
    case "kill":
      return [{ kind: "kill", request: random.int(1, 10), when: random.pick(["before", "after"]) }];
    case "cancel":
      return [{ kind: "cancel", request: random.int(1, 10) }];
    case "cancelAsked":
      return [{ kind: "cancel", of: "check", request: random.int(1, 2) }];
    case "other":
      return disturbances(random, site, nodes);
  }
}

const STEPS = {
  again: 4,
  more: 3,
  back: 4,
  refresh: 2,
  both: 2,
  restart: 2,
  lost: 3,
  preview: 1,
  check: 3,
  waves: 2,
  replace: 3,
  rename: 3,
  nodes: 3,
  silent: 2,
  alsoIll: 1,
};

/** Steps after a killed run, which has reported to no state what it did. */
const AFTER_KILL: typeof STEPS = { ...STEPS, back: 10, waves: 8, nodes: 6, check: 6, lost: 1, silent: 1, restart: 1 };

/** Acts of an operator about a wave that has not passed. */
function afterwards(random: Random, course: Course, node: string, steps: typeof STEPS): Turn[] {
  const { designs, site, stack } = course;
  const current = designs.at(-1) as Design;
  const group = groupOf(current);
  const events = random.chance(0.3) ? duringChange(random, course) : [];
  const other = random.pick(group ? nodesOf(group) : [node]);
  switch (random.weighted(steps)) {
    case "again":
      return [upNow(course, {}, events)];
    case "more":
      designs.push(nextProgram(random, current, designs, site));
      return [upNow(course, {}, events)];
    case "back":
      designs.push(designs.at(-2) ?? current);
      return [upNow(course, {}, events)];
    case "refresh":
      return [refresh(course, events), upNow(course, {}, [])];
    case "both":
      return [upNow(course, { refresh: true }, events)];
    case "restart":
      return [
        act({ actor: "node", node, restart: random.pick(["empty", "older", "same"] as const) }),
        upNow(course, {}, events),
      ];
    case "lost":
      return [act(loss(random, other, group)), ...lookedAt(random, course, events)];
    case "preview": {
      const { resources } = current;
      const look = {
        stack,
        command: "preview",
        program: resources,
        options: { refresh: true },
        meanwhile: [],
      } as const;
      return [{ kind: "runs", runs: [look] }, upNow(course, {}, events)];
    }
    case "check":
      change(course, (it) => anotherCheck(random, it));
      if (random.chance(0.5)) change(course, (it) => withOtherEntries(random, it, stack));
      return lookedAt(random, course, events);
    case "waves":
      change(course, (it) => otherWaves(random, it));
      if (random.chance(0.5)) change(course, (it) => withOtherEntries(random, it, stack));
      return [upNow(course, {}, events)];
    case "replace": {
      if (random.chance(0.4)) change(course, (it) => withOtherEntries(random, it, stack));
      if (random.chance(0.3)) change(course, (it) => anotherCheck(random, it));
      return [upNow(course, { replace: group ? [group.name] : [], ...maybeRefresh(random) }, events)];
    }
    case "rename": {
      change(course, (it) => renamed(random, it));
      if (random.chance(0.4)) change(course, (it) => anotherCheck(random, it));
      return [upNow(course, maybeRefresh(random), events)];
    }
    case "nodes":
      change(course, (it) => withNodes(it, otherNodes(random, nodesOf(it), node, site.own)));
      return lookedAt(random, course, events);
    case "silent":
      return [
        act({ actor: "outage", at: other, silent: true }),
        upNow(course, {}, events),
        act({ actor: "outage", at: other, silent: false }),
        upNow(course, {}, []),
      ];
    case "alsoIll":
      return [act({ actor: "health", node: other, state: "fail" }), upNow(course, {}, events)];
  }
}

/** A node lacks what the program declares: it restarted empty, or another writer removed an entry. */
function loss(random: Random, node: string, group: Declared | undefined): Act {
  const [prefix] = random.shuffle(Object.keys((group?.args.entries ?? {}) as object));
  if (prefix === undefined || random.chance(0.5)) return { actor: "node", node, restart: "empty" };
  return { actor: "colleague", node, set: BLOCKED, remove: [prefix.toLowerCase()], commit: true };
}

/** The next run, with or without a refresh, which may be one of its own. */
function lookedAt(random: Random, course: Course, events: readonly Disturbance[]): Turn[] {
  if (random.chance(0.3)) return [refresh(course, []), upNow(course, {}, events)];
  return [upNow(course, maybeRefresh(random), events)];
}

const maybeRefresh = (random: Random): RunOptions => (random.chance(0.3) ? { refresh: true } : {});

/** Adds a program in which the group is another one. */
function change({ designs }: Course, to: (group: Declared) => Declared): void {
  const { stack, resources } = designs.at(-1) as Design;
  const group = groupOf({ stack, resources });
  if (group) designs.push({ stack, resources: resources.map((it) => (it === group ? to(it) : it)) });
}

function refresh({ stack }: Course, meanwhile: readonly Disturbance[]): Turn {
  return { kind: "runs", runs: [{ stack, command: "refresh", program: [], options: {}, meanwhile }] };
}

/** An `up` of the last program. */
export function upNow({ designs, stack }: Course, options: RunOptions, meanwhile: readonly Disturbance[]): Turn {
  const { resources } = designs.at(-1) as Design;
  return { kind: "runs", runs: [{ stack, command: "up", program: resources, options, meanwhile }] };
}
