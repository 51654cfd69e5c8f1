import { describe, expect, it } from "vitest";
import { MiniEngine } from "./support/engine";
import { BLOCKED, set } from "./support/scenarios";
import { stage } from "./support/stage";

const [A, B, C] = ["192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24"] as const;
/** Entries in the given number, the first ones left out on request. */
const many = (number: number, from = 0) =>
  Object.fromEntries(Array.from({ length: number - from }, (_, index) => [`192.0.2.${index + from}/32`, 1]));

async function begin(program: ReturnType<typeof set>[], settings: object = {}) {
  const { emulator, config } = await stage();
  const engine = new MiniEngine({ ...config, ...settings });
  expect((await engine.up(program)).errors).toEqual([]);
  const held = () => emulator.prefixSet(BLOCKED).applied;
  return { emulator, engine, held, [Symbol.asyncDispose]: () => emulator.close() };
}

describe("what a preview says that it restores, an up restores", () => {
  it("although entries of others make the set larger than maxEntries", async () => {
    const program = [set({ [A]: 1, [B]: 1 }, { maxEntries: 2 })];
    await using stack = await begin(program);
    stack.emulator.change(BLOCKED, { insert: { [C]: 1 }, delete: [B] });
    expect((await stack.engine.preview(program)).steps).toEqual(["update blocked"]);
    expect((await stack.engine.up(program)).errors).toEqual([]);
    expect(stack.held()).toEqual({ [A]: 1, [B]: 1, [C]: 1 });
  });

  it("as a create and an update of entries beside those of others count their own alone", async () => {
    const program = (entries: object) => [set(entries, { maxEntries: 2, exclusive: false })];
    await using stack = await begin([]);
    stack.emulator.change(BLOCKED, { insert: many(3) });
    expect((await stack.engine.up(program({ [B]: 1 }))).errors).toEqual([]);
    expect((await stack.engine.up(program({ [B]: 1, [C]: 1 }))).errors).toEqual([]);
    const { errors } = await stack.engine.up(program({ [A]: 1, [B]: 1, [C]: 1 }));
    expect(errors.map(String).join()).toContain("3 entries are more than maxEntries (2)");
  });

  it("although the program removes more than a share of what is left there", async () => {
    await using stack = await begin([set(many(100))]);
    stack.emulator.change(BLOCKED, { delete: Object.keys(many(100, 30)) });
    expect((await stack.engine.up([set(many(100, 40))])).errors).toEqual([]);
    expect(stack.held()).toEqual(many(100, 40));
  });

  it("although packetfilter:maxRemovals refuses what the program removes", async () => {
    await using stack = await begin([set(many(60))], { maxRemovals: 21 });
    const program = { ...many(60, 25), [A]: 1 };
    stack.emulator.change(BLOCKED, { delete: ["192.0.2.58/32"] });
    stack.emulator.change(BLOCKED, { insert: { "192.0.2.59/32": 9 } });
    for (const isLost of [true, false]) {
      const { errors, printed } = await stack.engine.up([set(program)]);
      const said = errors.map(({ message }) => message).join();
      expect(said).toContain("more than packetfilter:maxRemovals (21, here 21) allows");
      expect(said.includes("Restored: 192.0.2.58/32, 192.0.2.59/32.")).toBe(isLost);
      expect(printed.some((line) => line.includes("this up restores"))).toBe(isLost);
      expect(stack.held()).toEqual(many(60));
    }
    const lifted = new MiniEngine({ ...stack.engine.config, maxRemovals: 25 });
    lifted.state = stack.engine.state;
    expect((await lifted.up([set(program)])).errors).toEqual([]);
    expect(stack.held()).toEqual(program);
  });

  it.each(["nothing", "rest"] as const)(
    "although the node refuses another entry, and stages %s",
    async (refusedEntry) => {
      await using stack = await begin([set({ [A]: 1, [B]: 1 })]);
      stack.emulator.setDialect({ maxValue: 255, refusedEntry });
      stack.emulator.change(BLOCKED, { delete: [B] });
      const { errors } = await stack.engine.up([set({ [A]: 2, [B]: 1, [C]: 300 })]);
      const said = `refused ${C}; nothing else of this resource was changed. .* Restored: ${B}.`;
      expect(errors.map(({ message }) => message)).toEqual([expect.stringMatching(said)]);
      expect(stack.held()).toEqual({ [A]: 1, [B]: 1 });
      expect((await stack.engine.up([set({ [A]: 2, [B]: 1, [C]: 3 })])).errors).toEqual([]);
      expect(stack.held()).toEqual({ [A]: 2, [B]: 1, [C]: 3 });
    },
  );

  it.each([
    { fault: { cmd: "insert", status: 400, times: 100 }, said: "the node refused" },
    { fault: { cmd: "commit", status: 503, times: 100 }, said: "may be staged" },
    { fault: { cmd: "commit", kind: "stuck-commit", times: 100 }, said: "does not show" },
  ] as const)("and the limit is named even if nothing can be restored: $said", async ({ fault, said }) => {
    await using stack = await begin([set(many(60))], { maxRemovals: 21 });
    stack.emulator.change(BLOCKED, { delete: ["192.0.2.58/32"] });
    stack.emulator.fail(fault);
    const { errors } = await stack.engine.up([set(many(60, 25))], { timing: { timeoutMs: 40, deadlineMs: 2_000 } });
    expect(errors.map(({ message }) => message)).toEqual([
      expect.stringMatching(new RegExp(`more than packetfilter:maxRemovals .*${said}`)),
    ]);
  });
});
