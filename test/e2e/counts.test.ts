import { availableParallelism } from "node:os";
import { describe, expect, it } from "vitest";
import { BLOCKED, world } from "./support/world";

const COUNT = 500;
/** Unless told otherwise the engine carries out four steps for each core at a time. */
const PARALLEL = 4 * availableParallelism();

/** Independent entries, spread evenly over sets. */
function entries(count: number, sets: readonly string[]): string {
  return `
    const sets = ${JSON.stringify(sets)};
    for (let i = 0; i < ${count}; i++) {
      const prefix = "10." + (i >> 8) + "." + (i & 255) + ".0/24";
      new pf.PrefixSetEntry("entry-" + i, { arena: "edge", ...JSON.parse(sets[i % sets.length]), prefix });
    }`;
}

const ONE_SET = entries(COUNT, ['{"set":"blocked"}']);
const THREE_SETS = entries(COUNT, ['{"set":"blocked"}', '{"set":"partners"}', '{"set":"blocked","profile":"web"}']);

describe(`${COUNT} independent entries`, () => {
  it("share commits at the engine's own parallelism, and one list when refreshed", async () => {
    await using w = await world({ program: ONE_SET, config: { commitCoalesceMs: 1_000 } });
    const { emulator, stack } = w;
    await stack.must("up", "--yes", "--skip-preview");
    expect(Object.keys(emulator.prefixSet(BLOCKED).applied)).toHaveLength(COUNT);
    expect(emulator.requests({ cmd: "commit" }).length).toBeLessThanOrEqual(Math.ceil(COUNT / PARALLEL) + 1);

    emulator.clearJournal();
    const unchanged = await stack.up("--refresh", "--skip-preview", "--expect-no-changes");
    expect(unchanged.code, unchanged.text).toBe(0);
    expect(emulator.requests().map(({ cmd }) => cmd)).toEqual(["list"]);

    emulator.clearJournal();
    await stack.must("destroy", "--yes", "--skip-preview");
    expect(emulator.prefixSet(BLOCKED).applied).toEqual({});
    expect(emulator.requests({ cmd: "commit" }).length).toBeLessThanOrEqual(Math.ceil(COUNT / PARALLEL) + 1);
  });

  it("share a handful of commits at --parallel 512, within the node's limit of requests at a time", async () => {
    await using w = await world({ program: ONE_SET });
    const { emulator, stack } = w;
    await stack.must("up", "--yes", "--skip-preview", "--parallel", "512");
    expect(Object.keys(emulator.prefixSet(BLOCKED).applied)).toHaveLength(COUNT);
    expect(emulator.requests({ cmd: "commit" }).length).toBeLessThanOrEqual(6);

    await stack.program(THREE_SETS);
    await stack.must("up", "--yes", "--skip-preview", "--parallel", "512");
    expect(Math.max(...emulator.requests({ api: "node" }).map(({ concurrent }) => concurrent))).toBeLessThanOrEqual(4);
    emulator.clearJournal();
    await stack.must("refresh", "--yes", "--skip-preview");
    expect(
      emulator
        .requests()
        .map(({ cmd, url }) => `${cmd} ${url}`)
        .sort(),
    ).toEqual(["list prefixset://edge/blocked", "list prefixset://edge/partners", "list prefixset://edge/web/blocked"]);
  });
});
