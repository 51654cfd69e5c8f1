import fc from "fast-check";
import { expect, it } from "vitest";
import { HurriedWorld } from "../failures/support/hurried-world";
import { startHealth } from "../support/health";
import { A, B, bench, C, group } from "./support/group-bench";

const NODES = ["ams1", "fra1", "lab1"] as const;
const CONTENTS = [{ [A]: 1 }, { [A]: 1, [B]: 1 }, { [A]: 1, [C]: 1 }, { [A]: 2 }];
const WAVES = [[["lab1"], ["fra1"]], [["ams1"], ["fra1", "lab1"]], [2], [1, 1]];

/** One `pulumi up`: what the program says, who is ill meanwhile, and when the provider is killed. */
const runs = fc.record({
  content: fc.nat(CONTENTS.length - 1),
  waves: fc.nat(WAVES.length - 1),
  check: fc.constantFrom("one", "one", "other", "none"),
  ill: fc.subarray([...NODES]),
  death: fc.option(fc.record({ request: fc.integer({ min: 1, max: 24 }), when: fc.constantFrom("before", "after") })),
  refresh: fc.boolean(),
});

it("no program, kill or refresh writes to a node that passed while another has not passed, and well nodes end green", async () => {
  const walk = fc.array(runs, { minLength: 2, maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(walk, fc.boolean(), async (all, isNew) => {
      await using stack = await bench(...NODES);
      await using health = await startHealth();
      const { engine, held } = stack;
      // Nodes that a run with a check wrote together, and which of them have not passed it.
      const waves: { readonly nodes: Set<string>; readonly open: Set<string> }[] = [];
      const open = () => waves.filter((wave) => wave.open.size > 0);
      let last = held();
      const violations: string[] = [];
      const look = (hasCheck: boolean) => {
        const now = held();
        const written = NODES.filter((node) => JSON.stringify(now[node]) !== JSON.stringify(last[node]));
        last = now;
        const others = open().flatMap((wave) => [...wave.open].filter((node) => !written.includes(node as never)));
        const isOfThem = (node: string) => open().some((wave) => wave.nodes.has(node));
        for (const node of written)
          if (others.length > 0 && !isOfThem(node)) violations.push(`${node} before ${others.join()}`);
        for (const wave of waves) for (const node of written) if (wave.nodes.delete(node)) wave.open.delete(node);
        if (hasCheck && written.length > 0) waves.push({ nodes: new Set(written), open: new Set(written) });
      };
      const up = async ({ content, waves: order, check, ill, death, refresh }: (typeof all)[number]) => {
        const hasCheck = check !== "none";
        // A first create that was killed left no state that could name its check to a program without any (docs/guides/many-nodes.md).
        if (!hasCheck && engine.state.length === 0) waves.length = 0;
        const url = check === "other" ? `${health.url}?other` : health.url;
        health.ill.clear();
        for (const node of ill) health.ill.set(node, 503);
        health.onAsked = (node, status) => {
          look(hasCheck);
          if (status === 200) for (const wave of waves) wave.open.delete(node.replace("?other", ""));
        };
        const rollout = { waves: WAVES[order], checkTimeoutMs: 1_000, ...(hasCheck && { check: { url } }) };
        const world = new HurriedWorld(death as ConstructorParameters<typeof HurriedWorld>[0]);
        const outcome = await engine.up([group(CONTENTS[content] ?? {}, NODES, { rollout })], { world, refresh });
        look(hasCheck);
        return outcome;
      };
      const first = { content: 0, waves: 0, check: "one", ill: [], death: null, refresh: false } as const;
      if (!isNew) expect((await up({ ...first, ill: [] })).errors).toEqual([]);
      for (const run of all) await up(run);
      expect(violations).toEqual([]);
      // A create that was killed leaves entries that no state knows: another program has to declare or adopt them.
      if (isNew) return;
      const well: (typeof all)[number] = { content: 1, waves: 0, check: "one", ill: [], death: null, refresh: true };
      const ends = [await up(well), await up(well)];
      expect(violations).toEqual([]);
      expect(ends.at(-1)?.errors).toEqual([]);
      for (const node of NODES) expect(held()[node]).toEqual(CONTENTS[1]);
      expect(stack.outputs().rollout).not.toHaveProperty("reason");
    }),
    { numRuns: 20 },
  );
}, 120_000);
