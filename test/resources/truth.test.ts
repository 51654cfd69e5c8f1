import { describe, expect, it } from "vitest";
import type { Emulator } from "../../provider/emulator";
import { SAID_KEY } from "../../provider/engine/provider-text";
import { type Declared, MiniEngine, type Outcome } from "../failures/support/engine";
import { ProviderProcess } from "../failures/support/provider-process";
import { BLOCKED, entry, PARTNERS, set, signaling } from "../failures/support/scenarios";
import { stage } from "../failures/support/stage";
import { group, bench as groupBench } from "./support/group-bench";

const [A, B, C, D] = ["192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24", "192.0.0.0/29"] as const;
const PAST = "2020-01-01T00:00:00Z";

/** A node whose `blocked` and `partners` hold what others put there, and an engine with an empty state. */
async function bench(found: { blocked?: Record<string, number>; partners?: Record<string, number> } = {}) {
  const { emulator, config } = await stage();
  if (found.blocked) emulator.change(BLOCKED, { insert: found.blocked });
  if (found.partners) emulator.change(PARTNERS, { insert: found.partners });
  const engine = new MiniEngine(config);
  const up = async (...args: Parameters<MiniEngine["up"]>) => fine(await engine.up(...args));
  return { emulator, engine, up, [Symbol.asyncDispose]: () => emulator.close() };
}

function fine({ errors, printed }: Outcome): readonly string[] {
  expect(errors).toEqual([]);
  return printed;
}

const sent = (emulator: Emulator, from: number) => emulator.journal.slice(from).map(({ cmd, op }) => cmd ?? op);
const held = (emulator: Emulator, url = BLOCKED) => emulator.prefixSet(url).applied;
const created = (value = 1, more: Declared["args"] = {}): Declared => {
  const { args, ...rest } = entry("mine", A, value);
  return { ...rest, args: { ...args, onDestroy: "created", ...more } };
};

describe("an adopted set", () => {
  const found = Object.fromEntries(Array.from({ length: 45 }, (_, i) => [`10.0.${i}.0/24`, 1]));
  const adopting = set({ [A]: 1, [B]: 2 }, { onExisting: "adopt", maxRemovals: "100%" });
  const removes = /up removes 45 entries that the program does not declare/;

  it("has each entry that goes or changes named by previews and an up until done", async () => {
    await using stack = await bench({ blocked: { ...found, [B]: 9 } });
    await stack.up([adopting]);
    for (const look of ["preview", "preview", "up"] as const) {
      const { printed, steps } = await stack.engine[look]([adopting]);
      expect(steps).toEqual(["update blocked"]);
      const lines = printed.filter((line) => removes.test(line));
      expect(lines).toHaveLength(3);
      const named = lines.flatMap((line) => line.match(/\d+\.\d+\.\d+\.\d+\/\d+/g) ?? []);
      expect(named.sort()).toEqual(Object.keys(found).sort());
      expect(printed).toContainEqual(expect.stringMatching(/up changes 1 entry .*198\.51\.100\.0\/24 \(9 to 2\)/));
    }
    expect(held(stack.emulator)).toEqual({ [A]: 1, [B]: 2 });
    expect(await stack.up([adopting])).toEqual([]);
  });

  it("keeps what its former resource held until a preview has named it, and names nothing that another writer removed", async () => {
    await using stack = await bench();
    await stack.up([set({ [A]: 1, [B]: 1, [C]: 1, [D]: 1 }, {}, "old")]);
    const renamed = set({ [A]: 1, [B]: 2 }, { onExisting: "adopt", maxRemovals: "100%" });
    expect(await stack.up([renamed])).toContainEqual(
      expect.stringContaining(`4 entries stay, since another resource of this stack declares or has adopted them`),
    );
    expect(held(stack.emulator)).toEqual({ [A]: 1, [B]: 1, [C]: 1, [D]: 1 });
    stack.emulator.change(BLOCKED, { delete: [D] });
    expect((await stack.engine.preview([renamed])).printed).toEqual([
      expect.stringContaining(`up removes 1 entry that the program does not declare: ${C}`),
      expect.stringContaining(`${B} (1 to 2)`),
    ]);
    await stack.up([renamed]);
    expect(held(stack.emulator)).toEqual({ [A]: 1, [B]: 2 });
    expect(await stack.up([renamed])).toEqual([]);
  });

  it("at one node of a group keeps no entry at another node, which the preview removes", async () => {
    await using stack = await groupBench("n1", "n2");
    await stack.engine.up([group({ [A]: 1, [C]: 1 }, ["n2"])]);
    stack.node("n1").change(BLOCKED, { insert: { [A]: 1, [C]: 1 } });
    const { errors } = await stack.engine.up([group({ [A]: 1 }, ["n1", "n2"], { onExisting: "adopt" })]);
    expect(errors).toEqual([]);
    expect(["n1", "n2"].map((name) => held(stack.node(name)))).toEqual([{ [A]: 1, [C]: 1 }, { [A]: 1 }]);
  });

  it("with secret entries shows none of them in what is said or kept beside the entries", async () => {
    await using stack = await bench({ blocked: { [A]: 1, [B]: 9, [C]: 5 } });
    const hiding = set({ [A]: 1, [B]: 2 }, { onExisting: "adopt", __secret: ["entries"] });
    const said = [...(await stack.up([hiding])), ...(await stack.engine.preview([hiding])).printed];
    const { entries: _, notes: __, ...outputs } = stack.engine.state[0]?.outputs ?? {};
    for (const text of [...said, JSON.stringify(outputs)]) {
      expect(text).not.toContain(A);
      expect(text).not.toContain(B);
      expect(text).not.toContain("9 to 2");
    }
    expect(said).toContainEqual(
      expect.stringMatching(/up removes 1 entry that the program does not declare: \[secret\]/),
    );
  });
});

