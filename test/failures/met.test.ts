import { describe, expect, it } from "vitest";
import type { Emulator } from "../../provider/emulator";
import { startOnOwnPort } from "../support/ports";
import { type Declared, MiniEngine } from "./support/engine";
import { type Config, ProviderProcess } from "./support/provider-process";
import { BLOCKED, entry, NODE, PARTNERS, set } from "./support/scenarios";

/** Entries that another team has put where a program adds them: an update does with them what a create does. */
const [P, R, S] = ["192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24"];
const QUICK = { commitCoalesceMs: 0, deadlineMs: 2_000, timeoutMs: 500 };
const node = () => startOnOwnPort({ state: NODE });
const blocked = (emulator: Emulator) => emulator.prefixSet(BLOCKED).applied;
const texts = (errors: readonly Error[]) => errors.map(({ message }) => message).join("\n");
/** Lines about what was met, and not about the plan. */
const lines = (printed: readonly string[]) => printed.filter((line) => /^(warning: )?(Set |up )/.test(line));

const UNLESS = "unless a resource that stays in this program gives up what is in the way";
const VALUE_REMEDY =
  'Declare it as the node has it, or take it over with onExisting: "adopt" (it is not removed or changed before a preview has shown it)';
const THERE = `1 entry was already there as declared, before this resource: ${S}. It will belong to this resource, and a destroy removes it with the rest; onDestroy: "created" leaves it.`;

/** A stack with one entry in a set, to which another team adds some before its next run. */
async function beside(
  program: readonly Declared[],
  inserted: Readonly<Record<string, number>>,
  emulator: Emulator,
  url = BLOCKED,
): Promise<MiniEngine> {
  const engine = new MiniEngine({ node: QUICK, endpoint: emulator.endpoint });
  expect(texts((await engine.up(program)).errors)).toBe("");
  emulator.change(url, { insert: inserted });
  return engine;
}

