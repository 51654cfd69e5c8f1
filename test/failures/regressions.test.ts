import { describe, expect, it } from "vitest";
import type { DialectSettings, Emulator } from "../../provider/emulator";
import { type Declared, MiniEngine } from "./support/engine";
import { HurriedWorld } from "./support/hurried-world";
import { BLOCKED, entry, PARTNERS, set } from "./support/scenarios";
import { stage } from "./support/stage";
import { gaps } from "./support/truth";

const IMPATIENT = { timeoutMs: 40, deadlineMs: 2_000 };
const STUBBORN: DialectSettings = { insertExisting: "error", deleteAbsent: "error", emptyCommit: "error" };

async function begin(program: readonly Declared[], settings: DialectSettings = {}) {
  const { emulator, config } = await stage(settings);
  const engine = new MiniEngine(config);
  expect((await engine.up(program)).errors).toEqual([]);
  return { emulator, engine, [Symbol.asyncDispose]: () => emulator.close() };
}

describe("a set", () => {
  it.each([
    ["", {}],
    [", also if its prefixes are secret", { __secret: ["entries"], __lists: "[secret]", secretPrefixes: true }],
  ])(
    "whose create failed before anything was staged can be destroyed where an empty commit is an error%s",
    async (_, marks) => {
      for (const nothingStagedText of ["{message}", "set unchanged", "E-17"]) {
        await using stack = await begin([], { ...STUBBORN, nothingStagedText });
        stack.emulator.fail({ cmd: "insert", status: 503, times: 100 });
        const program = [set(["192.0.2.0/24"], marks)];
        expect((await stack.engine.up(program, { timing: IMPATIENT })).errors).toHaveLength(1);
        stack.emulator.clearFaults();
        expect((await stack.engine.destroy()).errors).toEqual([]);
        expect(stack.engine.state).toEqual([]);
      }
    },
  );

  it.each(["{message}", "no new changes", "E-17"])(
    "takes over equal entries where an empty commit is refused with %j",
    async (nothingStagedText) => {
      await using stack = await begin([], { ...STUBBORN, nothingStagedText });
      stack.emulator.change(BLOCKED, { insert: { "192.0.2.0/24": 1 } });
      expect((await stack.engine.up([set(["192.0.2.0/24"])])).errors).toEqual([]);
      expect((await stack.engine.up([set(["192.0.2.0/24"])])).steps).toEqual([]);
    },
  );
});

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

describe("what a failed group left staged", () => {
  it.each([
    ["a set", [set(["192.0.2.0/24", "198.51.100.0/24"])], BLOCKED],
    ["an entry", [entry("one", "192.0.2.0/24")], PARTNERS],
  ] as const)(
    "is unstaged by a destroy, of %s whose create was never committed, also after a refresh",
    async (_, program, url) => {
      for (const [dialect, isRefreshed] of [
        [{}, true],
        [STUBBORN, true],
        [STUBBORN, false],
      ] as const) {
        await using stack = await begin([], dialect);
        stack.emulator.fail({ cmd: "commit", status: 503, times: 100 });
        expect((await stack.engine.up([...program], { timing: IMPATIENT })).errors).toHaveLength(1);
        expect(Object.keys(stack.emulator.prefixSet(url).staged).length).toBeGreaterThan(0);
        stack.emulator.clearFaults();
        if (isRefreshed) expect((await stack.engine.refresh()).errors).toEqual([]);
        expect((await stack.engine.destroy()).errors).toEqual([]);
        expect(stack.emulator.prefixSet(url)).toEqual({ applied: {}, staged: {} });
      }
    },
  );

  it("is published by no later group of the process, a removal before an insert least of all", async () => {
    await using stack = await begin([entry("one", "192.0.2.0/24", 1), entry("two", "203.0.113.0/24", 1)], STUBBORN);
    // The node takes a new value only as a delete and an insert; the connection is lost between the two.
    stack.emulator.fail({ cmd: "insert", nth: 2, status: 503, times: 100 });
    const start = stack.emulator.journal.length;
    const world = new HurriedWorld();
    const failing = stack.engine.up([entry("one", "192.0.2.0/24", 2), entry("two", "203.0.113.0/24", 1)], {
      world,
      timing: IMPATIENT,
    });
    expect((await failing).errors).toHaveLength(1);
    stack.emulator.clearFaults();
    await stack.engine.up([
      entry("one", "192.0.2.0/24", 2),
      entry("two", "203.0.113.0/24", 1),
      entry("three", "2001:db8::/32"),
    ]);
    expect(stack.emulator.prefixSet(PARTNERS).applied).toEqual({
      "192.0.2.0/24": 2,
      "203.0.113.0/24": 1,
      "2001:db8::/32": 1,
    });
    expect(
      gaps(stack.emulator, start, { sets: { [PARTNERS]: { "192.0.2.0/24": 1, "203.0.113.0/24": 1 } }, active: [] }),
    ).toEqual([]);
  });

  it("is not told apart from what another writer committed between look and write: the message claims no more than is known", async () => {
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
});