describe("an entry that was there", () => {
  it("with another value has its change named by every preview, until it is done", async () => {
    await using stack = await bench({ partners: { [A]: 9 } });
    const adopting = created(7, { onExisting: "adopt" });
    await stack.up([adopting]);
    const named = expect.stringMatching(/up gives 192\.0\.2\.0\/24 the value 7, not 9; the entry was adopted/);
    expect((await stack.engine.preview([adopting])).printed).toEqual([named]);
    expect(await stack.up([adopting])).toEqual([named]);
    expect(held(stack.emulator, PARTNERS)).toEqual({ [A]: 7 });
    expect(await stack.up([adopting])).toEqual([]);
  });

  it("is said once at create, and stays on destroy with onDestroy created, whatever happened in between", async () => {
    await using stack = await bench({ partners: { [A]: 1 } });
    const said = await stack.up([created()]);
    expect(said).toEqual([
      expect.stringMatching(
        /already there as declared, before this resource: 192\.0\.2\.0\/24\. .* a destroy leaves it/,
      ),
    ]);
    expect(await stack.up([created()], { refresh: true })).toEqual([]);
    stack.emulator.fail({ cmd: "commit", status: 503, times: 100 });
    const failed = await stack.engine.up([created(7)], { timing: { timeoutMs: 40, deadlineMs: 2_000 } });
    expect(failed.errors).toHaveLength(1);
    stack.emulator.clearFaults();
    await stack.up([created(7)]);
    expect(held(stack.emulator, PARTNERS)).toEqual({ [A]: 7 });
    expect(fine(await stack.engine.destroy())).toEqual([
      expect.stringMatching(/left 192\.0\.2\.0\/24, which was there before this resource/),
    ]);
    expect(held(stack.emulator, PARTNERS)).toEqual({ [A]: 7 });
  });

  it("goes on destroy by default, which create says; a state without the mark is the creator's", async () => {
    await using stack = await bench({ partners: { [A]: 1 } });
    expect(await stack.up([entry("mine", A)])).toEqual([
      expect.stringMatching(/destroy removes it with the rest; onDestroy: "created"/),
    ]);
    fine(await stack.engine.destroy());
    expect(held(stack.emulator, PARTNERS)).toEqual({});
    await stack.up([created()]);
    expect(stack.engine.state[0]?.outputs).not.toHaveProperty("existed");
    fine(await stack.engine.destroy());
    expect(held(stack.emulator, PARTNERS)).toEqual({});
  });
});

