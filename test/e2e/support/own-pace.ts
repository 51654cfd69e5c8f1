import { availableParallelism } from "node:os";
import { expect } from "vitest";
import { BLOCKED, world } from "./world";

/** Unless told otherwise the engine carries out four steps for each core at a time. */
const PARALLEL = 4 * availableParallelism();

/** The state is written once at the end instead of twice for each resource, which is most of the time otherwise. */
const FEW_CHECKPOINTS = { PULUMI_EXPERIMENTAL: "1", PULUMI_SKIP_CHECKPOINTS: "true" };

/** A program with so many entries of one set, each a resource. */
const oneSet = (count: number) => `
  for (let i = 0; i < ${count}; i++) {
    new pf.PrefixSetEntry("entry-" + i, { arena: "edge", set: "blocked", prefix: "10." + (i >> 8) + "." + (i & 255) + ".0/24" });
  }`;

/** Number of entries that share commits at the engine's own parallelism, with every checkpoint written, and one list when refreshed. */
export async function shareCommits(count: number): Promise<void> {
  await using w = await world({ program: oneSet(count), config: { node: { commitCoalesceMs: 1_000 } } });
  const { emulator, stack } = w;
  await stack.must("up", "--yes", "--skip-preview");
  expect(Object.keys(emulator.prefixSet(BLOCKED).applied)).toHaveLength(count);
  expect(emulator.requests({ cmd: "commit" }).length).toBeLessThanOrEqual(Math.ceil(count / PARALLEL) + 1);

  // The engine has shown its pace with every checkpoint written; how many callers come at a time does not depend on that.
  stack.environment(FEW_CHECKPOINTS);
  emulator.clearJournal();
  await stack.must("up", "--yes", "--refresh", "--skip-preview", "--expect-no-changes");
  expect(emulator.requests().map(({ cmd }) => cmd)).toEqual(["list"]);

  emulator.clearJournal();
  await stack.must("destroy", "--yes", "--skip-preview");
  expect(emulator.prefixSet(BLOCKED).applied).toEqual({});
  expect(emulator.requests({ cmd: "commit" }).length).toBeLessThanOrEqual(Math.ceil(count / PARALLEL) + 1);
}
