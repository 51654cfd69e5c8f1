import { expect, test } from "vitest";
import { Runtime } from "../../provider/deployment/runtime";
import { startEmulator } from "../../provider/emulator";
import { providerText } from "../../provider/engine/provider-text";
import type { JsonObject } from "../../provider/model/json";
import { get } from "../../provider/provider";
import { dynamicProviders } from "../simulation/engine/dynamic-door";

const BLOCKED = "prefixset://edge/blocked";
const SECRET = "canary-4f1c9b";
const node = (blocked: Record<string, number>) =>
  startEmulator({ state: { arenas: { edge: { sets: { blocked, partners: {} } } } } });

/** Providers of a new process. As in the SDK's server, the first calls do not wait for the configuration. */
const providers = (config: JsonObject) => dynamicProviders(new Runtime({ env: {}, print: () => {} }), config);

const set = (entries: JsonObject) => ({
  __provider: providerText("PrefixSet"),
  arena: "edge",
  set: "blocked",
  entries,
});
const entry = {
  __provider: providerText("PrefixSetEntry"),
  arena: "edge",
  set: "partners",
  prefix: "203.0.113.4/32",
};
const signaling = { __provider: providerText("CloudSignaling"), prefixes: ["198.51.100.7/32"] };

/** All that the server can read of an error, whose `code` and `details` it would forward, and whose stack it would print. */
async function failureOf(call: Promise<unknown>) {
  const error = await call.then(
    () => new Error("it succeeded"),
    (reason: Error) => reason,
  );
  const { message, stack, cause, ...more } = error;
  return { ...more, message, stack, cause };
}

const IMPATIENT = { timeoutMs: 1_000, deadlineMs: 1_200, commitCoalesceMs: 0 };

/** A value as it travels. */
const overTheWire = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

test("an answer is plain JSON, without members that are undefined", async () => {
  await using emulator = await node({});
  const provider = providers({ endpoint: emulator.endpoint, node: IMPATIENT })("PrefixSet");
  const checked = await provider.check({}, set({ "192.0.2.0/24": { value: 2, reason: "SYN flood" } }));
  const created = await provider.create(checked.inputs);
  const answers = [
    checked,
    created,
    await provider.diff(created.id, created.outs, checked.inputs),
    await provider.read(created.id, created.outs),
    await provider.update(created.id, created.outs, set({ "192.0.2.0/24": 3 })),
  ];
  expect(answers).toStrictEqual(overTheWire(answers));
});

test("an error is a sentence: no code, no details, no cause, no stack of ours, no secret", async () => {
  await using emulator = await node({ "192.0.2.0/24": 1 });
  const headers = { authorization: `Bearer ${SECRET}` };
  const config = { endpoint: emulator.endpoint, headers, node: IMPATIENT };
  const { id, outs } = await providers(config)("PrefixSet").create(set({ "192.0.2.0/24": 1 }));
  emulator.fail({ kind: "error", status: 503, message: `down, and I saw ${SECRET}`, times: 1_000 });
  const provider = providers(config)("PrefixSet");
  const failures = [
    await failureOf(provider.read(id, outs)),
    await failureOf(provider.delete(id, outs)),
    await failureOf(provider.update(id, outs, set({ "192.0.2.0/24": 2 }))),
    await failureOf(provider.create(set({ "203.0.113.0/24": 1 }))),
  ];
  const message = expect.stringMatching(/^Set prefixset:\/\/edge\/blocked on 127\.0\.0\.1:\d+: list failed \(HTTP 503/);
  expect(failures).toStrictEqual(failures.map(() => ({ message, stack: "", cause: undefined })));
  expect(failures[0]?.message).toContain("--exclude");
  expect(JSON.stringify(failures)).not.toContain(SECRET);
});

test("a partial failure carries id, reasons and properties with the provider text", async () => {
  await using emulator = await node({});
  const { endpoint, signalingUrl } = emulator;
  const { clientId, secretKey } = emulator.clients[0] ?? {};
  const get = providers({
    endpoint,
    signalingUrl,
    clientId,
    secretKey,
    node: IMPATIENT,
    receiver: { deadlineMs: 1_200 },
  });
  emulator.fail({ cmd: "commit", status: 503, times: 1_000 });
  emulator.fail({ op: "start", kind: "lost-answer" });
  emulator.fail({ op: "status", status: 503, nth: 2, times: 1_000 });
  const created = await failureOf(get("PrefixSet").create(set({ "203.0.113.0/24": 1 })));
  expect(created).toMatchObject({
    message: expect.stringMatching(/commit failed.*"pulumi up" settles that/),
    stack: "",
    id: BLOCKED,
    reasons: [created.message],
    properties: { ...set({}), url: BLOCKED, count: 0, endpoint, unsettled: ["203.0.113.0/24"] },
  });
  const { __provider } = entry;
  expect(await failureOf(get("PrefixSetEntry").create(entry))).toMatchObject({
    properties: { __provider, absent: true },
  });
  expect(await failureOf(get("CloudSignaling").create(signaling))).toMatchObject({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    properties: { ...signaling, prefixes: [], started: [], unsettled: ["198.51.100.7/32"], endpoint: signalingUrl },
  });
});

test("a configuration that makes no sense fails every check with one sentence, and an unknown type names the remedy", async () => {
  const provider = providers({ endpoint: "ftp://192.0.2.1", secretKey: SECRET })("PrefixSet");
  for (const { failures } of await Promise.all([1, 2].map(() => provider.check({}, set({}))))) {
    expect(failures).toEqual([{ property: "", reason: expect.stringMatching(/^packetfilter:endpoint: /) }]);
    expect(JSON.stringify(failures)).not.toContain(SECRET);
  }
  expect(() => get("PrefixSett")).toThrow(/knows no resource type "PrefixSett": install the version/);
});
