import fc from "fast-check";
import { expect, it } from "vitest";
import { inWaves } from "../../provider/resources/prefix-set-group/rollout/waves";
import { HurriedWorld } from "../failures/support/hurried-world";
import { startHealth } from "../support/health";
import { A, B, bench, C, group, URL } from "./support/group-bench";

const NODES = ["ams1", "fra1", "lab1"] as const;
type Node = (typeof NODES)[number];
type Held = Readonly<Record<string, Readonly<Record<string, unknown>>>>;
const FOREIGN = "10.0.0.0/8";
const CONTENTS: Readonly<Record<string, number>>[] = [{ [A]: 1 }, { [A]: 1, [B]: 1 }, { [A]: 1, [C]: 1 }, { [A]: 2 }];
const WAVES = [{ canary: ["lab1"], size: 1 }, { canary: ["ams1"], size: 2 }, { canary: ["fra1", "lab1"] }];
const one = fc.option(fc.constantFrom(...NODES), { freq: 4 });

/**
 * One `pulumi up`: what the program says, who is ill, fails or is silent meanwhile, what others do before it, whether the group is
 * replaced (`--replace`, with a refresh), and when the provider is killed.
 */
const runs = fc.record({
  content: fc.nat(CONTENTS.length - 1),
  nodes: fc.oneof(fc.constant<Node[]>([...NODES]), fc.subarray([...NODES], { minLength: 2 })),
  waves: fc.nat(WAVES.length - 1),
  ill: fc.subarray([...NODES]),
  failing: one,
  silent: one,
  others: fc.option(fc.record({ node: fc.constantFrom(...NODES), what: fc.constantFrom("insert", "delete") }), {
    freq: 3,
  }),
  death: fc.option(fc.record({ request: fc.integer({ min: 1, max: 24 }), when: fc.constantFrom("before", "after") })),
  refresh: fc.boolean(),
  replace: fc.constantFrom(false, false, true),
});
type Run = typeof runs extends fc.Arbitrary<infer T> ? T : never;

const WELL: Run = {
  ...{ content: 0, nodes: [...NODES], waves: 0, ill: [], failing: null, silent: null },
  ...{ others: null, death: null, refresh: false, replace: false },
};

/** A commit fails and a node is silent in a killed run; a replacement is killed; another content comes where another writer deletes. */
const KILLED_AND_REPLACED: readonly Run[] = [
  { ...WELL, content: 1, failing: "lab1", silent: "ams1", death: { request: 14, when: "before" } },
  {
    ...WELL,
    content: 1,
    nodes: ["ams1", "fra1"],
    waves: 1,
    refresh: true,
    replace: true,
    death: { request: 1, when: "before" },
  },
  {
    ...WELL,
    content: 3,
    others: { node: "ams1", what: "delete" },
    refresh: true,
    death: { request: 6, when: "before" },
  },
];

/** A node that left while a wave was red comes back, and is written by a run that is killed; a refresh finds it changed. */
const LEFT_AND_BACK: readonly Run[] = [
  { ...WELL, nodes: ["ams1", "lab1"], failing: "ams1", others: { node: "ams1", what: "delete" } },
  { ...WELL, content: 3, nodes: ["fra1", "lab1"], waves: 2, silent: "lab1", death: { request: 14, when: "after" } },
];

/** A replacement whose content lacks an entry of the former group. */
const REPLACED: readonly Run[] = [
  { ...WELL, content: 2 },
  { ...WELL, content: 1, replace: true },
];

/** The same, after a write that failed at a node of a later wave. */
const FAILED_AND_REPLACED: readonly Run[] = REPLACED.map((run) => (run.replace ? run : { ...run, silent: "ams1" }));

/** Contents that came to each node, and what each held when it passed, by what the nodes hold and what their checks answered. */
class Passed {
  readonly violations: string[] = [];
  private readonly came = new Map<string, Set<number>>(NODES.map((node) => [node, new Set()]));
  private readonly passed = new Map<string, Map<string, Held[string]>>(NODES.map((node) => [node, new Map()]));
  private before: Held = {};

  constructor(private readonly held: () => Held) {}

  /** A run begins: what a node holds already is not brought by it. */
  begin(): void {
    this.before = this.held();
    for (const node of NODES) this.came.get(node)?.add(this.contentOf(node));
  }

  private contentOf(node: string): number {
    const entries = this.held()[node] ?? {};
    return CONTENTS.findIndex((content) => [A, B, C].every((prefix) => content[prefix] === entries[prefix]));
  }

  /**
   * True if a node passed with the entries of a content and without those that leave the other node. What a replaced group still has
   * at the node that passed alone is removed there as a change of its own.
   */
  private hasPassed(node: string, content: Readonly<Record<string, number>>, other: string): boolean {
    const leaves = (prefix: string) => this.before[other]?.[prefix] !== undefined;
    const counts = [A, B, C].filter((prefix) => prefix in content || leaves(prefix));
    const passed = [...(this.passed.get(node)?.values() ?? [])];
    return passed.some((entries) => counts.every((prefix) => entries[prefix] === content[prefix]));
  }