describe("a set with onDestroy: created", () => {
  const both = set({ [A]: 1, [B]: 1 }, { onDestroy: "created" });

  it("does not remove what a refresh found and the program then declared", async () => {
    await using stack = await bench();
    await stack.up([set({ [A]: 1 }, { onDestroy: "created" })]);
    stack.emulator.change(BLOCKED, { insert: { [B]: 1 } });
    await stack.up([both], { refresh: true });
    fine(await stack.engine.destroy());
    expect(held(stack.emulator)).toEqual({ [B]: 1 });
  });

  it("does not remove what an import found, by the id of its arguments", async () => {
    await using stack = await bench({ blocked: { [A]: 1 } });
    const imported = new ProviderProcess(stack.engine.config);
    const args = { arena: "edge", set: "blocked", entries: {} };
    await expect(imported.call("PrefixSet", "read", PARTNERS, args)).rejects.toThrow(`name ${BLOCKED}, and the id`);
    await expect(imported.call("PrefixSetEntry", "read", `${BLOCKED}#${B}`, { ...args, prefix: A })).rejects.toThrow(
      `name ${BLOCKED}#${A}, and the id`,
    );
    const spelled = await imported.call("PrefixSetEntry", "read", ` ${BLOCKED}#${A}`, { ...args, prefix: A });
    expect(spelled.props).toMatchObject({ prefix: A });
    const { inputs, props } = await imported.call("PrefixSet", "read", BLOCKED, args);
    stack.engine.state = [{ type: "PrefixSet", name: "blocked", id: BLOCKED, inputs: inputs ?? {}, outputs: props }];
    await stack.up([both]);
    fine(await stack.engine.destroy());
    expect(held(stack.emulator)).toEqual({ [A]: 1 });
  });

  it("keeps a mark of what existed where a limit leaves a removed entry there", async () => {
    const all = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`10.0.${i}.0/24`, 1]));
    await using stack = await bench({ blocked: all });
    const strict = new MiniEngine({ ...stack.engine.config, maxRemovals: 0 });
    fine(await strict.up([set({ ...all, [A]: 1 }, { onDestroy: "created" })]));
    stack.emulator.change(BLOCKED, { delete: [A] });
    const fewer = { ...Object.fromEntries(Object.entries(all).slice(25)), [A]: 1 };
    const { errors } = await strict.up([set(fewer, { onDestroy: "created", maxRemovals: "100%" })]);
    expect(errors.join()).toContain(`Restored: ${A}.`);
    fine(await strict.destroy());
    expect(held(stack.emulator)).toEqual(all);
  });

  it("does not remove an entry of another writer that a refused change declares", async () => {
    const all = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`10.0.${i}.0/24`, 1]));
    await using stack = await bench();
    const { emulator } = stack;
    const strict = new MiniEngine({ ...stack.engine.config, maxRemovals: 0 });
    const more = { onDestroy: "created", exclusive: false, maxRemovals: "100%" };
    fine(await strict.up([set({ ...all, [A]: 1 }, more)]));
    emulator.change(BLOCKED, { delete: [A], insert: { [C]: 1 } });
    const fewer = { ...Object.fromEntries(Object.entries(all).slice(25)), [A]: 1, [C]: 1 };
    const { errors } = await strict.up([set(fewer, more)]);
    expect(errors.join()).toContain(`Restored: ${A}`);
    stack.engine.state = strict.state;
    fine(await stack.engine.destroy());
    expect(held(emulator)).toEqual({ [C]: 1 });
  });

  /** An `up` of whose commits no answer arrives. */
  const unanswered = async ({ emulator, engine }: Awaited<ReturnType<typeof bench>>, program: Declared) => {
    emulator.fail({ cmd: "commit", kind: "lost-answer", times: 100 });
    const { errors } = await engine.up([program], { timing: { timeoutMs: 40, deadlineMs: 2_000 } });
    emulator.clearFaults();
    return errors;
  };

  it("removes its own insert that a refresh found without a known result", async () => {
    await using stack = await bench();
    await stack.up([set({ [A]: 1 }, { onDestroy: "created" })]);
    expect(await unanswered(stack, both)).toHaveLength(1);
    await stack.up([both], { refresh: true });
    fine(await stack.engine.destroy());
    expect(held(stack.emulator)).toEqual({});
  });

  it("removes an entry that it once found there, removed, and inserted anew", async () => {
    await using stack = await bench({ blocked: { [A]: 1 } });
    await stack.up([both]);
    expect(await unanswered(stack, set({ [B]: 1 }, { onDestroy: "created" }))).toHaveLength(1);
    expect(held(stack.emulator)).toEqual({ [B]: 1 });
    await stack.up([both]);
    fine(await stack.engine.destroy());
    expect(held(stack.emulator)).toEqual({});
  });
});

