import { spawnSync } from "node:child_process";
import diagnostics from "node:diagnostics_channel";
import { readdirSync, rmSync, statSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { ProcessFiles } from "../../provider/deployment/process-files";
import { cancelWithEngine } from "../../provider/deployment/provider-process";
import { SentFiles } from "../../provider/deployment/sent-files";
import type { DialectSettings } from "../../provider/emulator";
import { fapi } from "../emulator/calls";
import { type Declared, MiniEngine } from "../failures/support/engine";
import { HurriedWorld } from "../failures/support/hurried-world";
import { type Config, ProviderProcess } from "../failures/support/provider-process";
import { BLOCKED, entry, set, signaling } from "../failures/support/scenarios";
import { stage } from "../failures/support/stage";
import { heldBy } from "../failures/support/truth";
import { useEmptyFolder } from "../support/folder";
import { startHealth } from "../support/health";
import { group, bench as groupBench, URL } from "./support/group-bench";

const [A, B, C] = ["192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24"] as const;
const [X, Y, Z] = ["198.51.100.7/32", "198.51.100.8/32", "198.51.100.9/32"] as const;
const fine = { errors: [] };

async function bench(settings: DialectSettings = {}, more: Record<string, unknown> = {}) {
  const { emulator, config } = await stage(settings);
  const engine = new MiniEngine({ ...config, ...more });
  const held = () => emulator.prefixSet(BLOCKED).applied;
  return { emulator, engine, held, [Symbol.asyncDispose]: () => emulator.close() };
}

describe("a group with waves", () => {
  const FLEET = ["n1", "n2", "n3", "n4", "n5"];
  const WAVES = [["n1"], ["n2", "n3"], ["n4", "n5"]];
  const [OLD, NEW] = [{ [A]: 1, [B]: 1 }, { [A]: 1, [B]: 1, [C]: 1 }, { [A]: 1 }];

  /** A group that holds the old entries everywhere, and an `up` or preview of others. */
  async function fleet(more: object = {}) {
    const stack = await groupBench(...FLEET);
    const doctor = await startHealth();
    const rollout = { waves: WAVES, check: { url: doctor.url }, checkTimeoutMs: 1_000, ...more };
    const program = (entries: object, args: object = {}) => [group(entries, FLEET, { rollout, ...args })];
    const text = ({ errors }: { errors: readonly Error[] }) => errors.map(({ message }) => message).join("\n");
    const up = async (entries: object, { args = {}, ...options }: UpOptions = {}) => {
      const outcome = await stack.engine.up(program(entries, args), options);
      return { error: text(outcome), printed: outcome.printed.join("\n") };
    };
    const preview = async (entries: object) => (await stack.engine.preview(program(entries))).printed.join("\n");
    expect((await up(OLD)).error).toBe("");
    doctor.asked();
    stack.asked();
    return {
      ...{ ...stack, doctor, up, preview },
      [Symbol.asyncDispose]: async () => {
        await doctor[Symbol.asyncDispose]();
        await stack[Symbol.asyncDispose]();
      },
    };
  }
  type UpOptions = NonNullable<Parameters<MiniEngine["up"]>[1]> & { args?: object };

  it("takes a mistake back at every node that has it, healthy ones first, and is red until they pass", async () => {
    await using waves = await fleet();
    waves.doctor.ill.set("n3", 503);
    expect((await waves.up(NEW)).error).toContain("wave 2 of 3 (n3) did not pass: ");
    const seen = await waves.preview(OLD);
    expect(seen).toContain("n1, n2, n3 had these entries before: up goes back to them at once");
    expect(seen).toContain(`Set ${URL} on n1, n2, n3: up removes 1 entry (${C}).`);
    expect((await waves.up(OLD)).error).toContain("(n3) did not pass: ");
    for (const node of FLEET) expect(waves.held()[node]).toEqual(OLD);
    waves.doctor.ill.clear();
    expect((await waves.up(OLD)).error).toBe("");
  });

  it("names what leaves and what comes at a node that was silent during the change", async () => {
    await using waves = await fleet();
    waves.node("n3").fail({ every: 1, kind: "reset" });
    const change = { [A]: 1, [C]: 1 };
    expect((await waves.up(change, { args: { maxUnreachable: 1 } })).error).toBe("");
    waves.node("n3").clearFaults();
    const line = `Set ${URL} on n3: up removes 1 entry (${B}) and inserts 1 entry (${C}).`;
    expect(await waves.preview(change)).toContain(line);
    expect((await waves.up(change)).error).toBe("");
    expect(waves.held().n3).toEqual(change);
  });
});

describe("a group of twelve nodes", () => {
  const TWELVE = Array.from({ length: 12 }, (_, index) => `n${index + 1}`);
  const lines = (printed: readonly string[], part: string) => printed.filter((line) => line.includes(part));

  it("is warned of once, whatever number of nodes is silent, or has entries that another writer staged", async () => {
    await using stack = await groupBench(...TWELVE);
    const program = (entries: object) => [group(entries, TWELVE, { maxUnreachable: 6 })];
    await stack.engine.up(program({ [A]: 1 }));
    for (const name of TWELVE.slice(6)) stack.node(name).fail({ every: 1, kind: "reset" });
    const { printed } = await stack.engine.preview(program({ [A]: 1 }));
    expect(lines(printed, "cannot be read")).toEqual([
      expect.stringMatching(
        /^warning: n7, n8, n9, n10, n11 and 1 more \S+ cannot be read: each does not answer\. .* restores nothing\./,
      ),
    ]);
    for (const name of TWELVE) {
      stack.node(name).clearFaults();
      await fapi(stack.node(name), { url: URL, cmd: "insert", data: [{ p: C, v: 1 }] });
    }
    const up = await stack.engine.up(program({ [A]: 1, [B]: 1 }));
    expect(up).toMatchObject(fine);
    expect(lines(up.printed, "with our commit")).toEqual([
      expect.stringMatching(/^warning: Set \S+ on n1, n2, n3, n4, n5 and 7 more: with our commit, .* appeared: 203/),
    ]);
  });

  it("causes no warning about listeners while all nodes of a wave are checked", async () => {
    await using stack = await groupBench(...TWELVE);
    await using doctor = await startHealth();
    const warnings: string[] = [];
    const note = ({ name }: Error) => warnings.push(name);
    process.on("warning", note);
    try {
      const rollout = { waves: [TWELVE], check: { url: doctor.url }, checkTimeoutMs: 1_000 };
      expect(await stack.engine.up([group({ [A]: 1 }, TWELVE, { rollout })])).toMatchObject(fine);
      // Node reports a warning in the next turn.
      await new Promise((turn) => setImmediate(turn));
    } finally {
      process.off("warning", note);
    }
    expect(doctor.asked()).toHaveLength(TWELVE.length);
    expect(warnings).toEqual([]);
  });
});

it("an expired entry of block, which the same up removes, is not said to stay", async () => {
  await using stack = await bench();
  await stack.engine.up([set({ [A]: 1 })]);
  stack.emulator.change(BLOCKED, { insert: { [C]: 1 } });
  const sent = `1 ${BLOCKED} ${stack.emulator.endpoint}`;
  const program = [set({ [A]: 1, [C]: { expires: "2020-01-01T00:00:00Z", sent } })];
  const { printed, errors } = await stack.engine.preview(program);
  expect(errors).toEqual([]);
  expect(printed.join("\n")).not.toContain("undeclared");
  expect(printed.join("\n")).toContain(`"block --now" put it there`);
  expect(await stack.engine.up(program)).toMatchObject(fine);
  expect(stack.held()).toEqual({ [A]: 1 });
});

describe("a value of block --now that differs from the one of the program", () => {
  const at = (name: string, { endpoint }: { endpoint: string }, value: number) => {
    const blocked = { value: 5, sent: `${value} ${BLOCKED} ${endpoint}` };
    // As the class says of arguments that are all known in a preview.
    const __said = { decides: true };
    const one = entry("single", C, 5, "blocked");
    if (name === "an entry") return [{ ...one, args: { ...one.args, ...blocked, __said } }];
    if (name === "a group") return [group({ [A]: 1, [C]: blocked }, ["n1"], { __said })];
    return [set({ [A]: 1, [C]: blocked }, { __said })];
  };

  it.each(["a set", "an entry", "a group"])("is changed by the next up, whose preview names it: %s", async (name) => {
    for (const isUpdate of [false, true]) {
      await using stack = await groupBench("n1");
      const node = stack.node("n1");
      const engine = new MiniEngine({ ...stack.config, endpoint: node.endpoint });
      if (isUpdate && name === "a set") await engine.up([set({ [A]: 1 })]);
      if (isUpdate && name === "a group") await engine.up([group({ [A]: 1 }, ["n1"])]);
      node.change(BLOCKED, { insert: { [C]: 1 } });
      const program = at(name, node, 1);
      for (const run of [await engine.preview(program), await engine.up(program)])
        expect([run.errors, run.printed.join("\n")]).toEqual([[], expect.stringContaining(`: ${C} (1 to 5).`)]);
      expect(node.prefixSet(BLOCKED).applied[C]).toBe(5);
      expect(JSON.stringify(engine.state)).not.toContain("sent");
    }
  });

  it.each(["a set", "an entry", "a group"])(
    "leaves with its resource, which leaves what others put there: %s",
    async (name) => {
      await using stack = await groupBench("n1");
      const node = stack.node("n1");
      const engine = new MiniEngine({ ...stack.config, endpoint: node.endpoint });
      const over = entry("single", C, 5, "blocked");
      const before = {
        "a set": set({ [A]: 1 }),
        "an entry": { ...over, args: { ...over.args, expires: "2020-01-01T00:00:00Z" } },
        "a group": group({ [A]: 1 }, ["n1"]),
      };
      expect(await engine.up([before[name as keyof typeof before]])).toMatchObject(fine);
      node.change(BLOCKED, { insert: { [C]: 1 } });
      const created = at(name, node, 1).map((one) => ({ ...one, args: { ...one.args, onDestroy: "created" } }));
      expect(await engine.up(created)).toMatchObject(fine);
      expect(await engine.destroy()).toMatchObject(fine);
      expect(node.prefixSet(BLOCKED).applied).toEqual({});
    },
  );

  it.each(["a set", "an entry"])("stays if another writer has changed it since: %s", async (name) => {
    await using stack = await bench();
    stack.emulator.change(BLOCKED, { insert: { [C]: 9 } });
    const { errors } = await stack.engine.up(at(name, stack.emulator, 1));
    expect(errors.map(({ message }) => message).join()).toMatch(/already holds .*9/);
    expect(stack.held()).toEqual({ [C]: 9 });
  });
});

describe("a run that was killed", () => {
  const folder = join(useEmptyFolder(), "packetfilter");

  /** Runs of one stack on one machine; each has a process of its own, which ends. */
  async function machine(nodes: readonly string[] = [], settings = {}) {
    const stack = nodes.length > 0 ? await groupBench(...nodes) : await bench({}, settings);
    if ("config" in stack) Object.assign(stack.config, settings);
    const owned = (program: readonly Declared[], owner = "dev") =>
      program.map((it) => ({
        ...it,
        args: { ...it.args, __said: { owner: `${owner}::web::${it.type}::${it.name}` } },
      }));
    const start = async (config: Config, world = new HurriedWorld()) => {
      const { pid } = spawnSync(process.execPath, ["-e", ""]);
      return new ProviderProcess(config, world, {}, new SentFiles(pid, folder));
    };
    const { engine } = stack;
    const other = new MiniEngine(engine.config);
    return {
      stack,
      engine,
      /** `up` of another stack of this machine. */
      upOther: async (program: readonly Declared[]) =>
        expect(await other.up(owned(program, "prod"), { start })).toMatchObject(fine),
      start,
      emulator: "emulator" in stack ? stack.emulator : stack.node("n1"),
      notes: () => readdirSync(folder),
      up: async (program: readonly Declared[], options: object = {}) => {
        const { errors, printed, steps } = await engine.up(owned(program), { start, ...options });
        return { errors: errors.map(({ message }) => message), printed: printed.join("\n"), steps };
      },
      preview: async (program: readonly Declared[]) => {
        const { printed, steps } = await engine.preview(owned(program), { start });
        return { printed: printed.join("\n"), steps };
      },
      refresh: () => engine.refresh({ start }),
      destroy: async (options: object = {}) => {
        const { errors, printed } = await engine.destroy({ start, ...options });
        expect(errors).toEqual([]);
        return printed.join("\n");
      },
      /** An `up` that is killed once the last of so many requests of this kind has been answered. */
      killed: async (program: readonly Declared[], request: number) => {
        const world = new HurriedWorld({ request, when: "after" });
        await engine.up(owned(program), { start: (config: Config) => start(config, world) });
        expect(world.isKilled).toBe(true);
      },
      [Symbol.asyncDispose]: () => stack[Symbol.asyncDispose](),
    };
  }
  const OLD = { [A]: 1, [B]: 1 };
  /** Requests of an up that adds entries: list, insert, commit. */
  const COMMITTED = 3;

  it.each<[string, object | undefined]>([
    ["the program that is taken back", OLD],
    ["another program", { [A]: 1 }],
    ["the same program", { ...OLD, [C]: 1 }],
    ["a destroy", undefined],
  ])("leaves entries that the next run takes as this stack's: %s", async (_, next) => {
    for (const exclusive of [true, false]) {
      await using one = await machine();
      const program = (entries: object) => [set(entries, { exclusive })];
      const held = () => one.emulator.prefixSet(BLOCKED).applied;
      await one.up(program(OLD));
      expect(one.notes()).toEqual([]);
      await one.killed(program({ ...OLD, [C]: 1 }), COMMITTED);
      // Another writer's is not this stack's.
      one.emulator.change(BLOCKED, { insert: { [X]: 1 } });
      if (next === undefined) await one.destroy();
      else {
        const seen = await one.preview(program(next));
        expect(seen.steps).toEqual(["update blocked"]);
        if (!(C in next))
          expect(seen.printed).toMatch(/203\.0\.113\.0\/24\)(: this up removes it|; 1 stays, of others)/);
        expect((await one.up(program(next))).errors).toEqual([]);
      }
      expect(held()).toEqual({ ...next, [X]: 1 });
      expect(one.notes()).toEqual([]);
      if (next) expect((await one.preview(program(next))).steps).toEqual([]);
    }
  });

  it("leaves entries that stay where another stack with an equal state goes on, and that its own stack takes", async () => {
    await using one = await machine();
    await one.up([set(OLD)]);
    await one.upOther([set(OLD)]);
    await one.killed([set({ ...OLD, [C]: 1 })], COMMITTED);
    await one.upOther([set(OLD)]);
    // One that declares nothing in the set removes its own alone.
    await one.upOther([entry("single", X, 1, "partners")]);
    expect(one.emulator.prefixSet(BLOCKED).applied).toEqual({ [C]: 1 });
    await one.up([set(OLD)]);
    expect(one.emulator.prefixSet(BLOCKED).applied).toEqual(OLD);
    expect(one.notes()).toEqual([]);
  });

  it("leaves entries staged, which no preview forgets, and which the next commit publishes for a later run to remove", async () => {
    for (const before of [OLD, undefined]) {
      await using one = await machine();
      const program = (entries: object) => [set(entries, { exclusive: false })];
      if (before) await one.up(program(before));
      await one.killed(program({ ...OLD, [C]: 1 }), COMMITTED - 1);
      expect(one.emulator.prefixSet(BLOCKED).applied).toEqual(before ?? {});
      const next = program({ ...OLD, [X]: 1 });
      await one.preview(next);
      expect((await one.up(next)).errors).toEqual([]);
      expect(one.emulator.prefixSet(BLOCKED).applied).toEqual({ ...OLD, [C]: 1, [X]: 1 });
      if (before) await one.up(next);
      else await one.destroy();
      expect(one.emulator.prefixSet(BLOCKED).applied).toEqual(before ? { ...OLD, [X]: 1 } : {});
      expect(one.notes()).toEqual([]);
    }
  });

  it("while it created a set leaves entries that are in no way of the next program", async () => {
    await using one = await machine();
    await one.killed([set(OLD)], COMMITTED);
    const next = [set({ [A]: 7, [C]: 1 })];
    expect((await one.preview(next)).printed).toContain(
      `holds what an interrupted run of this stack left (${B}): this up removes it.`,
    );
    const { errors, printed } = await one.up(next);
    expect(errors).toEqual([]);
    expect(printed).not.toContain("already");
    expect(one.emulator.prefixSet(BLOCKED).applied).toEqual({ [A]: 7, [C]: 1 });
  });

  it("leaves entries that an update without a look takes as this stack's", async () => {
    for (const next of [
      { ...OLD, [C]: 2 },
      { ...OLD, [C]: 1, [X]: 1 },
    ]) {
      await using one = await machine([], { detectDrift: "off" });
      await one.up([set(OLD)]);
      await one.killed([set({ ...OLD, [C]: 1 })], COMMITTED);
      const { errors, printed } = await one.up([set(next)]);
      expect([errors, printed]).toEqual([[], expect.not.stringContaining("already")]);
      expect(one.emulator.prefixSet(BLOCKED).applied).toEqual(next);
      expect(one.notes()).toEqual([]);
    }
  });

  it.each([
    { what: "a create", before: [], killed: OLD, next: { [A]: 1 }, left: B },
    { what: "an update", before: [set(OLD)], killed: { ...OLD, [C]: 1 }, next: { ...OLD, [X]: 1 }, left: C },
  ])("in $what leaves entries that the next run names where it removes them without a look", async (runs) => {
    const { before, killed, next, left } = runs;
    await using one = await machine([], { detectDrift: "off" });
    await one.up(before);
    await one.killed([set(killed)], COMMITTED);
    const { errors, printed } = await one.up([set(next)]);
    expect(errors).toEqual([]);
    expect(printed).toContain(`holds what an interrupted run of this stack left (${left}): this up removes it.`);
    expect(one.emulator.prefixSet(BLOCKED).applied).toEqual(next);
  });

  it("leaves entries of two sets that have a part each, which the next run of each takes as its own", async () => {
    await using one = await machine();
    const part = (name: string, entries: object) => set(entries, { exclusive: false }, name);
    await one.killed([part("first", { [A]: 1 }), part("second", { [B]: 1 })], COMMITTED);
    expect(one.emulator.prefixSet(BLOCKED).applied).toEqual(OLD);
    for (const program of [[part("first", { [A]: 2 })], [part("first", { [A]: 2 }), part("second", { [B]: 2 })]])
      expect((await one.up(program)).errors).toEqual([]);
    expect(one.emulator.prefixSet(BLOCKED).applied).toEqual({ [A]: 2, [B]: 2 });
    expect(one.notes()).toEqual([]);
  });

  it.each(["auto", "off"])("leaves a wanted entry again that had expired, look: %s", async (detectDrift) => {
    await using one = await machine([], { detectDrift });
    const single = (more: object) => {
      const it = entry("single", A, 1, "blocked");
      return [{ ...it, args: { ...it.args, ...more } }];
    };
    await one.up(single({ expires: "2020-01-01T00:00:00Z" }));
    await one.killed(single({}), COMMITTED);
    expect(one.emulator.prefixSet(BLOCKED).applied).toEqual({ [A]: 1 });
    expect((await one.up(single({ value: 2 }))).errors).toEqual([]);
    expect(one.emulator.prefixSet(BLOCKED).applied).toEqual({ [A]: 2 });
    expect(one.engine.state[0]?.outputs).not.toHaveProperty("existed");
    expect(one.notes()).toEqual([]);
  });

  it.each([
    ["a set", "auto", set({ [A]: 1 })],
    ["a set", "off", set({ [A]: 1 })],
    ["an entry", "auto", entry("single", A, 1, "blocked")],
    ["an entry", "off", entry("single", A, 1, "blocked")],
  ])("while %s moved leaves what was not there before, look: %s", async (_, detectDrift, resource) => {
    await using one = await machine([], { detectDrift });
    const { emulator: other } = await stage();
    try {
      await one.up([resource]);
      Object.assign(one.engine.config, { endpoint: other.endpoint });
      await one.killed([resource], COMMITTED);
      expect(heldBy(other).sets[BLOCKED]).toEqual({ [A]: 1 });
      const { errors, printed } = await one.up([resource]);
      expect([errors, printed]).toEqual([[], expect.not.stringContaining("already")]);
      expect(one.engine.state[0]?.outputs).not.toHaveProperty("existed");
      expect(one.notes()).toEqual([]);
    } finally {
      await other.close();
    }
  });

  it.each([
    ["are lost", "lost"],
    ["were cut off by a full disk", "cut"],
    ["found a full disk", "full"],
  ])("is said to be possible where its notes %s, and nothing is called foreign", async (_, how) => {
    await using one = await machine();
    await one.up([set(OLD)]);
    const disk = vi.spyOn(ProcessFiles.prototype, "append");
    if (how === "full")
      disk.mockImplementation(() => {
        throw Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
      });
    await one.killed([set({ ...OLD, [C]: 1 })], COMMITTED);
    expect(disk).toHaveBeenCalled();
    disk.mockRestore();
    expect(one.notes()).toHaveLength(how === "full" ? 0 : 1);
    for (const note of one.notes().map((name) => join(folder, name))) {
      if (how === "lost") rmSync(note);
      else truncateSync(note, statSync(note).size - 10);
    }
    const { printed } = await one.up([set(OLD)]);
    expect(printed).toContain(
      `holds 1 undeclared entry (${C}): it stays, of others or possibly of an interrupted run of this stack; "pulumi up --refresh" removes it.`,
    );
    expect(one.emulator.prefixSet(BLOCKED).applied).toEqual({ ...OLD, [C]: 1 });
  });

  it.each([["a create"], ["an update"]])("in %s leaves signalings that a destroy stops", async (what) => {
    for (const goesOn of [true, false]) {
      if (what === "a create" && !goesOn) continue;
      await using one = await machine();
      one.emulator.signal("client-a", { start: [Z] });
      if (what === "an update") await one.up([signaling([X])]);
      await one.killed([signaling([X, Y])], 2);
      expect(heldBy(one.emulator).active).toEqual([X, Y, Z]);
      if (goesOn) {
        const { printed, errors } = await one.up([signaling([X])]);
        expect(errors).toEqual([]);
        expect(printed).not.toContain("active before this resource");
      }
      await one.destroy();
      expect(heldBy(one.emulator).active).toEqual([Z]);
      expect(one.notes()).toEqual([]);
    }
  });

  it("in a create leaves a signaling that the next preview names, and the next up stops", async () => {
    await using one = await machine();
    await one.killed([signaling([X, Y])], 2);
    const said = `an interrupted run of this stack started ${Y}: this up stops it.`;
    expect((await one.preview([signaling([X])])).printed).toContain(said);
    const { printed, errors } = await one.up([signaling([X])]);
    expect(errors).toEqual([]);
    expect(printed).toContain(said);
    expect(heldBy(one.emulator).active).toEqual([X]);
    expect((await one.preview([signaling([X])])).steps).toEqual([]);
  });

  it.each([
    ["the program wants", [X, Y]],
    ["the program does not want", [X, Z]],
  ])("leaves signalings that the next run takes as this stack's without a look: what %s", async (_, next) => {
    for (const before of [[], [signaling([X])]]) {
      await using one = await machine([], { detectDrift: "off" });
      await one.up(before);
      await one.killed([signaling([X, Y])], 2);
      expect(heldBy(one.emulator).active).toEqual([X, Y]);
      const { printed, errors } = await one.up([signaling(next)]);
      expect(errors).toEqual([]);
      expect(printed).not.toContain("active before this resource");
      if (next[1] !== Y) expect(printed).toContain(`an interrupted run of this stack started ${Y}: this up stops it.`);
      expect(heldBy(one.emulator).active).toEqual(next);
      await one.destroy();
      expect(heldBy(one.emulator).active).toEqual([]);
    }
  });

  it("leaves a signaling that no destroy forgets where no status can be read", async () => {
    await using one = await machine();
    await one.up([signaling([X])]);
    await one.killed([signaling([X, Y])], 2);
    one.emulator.fail({ op: "status", status: 500, times: 1_000 });
    const { errors } = await one.engine.destroy({ start: one.start, timing: { timeoutMs: 800, deadlineMs: 1_000 } });
    expect(errors).toHaveLength(1);
    expect(one.engine.state).toHaveLength(1);
    one.emulator.clearFaults();
    await one.destroy();
    expect(heldBy(one.emulator).active).toEqual([]);
  });

  it("leaves signalings that are in no way of a destroy where no status can be read", async () => {
    await using one = await machine();
    const other = signaling([Y], "other");
    await one.up([signaling([X])]);
    await one.killed([signaling([X]), other], 2);
    expect(heldBy(one.emulator).active).toEqual([X, Y]);
    one.emulator.fail({ op: "status", status: 500, times: 1_000 });
    await one.destroy({ timing: { timeoutMs: 800, deadlineMs: 1_000 } });
    expect(heldBy(one.emulator).active).toEqual([Y]);
    one.emulator.clearFaults();
    const { printed } = await one.up([other]);
    expect(printed).not.toContain("active before this resource");
    await one.destroy();
    expect(heldBy(one.emulator).active).toEqual([]);
  });

  it("leaves entries that a group takes as this stack's, also after it has restored others", async () => {
    await using one = await machine(["n1"], { detectDrift: "off" });
    await using doctor = await startHealth();
    const program = (entries: object) => [
      group(entries, ["n1"], { rollout: { waves: [["n1"]], check: { url: doctor.url } } }),
    ];
    await one.up(program(OLD));
    await one.killed(program({ ...OLD, [C]: 1 }), COMMITTED);
    expect(one.emulator.prefixSet(URL).applied).toEqual({ ...OLD, [C]: 1 });
    one.emulator.change(URL, { delete: [A] });
    const next = { ...OLD, [X]: 1 };
    expect((await one.up(program(next))).errors).toEqual([]);
    expect(one.emulator.prefixSet(URL).applied).toEqual(next);
    expect(one.notes()).toEqual([]);
  });
});