describe.each([false, true])("an update of a set, exclusive: %s", (exclusive) => {
  const of = (entries: Readonly<Record<string, number>>, more = {}) => [set(entries, { exclusive, ...more })];
  const where = (emulator: Emulator) => `Set ${BLOCKED} on ${emulator.endpoint}`;
  const orRefresh = exclusive ? ', or by "pulumi up --refresh", whose preview shows it.' : ".";

  it("leaves another value of an entry that it adds, and fails; the preview says so", async () => {
    await using emulator = await node();
    const engine = await beside(of({ [P]: 1 }), { [R]: 9, [S]: 1 }, emulator);
    const wider = of({ [P]: 1, [R]: 1, [S]: 1 });
    const refusal = `${where(emulator)}: nothing was sent. It already holds other values of ${R} (9). ${VALUE_REMEDY}${orRefresh}`;
    const preview = await engine.preview(wider);
    expect(texts(preview.errors)).toBe("");
    expect(preview.printed).toContain(`warning: up would fail, ${UNLESS}. ${refusal}`);
    const up = await engine.up(wider);
    expect(texts(up.errors)).toContain(refusal);
    expect(blocked(emulator)).toEqual({ [P]: 1, [R]: 9, [S]: 1 });
    expect(engine.state[0]?.outputs.entries).toEqual({ [P]: 1 });
  });

  it("restores what is lost all the same, and takes nothing of the other value into its state", async () => {
    await using emulator = await node();
    const engine = await beside(of({ [P]: 1 }), { [R]: 9 }, emulator);
    emulator.change(BLOCKED, { delete: [P] });
    const up = await engine.up(of({ [P]: 1, [R]: 1 }));
    expect(texts(up.errors)).toContain(`only lost entries are restored. It already holds other values of ${R} (9).`);
    expect(blocked(emulator)).toEqual({ [P]: 1, [R]: 9 });
    expect(engine.state[0]?.outputs.entries).toEqual({ [P]: 1 });
    expect(texts((await engine.destroy()).errors)).toBe("");
    expect(blocked(emulator)).toEqual({ [R]: 9 });
  });

  it("names entries that a refused update takes into its state", async () => {
    await using emulator = await node();
    const engine = await beside(of({ [P]: 1 }), { [R]: 9, [S]: 1 }, emulator);
    emulator.change(BLOCKED, { delete: [P] });
    const wider = of({ [P]: 1, [R]: 1, [S]: 1 });
    expect((await engine.preview(wider)).printed).toContain(`${where(emulator)}: ${THERE}`);
    const blind = new MiniEngine({ ...engine.config, detectDrift: "off" });
    blind.state = engine.state;
    const { errors, printed } = await blind.up(wider);
    expect(texts(errors)).toContain("only lost entries are restored.");
    expect(printed.join()).toContain(`before this resource: ${S}. It belongs to this resource now`);
    expect(blind.state[0]?.outputs.entries).toEqual({ [P]: 1, [S]: 1 });
  });

  it("adopts another value with onExisting, and the run after it changes it: each preview says so", async () => {
    await using emulator = await node();
    const adopt = { onExisting: "adopt" };
    const engine = await beside(of({ [P]: 1 }, adopt), { [R]: 9 }, emulator);
    const wider = of({ [P]: 1, [R]: 1 }, adopt);
    const adopts = `warning: ${where(emulator)}: up adopts 1 entry that the program does not declare with this value: ${R}. This up does not change it; the next one does what the program says.`;
    expect(lines((await engine.preview(wider)).printed)).toEqual([adopts]);
    const up = await engine.up(wider);
    expect(texts(up.errors)).toBe("");
    expect(lines(up.printed)).toEqual([
      adopts,
      `warning: ${where(emulator)}: adopted 1 entry that the program does not declare with this value: ${R}. It was not changed; the next "pulumi up" does what the program says, and its preview names it.`,
    ]);
    expect(blocked(emulator)).toEqual({ [P]: 1, [R]: 9 });
    expect(lines((await engine.preview(wider)).printed)).toEqual([
      `${where(emulator)}: up changes 1 entry that the program does not declare with this value: ${R} (9 to 1).`,
    ]);
    expect(texts((await engine.up(wider)).errors)).toBe("");
    expect(blocked(emulator)).toEqual({ [P]: 1, [R]: 1 });
  });

  it("names an entry that is there as declared, and leaves it with onDestroy", async () => {
    await using emulator = await node();
    const created = { onDestroy: "created" };
    const engine = await beside(of({ [P]: 1 }), { [S]: 1 }, emulator);
    expect(lines((await engine.preview(of({ [P]: 1, [S]: 1 }))).printed)).toEqual([`${where(emulator)}: ${THERE}`]);
    const up = await engine.up(of({ [P]: 1, [S]: 1 }, created));
    expect(texts(up.errors)).toBe("");
    expect(lines(up.printed).join()).toContain(`1 entry was already there as declared, before this resource: ${S}.`);
    expect(texts((await engine.destroy()).errors)).toBe("");
    expect(blocked(emulator)).toEqual({ [S]: 1 });
  });
});

it("a refused update, which restores what is lost, names no change of a value of block --now", async () => {
  await using emulator = await node();
  const engine = await beside([set({ [P]: 1 })], { [R]: 1, [S]: 9 }, emulator);
  emulator.change(BLOCKED, { delete: [P] });
  const sent = { value: 5, sent: `1 ${BLOCKED} ${emulator.endpoint}` };
  const wider = [set({ [P]: 1, [R]: sent, [S]: 1 }, { __said: { decides: true } })];
  expect((await engine.preview(wider)).printed.join()).not.toContain("up changes");
  const up = await engine.up(wider);
  expect(texts(up.errors)).toContain("only lost entries are restored.");
  expect(up.printed.join()).not.toContain("up changes");
  expect(blocked(emulator)).toEqual({ [P]: 1, [R]: 1, [S]: 9 });
});

it("an update without a look names what it meets when it meets it", async () => {
  await using emulator = await node();
  const engine = await beside([set({ [P]: 1 })], { [S]: 1 }, emulator);
  const blind = new MiniEngine({ ...engine.config, detectDrift: "off" });
  blind.state = engine.state;
  expect(lines((await blind.preview([set({ [P]: 1, [S]: 1 })])).printed)).toEqual([]);
  const { errors, printed } = await blind.up([set({ [P]: 1, [S]: 1 })]);
  expect(texts(errors)).toBe("");
  expect(lines(printed).join()).toContain(
    `1 entry was already there as declared, before this resource: ${S}. It belongs`,
  );
});