it.each([
  { refresh: false, isGone: false },
  { refresh: true, isGone: false },
  { refresh: false, isGone: true },
])(
  "a resource of a renamed node does not own what was there before (refresh: $refresh, old name gone: $isGone)",
  async ({ refresh, isGone }) => {
    await using stack = await bench({ blocked: { [A]: 1 }, partners: { [A]: 1 } });
    const { emulator, engine } = stack;
    const { endpoint } = emulator;
    const named = new MiniEngine({ ...engine.config, nodes: { n1: { endpoint }, m1: { endpoint } } });
    const program = (node: string) => [set({ [A]: 1, [B]: 1 }, { node, onDestroy: "created" }), created(1, { node })];
    fine(await named.up(program("n1")));
    const later = new MiniEngine({
      ...engine.config,
      nodes: { ...(!isGone && { n1: { endpoint } }), m1: { endpoint } },
    });
    later.state = named.state;
    const renamed = await later.up(program("m1"), { refresh });
    expect(renamed.steps).toEqual(expect.arrayContaining(["replace blocked", "replace mine"]));
    fine(await later.destroy());
    expect([held(emulator), held(emulator, PARTNERS)]).toEqual([{ [A]: 1 }, { [A]: 1 }]);
  },
);

it("an entry that moves to a resource that is updated stays what was there before", async () => {
  await using stack = await bench({ partners: { [A]: 1 } });
  const partners = (entries: object) => set(entries, { set: "partners", exclusive: false, onDestroy: "created" });
  await stack.up([partners({ [B]: 1 }), created()]);
  await stack.up([partners({ [A]: 1, [B]: 1 })], { refresh: true });
  fine(await stack.engine.destroy());
  expect(held(stack.emulator, PARTNERS)).toEqual({ [A]: 1 });
});

it("an entry that another writer changed after the look is left, and named as for a set", async () => {
  await using stack = await bench();
  const { emulator, engine, up } = stack;
  const [first, second] = [entry("first", A), entry("second", B)];
  await up([first]);
  emulator.change(PARTNERS, { insert: { [A]: 5 } });
  const process = new ProviderProcess(engine.config);
  const { id, inputs: before, outputs: state } = engine.state[0] as (typeof engine.state)[number];
  const { inputs } = await process.call("PrefixSetEntry", "check", before, first.args);
  await process.call("PrefixSetEntry", "diff", id, state, inputs);
  // A write of another resource uses up the list of the look.
  await process.call(
    "PrefixSetEntry",
    "create",
    (await process.call("PrefixSetEntry", "check", {}, second.args)).inputs,
  );
  emulator.change(PARTNERS, { insert: { [A]: 6 } });
  await process.call("PrefixSetEntry", "update", id, state, inputs);
  expect(process.printed.at(-1)).toContain(`left other values of ${A}. "pulumi preview --refresh" shows them`);
  expect(held(emulator, PARTNERS)).toEqual({ [A]: 6, [B]: 1 });
});

describe.each(["PrefixSet", "PrefixSetGroup"])("a %s that shares its set from now on", (type) => {
  const many = Array.from({ length: 60 }, (_, host) => `10.0.0.${host}/32`);
  it.each([
    ["a refresh found", {}, [C]],
    ["a refresh found, also more than it may remove", {}, many],
    ["it adopted", { onExisting: "adopt" }, [C]],
  ])("leaves the entries of others that %s, and removes its own", async (_, more: object, others) => {
    await using stack = await bench();
    Object.assign(stack.engine.config, { nodes: { n1: { endpoint: stack.emulator.endpoint } } });
    const program = (entries: string[], args: object = {}) => {
      const at = type === "PrefixSet" ? { node: "n1" } : { nodes: ["n1"] };
      return [{ ...set(entries, { ...at, ...more, ...args }), type } as Declared];
    };
    const put = () => stack.emulator.change(BLOCKED, { insert: Object.fromEntries(others.map((one) => [one, 1])) });
    if ("onExisting" in more) put();
    await stack.up(program([A, B]));
    put();
    if (!("onExisting" in more)) fine(await stack.engine.refresh());
    const shared = program([A], { exclusive: false });
    expect(fine(await stack.engine.preview(shared)).join()).not.toMatch(`would fail|${others[0]}`);
    await stack.up(shared);
    expect(Object.keys(held(stack.emulator)).sort()).toEqual([...others, A].sort());
  });
});

