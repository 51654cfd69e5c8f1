import { expect, test } from "vitest";
import { play } from "./play";
import type { Act, Declared, Disturbance, Door, Entries, NodePlan, RunOptions, Scenario, Turn } from "./scenario";

/** Faults of several failures at once that trials and the simulation have found: the smallest story of each, by both doors. What was broken stands in its name. */
const SET = "prefixset://edge/blocked";
const [A, B] = ["192.0.2.0/25", "203.0.113.0/24"];

const set = (entries: Entries): Declared => ({
  type: "PrefixSet",
  name: "blocked",
  args: { arena: "edge", set: "blocked", node: "n1", entries, onExisting: "adopt" },
});
const group = (entries: Entries, name = "group"): Declared => ({
  type: "PrefixSetGroup",
  name,
  args: {
    ...{ arena: "edge", set: "blocked", nodes: ["n1", "n2"], entries, onExisting: "adopt" },
    rollout: { waves: [1, 1], check: { url: "http://health.example/{node}" }, checkTimeoutMs: 12_000 },
  },
});
const run = (
  command: "up" | "refresh",
  program: readonly Declared[],
  meanwhile: readonly Disturbance[] = [],
  options: RunOptions = {},
): Turn => ({ kind: "runs", runs: [{ stack: 0, command, program, options, meanwhile }] });
const up = (declared: Declared, ...meanwhile: readonly Disturbance[]) => run("up", [declared], meanwhile);
const act = (what: Act): Turn => ({ kind: "act", act: what });
const staleList = (at: string, nth = 1): Disturbance => ({
  kind: "fault",
  at,
  fault: { kind: "stale-list", cmd: "list", nth, times: 1 },
});
const kill = (request: number): Disturbance => ({ kind: "kill", request, when: "after" });
const health = (node: string, state: "pass" | "fail") => act({ actor: "health", node, state });
const restart = (node: string, how: "empty" | "older") => act({ actor: "node", node, restart: how });

const STORIES: Readonly<Record<string, { readonly turns: readonly Turn[]; readonly dialect?: NodePlan["dialect"] }>> = {
  "a list of an older set drops the removal, and the run reports success": {
    turns: [up(set({ [A]: 1 })), up(set({ [A]: 1, [B]: 1 })), up(set({ [A]: 1 }), staleList("n1"))],
  },
  "the next wave begins although the first one shows an older set": {
    turns: [up(group({ [A]: 1 })), up(group({ [A]: 1, [B]: 1 })), up(group({ [B]: 1 }), staleList("n1"))],
  },
  "a loss that a refresh noted and a later list no longer shows is put back for ever": {
    turns: [
      up(group({ [A]: 1 })),
      restart("n2", "empty"),
      run("refresh", []),
      act({ actor: "colleague", node: "n2", set: SET, insert: { [A]: 1 }, commit: true }),
      up(group({ [A]: 1 })),
    ],
  },
  "a killed run's first wave is passed unchecked by the next run": {
    turns: [up(group({ [A]: 1 })), health("n1", "fail"), up(group({ [B]: 1 }), kill(5)), up(group({ [B]: 1 }))],
  },
  "a red wave is passed by another program": {
    turns: [up(group({ [A]: 1 })), health("n1", "fail"), up(group({ [B]: 1 })), up(group({ [A]: 2, [B]: 1 }))],
  },
  "a node that comes back empty while the wave is red gets the new entries of the others": {
    turns: [
      up(group({ [A]: 1 })),
      health("n1", "fail"),
      up(group({ [A]: 1, [B]: 1 })),
      restart("n2", "empty"),
      up(group({ [A]: 1, [B]: 1 })),
    ],
  },
  "a red wave is passed by a group of another name": {
    turns: [
      up(group({ [A]: 1 })),
      health("n1", "fail"),
      up(group({ [B]: 1 })),
      run("up", [group({ [B]: 1 }, "group-2")], [], { refresh: true }),
    ],
  },
  "a value that a killed run staged is lost on a node that refuses what exists": {
    turns: [up(set({ [A]: 1 })), up(set({ [A]: 2 }), kill(3)), up(set({ [A]: 3 }))],
    dialect: { insertExisting: "error" },
  },
};

const doors: readonly Door[] = ["dynamic", "plugin"];
const cases = Object.entries(STORIES).flatMap(([name, story]) => doors.map((door) => ({ name, door, ...story })));

test.each(cases)("no more: $name ($door)", async ({ turns, dialect, door }) => {
  const nodes = ["n1", "n2"].map((name) => ({ name, sets: { [SET]: {} }, ...(dialect && { dialect }) }));
  const stacks = [{ name: "stack-1", door, settings: { distinctNodes: true }, instances: 0 }];
  const scenario: Scenario = { seed: 1, nodes, receivers: [], stacks, turns };
  const { broken, world } = await play(scenario);
  expect(broken).toEqual([]);
  expect(world.records.length).toBeGreaterThan(turns.filter(({ kind }) => kind === "runs").length);
});