describe("an entry of its own after its time", () => {
  const over = { expires: "2020-01-01T00:00:00Z" };
  const single = (more: object): Declared[] => {
    const one = entry("single", R);
    return [{ ...one, args: { ...one.args, ...more } }];
  };
  const partners = (emulator: Emulator) => emulator.prefixSet(PARTNERS).applied;

  it.each([1, 9])("leaves what another team puts there, with the value %d, whatever refreshes", async (value) => {
    await using emulator = await node();
    const engine = await beside(single({}), {}, emulator);
    expect(texts((await engine.up(single(over))).errors)).toBe("");
    expect(partners(emulator)).toEqual({});
    emulator.change(PARTNERS, { insert: { [R]: value } });
    const again = await engine.up(single(over), { refresh: true });
    expect([texts(again.errors), again.steps]).toEqual(["", []]);
    await engine.refresh();
    expect(texts((await engine.up([])).errors)).toBe("");
    expect([partners(emulator), engine.state]).toEqual([{ [R]: value }, []]);
  });

  it("leaves another value and fails if it is wanted again; the preview says so", async () => {
    await using emulator = await node();
    const engine = await beside(single(over), { [R]: 9 }, emulator, PARTNERS);
    const refusal = `Set ${PARTNERS} on ${emulator.endpoint} already holds ${R} with the value 9, not 1. Nothing was sent.`;
    const preview = await engine.preview(single({}));
    expect([texts(preview.errors), preview.printed.join()]).toEqual(["", expect.stringContaining(refusal)]);
    expect(texts((await engine.up(single({}))).errors)).toContain(refusal);
    expect(partners(emulator)).toEqual({ [R]: 9 });
  });

  it("adopts it with onExisting, and the run after it changes it", async () => {
    await using emulator = await node();
    const engine = await beside(single(over), { [R]: 9 }, emulator, PARTNERS);
    const adopt = single({ onExisting: "adopt" });
    expect((await engine.preview(adopt)).printed.join()).toContain("up adopts 1 entry");
    const up = await engine.up(adopt);
    expect([texts(up.errors), up.printed.join()]).toEqual([
      "",
      expect.stringContaining(`adopted ${R} with the value 9`),
    ]);
    expect(partners(emulator)).toEqual({ [R]: 9 });
    expect(texts((await engine.up(adopt)).errors)).toBe("");
    expect(partners(emulator)).toEqual({ [R]: 1 });
  });

  it("names one that is there as declared", async () => {
    await using emulator = await node();
    const engine = await beside(single(over), { [R]: 1 }, emulator, PARTNERS);
    for (const run of [await engine.preview(single({})), await engine.up(single({}))])
      expect([texts(run.errors), run.printed.join()]).toEqual([
        "",
        expect.stringContaining(`before this resource: ${R}. It will belong to this resource, and a destroy`),
      ]);
  });
});

