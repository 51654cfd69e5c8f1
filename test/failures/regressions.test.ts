import { describe, expect, it } from "vitest";
import type { DialectSettings } from "../../provider/emulator";
import { type Declared, MiniEngine } from "./support/engine";
import { HurriedWorld } from "./support/hurried-world";
import { BLOCKED, entry, PARTNERS, set, signaling } from "./support/scenarios";
import { gaps, heldBy } from "./support/truth";
import { stage } from "./support/walk";

const IMPATIENT = { timeoutMs: 40, deadlineMs: 2_000 };
const STUBBORN: DialectSettings = { insertExisting: "error", deleteAbsent: "error", emptyCommit: "error" };

async function begin(program: readonly Declared[], settings: DialectSettings = {}) {
  const { emulator, config } = await stage({ name: "", settings });
  const engine = new MiniEngine(config);
  expect((await engine.up(program)).errors).toEqual([]);
  return { emulator, engine, [Symbol.asyncDispose]: () => emulator.close() };
}

describe("signaling", () => {
  it("whose start was answered by nobody is stopped by the resource that started it", async () => {
    await using it = await begin([]);
    it.emulator.fail({ op: "start", kind: "lost-answer" });
    it.emulator.fail({ op: "status", nth: 2, status: 503, times: 100 });
    const hurt = await it.engine.up([signaling(["198.51.100.7"])], { config: IMPATIENT });
    expect(hurt.errors).toHaveLength(1);
    it.emulator.clearFaults();
    await it.engine.up([signaling(["198.51.100.7"])]);
    expect(heldBy(it.emulator).active).toEqual(["198.51.100.7/32"]);
    await it.engine.destroy();
    expect(heldBy(it.emulator).active).toEqual([]);
  });
});

describe("a set", () => {
  it("whose create failed before anything was staged can be destroyed where an empty commit is an error", async () => {
    await using it = await begin([], STUBBORN);
    it.emulator.fail({ cmd: "insert", status: 503, times: 100 });
    expect((await it.engine.up([set(["192.0.2.0/24"])], { config: IMPATIENT })).errors).toHaveLength(1);
    it.emulator.clearFaults();
    expect((await it.engine.destroy()).errors).toEqual([]);
    expect(it.engine.state).toEqual([]);
  });

  it("that is split into halves keeps both on a node that deletes all that a prefix covers", async () => {
    const halves = set(["192.0.2.0/25", "192.0.2.128/25", "192.0.2.7/32"]);
    await using it = await begin([set(["192.0.2.0/24", "192.0.2.7/32"])], { deleteCovers: "covered" });
    const start = it.emulator.journal.length;
    const { errors, printed } = await it.engine.up([halves]);
    expect(errors).toEqual([]);
    expect(printed.filter((line) => line.startsWith("warning"))).toEqual([]);
    expect(Object.keys(it.emulator.prefixSet(BLOCKED).applied)).toEqual([
      "192.0.2.0/25",
      "192.0.2.7/32",
      "192.0.2.128/25",
    ]);
    expect(gaps(it.emulator, start, { sets: { [BLOCKED]: { "192.0.2.7/32": 1 } }, active: [] })).toEqual([]);
    expect(it.emulator.requests({ cmd: "commit" })).toHaveLength(2);
  });

  it("whose adoption failed still takes over what it found", async () => {
    const adopting = [set({ "192.0.2.0/24": 1, "2001:db8::/32": 5 }, { onExisting: "adopt" })];
    await using it = await begin([]);
    it.emulator.change(BLOCKED, { insert: { "203.0.113.0/24": 3 } });
    it.emulator.fail({ cmd: "commit", status: 503, times: 100 });
    expect((await it.engine.up(adopting, { config: IMPATIENT })).errors).toHaveLength(1);
    expect(it.engine.state[0]?.outputs).toMatchObject({ adopted: ["203.0.113.0/24"] });
    it.emulator.clearFaults();
    await it.engine.up(adopting);
    expect(it.emulator.prefixSet(BLOCKED).applied).toEqual({ "192.0.2.0/24": 1, "2001:db8::/32": 5 });
  });
});

describe("what a failed group left staged", () => {
  it("is published by no later group of the process, a removal before an insert least of all", async () => {
    await using it = await begin([entry("one", "192.0.2.0/24", 1), entry("two", "203.0.113.0/24", 1)], STUBBORN);
    // The node takes a new value only as a delete and an insert; the connection is lost between the two.
    it.emulator.fail({ cmd: "insert", nth: 2, status: 503, times: 100 });
    const start = it.emulator.journal.length;
    const world = new HurriedWorld();
    const failing = it.engine.up([entry("one", "192.0.2.0/24", 2), entry("two", "203.0.113.0/24", 1)], {
      world,
      config: IMPATIENT,
    });
    expect((await failing).errors).toHaveLength(1);
    it.emulator.clearFaults();
    await it.engine.up([
      entry("one", "192.0.2.0/24", 2),
      entry("two", "203.0.113.0/24", 1),
      entry("three", "2001:db8::/32"),
    ]);
    expect(it.emulator.prefixSet(PARTNERS).applied).toEqual({
      "192.0.2.0/24": 2,
      "203.0.113.0/24": 1,
      "2001:db8::/32": 1,
    });
    expect(
      gaps(it.emulator, start, { sets: { [PARTNERS]: { "192.0.2.0/24": 1, "203.0.113.0/24": 1 } }, active: [] }),
    ).toEqual([]);
  });

  it("by a run that was killed is said by the commit that publishes it, and a wanted entry is put back", async () => {
    const both = [entry("one", "192.0.2.0/24"), entry("two", "203.0.113.0/24")];
    await using it = await begin(both);
    const killed = new HurriedWorld({ request: 2, when: "after" });
    await it.engine.up([entry("two", "203.0.113.0/24")], { world: killed });
    expect(it.emulator.prefixSet(PARTNERS).staged).toEqual({ "203.0.113.0/24": 1 });
    const { printed, errors } = await it.engine.up([...both, entry("three", "2001:db8::/32")]);
    expect(errors).toEqual([]);
    expect(printed.join("\n")).toMatch(
      /published a removal that somebody else had staged, of 192\.0\.2\.0\/24; put back, since it is wanted/,
    );
    expect(Object.keys(it.emulator.prefixSet(PARTNERS).applied)).toHaveLength(3);
  });
});
