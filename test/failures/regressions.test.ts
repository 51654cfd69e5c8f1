import { describe, expect, it } from "vitest";
import type { DialectSettings, Emulator } from "../../provider/emulator";
import { type Declared, MiniEngine } from "./support/engine";
import { HurriedWorld } from "./support/hurried-world";
import { BLOCKED, entry, PARTNERS, set, signaling } from "./support/scenarios";
import { stage } from "./support/stage";
import { gaps, heldBy } from "./support/truth";

const IMPATIENT = { timeoutMs: 40, deadlineMs: 2_000 };
const STUBBORN: DialectSettings = { insertExisting: "error", deleteAbsent: "error", emptyCommit: "error" };

async function begin(program: readonly Declared[], settings: DialectSettings = {}) {
  const { emulator, config } = await stage(settings);
  const engine = new MiniEngine(config);
  expect((await engine.up(program)).errors).toEqual([]);
  return { emulator, engine, [Symbol.asyncDispose]: () => emulator.close() };
}

describe("signaling", () => {
  // The first status of a run is that of its look, and the only one before its start.
  it.each([
    ["with no status after it", 2, 1],
    ["with no status before it either: the receiver says that it is active", 1, 0],
  ])("whose start was not answered is stopped by the resource that started it, %s", async (_case, nth, errors) => {
    await using stack = await begin([]);
    stack.emulator.fail({ op: "start", kind: "lost-answer" });
    stack.emulator.fail({ op: "status", nth, status: 503, times: 100 });
    const hurt = await stack.engine.up([signaling(["198.51.100.7"])], { timing: IMPATIENT });
    expect(hurt.errors).toHaveLength(errors);
    stack.emulator.clearFaults();
    await stack.engine.up([signaling(["198.51.100.7"])]);
    expect(heldBy(stack.emulator).active).toEqual(["198.51.100.7/32"]);
    await stack.engine.destroy();
    expect(heldBy(stack.emulator).active).toEqual([]);
  });
});

describe("a create that was killed before its commit", () => {
  const wanted = ["192.0.2.0/25", "192.0.2.128/25"];
  it.each([
    ["of a set", [set(wanted)], BLOCKED],
    ["of entries", wanted.map((prefix, index) => entry(`e${index}`, prefix)), PARTNERS],
  ])("%s is applied by the next up on a node that lists staged entries", async (_name, program, url) => {
    await using stack = await begin([], { listShows: "staged" });
    const world = new HurriedWorld({ request: 3, when: "before" });
    await stack.engine.up(program, { world, timing: IMPATIENT });
    expect(stack.engine.state).toEqual([]);
    expect(stack.emulator.prefixSet(url).applied).toEqual({});
    expect((await stack.engine.up(program)).errors).toEqual([]);
    expect(stack.emulator.prefixSet(url).applied).toEqual({ "192.0.2.0/25": 1, "192.0.2.128/25": 1 });
  });
});

describe("a set", () => {
  it("whose create failed before anything was staged can be destroyed where an empty commit is an error", async () => {
    await using stack = await begin([], STUBBORN);
    stack.emulator.fail({ cmd: "insert", status: 503, times: 100 });
    expect((await stack.engine.up([set(["192.0.2.0/24"])], { timing: IMPATIENT })).errors).toHaveLength(1);
    stack.emulator.clearFaults();
    expect((await stack.engine.destroy()).errors).toEqual([]);
    expect(stack.engine.state).toEqual([]);
  });

  it("that is split into halves keeps both on a node that deletes all that a prefix covers", async () => {
    const halves = set(["192.0.2.0/25", "192.0.2.128/25", "192.0.2.7/32"]);
    await using stack = await begin([set(["192.0.2.0/24", "192.0.2.7/32"])], { deleteCovers: "covered" });
    const start = stack.emulator.journal.length;
    const { errors, printed } = await stack.engine.up([halves]);
    expect(errors).toEqual([]);
    expect(printed.filter((line) => line.startsWith("warning"))).toEqual([]);
    expect(Object.keys(stack.emulator.prefixSet(BLOCKED).applied)).toEqual([
      "192.0.2.0/25",
      "192.0.2.7/32",
      "192.0.2.128/25",
    ]);
    expect(gaps(stack.emulator, start, { sets: { [BLOCKED]: { "192.0.2.7/32": 1 } }, active: [] })).toEqual([]);
    expect(stack.emulator.requests({ cmd: "commit" })).toHaveLength(2);
  });

  it("whose adoption failed still takes over what it found", async () => {
    const adopting = [set({ "192.0.2.0/24": 1, "2001:db8::/32": 5 }, { onExisting: "adopt" })];
    await using stack = await begin([]);
    stack.emulator.change(BLOCKED, { insert: { "203.0.113.0/24": 3 } });
    stack.emulator.fail({ cmd: "commit", status: 503, times: 100 });
    expect((await stack.engine.up(adopting, { timing: IMPATIENT })).errors).toHaveLength(1);
    expect(stack.engine.state[0]?.outputs).toMatchObject({ adopted: ["203.0.113.0/24"] });
    stack.emulator.clearFaults();
    await stack.engine.up(adopting);
    expect(stack.emulator.prefixSet(BLOCKED).applied).toEqual({ "192.0.2.0/24": 1, "2001:db8::/32": 5 });
  });
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

  it("lets the next up insert again what may have been removed for its new value", async () => {
    await using stack = await begin([set({ "192.0.2.0/24": 1 })], STUBBORN);
    const program = [set({ "192.0.2.0/24": 2 })];
    stack.emulator.fail({ ...page, cmd: "commit" });
    expect((await stack.engine.up(program, { timing: IMPATIENT })).errors).toHaveLength(1);
    stack.emulator.clearFaults();
    const start = stack.emulator.journal.length;
    expect((await stack.engine.up(program)).errors).toEqual([]);
    expect(sentFrom(stack.emulator, start)).toContain("insert");
    expect(stack.emulator.prefixSet(BLOCKED).applied).toEqual({ "192.0.2.0/24": 2 });
  });
});

describe("what a failed group left staged", () => {
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

  it("by a killed run is reported by the commit that publishes it; wanted entries are restored", async () => {
    const both = [entry("one", "192.0.2.0/24"), entry("two", "203.0.113.0/24")];
    await using stack = await begin(both);
    const killed = new HurriedWorld({ request: 2, when: "after" });
    await stack.engine.up([entry("two", "203.0.113.0/24")], { world: killed });
    expect(stack.emulator.prefixSet(PARTNERS).staged).toEqual({ "203.0.113.0/24": 1 });
    const { printed, errors } = await stack.engine.up([...both, entry("three", "2001:db8::/32")]);
    expect(errors).toEqual([]);
    expect(printed.join("\n")).toMatch(
      /published a removal that another writer had staged, of 192\.0\.2\.0\/24; restored, since this stack declares it/,
    );
    expect(Object.keys(stack.emulator.prefixSet(PARTNERS).applied)).toHaveLength(3);
  });
});
