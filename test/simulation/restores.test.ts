import { beforeAll, expect, test } from "vitest";
import { claimsOf } from "./promises/model";
import { restores } from "./promises/restores";
import type { Run, Turn } from "./scenario";
import { type RunRecord, World } from "./simulation";
import { scenarioOf } from "./story/found";

const up: Run = {
  stack: 0,
  command: "up",
  program: ["n1", "n2"].map((node) => ({
    type: "PrefixSet",
    name: node,
    args: { arena: "edge", set: "blocked", node, entries: { "192.0.2.0/25": 1 } },
  })),
  options: {},
  meanwhile: [],
};
const turns: readonly Turn[] = [
  { kind: "runs", runs: [up] },
  { kind: "act", act: { actor: "node", node: "n1", restart: "empty" } },
];

let world: World;
beforeAll(async () => {
  world = new World(scenarioOf({ turns }, "plugin"));
  await world.play();
});

/** Faults of a plain `up` that has left the emptied node as it was, and has printed this. */
function wrongAfter(printed: readonly string[]): readonly string[] {
  const [first] = world.records as [RunRecord];
  const claims = claimsOf(up.program, up.options);
  return restores.judge({
    world,
    record: { ...first, done: { ...first.done, printed } },
    before: claims,
    now: claims,
  });
}

const LEFT = "n1 holds nothing for 192.0.2.0/25 of prefixset://edge/blocked, not 1 after a plain up, as before it";

test("a plain up that restores nothing at a node breaks the promise", () => {
  expect(wrongAfter([])).toEqual([LEFT]);
});

test("unless that run says that this node does not answer", () => {
  const silent = (node: string) => `warning: ${node} prefixset://edge/blocked cannot be read: ${node} does not answer.`;
  expect(wrongAfter([silent("n1")])).toEqual([]);
  expect(wrongAfter([silent("n2"), silent("n10")])).toEqual([LEFT]);
});