describe("a group", () => {
  const nodesOf = (all: Readonly<Record<string, Emulator>>) => ({
    nodes: Object.fromEntries(Object.entries(all).map(([name, { endpoint }]) => [name, { ...QUICK, endpoint }])),
  });
  const group = (entries: Readonly<Record<string, number>>, nodes: readonly string[], more = {}): Declared[] => [
    { type: "PrefixSetGroup", name: "group", args: { arena: "edge", set: "blocked", entries, nodes, ...more } },
  ];

  it("does so at each node, in one line for all of them", async () => {
    await using fra1 = await node();
    await using ams1 = await node();
    const engine = new MiniEngine(nodesOf({ fra1, ams1 }));
    expect(texts((await engine.up(group({ [P]: 1 }, ["fra1", "ams1"]))).errors)).toBe("");
    for (const one of [fra1, ams1]) one.change(BLOCKED, { insert: { [S]: 1 } });
    fra1.change(BLOCKED, { insert: { [R]: 9 } });
    const wider = group({ [P]: 1, [R]: 1, [S]: 1 }, ["fra1", "ams1"]);
    const said = (await engine.preview(wider)).printed.join("\n");
    expect(said).toContain(`Set ${BLOCKED} on ams1: ${THERE}`);
    expect(said).toContain(
      `up would fail, ${UNLESS}. Set ${BLOCKED} on fra1: nothing was sent. It already holds other values of ${R}`,
    );
    expect(texts((await engine.up(wider)).errors)).toContain(`It already holds other values of ${R} (9).`);
    expect([blocked(fra1), blocked(ams1)]).toEqual([
      { [P]: 1, [R]: 9, [S]: 1 },
      { [P]: 1, [R]: 1, [S]: 1 },
    ]);
  });

  it("passes no wave with values that it adopts: the next run changes them first", async () => {
    await using fra1 = await node();
    await using ams1 = await node();
    const engine = new MiniEngine(nodesOf({ fra1, ams1 }));
    const more = { onExisting: "adopt", rollout: { waves: [["fra1"], ["ams1"]] } };
    const of = (entries: Readonly<Record<string, number>>) => group(entries, ["fra1", "ams1"], more);
    expect(texts((await engine.up(of({ [P]: 1 }))).errors)).toBe("");
    fra1.change(BLOCKED, { insert: { [R]: 9 } });
    const wider = of({ [P]: 1, [R]: 1 });
    expect(texts((await engine.up(wider)).errors)).toContain(`other values of ${R} were adopted`);
    expect([blocked(fra1), blocked(ams1)]).toEqual([{ [P]: 1, [R]: 9 }, { [P]: 1 }]);
    expect((await engine.preview(wider)).printed.join("\n")).toContain(`${R} (9 to 1)`);
    expect(texts((await engine.up(wider)).errors)).toBe("");
    expect([blocked(fra1), blocked(ams1)]).toEqual([
      { [P]: 1, [R]: 1 },
      { [P]: 1, [R]: 1 },
    ]);
  });

  it("tries a node that joins in the preview, as a create does", async () => {
    await using fra1 = await node();
    await using ams1 = await node();
    ams1.change(BLOCKED, { insert: { [R]: 9 } });
    const engine = new MiniEngine(nodesOf({ fra1, ams1 }));
    expect(texts((await engine.up(group({ [P]: 1 }, ["fra1"]))).errors)).toBe("");
    const both = group({ [P]: 1 }, ["fra1", "ams1"]);
    const refusal = `Set ${BLOCKED} on ams1 already holds 1 entry not declared here: ${R}. Nothing was sent.`;
    expect((await engine.preview(both)).printed.join("\n")).toContain(`warning: up would fail, ${UNLESS}. ${refusal}`);
    expect(texts((await engine.up(both)).errors)).toContain(refusal);
    const adopt = await engine.preview(group({ [P]: 1 }, ["fra1", "ams1"], { onExisting: "adopt" }));
    expect(adopt.printed.join("\n")).toContain(`Set ${BLOCKED} on ams1: up adopts 1 entry`);
  });
});

it("an update at another address names the values that it changes there", async () => {
  await using emulator = await node();
  await using other = await node();
  other.change(BLOCKED, { insert: { [P]: 9 } });
  const engine = await beside([set({ [P]: 1 })], {}, emulator);
  const moved = new MiniEngine({ node: QUICK, endpoint: other.endpoint });
  moved.state = engine.state;
  const changes = `Set ${BLOCKED} on ${other.endpoint}: up changes 1 entry that the program does not declare with this value: ${P} (9 to 1).`;
  expect((await moved.preview([set({ [P]: 1 })])).printed).toContain(changes);
  const up = await moved.up([set({ [P]: 1 })]);
  expect([texts(up.errors), up.printed.filter((line) => line === changes)]).toEqual(["", [changes]]);
  expect(blocked(other)).toEqual({ [P]: 1 });
});

