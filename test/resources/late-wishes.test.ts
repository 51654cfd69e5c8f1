import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { DeploymentFolder } from "../../provider/deployment/other-processes";
import { Runtime } from "../../provider/deployment/runtime";
import { startEmulator } from "../../provider/emulator";
import { dynamicProvider } from "../../provider/engine/dynamic-provider";
import type { Handler } from "../../provider/engine/handler";
import type { JsonObject } from "../../provider/model/json";
import { CloudSignalingHandler } from "../../provider/resources/cloud-signaling/handler";
import { PrefixSetHandler } from "../../provider/resources/prefix-set/handler";
import { PrefixSetEntryHandler } from "../../provider/resources/prefix-set-entry/handler";

const BLOCKED = "prefixset://edge/blocked";
const [A, B] = ["192.0.2.0/24", "203.0.113.0/24"];

/** A node, a receiver, and two provider processes of one deployment. */
async function bench() {
  const emulator = await startEmulator({
    state: {
      arenas: { edge: { sets: { blocked: { [A]: 1, [B]: 1 } } } },
      signaling: { clients: [{ clientId: "c1", secretKey: "s1", prefixes: [A] }] },
    },
  });
  const parent = mkdtempSync(join(tmpdir(), "packetfilter-late-"));
  const place = join(parent, "deployment");
  const config: JsonObject = {
    endpoint: emulator.endpoint,
    signalingUrl: emulator.signalingUrl,
    clientId: "c1",
    secretKey: "s1",
    detectDrift: "off",
    node: { commitCoalesceMs: 20 },
  };
  const printed: string[] = [];
  const process = (pid: number) => {
    const folder = new DeploymentFolder({ address: "127.0.0.1:40001", pid }, place);
    const runtime = new Runtime({ env: {}, print: (line) => void printed.push(line), others: folder });
    runtime.configure((key) => config[key]);
    const serve = (handler: new (runtime: Runtime) => Handler) => dynamicProvider(new handler(runtime), runtime);
    return {
      set: serve(PrefixSetHandler),
      entry: serve(PrefixSetEntryHandler),
      signaling: serve(CloudSignalingHandler),
    };
  };
  return {
    emulator,
    printed,
    place,
    one: process(1),
    other: process(2),
    async [Symbol.asyncDispose]() {
      await emulator.close();
      rmSync(parent, { recursive: true });
    },
  };
}

const set = { arena: "edge", set: "blocked" };

it("what a new resource of another process has adopted stays, and is named", async () => {
  await using w = await bench();
  const { endpoint } = w.emulator;
  const { inputs } = await w.other.set.check({}, { ...set, entries: [A], onExisting: "adopt" });
  await w.other.set.create(inputs);
  await w.one.set.delete("", { ...set, url: BLOCKED, count: 2, entries: { [A]: 1, [B]: 1 }, endpoint });
  expect(w.emulator.prefixSet(BLOCKED).applied).toEqual({ [A]: 1, [B]: 1 });
});

it("what another process comes to want while a delete waits for company stays, and is named", async () => {
  await using w = await bench();
  const { endpoint } = w.emulator;
  const deleted = w.one.set.delete("", { ...set, url: BLOCKED, count: 2, entries: { [A]: 1, [B]: 1 }, endpoint });
  await w.other.entry.check({}, { ...set, prefix: A });
  await deleted;
  expect(w.emulator.prefixSet(BLOCKED).applied).toEqual({ [A]: 1 });
  expect(w.printed.join("\n")).toContain(
    `1 entry stays, since another resource of this stack declares or has adopted it: ${A}.`,
  );

  const entry = w.one.entry.delete("", { ...set, prefix: A, value: 1, endpoint });
  await w.other.set.check({}, { ...set, entries: [A] });
  await entry;
  expect(w.emulator.prefixSet(BLOCKED).applied).toEqual({ [A]: 1 });
  expect(w.printed.join("\n")).toContain(
    `${A} stays, since another resource of this stack declares or has adopted it.`,
  );
});

it("what another process comes to want while an update waits for company stays", async () => {
  await using w = await bench();
  const { endpoint } = w.emulator;
  const state = { ...set, url: BLOCKED, count: 2, entries: { [A]: 1, [B]: 1 }, endpoint };
  const { inputs } = await w.one.set.check(state, { ...set, entries: { [B]: 1 } });
  const updated = w.one.set.update("", state, inputs);
  await w.other.entry.check({}, { ...set, prefix: A });
  await updated;
  expect(w.emulator.prefixSet(BLOCKED).applied).toEqual({ [A]: 1, [B]: 1 });
});

it("what another process comes to want while a stop asks for the status stays active", async () => {
  await using w = await bench();
  const { id, outs } = await w.one.signaling.create({ prefixes: [A] });
  const stopped = w.one.signaling.delete(id, outs);
  await w.other.signaling.check({}, { prefixes: [A] });
  await stopped;
  expect(w.emulator.signalings.c1).toEqual([A]);
  expect(w.printed.join("\n")).toContain(`${A} stays active, since another resource of this stack declares it.`);
});

it("what another process comes to want once the removal is on its way is restored, and named", async () => {
  await using w = await bench();
  const { emulator } = w;
  emulator.fail({ cmd: "commit", kind: "delay", delay: 100 });
  const state = { ...set, prefix: A, value: 7, endpoint: emulator.endpoint };
  const deleted = w.one.entry.delete("", state);
  await expect.poll(() => emulator.requests({ cmd: "delete" }).length).toBe(1);
  await w.other.entry.check({}, { ...set, prefix: A });
  await deleted;
  expect(emulator.prefixSet(BLOCKED).applied).toEqual({ [A]: 1, [B]: 1 });
  expect(w.printed.join("\n")).toContain(
    `${A} was removed while another resource of this stack began to declare it; restored.`,
  );
});

it("what another process comes to want once the stop is on its way is started again, and named", async () => {
  await using w = await bench();
  const { emulator } = w;
  const { id, outs } = await w.one.signaling.create({ prefixes: [A] });
  emulator.fail({ op: "stop", kind: "delay", delay: 100 });
  const stopped = w.one.signaling.delete(id, outs);
  await expect.poll(() => emulator.requests({ op: "stop" }).length).toBe(1);
  await w.other.signaling.check({}, { prefixes: [A] });
  await stopped;
  expect(emulator.signalings.c1).toEqual([A]);
  expect(w.printed.join("\n")).toContain(
    `${A} stopped while another resource of this stack began to declare it; started again.`,
  );
});

it("where the processes cannot tell each other what they want, nothing is removed or stopped, and what is added goes in", async () => {
  await using w = await bench();
  const { emulator, one } = w;
  mkdirSync(w.place, { mode: 0o755 });
  const why = "The provider processes of this deployment cannot tell each other what they want: ";
  const { id, outs } = await one.signaling.create({ prefixes: [A] });
  await expect(one.signaling.delete(id, outs)).rejects.toThrow(`nothing is stopped. ${why}`);
  const state = { ...set, url: BLOCKED, count: 2, entries: { [A]: 1, [B]: 1 }, endpoint: emulator.endpoint };
  await expect(one.set.delete("", state)).rejects.toThrow(`nothing is removed. ${why}`);
  await one.entry.create({ ...set, prefix: "198.51.100.0/24", value: 1 });
  expect(emulator.prefixSet(BLOCKED).applied).toEqual({ [A]: 1, [B]: 1, "198.51.100.0/24": 1 });
  expect(emulator.signalings.c1).toEqual([A]);
});