  /** The content of the run comes to a node where it never was only once all earlier nodes have passed it. */
  look({ content, nodes: members, waves, silent }: Run): void {
    const order = inWaves(
      NODES.filter((node) => members.includes(node)),
      withoutOthers(WAVES[waves], members),
    );
    for (const node of NODES) {
      const came = this.came.get(node);
      if (this.contentOf(node) !== content || came?.has(content)) continue;
      came?.add(content);
      const wave = order.findIndex((names) => names.includes(node));
      const earlier = order.slice(0, Math.max(0, wave)).flat();
      const behind = earlier.filter((it) => it !== silent && !this.hasPassed(it, CONTENTS[content] ?? {}, node));
      if (behind.length > 0) this.violations.push(`${content} at ${node} before ${behind.join()}`);
    }
  }

  /** A check answered. Undeclared entries that appeared in the run were staged by a killed one: the next run removes them. */
  asked({ content }: Run, node: string, isWell: boolean): void {
    const isKnown = (prefix: string) => prefix in (CONTENTS[content] ?? {}) || prefix in (this.before[node] ?? {});
    const entries = Object.entries(this.held()[node] ?? {}).filter(([prefix]) => isKnown(prefix));
    const key = JSON.stringify(entries.toSorted());
    if (isWell) this.passed.get(node)?.set(key, Object.fromEntries(entries));
    else this.passed.get(node)?.delete(key);
  }

  /** A failed commit may have brought its content. */
  tried({ content, failing, silent }: Run): void {
    for (const node of [failing, silent]) if (node) this.came.get(node)?.add(content);
  }
}

/** The waves without nodes that the program does not have. */
function withoutOthers(waves: (typeof WAVES)[number] | undefined, members: readonly string[]) {
  return { ...waves, canary: waves?.canary.filter((node) => members.includes(node)) ?? [] };
}

it("no program, kill, failure, refresh, replacement or other writer brings a content past a node that has not passed it, and well nodes end green", async () => {
  const walk = fc.array(runs, { minLength: 2, maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(walk, async (all) => {
      await using stack = await bench(...NODES);
      await using doctor = await startHealth();
      const { engine, held, config } = stack;
      config.distinctNodes = true;
      const model = new Passed(held);
      const up = async (run: Run) => {
        const { content, waves, ill, failing, silent, others, death, nodes, replace } = run;
        if (others?.what === "insert") stack.node(others.node).change(URL, { insert: { [FOREIGN]: 1 } });
        if (others?.what === "delete") stack.node(others.node).change(URL, { delete: [A] });
        if (replace) engine.state = engine.state.map((it) => ({ ...it, replaced: true }));
        model.begin();
        doctor.ill.clear();
        for (const node of ill) doctor.ill.set(node, 503);
        doctor.onAsked = (node, status) => {
          model.look(run);
          model.asked(run, node, status === 200);
        };
        if (failing) stack.node(failing).fail({ cmd: "commit", every: 1, status: 500 });
        if (silent) stack.node(silent).fail({ every: 1, kind: "reset" });
        const rollout = {
          waves: withoutOthers(WAVES[waves], nodes),
          checkTimeoutMs: 1_000,
          check: { url: doctor.url },
        };
        const world = new HurriedWorld(death as ConstructorParameters<typeof HurriedWorld>[0]);
        const args = { rollout, onExisting: "adopt" };
        const outcome = await engine.up([group(CONTENTS[content] ?? {}, nodes, args)], {
          world,
          refresh: run.refresh || replace,
        });
        model.look(run);
        model.tried(run);
        for (const node of NODES) stack.node(node).clearFaults();
        // Nothing took the place of what was to be replaced: the state has it as before.
        if (engine.state.every(({ replaced }) => replaced))
          engine.state = engine.state.map(({ replaced: _, ...it }) => it);
        return outcome;
      };
      expect((await up(WELL)).errors).toEqual([]);
      for (const run of all) await up(run);
      expect(model.violations).toEqual([]);
      const ends = [];
      for (const refresh of [true, true, true]) ends.push(await up({ ...WELL, content: 1, refresh }));
      expect(model.violations).toEqual([]);
      expect(ends.at(-1)?.errors).toEqual([]);
      for (const node of NODES) expect(held()[node]).toEqual(CONTENTS[1]);
      expect(stack.outputs().rollout).not.toHaveProperty("reason");
    }),
    {
      numRuns: 20,
      examples: [LEFT_AND_BACK, KILLED_AND_REPLACED, REPLACED, FAILED_AND_REPLACED].map((all) => [[...all]]),
    },
  );
}, 120_000);
