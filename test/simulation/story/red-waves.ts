import type { Declared, Disturbance, NodePlan, Run, RunOptions, Turn } from "../scenario";
import type { Random } from "../world/random";
import { disturbances } from "./events";
import { type Design, nextProgram, type Sites, withOtherEntries } from "./programs";

/** A stack with the programs that it has had. */
export interface Course {
  readonly stack: number;
  readonly site: Sites;
  readonly nodes: readonly NodePlan[];
  /** Oldest first; the next program is added. */
  readonly designs: Design[];
}

/** The group of a program whose waves wait for a check. */
export function checkedGroup({ resources }: Design): Declared | undefined {
  return resources.find(
    ({ type, args }) =>
      type === "PrefixSetGroup" &&
      (args.nodes as readonly string[]).length > 1 &&
      (args.rollout as { check?: object } | undefined)?.check !== undefined,
  );
}

/** A change that the check of the first wave stops, what the operator does then, and more often than not the end of it. */
export function redWave(random: Random, course: Course): Turn[] {
  const { designs, stack } = course;
  const before = designs.at(-1) as Design;
  const group = checkedGroup(before);
  if (!group) return [];
  const node = firstOf(group);
  const ill = { actor: "health", node, state: random.pick(["fail", "fail", "hang"] as const) } as const;
  const changed = withOtherEntries(random, group, stack);
  designs.push({ stack, resources: before.resources.map((it) => (it === group ? changed : it)) });
  const turns: Turn[] = [];
  const events = duringChange(random, course);
  if (random.chance(0.8)) turns.push({ kind: "act", act: ill }, upNow(course, {}, events));
  else turns.push(upNow(course, {}, [{ kind: "act", request: random.int(1, 8), act: ill }, ...events]));
  const steps = random.int(1, 2);
  for (let step = 0; step < steps; step += 1) turns.push(...afterwards(random, course, node));
  if (random.chance(0.7)) turns.push({ kind: "act", act: { ...ill, state: "pass" } });
  if (random.chance(0.5)) turns.push(upNow(course, {}, []));
  return turns;
}

/** The first node of the first wave. */
function firstOf({ args }: Declared): string {
  const { waves } = args.rollout as { waves: { canary?: readonly string[] } };
  return waves.canary?.[0] ?? (args.nodes as readonly string[])[0] ?? "";
}

function duringChange(random: Random, { site, nodes }: Course): readonly Disturbance[] {
  switch (random.weighted({ nothing: 5, kill: 3, cancel: 2, other: 2 })) {
    case "nothing":
      return [];
    case "kill":
      return [{ kind: "kill", request: random.int(1, 10), when: random.pick(["before", "after"]) }];
    case "cancel":
      return [{ kind: "cancel", request: random.int(1, 10) }];
    case "other":
      return disturbances(random, site, nodes);
  }
}

/** Acts of an operator about a wave that has not passed. */
function afterwards(random: Random, course: Course, node: string): Turn[] {
  const { designs, site, stack } = course;
  const current = designs.at(-1) as Design;
  const events = random.chance(0.25) ? duringChange(random, course) : [];
  switch (random.weighted({ again: 4, more: 3, back: 3, refresh: 2, both: 2, restart: 2, preview: 1 })) {
    case "again":
      return [upNow(course, {}, events)];
    case "more":
      designs.push(nextProgram(random, current, designs, site));
      return [upNow(course, {}, events)];
    case "back":
      designs.push(designs.at(-2) ?? current);
      return [upNow(course, {}, events)];
    case "refresh":
      return [
        { kind: "runs", runs: [{ stack, command: "refresh", program: [], options: {}, meanwhile: events }] },
        upNow(course, {}, []),
      ];
    case "both":
      return [upNow(course, { refresh: true }, events)];
    case "restart":
      return [
        { kind: "act", act: { actor: "node", node, restart: random.pick(["empty", "older", "same"] as const) } },
        upNow(course, {}, events),
      ];
    case "preview": {
      const { resources } = current;
      const look: Run = { stack, command: "preview", program: resources, options: { refresh: true }, meanwhile: [] };
      return [{ kind: "runs", runs: [look] }, upNow(course, {}, events)];
    }
  }
}

function upNow({ designs, stack }: Course, options: RunOptions, meanwhile: readonly Disturbance[]): Turn {
  const { resources } = designs.at(-1) as Design;
  return { kind: "runs", runs: [{ stack, command: "up", program: resources, options, meanwhile }] };
}
