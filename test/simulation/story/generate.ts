import type { Fault } from "../../../provider/emulator";
import type { Act, Disturbance, Entries, NodePlan, Run, RunOptions, Scenario, StackPlan, Turn } from "../scenario";
import { CANARY } from "../simulation";
import { CLIENT } from "../world/machines";
import { Random } from "../world/random";
import {
  BLOCKED,
  type Design,
  FORBIDDEN,
  FOREIGN,
  firstProgram,
  nextProgram,
  PARTNERS,
  type Sites,
  twinOf,
  URGENT,
  withMistake,
} from "./programs";

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

/** Everything that a seed draws. */
export function generate(seed: number): Scenario {
  const random = new Random(seed).fork("scenario");
  const count = random.weighted({ 1: 6, 2: 5, 3: 6, 4: 5, 6: 3, 12: 1 });
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
  const turns = turnsOf(random, sites, nodes);
  return { seed, nodes, receivers, stacks, turns };
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
  const length = random.int(4, 9);
  for (let turn = 0; turn < length; turn += 1) {
    if (random.chance(0.3)) {
      const count = random.int(1, 2);
      for (let act = 0; act < count; act += 1)
        turns.push(...lasting(random, actOf(random, sites[0] as Sites, nodes), turns));
      continue;
    }
    const stack = random.int(0, sites.length - 1);
    const last = turns.at(-1);
    const wasDisturbed =
      last?.kind === "runs" && last.runs.some((run) => run.stack === stack && run.meanwhile.length > 0);
    const runs = [runOf(random, stack, sites, designs, nodes, wasDisturbed)];
    if (sites.length > 1 && random.chance(0.3)) runs.push(runOf(random, 1 - stack, sites, designs, nodes));
    turns.push(runsOf(runs));
  }
  return turns;
}

