import { ConfigureRequest, type ConfigureResponse } from "@pulumi/pulumi/proto/provider_pb";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Emulator, startEmulator } from "../../provider/emulator";
import { FakeEngine, struct } from "./support/fake-engine";
import { failureOf, held, made, Subject } from "./support/subject";

const BLOCKED = "prefixset://edge/blocked";
const ENTRIES = { "192.0.2.0/24": 1, "203.0.113.7/32": 2 };
const ARGS = { arena: "edge", set: "blocked", entries: ENTRIES };
const LIMIT = "The program gives this operation 1 s (customTimeouts).";
/** Longer than the limit, and shorter than the time of a request. */
const SLOW = { kind: "delay", delay: "2500ms" } as const;

let emulator: Emulator;
let engine: FakeEngine;
const blocked = new Subject(() => engine, "PrefixSet", "blocked");
const signaling = new Subject(() => engine, "CloudSignaling", "attack");

/** Checks look at node and receiver, so that a create or update begins with its first change. */
async function startEngine(detectDrift = "auto"): Promise<void> {
  engine = await FakeEngine.start();
  const { endpoint, signalingUrl, clients } = emulator;
  const [{ clientId, secretKey } = {}] = clients;
  const Args = struct({ endpoint, signalingUrl, clientId, secretKey, detectDrift });
  await engine.call<ConfigureResponse>("configure", made(ConfigureRequest, { Args }));
}

/** Each run of an engine has a process of the plugin to itself, which ends once its requests have. */
async function nextRun(detectDrift?: string): Promise<void> {
  await engine[Symbol.asyncDispose]();
  await startEngine(detectDrift);
}

beforeEach(async () => {
  emulator = await startEmulator({ state: { arenas: { edge: { sets: { blocked: {} } } } } });
  await startEngine();
});
afterEach(async () => {
  await engine[Symbol.asyncDispose]();
  await emulator.close();
});

describe("the time that a program gives an operation (customTimeouts)", () => {
  it("ends a create whose commit is slow: the state has what may be applied, and the next run goes on from there", async () => {
    const inputs = await blocked.checked(ARGS);
    emulator.fail({ cmd: "commit", ...SLOW });
    const { text, partial } = await failureOf(blocked.create(inputs, false, 1));
    expect(text).toMatch(
      /^Set prefixset:\/\/edge\/blocked.*: not finished in time\. 2 entries of this resource may be/,
    );
    expect(text).toContain(LIMIT);
    expect(partial?.getId()).toBe(BLOCKED);
    const state = held(partial?.getProperties());
    expect(state).toMatchObject({ entries: {}, unsettled: Object.keys(ENTRIES) });

    await nextRun();
    const updated = await blocked.update({ id: BLOCKED, state, inputs, news: inputs });
    expect(held(updated.getProperties())).toMatchObject({ entries: ENTRIES });
    expect(held(updated.getProperties())).not.toHaveProperty("unsettled");
    expect(emulator.prefixSet(BLOCKED).applied).toEqual(ENTRIES);
  });

  it("ends a create whose first list is slow: nothing is sent, then or later", async () => {
    await nextRun("off");
    const inputs = await blocked.checked(ARGS);
    emulator.fail({ cmd: "list", ...SLOW });
    const { text, partial } = await failureOf(blocked.create(inputs, false, 1));
    expect(text).toMatch(/not begun in time\. Nothing was changed/);
    expect(text).toContain(LIMIT);
    expect(partial).toBeUndefined();
    await nextRun();
    expect(emulator.requests({ cmd: "insert" })).toEqual([]);
  });

  it("ends an update, a read and a delete, and none of another resource in the same group of writes", async () => {
    const scanner = new Subject(() => engine, "PrefixSetEntry", "scanner");
    const inputs = await blocked.checked(ARGS);
    const state = held((await blocked.create(inputs)).getProperties());
    await nextRun();
    const news = await blocked.checked({ ...ARGS, entries: { "192.0.2.0/24": 5 } }, inputs);
    const args = { arena: "edge", set: "blocked", prefix: "198.51.100.7" };
    const entry = await scanner.checked(args);
    emulator.fail({ cmd: "commit", ...SLOW });
    const [late, made] = await Promise.all([
      failureOf(blocked.update({ id: BLOCKED, state, inputs, news, timeout: 1 })),
      scanner.create(entry),
    ]);
    expect(late.text).toContain("2 entries of this resource may be staged, or applied");
    expect(made.getId()).toBe(`${BLOCKED}#198.51.100.7/32`);
    expect(emulator.prefixSet(BLOCKED).applied).toEqual({ "192.0.2.0/24": 5, "198.51.100.7/32": 1 });

    await nextRun();
    emulator.fail({ cmd: "list", ...SLOW });
    const read = await failureOf(blocked.read(BLOCKED, state, inputs, 1));
    expect(read.text).toContain(`${BLOCKED}: not read in time. The state is unchanged.`);
    await nextRun();
    emulator.fail({ cmd: "commit", ...SLOW });
    const deleted = await failureOf(blocked.delete(BLOCKED, state, 1));
    expect(deleted.text).toContain("run the same pulumi command again");
    expect(deleted.text).toContain(LIMIT);
  });

  it("ends a start of signaling, of which the state knows that it may be active", async () => {
    const inputs = await signaling.checked({ prefixes: ["198.51.100.7"] });
    emulator.fail({ op: "start", ...SLOW });
    const { text, partial } = await failureOf(signaling.create(inputs, false, 1));
    expect(text).toContain("start is incomplete: 1 of 1 prefixes are not active");
    expect(text).toContain(LIMIT);
    expect(held(partial?.getProperties())).toMatchObject({ started: [], unsettled: ["198.51.100.7/32"] });
  });

  it("changes nothing of an operation that ends in time", async () => {
    const created = await blocked.create(await blocked.checked(ARGS), false, 60);
    expect(held(created.getProperties())).toMatchObject({ entries: ENTRIES });
  });
});