describe("a set that becomes exclusive", () => {
  it("names every entry of others, and sends nothing but a list", async () => {
    await using stack = await bench({ blocked: { [B]: 1, [C]: 1 } });
    await stack.up([set([A], { exclusive: false })]);
    expect(stack.engine.state[0]?.outputs).toMatchObject({ count: 1 });
    const start = stack.emulator.journal.length;
    const said = await stack.up([set([A], { exclusive: true })]);
    expect(said).toEqual([
      expect.stringMatching(
        /^warning: .* holds 2 undeclared entries \(198\.51\.100\.0\/24, 203\.0\.113\.0\/24\): they stay, of others or possibly .*--refresh/,
      ),
    ]);
    expect(sent(stack.emulator, start)).toEqual(["list"]);
  });
});

describe("a preview", () => {
  it("fails where the up would, and says how it goes without this look", async () => {
    await using stack = await bench({ blocked: { [C]: 3 } });
    const { args, ...declared } = set({ [A]: 1 });
    const { errors } = await stack.engine.preview([{ ...declared, args: { ...args, [SAID_KEY]: { decides: true } } }]);
    expect(errors.map(({ message }) => message)).toEqual([
      expect.stringMatching(
        /up would fail\. .*already holds 1 entry not declared here: 203\.0\.113\.0\/24\..*Without this look: packetfilter:detectDrift .off.\.$/,
      ),
    ]);
  });

  it("names the first five entries that a set lacks, each of a resource of its own, and says once that there are more", async () => {
    await using stack = await bench();
    const prefixes = [1, 2, 3, 4, 5, 6, 7].map((host) => `192.0.2.${host}/32`);
    const program = prefixes.map((prefix) => entry(prefix, prefix));
    await stack.up(program);
    stack.emulator.change(PARTNERS, { delete: prefixes });
    for (const [refresh, one, more] of [
      [false, "lacks 1 declared entry", "lacks more declared entries: each is an update of this plan, with restores."],
      [true, "the next up creates it again", "lacked more declared entries: each is created again by the next up."],
    ] as const) {
      const { printed } = await stack.engine.preview(program, { refresh });
      expect(printed.filter((line) => line.includes(one))).toHaveLength(5);
      expect(printed.filter((line) => line.includes(more))).toHaveLength(1);
    }
  });
});

