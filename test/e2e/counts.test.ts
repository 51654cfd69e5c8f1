import { expect, it } from "vitest";
import { FEW_CHECKPOINTS, shareCommits } from "./support/own-pace";
import { TestStack } from "./support/stack";
import { BLOCKED, emptyNode } from "./support/world";

it("150 independent entries share commits at the engine's own parallelism, and one list when refreshed", () =>
  shareCommits(150));

it("entries of two stacks that write to one set are all there, and each stack names the other's", async () => {
  await using emulator = await emptyNode();
  const config = { endpoint: emulator.endpoint };
  const entries = (third: number) => `
    for (let i = 0; i < 40; i++) {
      new pf.PrefixSetEntry("e" + i, { arena: "edge", set: "blocked", prefix: "10.${third}." + i + ".0/24" });
    }`;
  await using one = await TestStack.create({ program: entries(1), config, env: FEW_CHECKPOINTS });
  await using two = await TestStack.create({ program: entries(2), config, env: FEW_CHECKPOINTS });
  emulator.fail({ cmd: "commit", kind: "delay", delay: 300, times: 2 });
  const runs = await Promise.all([one, two].map((stack) => stack.up("--skip-preview")));
  expect(runs.map(({ code }) => code)).toEqual([0, 0]);
  expect(Object.keys(emulator.prefixSet(BLOCKED).applied)).toHaveLength(80);
  expect(runs.map(({ text }) => text).join()).toMatch(
    /warning: .*entries that this provider did not send appeared: 10\.[12]\./,
  );
  for (const stack of [one, two]) expect((await stack.preview("--refresh", "--expect-no-changes")).code).toBe(0);
});
