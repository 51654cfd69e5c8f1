import { describe, expect, it } from "vitest";
import { type Declared, MiniEngine } from "../failures/support/engine";
import { BLOCKED, set } from "../failures/support/scenarios";
import { stage } from "../failures/support/stage";

const A = "192.0.2.0/24";
/** Entries in the given number. */
const many = (number: number, value = 1) =>
  Object.fromEntries(Array.from({ length: number }, (_, index) => [`198.51.100.${index}/32`, value]));
const texts = (errors: readonly Error[]) => errors.map(({ message }) => message).join("\n");

/** A stack after its first `up`. */
async function begun(program: readonly Declared[]) {
  const { emulator, config } = await stage();
  const engine = new MiniEngine(config);
  expect(texts((await engine.up(program)).errors)).toBe("");
  const held = () => emulator.prefixSet(BLOCKED).applied;
  return { emulator, engine, held, [Symbol.asyncDispose]: () => emulator.close() };
}

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
