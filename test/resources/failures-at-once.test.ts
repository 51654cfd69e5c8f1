import { spawnSync } from "node:child_process";
import diagnostics from "node:diagnostics_channel";
import { readdirSync, rmSync, statSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { ProcessFiles } from "../../provider/deployment/process-files";
import { cancelWithEngine } from "../../provider/deployment/provider-process";
import { SentFiles } from "../../provider/deployment/sent-files";
import type { DialectSettings } from "../../provider/emulator";
import { type Declared, MiniEngine } from "../failures/support/engine";
import { HurriedWorld } from "../failures/support/hurried-world";
import { type Config, ProviderProcess } from "../failures/support/provider-process";
import { BLOCKED, entry, set } from "../failures/support/scenarios";
import { stage } from "../failures/support/stage";
import { useEmptyFolder } from "../support/folder";
import { startHealth } from "../support/health";
import { group, bench as groupBench } from "./support/group-bench";

const [A, B, C] = ["192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24"] as const;
const fine = { errors: [] };

async function bench(settings: DialectSettings = {}, more: Record<string, unknown> = {}) {
  const { emulator, config } = await stage(settings);
  const engine = new MiniEngine({ ...config, ...more });
  const held = () => emulator.prefixSet(BLOCKED).applied;
  return { emulator, engine, held, [Symbol.asyncDispose]: () => emulator.close() };
}

describe("a group of twelve nodes", () => {
  const TWELVE = Array.from({ length: 12 }, (_, index) => `n${index + 1}`);

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

describe("notes of a killed run", () => {
  const folder = join(useEmptyFolder(), "packetfilter");
  const OLD = { [A]: 1, [B]: 1 };

  /** Runs of one stack of this machine; each has a process of its own, which ends. */
  function runsOf(engine: MiniEngine) {
    const start = (world?: HurriedWorld) => async (config: Config) => {
      const { pid } = spawnSync(process.execPath, ["-e", ""]);
      return new ProviderProcess(config, world, {}, new SentFiles(pid, folder));
    };
    const owned = (program: readonly Declared[]) =>
      program.map((it) => ({ ...it, args: { ...it.args, __said: { owner: `dev::web::${it.type}::${it.name}` } } }));
    return {
      up: (program: readonly Declared[]) => engine.up(owned(program), { start: start() }),
      preview: (program: readonly Declared[]) => engine.preview(owned(program), { start: start() }),
      /** An `up` that is killed once the last of so many requests of this kind has been answered. */
      killed: async (program: readonly Declared[], request: number) => {
        const world = new HurriedWorld({ request, when: "after" });
        await engine.up(owned(program), { start: start(world) });
        expect(world.isKilled).toBe(true);
      },
    };
  }

  it.each(["auto", "off"])(
    "have the next run take back removals and other values that are staged, where program and state agree, look: %s",
    async (detectDrift) => {
      const entries = (of: object) =>
        Object.entries(of).map(([prefix, value]) => entry(`of ${prefix}`, prefix, value, "blocked"));
      const whole = (of: object) => [set(of)];
      const inGroup = (of: object) => [group(of, ["n1"])];
      for (const program of [whole, entries, inGroup]) {
        for (const change of [{ [A]: 1 }, { [A]: 1, [B]: 2 }]) {
          await using nodes = await groupBench("n1");
          Object.assign(nodes.config, { detectDrift });
          await using single = await bench({}, { detectDrift });
          const stack = program === inGroup ? nodes : single;
          const emulator = program === inGroup ? nodes.node("n1") : single.emulator;
          const { up, preview, killed } = runsOf(stack.engine);
          await up(program(OLD));
          // After list and insert or delete.
          await killed(program(change), 2);
          const contents = ({ applied, staged } = emulator.prefixSet(BLOCKED)) => [applied, staged];
          expect(contents()).toEqual([OLD, change]);
          for (const { steps, printed } of [await preview(program(OLD)), await up(program(OLD))]) {
            expect(steps).toEqual([expect.stringMatching(/^update /)]);
            expect(printed.join("\n")).toContain(
              `may hold a change that an earlier run left staged (${B}): this up takes it back.`,
            );
          }
          expect(contents()).toEqual([OLD, OLD]);
          expect(readdirSync(folder)).toEqual([]);
          expect((await preview(program(OLD))).steps).toEqual([]);
        }
      }
    },
  );

  it.each([
    ["are lost", "lost"],
    ["were cut off by a full disk", "cut"],
    ["found a full disk", "full"],
  ])("%s: that is said to be possible, and nothing is called foreign", async (_, how) => {
    await using stack = await bench();
    const { up, killed } = runsOf(stack.engine);
    await up([set(OLD)]);
    const disk = vi.spyOn(ProcessFiles.prototype, "append");
    if (how === "full")
      disk.mockImplementation(() => {
        throw Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
      });
    // After list, insert and commit.
    await killed([set({ ...OLD, [C]: 1 })], 3);
    expect(disk).toHaveBeenCalled();
    disk.mockRestore();
    const notes = readdirSync(folder).map((name) => join(folder, name));
    expect(notes).toHaveLength(how === "full" ? 0 : 1);
    for (const note of notes) {
      if (how === "lost") rmSync(note);
      else truncateSync(note, statSync(note).size - 10);
    }
    const { printed } = await up([set(OLD)]);
    expect(printed.join("\n")).toContain(
      `holds 1 undeclared entry (${C}): it stays, of others or possibly of an interrupted run of this stack; "pulumi up --refresh" removes it.`,
    );
    expect(stack.held()).toEqual({ ...OLD, [C]: 1 });
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
