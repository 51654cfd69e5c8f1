import fc from "fast-check";
import { expect, it } from "vitest";
import { HurriedWorld } from "../failures/support/hurried-world";
import { startHealth } from "../support/health";
import { A, B, bench, C, group, URL } from "./support/group-bench";

const NODES = ["ams1", "fra1", "lab1"] as const;
type Node = (typeof NODES)[number];
const FOREIGN = "10.0.0.0/8";
const CONTENTS: Readonly<Record<string, number>>[] = [{ [A]: 1 }, { [A]: 1, [B]: 1 }, { [A]: 1, [C]: 1 }, { [A]: 2 }];
const WAVES = [{ canary: ["lab1"], size: 1 }, { canary: ["ams1"], size: 2 }, { canary: ["fra1", "lab1"] }];
const some = fc.subarray([...NODES]);
const one = fc.option(fc.constantFrom(...NODES), { freq: 4 });

/**
 * One `pulumi up`: what the program says, who is ill, fails or is silent meanwhile, what others do before it, whether the group is
 * replaced (`--replace`, another name), and when the provider is killed.
 */
const runs = fc.record({
  content: fc.nat(CONTENTS.length - 1),
  nodes: fc.oneof(fc.constant<Node[]>([...NODES]), fc.subarray([...NODES], { minLength: 2 })),
  waves: fc.nat(WAVES.length - 1),
  check: fc.constantFrom("one", "one", "other", "none"),
  ill: fc.record({ one: some, other: some }),
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
  ...{
    content: 0,
    nodes: [...NODES],
    waves: 0,
    check: "one",
    ill: { one: [], other: [] },
    failing: null,
    silent: null,
  },
  ...{ others: null, death: null, refresh: false, replace: false },
};

/** A node that left while a wave was red comes back, and is written by a run that is killed; a refresh finds it changed. */
const LEFT_AND_BACK: readonly Run[] = [
  {
    ...WELL,
    nodes: ["ams1", "lab1"],
    failing: "ams1",
    others: { node: "ams1", what: "delete" },
  },
  {
    ...WELL,
    content: 3,
    nodes: ["fra1", "lab1"],
    waves: 2,
    silent: "lab1",
    death: { request: 14, when: "after" },
  },
];

/** A node is silent when its wave comes, and the group is replaced by one with another check, while the former check fails there. */
const NEVER_WRITTEN: readonly Run[] = [
  { ...WELL, check: "other", silent: "ams1" },
  { ...WELL, nodes: ["ams1", "lab1"], ill: { one: [], other: ["ams1"] }, replace: true },
];

/** A killed run with another check than the state has wrote two waves, the second of which was not checked. */
const KILLED_UNDER_ANOTHER_CHECK: readonly Run[] = [
  { ...WELL, content: 1, nodes: ["fra1", "lab1"], check: "other" },
  { ...WELL, waves: 1, silent: "lab1", death: { request: 18, when: "before" } },
  { ...WELL, ill: { one: [], other: ["fra1"] } },
];

/** Nodes that were written together, by a run with this check, and those of them that have not passed it. */
interface Written {
  readonly check: string;
  readonly nodes: Set<Node>;
  readonly open: Set<Node>;
  isKilled?: boolean;
}

/** Nodes that have passed, by their contents and the answers of their checks. */
class Model {
  readonly violations: string[] = [];
  private waves: Written[] = [];
  private readonly passed = new Map<Node, Readonly<Record<string, unknown>>>();
  private last: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  private ofRun: Written[] = [];
  private pending: readonly Node[] = [];

  constructor(private readonly held: () => Model["last"]) {
    this.last = held();
  }

  /** Others changed something, or the run begins. @param pending The nodes of the wave that the state names. */
  begin(pending: readonly Node[] = []): void {
    this.last = this.held();
    this.ofRun = [];
    this.pending = pending;
  }

  forget(): void {
    this.waves = [];
  }

  /**
   * The engine makes the group anew before it tells of its state: the program's own check is asked of what its nodes hold, as after a
   * kill.
   */
  replaceUnseen({ nodes: members }: Run): void {
    for (const wave of this.waves) {
      wave.isKilled = true;
      for (const node of wave.open) if (!members.includes(node)) wave.open.delete(node);
    }
  }

  look({ check, silent, nodes: members }: Run): void {
    const now = this.held();
    const isChanged = (node: Node) => JSON.stringify(now[node]) !== JSON.stringify(this.last[node]);
    const written = NODES.filter((node) => isChanged(node) && !this.isRestored(node, now[node] ?? {}));
    this.last = now;
    const waiting = (written: readonly Node[]) =>
      this.waves.flatMap(({ open }) => [...open].filter((node) => !written.includes(node) && node !== silent));
    const others = waiting(written);
    // A wave that failed without a check is in no list here: its nodes are those that the state names.
    const isPending = (node: Node) => this.pending.includes(node);
    const isOfThem = (node: Node) =>
      this.waves.some(({ nodes, open }) => open.size > 0 && nodes.has(node)) || [node, ...others].every(isPending);
    for (const node of written)
      if (others.length > 0 && !isOfThem(node)) this.violations.push(`${node} before ${others.join()}`);
    for (const { nodes, open } of this.waves) for (const node of written) if (nodes.delete(node)) open.delete(node);
    for (const node of written) if (check === "none") this.passed.set(node, now[node] ?? {});
    const wave = { check, nodes: new Set(written), open: new Set(written.filter((node) => members.includes(node))) };
    if (check === "none" || written.length === 0) return;
    this.waves.push(wave);
    this.ofRun.push(wave);
  }

  /** A check said that a node is well. */
  well(node: Node, asked: string, program: string): void {
    for (const { open, check, isKilled } of this.waves) {
      const counts = isKilled ? program === "none" || asked === program : asked === check;
      if (counts && open.delete(node)) this.passed.set(node, this.held()[node] ?? {});
    }
  }

  /** Nodes that failed in a wave are of it. */
  end({ failing, silent }: Run, isKilled: boolean): void {
    for (const wave of this.ofRun) {
      if (isKilled) wave.isKilled = true;
      for (const node of [failing, silent]) if (node) wave.nodes.add(node);
    }
  }

  /** Nothing is written but what the node held when it passed. */
  private isRestored(node: Node, now: Readonly<Record<string, unknown>>): boolean {
    const before = this.last[node] ?? {};
    const passed = this.passed.get(node);
    const changed = [...new Set([...Object.keys(before), ...Object.keys(now)])].filter((it) => before[it] !== now[it]);
    const isBack = passed !== undefined && changed.every((prefix) => now[prefix] === passed[prefix]);
    if (isBack && JSON.stringify(passed) === JSON.stringify(now)) for (const { open } of this.waves) open.delete(node);
    return isBack;
  }
}

it("no program, kill, failure, refresh or other writer lets a node change while another has not passed, and well nodes end green", async () => {
  const walk = fc.array(runs, { minLength: 2, maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(walk, fc.boolean(), async (all, isNew) => {
      await using stack = await bench(...NODES);
      await using first = await startHealth();
      await using second = await startHealth();
      const { engine, held, config } = stack;
      config.distinctNodes = true;
      const doctors = { one: first, other: second };
      const model = new Model(held);
      /** True of a wave that has not passed, some of whose nodes the program still has, and whose check does not pass in this run. */
      const isIll = (rollout: unknown, { ill, nodes: members }: Run) => {
        const { nodes = [], check } = (rollout ?? {}) as { nodes?: Node[]; check?: { url: string } };
        const doctor = check?.url === first.url ? "one" : "other";
        const isAsked = check !== undefined && nodes.some((node) => members.includes(node));
        return isAsked && nodes.some((node) => ill[doctor].includes(node));
      };
      const up = async (run: Run) => {
        const { content, waves, check, ill, failing, silent, others, death, refresh, nodes, replace } = run;
        if (others?.what === "insert") stack.node(others.node).change(URL, { insert: { [FOREIGN]: 1 } });
        if (others?.what === "delete") stack.node(others.node).change(URL, { delete: [A] });
        model.begin(engine.state.flatMap(({ outputs }) => (outputs.rollout as { nodes?: Node[] })?.nodes ?? []));
        // A first create that was killed left no state that could name its check to a program without any (docs/guides/many-nodes.md).
        if (check === "none" && engine.state.length === 0) model.forget();
        const isUnseen = replace && !refresh;
        const staysRed = isUnseen && engine.state.some(({ outputs }) => isIll(outputs.rollout, run));
        if (replace) engine.state = engine.state.map((it) => ({ ...it, replaced: true }));
        if (isUnseen) model.replaceUnseen(run);
        // What may go on then ends red all the same, see below.
        if (isUnseen && check === "none") model.forget();
        for (const [name, doctor] of Object.entries(doctors)) {
          doctor.ill.clear();
          for (const node of ill[name as keyof typeof ill]) doctor.ill.set(node, 503);
          doctor.onAsked = (node, status) => {
            model.look(run);
            if (status === 200) model.well(node as Node, name, check);
          };
        }
        if (failing) stack.node(failing).fail({ cmd: "commit", every: 1, status: 500 });
        if (silent) stack.node(silent).fail({ every: 1, kind: "reset" });
        const rollout = {
          ...{ waves: WAVES[waves], checkTimeoutMs: 1_000 },
          ...(check !== "none" && { check: { url: doctors[check as keyof typeof doctors].url } }),
        };
        const world = new HurriedWorld(death as ConstructorParameters<typeof HurriedWorld>[0]);
        const args = { rollout, onExisting: "adopt" };
        const isReplaced = engine.state.some(({ replaced }) => replaced);
        const outcome = await engine.up([group(CONTENTS[content] ?? {}, nodes, args)], { world, refresh });
        // What only a replaced group held goes with it in the end, after all checks.
        if (isReplaced) model.begin();
        else model.look(run);
        model.end(
          run,
          outcome.errors.some(({ message }) => message === "the plugin exited"),
        );
        for (const node of NODES) stack.node(node).clearFaults();
        // Nothing took the place of what was to be replaced: the state has it as before.
        if (engine.state.every(({ replaced }) => replaced))
          engine.state = engine.state.map(({ replaced: _, ...it }) => it);
        if (staysRed) expect(outcome.errors).not.toEqual([]);
        return outcome;
      };
      if (!isNew) expect((await up(WELL)).errors).toEqual([]);
      for (const run of all) await up(run);
      expect(model.violations).toEqual([]);
      // A create that was killed leaves entries that no state knows: another program has to declare or adopt them.
      if (isNew) return;
      const ends = [];
      for (const refresh of [true, true, true]) ends.push(await up({ ...WELL, content: 1, refresh }));
      expect(model.violations).toEqual([]);
      expect(ends.at(-1)?.errors).toEqual([]);
      for (const node of NODES) expect(held()[node]).toEqual(CONTENTS[1]);
      expect(stack.outputs().rollout).not.toHaveProperty("reason");
    }),
    {
      numRuns: 20,
      examples: [
        [[...LEFT_AND_BACK], false],
        [[...NEVER_WRITTEN], true],
        [[...KILLED_UNDER_ANOTHER_CHECK], false],
      ],
    },
  );
}, 120_000);
