import diagnostics from "node:diagnostics_channel";
import { describe, expect, it } from "vitest";
import { cancelWithEngine } from "../../provider/deployment/provider-process";
import type { DialectSettings } from "../../provider/emulator";
import { MiniEngine } from "../failures/support/engine";
import { HurriedWorld } from "../failures/support/hurried-world";
import { type Config, ProviderProcess } from "../failures/support/provider-process";
import { BLOCKED, set, signaling } from "../failures/support/scenarios";
import { stage } from "../failures/support/stage";
import { heldBy } from "../failures/support/truth";
import { startHealth } from "../support/health";
import { group, bench as groupBench, URL } from "./support/group-bench";

const [A, B, C] = ["192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24"] as const;
const [X, Y] = ["198.51.100.7/32", "198.51.100.8/32"] as const;
const fine = { errors: [] };

async function bench(settings: DialectSettings = {}, more: Record<string, unknown> = {}) {
  const { emulator, config } = await stage(settings);
  const engine = new MiniEngine({ ...config, ...more });
  const held = () => emulator.prefixSet(BLOCKED).applied;
  return { emulator, engine, held, [Symbol.asyncDispose]: () => emulator.close() };
}

describe("a list that shows an old state", () => {
  it.each<[string, DialectSettings]>([
    ["that deletes what is absent", {}],
    ["that refuses to", { deleteAbsent: "error", emptyCommit: "error" }],
  ])("makes no removal vanish, at a node %s", async (_, settings) => {
    await using stack = await bench(settings);
    await stack.engine.up([set({ [A]: 1 })]);
    await stack.engine.up([set({ [A]: 1, [B]: 1 })]);
    stack.emulator.fail({ kind: "stale-list", cmd: "list" });
    const { errors, printed } = await stack.engine.up([set({ [A]: 1, [C]: 1 })]);
    expect(errors).toEqual([]);
    expect(stack.held()).toEqual({ [A]: 1, [C]: 1 });
    expect(printed.join("\n")).not.toContain("appeared");
    expect(await stack.engine.preview([set({ [A]: 1, [C]: 1 })], { refresh: true })).toMatchObject({
      ...fine,
      steps: [],
    });
  });
});

describe("a declared signaling", () => {
  it("that others had started and another client stopped is started by a plain up, and a preview shows it", async () => {
    await using stack = await bench();
    stack.emulator.signal("client-a", { start: [X] });
    await stack.engine.up([signaling([X, Y])]);
    stack.emulator.signal("client-a", { stop: [X] });
    const seen = await stack.engine.preview([signaling([X, Y])]);
    expect(seen).toMatchObject({ ...fine, steps: ["update attack"] });
    expect(seen.printed).toEqual([
      expect.stringMatching(/1 declared prefix is not active \(198\.51\.100\.7\/32\): this up starts it again\.$/),
    ]);
    expect(await stack.engine.up([signaling([X, Y])])).toMatchObject(fine);
    expect(heldBy(stack.emulator).active).toEqual([X, Y]);
    // This up started it, so a destroy stops it.
    await stack.engine.destroy();
    expect(heldBy(stack.emulator).active).toEqual([]);
  });
});

/** The program as the class sends it with `ignoreChanges: ["entries"]`: the engine gives it the entries of the old inputs. */
const ignoring = (engine: MiniEngine, program: object) => {
  const entries = engine.state[0]?.inputs.entries ?? program;
  return [set(entries, { __said: { ignored: true } })];
};

describe("a loss", () => {
  it.each([
    ["with a look", {}],
    ["without one", { detectDrift: "off" }],
  ])(
    "is shown and restored after a refresh, whatever ignoreChanges says, and other values are left, %s",
    async (_, more) => {
      for (const separate of [false, true]) {
        await using stack = await bench({}, more);
        const { engine } = stack;
        await engine.up([set({ [A]: 1, [B]: 1 })]);
        stack.emulator.change(BLOCKED, { insert: { [A]: 5 } });
        // The other value alone is the program's to ignore.
        expect(await engine.preview(ignoring(engine, {}), { refresh: true })).toMatchObject({ ...fine, steps: [] });
        stack.emulator.change(BLOCKED, { delete: [B] });
        expect((await engine.preview(ignoring(engine, {}), { refresh: true })).steps).toEqual(["update blocked"]);
        if (separate) {
          await engine.refresh();
          expect(engine.state[0]).toMatchObject({
            inputs: { entries: { [A]: 1, [B]: 1 } },
            outputs: { entries: { [A]: 5 }, lost: { [A]: 1, [B]: 1 } },
          });
          expect((await engine.preview(ignoring(engine, {}))).steps).toEqual(["update blocked"]);
        }
        expect(await engine.up(ignoring(engine, {}), { refresh: !separate })).toMatchObject(fine);
        expect(stack.held()).toEqual({ [A]: 5, [B]: 1 });
        // Without the option the program's value comes back.
        expect(await engine.up([set({ [A]: 1, [B]: 1 })], { refresh: true })).toMatchObject(fine);
        expect(stack.held()).toEqual({ [A]: 1, [B]: 1 });
        expect(engine.state[0]?.outputs).not.toHaveProperty("lost");
      }
    },
  );

  it("of a signaling is started again after a refresh, also where no run looks", async () => {
    for (const more of [{}, { detectDrift: "off" }]) {
      await using stack = await bench({}, more);
      await stack.engine.up([signaling([X, Y])]);
      stack.emulator.signal("client-a", { stop: [Y] });
      await stack.engine.refresh();
      expect(stack.engine.state[0]).toMatchObject({
        inputs: { prefixes: [X, Y] },
        outputs: { prefixes: [X], lost: [Y], started: [X, Y] },
      });
      expect((await stack.engine.preview([signaling([X, Y])])).steps).toEqual(["update attack"]);
      expect(await stack.engine.up([signaling([X, Y])])).toMatchObject(fine);
      expect(heldBy(stack.emulator).active).toEqual([X, Y]);
      expect((await stack.engine.up([signaling([X, Y])])).steps).toEqual([]);
    }
  });
});

