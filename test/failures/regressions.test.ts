import { describe, expect, it } from "vitest";
import type { DialectSettings, Emulator } from "../../provider/emulator";
import { type Declared, MiniEngine } from "./support/engine";
import { BLOCKED, entry, PARTNERS, set } from "./support/scenarios";
import { stage } from "./support/stage";

const IMPATIENT = { timeoutMs: 40, deadlineMs: 2_000 };

async function begin(program: readonly Declared[], settings: DialectSettings = {}) {
  const { emulator, config } = await stage(settings);
  const engine = new MiniEngine(config);
  expect((await engine.up(program)).errors).toEqual([]);
  return { emulator, engine, [Symbol.asyncDispose]: () => emulator.close() };
}

/** The commands that a node got since. */
function sentFrom(emulator: Emulator, start: number) {
  const since = emulator.requests().slice(start);
  return since.map(({ cmd }) => cmd);
}

describe("an answer that cannot be read", () => {
  const six = [1, 2, 3, 4, 5, 6].map((host) => `192.0.2.${host}/32`);
  const page = { kind: "html", when: "after", status: 200, times: 100 } as const;

  it.each([
    ["to an insert, of a set", [set(six)], { cmd: "insert" }, BLOCKED],
    ["to an insert, of entries", six.map((it, index) => entry(`e${index}`, it)), { cmd: "insert" }, PARTNERS],
    ["to a commit", [set(six)], { cmd: "commit" }, BLOCKED],
  ] as const)("%s lets the next up insert nothing that the list shows", async (_case, program, fault, url) => {
    for (const insertExisting of ["overwrite", "error"] as const) {
      await using stack = await begin([], { listShows: "staged", insertExisting });
      stack.emulator.fail({ ...page, ...fault });
      const hurt = await stack.engine.up(program, { timing: IMPATIENT });
      expect(hurt.errors.length).toBeGreaterThan(0);
      stack.emulator.clearFaults();
      const start = stack.emulator.journal.length;
      expect((await stack.engine.up(program)).errors).toEqual([]);
      expect(sentFrom(stack.emulator, start)).toEqual(["list", "commit", "list"]);
      expect(Object.keys(stack.emulator.prefixSet(url).applied)).toEqual(six);
      expect((await stack.engine.up(program)).steps).toEqual([]);
    }
  });
});

it("what a failed group left staged is not told apart from what another writer committed between look and write: the message claims no more than is known", async () => {
  await using stack = await begin([entry("one", "192.0.2.0/24")]);
  const { emulator, engine } = stack;
  emulator.clearJournal();
  emulator.fail({ cmd: "commit", kind: "delay", delay: 100 });
  const running = engine.up([entry("one", "192.0.2.0/24"), entry("two", "203.0.113.0/24")]);
  await expect.poll(() => emulator.requests({ cmd: "insert" }).length).toBe(1);
  emulator.change(PARTNERS, { delete: ["192.0.2.0/24"] });
  const { printed } = await running;
  expect(printed.join("\n")).toContain(
    "another writer removed 192.0.2.0/24 by a commit of its own, or staged that and our commit published it; restored",
  );
});