it("the engine's Cancel, which Node reports, cancels the run of a dynamic provider", async () => {
  let cancelled = 0;
  const cancel = () => {
    cancelled += 1;
  };
  cancelWithEngine({ cancel });
  const channel = diagnostics.channel("http2.server.stream.created");
  channel.publish({ headers: { ":path": "/pulumirpc.ResourceProvider/Update" } });
  expect(cancelled).toBe(0);
  channel.publish({ headers: { ":path": "/pulumirpc.ResourceProvider/Cancel" } });
  expect(cancelled).toBe(1);
});

it("two names of one machine: what left with one name and is declared under the other is restored, or no message says so", async () => {
  await using stack = await groupBench("n1");
  const { endpoint } = stack.node("n1");
  stack.config.nodes = { n1: { endpoint }, n2: { endpoint: endpoint.replace("127.0.0.1", "localhost") } };
  stack.config.distinctNodes = true;
  await stack.engine.up([group({ [A]: 1 }, ["n1", "n2"])]);
  stack.asked();
  const { errors, printed } = await stack.engine.up([group({ [A]: 1 }, ["n1"])]);
  expect(errors).toEqual([]);
  expect(printed.join("\n")).toContain("is restored, since this stack declares it: the two addresses are one machine.");
  expect(stack.held().n1).toEqual({ [A]: 1 });
  expect(stack.asked().n1).toContain("insert");
});