/** An outage or a bad health ends by itself after some turns, more often than not. */
function lasting(random: Random, act: Act, before: readonly Turn[]): Turn[] {
  const turn: Turn = { kind: "act", act };
  const open = before.findLast((it) => it.kind === "act" && it.act.actor === act.actor);
  if (
    act.actor === "outage" &&
    open?.kind === "act" &&
    open.act.actor === "outage" &&
    open.act.silent &&
    random.chance(0.7)
  ) {
    return [{ kind: "act", act: { ...open.act, silent: false } }, turn];
  }
  if (act.actor === "health" && open?.kind === "act" && open.act.actor === "health" && random.chance(0.5)) {
    return [{ kind: "act", act: { ...open.act, state: "pass" } }, turn];
  }
  return [turn];
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

const FAULTS: readonly Fault[] = [
  { status: 500 },
  { status: 500, when: "after" },
  { status: 503 },
  { status: 429, retryAfter: 1 },
  { kind: "delay", delay: 15_000, when: "after" },
  { kind: "silence" },
  { kind: "silence", when: "before" },
  { kind: "refuse", delay: 800 },
  { kind: "reset" },
  { kind: "lost-answer" },
  { kind: "truncated" },
  { kind: "html" },
  { kind: "html", status: 200 },
  { kind: "html", when: "after" },
  { kind: "unknown-shape" },
  { kind: "unknown-shape", when: "before" },
  { kind: "late-commit", delay: 700, cmd: "commit" },
  { kind: "stuck-commit", cmd: "commit" },
  { kind: "restart", delay: 500 },
  { kind: "stale-list", cmd: "list" },
  { kind: "full-table" },
];

function disturbances(random: Random, sites: Sites, nodes: readonly NodePlan[]): Disturbance[] {
  if (random.chance(0.5)) return [];
  const count = random.chance(0.3) ? 2 : 1;
  return Array.from({ length: count }, () => disturbanceOf(random, sites, nodes));
}

function disturbanceOf(random: Random, sites: Sites, nodes: readonly NodePlan[]): Disturbance {
  const request = random.int(1, 14);
  switch (random.weighted({ fault: 8, kill: 3, cancel: 2, act: 4 })) {
    case "fault": {
      const [receiver] = sites.receivers;
      const at = receiver !== undefined && random.chance(0.25) ? receiver : random.pick(sites.nodes);
      const nth = random.pick([1, 1, 1, 2, 2, 3, 4, 5]);
      if (random.chance(0.1))
        return {
          kind: "fault",
          at,
          fault: { kind: "stuck-commit", cmd: "commit", nth: 1, times: random.pick([1, 100]) },
        };
      if (random.chance(0.06)) {
        // Some sides quote what they cannot use.
        const message = `unknown: ${at.startsWith("n") ? CANARY : CLIENT.secretKey}`;
        return { kind: "fault", at, fault: { status: random.pick([400, 500]), message, nth, times: 100 } };
      }
      if (random.chance(0.25))
        return { kind: "fault", at, fault: { kind: "stale-list", cmd: "list", nth, times: random.pick([1, 1, 2]) } };
      return { kind: "fault", at, fault: { ...random.pick(FAULTS), nth, times: random.pick([1, 1, 2, 100]) } };
    }
    case "kill":
      return { kind: "kill", request, when: random.pick(["before", "after"]) };
    case "cancel":
      return { kind: "cancel", request };
    case "act":
      return { kind: "act", request, act: actOf(random, sites, nodes) };
  }
}

function actOf(random: Random, sites: Sites, nodes: readonly NodePlan[]): Act {
  const node = random.pick(nodes).name;
  const set = random.pick([BLOCKED, PARTNERS]);
  switch (
    random.weighted({
      colleague: 5,
      node: 4,
      client: 2,
      outage: 2,
      health: 3,
      time: 1,
      calendar: 1,
      restore: 1,
      onCall: 2,
    })
  ) {
    case "colleague":
      return colleague(random, node, set);
    case "node":
      return { actor: "node", node, restart: random.pick(["empty", "older", "same"] as const) };
    case "client": {
      const [receiver] = sites.receivers;
      if (receiver === undefined) return { actor: "time", ms: 60_000 };
      const prefix = random.pick(["198.51.100.1/32", "198.51.100.2/32", "198.51.100.200/32"]);
      return { actor: "client", receiver, ...(random.chance(0.7) ? { stop: [prefix] } : { start: [prefix] }) };
    }
    case "outage":
      return { actor: "outage", at: node, silent: random.chance(0.6) };
    case "health":
      // Often that of the first wave, which all others wait for.
      return {
        actor: "health",
        node: random.chance(0.5) ? (sites.own[1] ?? node) : node,
        state: random.pick(["fail", "fail", "hang", "pass"] as const),
      };
    case "time":
      return { actor: "time", ms: random.pick([60_000, 3_600_000]) };
    case "calendar":
      return { actor: "calendar", ms: random.pick([-86_400_000, 3_600_000]) };
    case "onCall": {
      const all = random.chance(0.7) ? nodes : nodes.slice(0, 1);
      const command = random.chance(0.7) ? "block" : "unblock";
      return { actor: "on-call", command, nodes: all.map(({ name }) => name), set: BLOCKED, prefix: URGENT };
    }
    case "restore":
      return { actor: "restore", stack: 0, runsAgo: random.int(1, 2) };
  }
}

function colleague(random: Random, node: string, set: string): Act {
  const commit = random.chance(0.65);
  const insert = random.chance(0.6)
    ? { [random.pick([...FOREIGN, "203.0.113.7/32", "192.0.2.0/25", "2001:db8::/32"])]: random.int(1, 9) }
    : undefined;
  const remove =
    insert && random.chance(0.6) ? undefined : [random.pick(["192.0.2.0/25", "203.0.113.0/24", "2001:db8::/32"])];
  return { actor: "colleague", node, set, commit, ...(insert && { insert }), ...(remove && { remove }) };
}
