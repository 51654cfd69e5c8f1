import { describe, expect, it } from "vitest";
import type { DialectSettings } from "../../provider/emulator";
import { MiniEngine } from "../failures/support/engine";
import { BLOCKED, set, signaling } from "../failures/support/scenarios";
import { heldBy } from "../failures/support/truth";
import { stage } from "../failures/support/walk";

const [A, B, C] = ["192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24"] as const;
const [X, Y] = ["198.51.100.7/32", "198.51.100.8/32"] as const;
const fine = { errors: [] };

async function bench(settings: DialectSettings = {}, more: Record<string, unknown> = {}) {
  const { emulator, config } = await stage({ name: "", settings });
  const engine = new MiniEngine({ ...config, ...more });
  const held = () => emulator.prefixSet(BLOCKED).applied;
  return { emulator, engine, held, [Symbol.asyncDispose]: () => emulator.close() };
}

describe("a list that shows an old state", () => {
  it.each<[string, DialectSettings]>([
    ["that deletes what is absent", {}],
    ["that refuses to", { deleteAbsent: "error", emptyCommit: "error" }],
  ])("makes no removal vanish, at a node %s", async (_, settings) => {
    await using stack = await bench(settings);
    await stack.engine.up([set({ [A]: 1 })]);
    await stack.engine.up([set({ [A]: 1, [B]: 1 })]);
    stack.emulator.fail({ kind: "stale-list", cmd: "list" });
    const { errors, printed } = await stack.engine.up([set({ [A]: 1, [C]: 1 })]);
    expect(errors).toEqual([]);
    expect(stack.held()).toEqual({ [A]: 1, [C]: 1 });
    expect(printed.join("\n")).not.toContain("appeared");
    expect(await stack.engine.preview([set({ [A]: 1, [C]: 1 })], { refresh: true })).toMatchObject({
      ...fine,
      steps: [],
    });
  });
});

describe("a declared signaling", () => {
  it("that others had started and another client stopped is started by a plain up, and a preview shows it", async () => {
    await using stack = await bench();
    stack.emulator.signal("client-a", { start: [X] });
    await stack.engine.up([signaling([X, Y])]);
    stack.emulator.signal("client-a", { stop: [X] });
    const seen = await stack.engine.preview([signaling([X, Y])]);
    expect(seen).toMatchObject({ ...fine, steps: ["update attack"] });
    expect(seen.printed).toEqual([
      expect.stringMatching(/1 declared prefix is not active \(198\.51\.100\.7\/32\): this up starts it again\.$/),
    ]);
    expect(await stack.engine.up([signaling([X, Y])])).toMatchObject(fine);
    expect(heldBy(stack.emulator).active).toEqual([X, Y]);
    // This up started it, so a destroy stops it.
    await stack.engine.destroy();
    expect(heldBy(stack.emulator).active).toEqual([]);
  });
});

/** The program as the class sends it with `ignoreChanges: ["entries"]`: the engine gives it the entries of the old inputs. */
const ignoring = (engine: MiniEngine, program: object) => {
  const entries = engine.state[0]?.inputs.entries ?? program;
  return [set(entries, { __said: { ignored: true } })];
};

describe("a loss", () => {
  it.each([
    ["with a look", {}],
    ["without one", { detectDrift: "off" }],
  ])(
    "is shown and put back after a refresh, whatever ignoreChanges says, and other values are left, %s",
    async (_, more) => {
      for (const separate of [false, true]) {
        await using stack = await bench({}, more);
        const { engine } = stack;
        await engine.up([set({ [A]: 1, [B]: 1 })]);
        stack.emulator.change(BLOCKED, { insert: { [A]: 5 } });
        // The other value alone is the program's to ignore.
        expect(await engine.preview(ignoring(engine, {}), { refresh: true })).toMatchObject({ ...fine, steps: [] });
        stack.emulator.change(BLOCKED, { delete: [B] });
        expect((await engine.preview(ignoring(engine, {}), { refresh: true })).steps).toEqual(["update blocked"]);
        if (separate) {
          await engine.refresh();
          expect(engine.state[0]).toMatchObject({
            inputs: { entries: { [A]: 1, [B]: 1 } },
            outputs: { entries: { [A]: 5 }, lost: { [A]: 1, [B]: 1 } },
          });
          expect((await engine.preview(ignoring(engine, {}))).steps).toEqual(["update blocked"]);
        }
        expect(await engine.up(ignoring(engine, {}), { refresh: !separate })).toMatchObject(fine);
        expect(stack.held()).toEqual({ [A]: 5, [B]: 1 });
        // Without the option the program's value comes back.
        expect(await engine.up([set({ [A]: 1, [B]: 1 })], { refresh: true })).toMatchObject(fine);
        expect(stack.held()).toEqual({ [A]: 1, [B]: 1 });
        expect(engine.state[0]?.outputs).not.toHaveProperty("lost");
      }
    },
  );

  it("of a signaling is started again after a refresh, also where no run looks", async () => {
    for (const more of [{}, { detectDrift: "off" }]) {
      await using stack = await bench({}, more);
      await stack.engine.up([signaling([X, Y])]);
      stack.emulator.signal("client-a", { stop: [Y] });
      await stack.engine.refresh();
      expect(stack.engine.state[0]).toMatchObject({
        inputs: { prefixes: [X, Y] },
        outputs: { prefixes: [X], lost: [Y], started: [X, Y] },
      });
      expect((await stack.engine.preview([signaling([X, Y])])).steps).toEqual(["update attack"]);
      expect(await stack.engine.up([signaling([X, Y])])).toMatchObject(fine);
      expect(heldBy(stack.emulator).active).toEqual([X, Y]);
      expect((await stack.engine.up([signaling([X, Y])])).steps).toEqual([]);
    }
  });
});
