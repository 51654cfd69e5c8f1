import { describe, expect, it } from "vitest";
import { type Declared, MiniEngine } from "../failures/support/engine";
import { ProviderProcess } from "../failures/support/provider-process";
import { BLOCKED, set } from "../failures/support/scenarios";
import { stage } from "../failures/support/stage";
import { bench, configured, group } from "./support/group-bench";

const [A, B] = ["192.0.2.0/24", "203.0.113.0/24"] as const;
/** Entries in the given number. */
const many = (number: number, value = 1) =>
  Object.fromEntries(Array.from({ length: number }, (_, index) => [`198.51.100.${index}/32`, value]));
const texts = (errors: readonly Error[]) => errors.map(({ message }) => message).join("\n");

/** A node with entries of others, and a stack after its first `up`. */
async function begun(program: readonly Declared[], found: Record<string, number> = {}) {
  const { emulator, config } = await stage();
  emulator.change(BLOCKED, { insert: found });
  const engine = new MiniEngine(config);
  expect(texts((await engine.up(program)).errors)).toBe("");
  const held = () => emulator.prefixSet(BLOCKED).applied;
  return { emulator, engine, held, [Symbol.asyncDispose]: () => emulator.close() };
}

describe("a limit that only the content of the node exceeds", () => {
  const adopting = (more: object = {}) => [set({ [A]: 1, [B]: 1 }, { onExisting: "adopt", ...more })];
  const tooMany = /60 of 62 entries would be removed, more than maxRemovals \(50%, here 31\)/;
  const wouldFail = /^warning: up would fail\. .*60 of 62 entries/;

  it.each([
    ["of the resource", {}, {}, tooMany],
    [
      "of the stack",
      { maxRemovals: "100%" },
      { maxRemovals: "50%" },
      /60 of the 62 .* packetfilter:maxRemovals \(50%, here 31\)/,
    ],
  ])("is a warning of the preview, where an up would remove what it adopted: %s", async (_, args, config, why) => {
    await using stack = await begun(adopting(args), many(60));
    Object.assign(stack.engine.config, config);
    const { printed } = await stack.engine.preview(adopting(args));
    expect(printed.filter((line) => /^warning: up would fail\. .*60 of /.test(line))).toEqual([
      expect.stringMatching(why),
    ]);
    expect(texts((await stack.engine.up(adopting(args))).errors)).toMatch(why);
    expect(stack.held()).toEqual({ [A]: 1, [B]: 1, ...many(60) });
  });

  it("keeps no loss from being restored, and what was adopted is named until it goes", async () => {
    await using stack = await begun(adopting(), many(60));
    stack.emulator.change(BLOCKED, { delete: [A] });
    const { printed, steps } = await stack.engine.preview(adopting());
    expect(steps).toEqual(["update blocked"]);
    expect(printed).toContainEqual(expect.stringMatching(/lacks 1 declared entry .*this up restores it/));
    expect(printed).toContainEqual(expect.stringMatching(wouldFail));
    const { errors } = await stack.engine.up(adopting());
    expect(texts(errors)).toMatch(tooMany);
    expect(texts(errors)).toContain(`Restored: ${A}.`);
    expect(stack.held()).toEqual({ [A]: 1, [B]: 1, ...many(60) });
    const raised = await stack.engine.up(adopting({ maxRemovals: "100%" }));
    expect([texts(raised.errors), stack.held()]).toEqual(["", { [A]: 1, [B]: 1 }]);
    expect(raised.printed).toContainEqual(expect.stringContaining("up removes 60 entries that the program does not"));
  });

  it("of values that others gave does the same", async () => {
    const program = (entries: object) => [set(entries, { exclusive: false, maxChanges: 0, onExisting: "adopt" })];
    await using stack = await begun(program({ [A]: 1 }));
    stack.emulator.change(BLOCKED, { insert: many(30, 9) });
    const more = program({ [A]: 1, ...many(30) });
    expect(texts((await stack.engine.up(more)).errors)).toBe("");
    stack.emulator.change(BLOCKED, { delete: [A] });
    const { errors } = await stack.engine.up(more);
    expect(texts(errors)).toMatch(/30 of 31 entries would get another value, more than maxChanges/);
    expect(stack.held()).toEqual({ [A]: 1, ...many(30, 9) });
    expect((await stack.engine.preview(more)).printed).toContainEqual(
      expect.stringMatching(/up would fail\. .*30 of 31 entries would get another value/),
    );
  });

  it("is found in the preview for a node that did not answer when the limit was lifted", async () => {
    await using stack = await bench("ams1", "fra1");
    const program = (number: number) => [group(many(number), ["ams1", "fra1"], { maxUnreachable: 1 })];
    expect(texts((await stack.engine.up(program(60))).errors)).toBe("");
    const lifted: Parameters<MiniEngine["up"]>[1] = {
      start: async (config) => new ProviderProcess(config, undefined, { PACKETFILTER_ALLOW: BLOCKED }),
    };
    stack.node("fra1").fail({ kind: "silence", times: 1_000 });
    expect(texts((await stack.engine.up(program(3), lifted)).errors)).toBe("");
    stack.node("fra1").clearFaults();
    expect((await stack.engine.preview(program(3))).printed).toContainEqual(
      expect.stringMatching(/up would fail\. .*fra1: .*57 of 60 entries would be removed/),
    );
    expect(texts((await stack.engine.up(program(3), lifted)).errors)).toBe("");
    expect(stack.held()).toEqual({ ams1: many(3), fra1: many(3) });
  });
});