describe("an entry that has expired", () => {
  const late = (value = 1) => ({ value, expires: PAST });

  it("is named by each run, until the program drops it", async () => {
    await using stack = await bench();
    const expired = /warning: .*expired, not wanted: 203\.0\.113\.0\/24 \(2020-01-01T00:00:00Z\)/;
    const program = [set({ [A]: 1, [C]: late() })];
    expect(await stack.up(program)).toContainEqual(expect.stringMatching(expired));
    expect(await stack.up(program)).toContainEqual(expect.stringMatching(expired));
    expect(await stack.up([set({ [A]: 1, [B]: late(), [C]: late() })])).toEqual([
      expect.stringMatching(/expired, not wanted: 198\.51\.100\.0\/24 \(2020.*, 203\.0\.113\.0\/24 \(2020/),
    ]);
    expect(await stack.up([set({ [A]: 1 })])).toEqual([]);
    expect(held(stack.emulator)).toEqual({ [A]: 1 });
  });

  it("is counted and named in the plan that removes it", async () => {
    await using stack = await bench();
    await stack.up([set({ [A]: 1, [B]: 1, [C]: 1 })]);
    const { printed } = await stack.engine.preview([set({ [A]: 1, [C]: late() })]);
    expect(printed).toEqual([expect.stringContaining("+0 -2 (expired: 203.0.113.0/24) ~0, 1 after")]);
    await stack.up([set({ [A]: 1, [C]: late() })]);
    expect(held(stack.emulator)).toEqual({ [A]: 1 });
    expect(await stack.up([set({ [A]: 1, [C]: late() })])).toEqual([expect.stringContaining("expired, not wanted")]);
  });

  it("and stands by itself is named by each run, and when it goes", async () => {
    await using stack = await bench();
    const single = (more: Declared["args"]): Declared => ({ ...created(), args: { ...created().args, ...more } });
    const program = [single({ expires: PAST })];
    for (let run = 0; run < 2; run++) {
      expect(await stack.up(program)).toEqual([
        expect.stringMatching(/192\.0\.2\.0\/24 has expired .*: it is not wanted/),
      ]);
    }
    await stack.up([single({})]);
    const { printed } = await stack.engine.preview(program);
    expect(printed).toEqual([expect.stringMatching(/192\.0\.2\.0\/24 has expired .*: it is removed/)]);
  });
});

describe("a signaling", () => {
  const [X, Y, Z] = ["198.51.100.7/32", "198.51.100.8/32", "198.51.100.9/32"] as const;
  const active = (emulator: Emulator) => emulator.signalings["client-a"];

  it("that was active is said at create, and named by the destroy that leaves it", async () => {
    await using stack = await bench();
    await stack.up([signaling([X], "first")]);
    const first = stack.engine.state;
    stack.engine.state = [];
    expect(await stack.up([signaling([X, Y])])).toEqual([
      expect.stringMatching(
        /active before this resource: 198\.51\.100\.7\/32\. A destroy of this resource leaves it active/,
      ),
    ]);
    expect(fine(await stack.engine.destroy())).toEqual([
      expect.stringMatching(/left as it was \(this resource did not start it\): 198\.51\.100\.7\/32/),
    ]);
    expect(active(stack.emulator)).toEqual([X]);
    stack.engine.state = first;
  });

  it("that is renamed without an alias warns in that run", async () => {
    await using stack = await bench();
    await stack.up([signaling([X])]);
    const said = await stack.up([signaling([X], "renamed")]);
    expect(said).toContainEqual(
      expect.stringMatching(
        /^warning: .*198\.51\.100\.7\/32 stays active, since another resource .* leaves what it does not own.*alias.*--refresh/,
      ),
    );
    expect(fine(await stack.engine.destroy())).toContainEqual(
      expect.stringMatching(/left as it was.*198\.51\.100\.7\/32/),
    );
  });

  it("whose status fails is started and stopped all the same, and the run says what it did not see", async () => {
    await using stack = await bench();
    stack.emulator.fail({ op: "status", status: 500, times: 1_000 });
    const unknown = (what: string) => expect.stringMatching(new RegExp(`^warning: .*the ${what}: .*HTTP 500`));
    const timing = { timeoutMs: 800, deadlineMs: 1_000 };
    expect(await stack.up([signaling([X])], { timing })).toContainEqual(
      unknown("start of 198.51.100.7/32 was sent and answered; it is unknown whether it is active"),
    );
    expect(active(stack.emulator)).toEqual([X]);
    expect(fine(await stack.engine.destroy({ timing }))).toContainEqual(
      unknown("stop of 198.51.100.7/32 was sent and answered; it is unknown whether it is stopped"),
    );
    expect(active(stack.emulator) ?? []).toEqual([]);
  });

  it("of several prefixes, one not the client's, starts the others, names it, and converges", async () => {
    await using stack = await bench();
    await stack.up([signaling([Z])]);
    const start = stack.emulator.journal.length;
    const { errors } = await stack.engine.up([signaling([X, Y, "203.0.113.9"])]);
    expect(errors.map(({ message }) => message)).toEqual([
      expect.stringMatching(
        /1 of 3 prefixes are not active \(203\.0\.113\.9\/32\).*ip_prefix invalid.*Correct it, remove it from the program/,
      ),
    ]);
    expect(active(stack.emulator)).toEqual([X, Y, Z]);
    expect(sent(stack.emulator, start)).not.toContain("stop");
    expect(stack.engine.state[0]?.outputs).toMatchObject({ prefixes: [X, Y, Z], started: [X, Y, Z] });
    await stack.up([signaling([X, Y])]);
    expect(active(stack.emulator)).toEqual([X, Y]);
    fine(await stack.engine.destroy());
    expect(active(stack.emulator) ?? []).toEqual([]);
  });
});
