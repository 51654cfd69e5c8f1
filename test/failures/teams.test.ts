import { describe, expect, it } from "vitest";
import { type Declared, MiniEngine, type Outcome } from "./support/engine";
import { BLOCKED, set } from "./support/scenarios";
import { stage } from "./support/stage";

const [OURS, SHARED, OWN, FOREIGN] = ["192.0.2.0/24", "203.0.113.0/24", "198.51.100.7/32", "198.51.100.9/32"] as const;

/** Declarations of the programs of examples/teams. */
const platform = [set({ [OURS]: 1, [SHARED]: 1 }, { exclusive: false }, "ours")];
const single = (name: string, prefix: string, more: Declared["args"] = {}): Declared => ({
  type: "PrefixSetEntry",
  name,
  args: { arena: "edge", set: "blocked", prefix, ...more },
});
const soc = [single("flood", SHARED, { onDestroy: "created" }), single("scanner", OWN)];

/** A node with an entry that no stack declares, and stacks that know nothing of each other. */
async function startTeams() {
  const { emulator, config } = await stage();
  emulator.change(BLOCKED, { insert: { [FOREIGN]: 7 } });
  return {
    stack: () => new MiniEngine(config),
    held: () => emulator.prefixSet(BLOCKED).applied,
    inserts: () => emulator.requests({ cmd: "insert" }).length,
    [Symbol.asyncDispose]: () => emulator.close(),
  };
}

/** Steps and messages of a successful run. */
function fine({ errors, steps, printed }: Outcome) {
  expect(errors).toEqual([]);
  return { steps, printed };
}

describe("stacks that share a set", () => {
  it("see no drift in each other's entries, use one together, and leave what they did not make", async () => {
    await using shared = await startTeams();
    const [first, second] = [shared.stack(), shared.stack()];
    fine(await first.up(platform));
    const { printed } = fine(await second.up(soc));
    expect(printed).toContainEqual(expect.stringMatching(/203\.0\.113\.0\/24.*was already there/));
    expect(shared.inserts()).toBe(2);
    expect(shared.held()).toEqual({ [FOREIGN]: 7, [OURS]: 1, [SHARED]: 1, [OWN]: 1 });
    expect(fine(await first.preview(platform, { refresh: true })).steps).toEqual([]);
    expect(fine(await second.preview(soc, { refresh: true })).steps).toEqual([]);

    fine(await second.destroy());
    expect(shared.held()).toEqual({ [FOREIGN]: 7, [OURS]: 1, [SHARED]: 1 });
    fine(await first.destroy());
    expect(shared.held()).toEqual({ [FOREIGN]: 7 });
  });

  it("lose a shared entry to the first that removes it, and restore it", async () => {
    await using shared = await startTeams();
    const [first, second] = [shared.stack(), shared.stack()];
    fine(await first.up(platform));
    fine(await second.up([single("flood", SHARED)]));
    fine(await second.destroy());
    expect(shared.held()).toEqual({ [FOREIGN]: 7, [OURS]: 1 });
    expect(fine(await first.preview(platform, { refresh: true })).steps).toEqual(["update ours"]);
    fine(await first.up(platform, { refresh: true }));
    expect(shared.held()).toEqual({ [FOREIGN]: 7, [OURS]: 1, [SHARED]: 1 });
  });

  it("do not take over an entry with another value, unless they say so", async () => {
    await using shared = await startTeams();
    const [first, second] = [shared.stack(), shared.stack()];
    fine(await first.up(platform));
    const before = shared.held();
    const { errors } = await second.up([single("flood", SHARED, { value: 2 })]);
    expect(errors.map(({ message }) => message)).toEqual([expect.stringContaining(SHARED)]);
    expect(shared.held()).toEqual(before);

    const taken = [single("flood", SHARED, { value: 2, onExisting: "adopt" })];
    fine(await second.up(taken));
    fine(await first.up(platform, { refresh: true }));
    expect(shared.held()).toEqual(before);
    expect(fine(await second.preview(taken, { refresh: true })).steps).toEqual(["update flood"]);
  });

  it("lose what they add to a set that one of them owns alone", async () => {
    await using shared = await startTeams();
    const [owner, other] = [shared.stack(), shared.stack()];
    const whole = [set({ [OURS]: 1, [FOREIGN]: 7 })];
    fine(await owner.up(whole));
    fine(await other.up([single("scanner", OWN)]));
    fine(await owner.up(whole, { refresh: true }));
    expect(shared.held()).toEqual({ [OURS]: 1, [FOREIGN]: 7 });
  });
});