describe("a group with waves", () => {
  const FLEET = ["n1", "n2", "n3", "n4", "n5"];
  const WAVES = [["n1"], ["n2", "n3"], ["n4", "n5"]];
  const [OLD, NEW, OTHER] = [{ [A]: 1, [B]: 1 }, { [A]: 1, [B]: 1, [C]: 1 }, { [A]: 1 }];

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

  it("brings a new content to its canary first, also while the last wave is red", async () => {
    await using waves = await fleet();
    waves.node("n5").fail({ cmd: "commit", every: 1, status: 500 });
    expect((await waves.up(NEW)).error).toContain("wave 3 of 3 (n5) did not pass: ");
    waves.node("n5").clearFaults();
    waves.doctor.ill.set("n1", 503);
    expect(await waves.preview(OTHER)).toContain("wave 1 of 3 (n1) is next");
    expect((await waves.up(OTHER)).error).toContain("wave 1 of 3 (n1) did not pass: ");
    expect(waves.held()).toMatchObject({ n1: OTHER, n2: NEW, n3: NEW, n4: NEW });
  });

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

  it.each([["a plain up"], ["a refresh"]])(
    "restores a node of the red wave itself, by %s, and then asks",
    async (how) => {
      await using waves = await fleet();
      waves.doctor.ill.set("n3", 503);
      await waves.up(NEW);
      // The node is emptied, and ill for that reason.
      waves.node("n2").change(URL, { delete: [A, B, C] });
      waves.node("n4").change(URL, { delete: [A] });
      if (how === "a refresh") expect(await waves.engine.refresh()).toMatchObject({ errors: [] });
      waves.asked();
      const { error, printed } = await waves.up(NEW);
      expect(error).toMatch(
        /wave 2 of 3 \(n3\) did not pass: .* 2 nodes of a later|2 nodes of later waves were not touched/,
      );
      expect(waves.held()).toMatchObject({ n2: NEW, n4: OLD });
      // Said of what was done, by the answer to it.
      expect(printed).toContain(`Set ${URL} on n4: restored 1 entry: ${A}.`);
      expect(waves.asked()).toMatchObject({ n4: expect.arrayContaining(["insert"]) });
    },
  );

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

  it("does not say that an entry stays which the same up removes, after a commit without an answer", async () => {
    await using waves = await fleet();
    waves.node("n5").fail({ cmd: "commit", every: 1, kind: "lost-answer" });
    waves.node("n5").fail({ cmd: "list", nth: 2, status: 503, times: 1_000 });
    expect((await waves.up(NEW)).error).toContain("wave 3 of 3 (n5) did not pass: ");
    waves.node("n5").clearFaults();
    const seen = await waves.preview(OLD);
    expect(seen).not.toContain("it stays");
    expect(seen).toMatch(/n5: up removes 1 entry \(203\.0\.113\.0\/24\)|n1, n2, n3, n4, n5: up removes 1 entry/);
    expect((await waves.up(OLD)).error).toBe("");
    for (const node of FLEET) expect(waves.held()[node]).toEqual(OLD);
  });

  it("goes on without a node that the look found silent, and brings it up to date if it answers at the end", async () => {
    await using waves = await fleet();
    waves.node("n2").fail({ every: 1, kind: "reset" });
    // It is asked by the look, in no wave, and once more after the last one.
    waves.doctor.onAsked = (node) => void (node === "n4" && waves.node("n2").clearFaults());
    const { error } = await waves.up(NEW, { args: { maxUnreachable: 2 } });
    expect(error).toBe("");
    for (const node of FLEET) expect(waves.held()[node]).toEqual(NEW);
    expect(waves.outputs()).not.toHaveProperty("unreached");
    expect(waves.doctor.asked()).toEqual(["n1", "n3", "n4", "n5", "n2"]);
  });

  it("counts as untouched no node that it restored, and names the same nodes when it is repeated", async () => {
    await using waves = await fleet();
    waves.doctor.ill.set("n1", 503);
    const first = await waves.up(NEW);
    const again = await waves.up(NEW);
    expect(again.error).toBe(first.error);
    expect(first.error).toMatch(/wave 1 of 3 \(n1\) did not pass: .* 4 nodes of later waves were not touched\.$/);
  });

  it("stops in its pause when the engine cancels: no further node and no check", async () => {
    await using waves = await fleet({ pauseMs: 60_000 });
    const world = new HurriedWorld();
    let cancel = () => {};
    const start = async (config: Config) => {
      const process = new ProviderProcess(config, world);
      cancel = () => process.runtime.cancel();
      return process;
    };
    const { sleep } = world;
    world.sleep = (ms, signal) => {
      if (ms === 60_000) cancel();
      return sleep(ms, signal);
    };
    const { error } = await waves.up(NEW, { start });
    expect(error).toContain("wave 1 of 3 (n1) did not pass: the run was cancelled. 4 nodes of later waves were not");
    expect(waves.held()).toEqual({ n1: NEW, n2: OLD, n3: OLD, n4: OLD, n5: OLD });
    expect(waves.doctor.asked()).toEqual([]);
    // The next run begins with the check of that wave.
    expect((await waves.up(NEW)).error).toBe("");
    expect(waves.doctor.asked()).toEqual(FLEET);
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
