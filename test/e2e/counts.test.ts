import { availableParallelism } from "node:os";
import { describe, expect, it } from "vitest";
import { TestStack } from "./support/stack";
import { BLOCKED, emptyNode, world } from "./support/world";

const COUNT = 500;
/** Unless told otherwise the engine carries out four steps for each core at a time. */
const PARALLEL = 4 * availableParallelism();

const ONE_SET = `
  for (let i = 0; i < ${COUNT}; i++) {
    new pf.PrefixSetEntry("entry-" + i, { arena: "edge", set: "blocked", prefix: "10." + (i >> 8) + "." + (i & 255) + ".0/24" });
  }`;
const THREE_SETS = `${ONE_SET}
  for (let i = 0; i < 30; i++) {
    new pf.PrefixSetEntry("global-" + i, { arena: "edge", set: "partners", prefix: "192.0.2." + i });
    new pf.PrefixSetEntry("local-" + i, { arena: "edge", profile: "web", set: "blocked", prefix: "192.0.2." + i });
  }
  for (let i = 0; i < 5; i++) new pf.CloudSignaling("attack-" + i, { prefixes: ["198.51.100." + i] });`;

/** The state is written once at the end instead of twice for each resource, which is most of the time otherwise. */
const FEW_CHECKPOINTS = { PULUMI_EXPERIMENTAL: "1", PULUMI_SKIP_CHECKPOINTS: "true" };

describe(`${COUNT} independent entries`, () => {
  it("share commits at the engine's own parallelism, and one list when refreshed", async () => {
    await using w = await world({ program: ONE_SET, config: { commitCoalesceMs: 1_000 } });
    const { emulator, stack } = w;
    await stack.must("up", "--yes", "--skip-preview");
    expect(Object.keys(emulator.prefixSet(BLOCKED).applied)).toHaveLength(COUNT);
    expect(emulator.requests({ cmd: "commit" }).length).toBeLessThanOrEqual(Math.ceil(COUNT / PARALLEL) + 1);

    // The engine has shown its pace with every checkpoint written; how many callers come at a time does not depend on that.
    stack.environment(FEW_CHECKPOINTS);
    emulator.clearJournal();
    const unchanged = await stack.up("--refresh", "--skip-preview", "--expect-no-changes");
    expect(unchanged.code, unchanged.text).toBe(0);
    expect(emulator.requests().map(({ cmd }) => cmd)).toEqual(["list"]);

    emulator.clearJournal();
    await stack.must("destroy", "--yes", "--skip-preview");
    expect(emulator.prefixSet(BLOCKED).applied).toEqual({});
    expect(emulator.requests({ cmd: "commit" }).length).toBeLessThanOrEqual(Math.ceil(COUNT / PARALLEL) + 1);
  });

  // Once more where other tests have the cores: the engine then hands entries out in more parts (8 commits with three busy processes on two cores).
  it("share a handful of commits at --parallel 512, within the node's limit of requests at a time", {
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

  it("of two stacks writing to one set are all there, and each stack names the other's", async () => {
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
    expect(runs.map(({ text }) => text).join()).toMatch(/warning: .*entries that are not ours appeared: 10\.[12]\./);
    for (const stack of [one, two]) expect((await stack.preview("--refresh", "--expect-no-changes")).code).toBe(0);
  });
});