describe("an update at another address removes no entry that a failed update may have left at the old one", () => {
  it.each<[string, (more: object) => Declared]>([
    ["a set", (more) => set({ [P]: 1, ...more })],
    ["an entry of its own", (more) => ({ ...entry("single", R), args: { ...entry("single", R).args, ...more } })],
  ])("%s", async (what, one) => {
    await using emulator = await node();
    await using other = await node();
    const [url, before, more, after] =
      what === "a set"
        ? [BLOCKED, {}, { [R]: 1 }, {}]
        : [PARTNERS, { expires: "2020-01-01T00:00:00Z" }, {}, { expires: "2020-01-01T00:00:00Z" }];
    const engine = await beside([one(before)], {}, emulator, url);
    emulator.fail({ cmd: "commit", every: 1, status: 500 });
    expect((await engine.up([one(more)])).errors).toHaveLength(1);
    expect(engine.state[0]?.outputs.unsettled).toEqual([R]);
    other.change(url, { insert: { [R]: 1 } });
    const moved = new MiniEngine({ node: QUICK, endpoint: other.endpoint });
    moved.state = engine.state;
    expect(texts((await moved.up([one(after)])).errors)).toBe("");
    expect(other.prefixSet(url).applied[R]).toBe(1);
  });
});

it("an update at another address names the undeclared entries that it leaves there", async () => {
  await using emulator = await node();
  await using other = await node();
  other.change(BLOCKED, { insert: { [R]: 1 } });
  const engine = await beside([set({ [P]: 1 })], {}, emulator);
  const moved = new MiniEngine({ node: QUICK, endpoint: other.endpoint });
  moved.state = engine.state;
  const { errors, printed } = await moved.up([set({ [P]: 1 })]);
  expect(texts(errors)).toBe("");
  expect(printed.join("\n")).toContain(
    `Set ${BLOCKED} on ${other.endpoint}: left entries that the program does not declare: ${R}.`,
  );
  expect(blocked(other)).toEqual({ [P]: 1, [R]: 1 });
});

it("an update of an entry at another address, without a look, names the value that it changes there", async () => {
  await using emulator = await node();
  await using other = await node();
  other.change(PARTNERS, { insert: { [R]: 9 } });
  const engine = await beside([entry("single", R)], {}, emulator);
  const moved = new MiniEngine({ node: QUICK, endpoint: other.endpoint, detectDrift: "off" });
  moved.state = engine.state;
  const { errors, printed } = await moved.up([entry("single", R)]);
  expect(texts(errors)).toBe("");
  expect(printed.join("\n")).toContain(
    `Set ${PARTNERS} on ${other.endpoint}: up changes 1 entry that the program does not declare with this value: ${R} (9 to 1).`,
  );
  expect(other.prefixSet(PARTNERS).applied).toEqual({ [R]: 1 });
});

it("Ctrl-C during the restore of a refused update sends nothing further", async () => {
  await using emulator = await node();
  const engine = await beside([set({ [P]: 1 })], { [R]: 9 }, emulator);
  emulator.change(BLOCKED, { delete: [P] });
  emulator.clearJournal();
  const running: ProviderProcess[] = [];
  const start = async (config: Config) => {
    const process = new ProviderProcess(config);
    running.push(process);
    return process;
  };
  void emulator.waitForRequest({ cmd: "commit" }).then(() => running.at(-1)?.runtime.cancel());
  const up = await engine.up([set({ [P]: 1, [R]: 1 })], { start });
  expect(texts(up.errors)).toContain("only lost entries are restored.");
  const sent = emulator.journal.map(({ cmd }) => cmd);
  // Its own list of the result.
  expect(sent.slice(sent.indexOf("commit") + 1)).toEqual(["list"]);
});

it("an entry that another resource gives up in the same up is in the way of no update, a lost entry or not", async () => {
  for (const isLost of [false, true]) {
    await using emulator = await node();
    const part = (name: string, entries: object) => set(entries, { exclusive: false }, name);
    const engine = new MiniEngine({ node: QUICK, endpoint: emulator.endpoint });
    expect(texts((await engine.up([part("b", { [R]: 1 }), part("a", { [P]: 1, [S]: 1 })])).errors)).toBe("");
    if (isLost) emulator.change(BLOCKED, { delete: [R] });
    const next = [part("b", { [R]: 1, [P]: 2 }), part("a", { [S]: 1 })];
    expect((await engine.preview(next)).printed.join("\n")).toContain(`up would fail, ${UNLESS}. Set`);
    expect(texts((await engine.up(next)).errors)).toBe("");
    expect(blocked(emulator)).toEqual({ [R]: 1, [P]: 2, [S]: 1 });
  }
});
