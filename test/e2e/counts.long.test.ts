import { expect, it } from "vitest";
import { FEW_CHECKPOINTS, oneSet, shareCommits } from "./support/own-pace";
import { BLOCKED, world } from "./support/world";

const COUNT = 500;

const THREE_SETS = `${oneSet(COUNT)}
  for (let i = 0; i < 30; i++) {
    new pf.PrefixSetEntry("global-" + i, { arena: "edge", set: "partners", prefix: "192.0.2." + i });
    new pf.PrefixSetEntry("local-" + i, { arena: "edge", profile: "web", set: "blocked", prefix: "192.0.2." + i });
  }
  for (let i = 0; i < 5; i++) new pf.CloudSignaling("attack-" + i, { prefixes: ["198.51.100." + i] });`;

it(
  "500 independent entries share commits at the engine's own parallelism, and one list when refreshed",
  () => shareCommits(500),
  300_000,
);

// Once more where other tests have the cores: the engine then hands entries out in more parts (8 commits with three busy processes on two cores).
it("500 entries share a handful of commits at --parallel 512, within the node's limit of requests at once", {
  retry: 2,
}, async () => {
  await using w = await world({ program: THREE_SETS, env: FEW_CHECKPOINTS });
  const { emulator, stack } = w;
  await stack.must("up", "--yes", "--skip-preview", "--parallel", "512");
  expect(Object.keys(emulator.prefixSet(BLOCKED).applied)).toHaveLength(COUNT);
  expect(emulator.requests({ cmd: "commit", url: BLOCKED }).length).toBeLessThanOrEqual(6);
  expect(Math.max(...emulator.requests({ api: "node" }).map(({ concurrent }) => concurrent))).toBeLessThanOrEqual(4);
  emulator.clearJournal();
  await stack.must("refresh", "--yes", "--skip-preview");
  expect(
    emulator
      .requests()
      .map(({ cmd, op, url }) => (op === undefined ? `${cmd} ${url}` : op))
      .sort(),
  ).toEqual([
    "list prefixset://edge/blocked",
    "list prefixset://edge/partners",
    "list prefixset://edge/web/blocked",
    "status",
  ]);
});