it("a limit that one resource or node exceeds keeps no other from its change", async () => {
  await using stack = await bench("ams1", "fra1");
  const program = (number: number, more: object = {}) => [
    group({ ...many(number), ...more }, ["ams1", "fra1"], { maxUnreachable: 1 }),
  ];
  await stack.engine.up(program(60));
  stack.node("fra1").fail({ kind: "silence", times: 1_000 });
  for (const number of [35, 20]) expect(texts((await stack.engine.up(program(number))).errors)).toBe("");
  stack.node("fra1").clearFaults();
  const { errors } = await stack.engine.up(program(20, { [A]: 1 }));
  expect(texts(errors)).toMatch(/fra1.*40 of 60 entries would be removed/);
  expect(stack.held()).toEqual({ ams1: { ...many(20), [A]: 1 }, fra1: many(60) });
});

describe("a set that another resource takes over", () => {
  const named = (name: string, number: number, more: object = {}) => [set(many(number), { ...more }, name)];
  const tooMany = /57 of 60 entries would be removed, more than maxRemovals \(50%, here 30\)/;

  it("keeps its limits: a rename removes no more than an update, until the program allows it", async () => {
    await using stack = await begun(named("old", 60, { exclusive: false }));
    for (const steps of [["create new", "delete old"], ["delete old"]]) {
      const run = await stack.engine.up(named("new", 3, { exclusive: false }));
      expect([run.steps, stack.held()]).toEqual([steps, many(60)]);
      expect(texts(run.errors)).toMatch(tooMany);
    }
    const { errors } = await stack.engine.up(named("new", 3, { exclusive: false, maxRemovals: "100%" }));
    expect([texts(errors), stack.held()]).toEqual(["", many(3)]);
  });

  it("keeps its limits under another name of its node", async () => {
    await using stack = await bench("fra1");
    stack.config.nodes = configured({ fra1: stack.node("fra1"), "fra1-new": stack.node("fra1") });
    const program = (name: string, node: string, number: number): Declared[] => [
      {
        type: "PrefixSet",
        name,
        args: { arena: "edge", set: "blocked", node, entries: many(number), exclusive: false },
      },
    ];
    expect(texts((await stack.engine.up(program("old", "fra1", 60))).errors)).toBe("");
    expect(texts((await stack.engine.up(program("new", "fra1-new", 3))).errors)).toMatch(tooMany);
    expect(stack.held()).toEqual({ fra1: many(60) });
  });

  it("is judged by its state, whatever the resource that takes over has inserted", async () => {
    await using stack = await begun(named("old", 60, { exclusive: false }));
    const other = Object.fromEntries(Array.from({ length: 57 }, (_, index) => [`10.0.${index}.0/24`, 1]));
    const program = [set({ ...many(3), ...other }, { exclusive: false }, "new")];
    expect(texts((await stack.engine.up(program)).errors)).toMatch(tooMany);
    expect(stack.held()).toEqual({ ...many(60), ...other });
  });

  it("is judged in the preview where a refresh has read the state, which shows the removals", async () => {
    await using stack = await begun(named("old", 60));
    const refresh = { refresh: true };
    expect(texts((await stack.engine.preview(named("new", 3), refresh)).errors)).toMatch(tooMany);
    const { errors } = await stack.engine.preview(named("new", 0, { maxRemovals: "100%" }), refresh);
    expect(texts(errors)).toContain("all 60 entries would be removed: if the set is to be empty, set allowEmpty: true");
    const raised = named("new", 3, { maxRemovals: "100%" });
    const { printed } = await stack.engine.preview(raised, refresh);
    expect(printed).toContainEqual(expect.stringMatching(/prefixset:\/\/edge\/blocked: \+0 -57 ~0, 3 after$/));
    expect(texts((await stack.engine.up(raised, refresh)).errors)).toBe("");
    expect(stack.held()).toEqual(many(3));
  });

  it.each(["PrefixSet", "PrefixSetGroup"] as const)("by a group keeps the limits of the group: %s", async (type) => {
    await using stack = await bench("fra1");
    const args = { node: "fra1", entries: many(60), arena: "edge", set: "blocked" };
    const first = type === "PrefixSet" ? { type, name: "old", args } : { ...group(many(60), ["fra1"]), name: "old" };
    expect(texts((await stack.engine.up([first])).errors)).toBe("");
    const refresh = { refresh: true };
    expect(texts((await stack.engine.preview([group(many(3), ["fra1"])], refresh)).errors)).toMatch(tooMany);
    const nodes = { fra1: { maxRemovals: "100%" } };
    const { printed } = await stack.engine.preview([group(many(3), nodes)], refresh);
    expect(printed).toContain("fra1 prefixset://edge/blocked: +0 -57 ~0, 3 after");
    const { errors } = await stack.engine.up([group(many(3), ["fra1"], { exclusive: false })]);
    expect(texts(errors)).toMatch(tooMany);
    expect(stack.held()).toEqual({ fra1: many(60) });
    expect(texts((await stack.engine.up([group(many(3), nodes)])).errors)).toBe("");
    expect(stack.held()).toEqual({ fra1: many(3) });
  });

  it("goes on with equal entries, and entries that leave with their resource are not counted", async () => {
    await using stack = await begun(named("old", 60));
    expect(texts((await stack.engine.up(named("new", 60))).errors)).toBe("");
    const two = [...named("new", 60, { exclusive: false }), set({ [A]: 1 }, { exclusive: false }, "other")];
    expect(texts((await stack.engine.up(two)).errors)).toBe("");
    expect(texts((await stack.engine.up(two.slice(1))).errors)).toBe("");
    expect(stack.held()).toEqual({ [A]: 1 });
  });
});

describe("an interrupted run", () => {
  it("that added many entries is taken back within the limits", async () => {
    await using stack = await begun([set({ [A]: 1 })]);
    const { emulator, engine } = stack;
    emulator.fail({ cmd: "commit", kind: "lost-answer", times: 100 });
    const { errors } = await engine.up([set({ [A]: 1, ...many(60) })], {
      timing: { timeoutMs: 40, deadlineMs: 2_000 },
    });
    emulator.clearFaults();
    expect(errors).toHaveLength(1);
    expect(stack.held()).toEqual({ [A]: 1, ...many(60) });
    const { printed } = await engine.preview([set({ [A]: 1 })]);
    expect(printed).toContainEqual(expect.stringMatching(/left .*and 55 more\): this up removes them/));
    expect(texts((await engine.up([set({ [A]: 1 })])).errors)).toBe("");
    expect(stack.held()).toEqual({ [A]: 1 });
  });
});
