import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { NodeClient, Prefix, RequestError, SignalingClient } from "../../provider/client";
import { type Emulator, startEmulator } from "../../provider/emulator";
import { GLOBAL, LOCAL, listed, SECRET, STATE } from "./state";

let emulator: Emulator;
let node: NodeClient;
let signaling: SignalingClient;

beforeEach(async () => {
  emulator = await startEmulator({ state: STATE });
  node = new NodeClient({ endpoint: emulator.endpoint });
  signaling = new SignalingClient(credentials());
});

afterEach(async () => {
  await Promise.all([node.close(), signaling.close()]);
  await emulator[Symbol.asyncDispose]();
});

describe.each([
  { name: "global", set: GLOBAL, url: "prefixset://edge/blocked", commitUrl: "prefixset://edge/blocked/" },
  { name: "local", set: LOCAL, url: "prefixset://edge/web/blocked", commitUrl: "prefixset://edge/web/blocked" },
])("a $name prefix-set", ({ set, url, commitUrl }) => {
  it("is listed, filled, committed and emptied", async () => {
    expect(listed(await node.listPrefixSet(set))).toEqual({ "203.0.113.0/24": 7 });

    await node.insert(set, [
      ["192.0.2.1", 1],
      ["2001:DB8::/32", 4294967295],
    ]);
    await node.delete(set, ["203.0.113.0/24"]);
    expect(emulator.prefixSet(url).applied).toEqual({ "203.0.113.0/24": 7 });

    await node.commit(set);
    expect(emulator.prefixSet(url).applied).toEqual({ "192.0.2.1/32": 1, "2001:db8::/32": 4294967295 });
    expect(listed(await node.listPrefixSet(set))).toEqual({ "192.0.2.1/32": 1, "2001:db8::/32": 4294967295 });
    expect(emulator.journal.map(({ cmd, rawUrl }) => [cmd, rawUrl])).toEqual([
      ["list", url],
      ["insert", url],
      ["delete", url],
      ["commit", commitUrl],
      ["list", url],
    ]);
  });
});

it("an unknown set is an error that names it, the node and what the node said", async () => {
  const error = await node.listPrefixSet({ ...GLOBAL, set: "nowhere" }).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(RequestError);
  expect(error).toMatchObject({
    outcome: "refused",
    status: 404,
    operation: "list",
    object: "prefixset://edge/nowhere",
    tries: 1,
  });
  const host = new URL(emulator.endpoint).host;
  expect(String(error)).toBe(
    `RequestError: Set prefixset://edge/nowhere on ${host}: list failed (HTTP 404): unknown prefix-set edge/nowhere.`,
  );
});

it("profiles, rules and marks are listed", async () => {
  expect((await node.listProfiles("edge")).map(({ name }) => name)).toEqual(["web", "clean", "guarded"]);
  const rules = await node.listRules("edge", "web");
  expect(rules.map(({ id, name }) => ({ id, name }))).toEqual([{ id: 30, name: "count sources" }]);
  expect(rules[0]?.extra).toHaveProperty("actions");
  expect(await node.listMarks("edge", "web", "shost")).toEqual([
    { address: "203.0.113.9", id: 30, value: 1234, lifetime: 3600 },
  ]);
  expect(await node.listMarks("edge", "web", "dhost")).toEqual([
    { address: "2001:db8::7", id: 31, value: 5, lifetime: 60 },
  ]);
  expect(await node.listMarks("edge", "web", "sdhost")).toEqual([
    { source: "203.0.113.9", destination: "198.51.100.7", id: 32, value: 6, lifetime: 60 },
  ]);
  expect(await node.listMarks("edge", "web", "conn")).toEqual([
    {
      source: "203.0.113.9",
      destination: "198.51.100.7",
      sourcePort: 4711,
      destinationPort: 443,
      protocol: expect.anything(),
      id: 33,
      value: 7,
      lifetime: 60,
    },
  ]);
});

it("signaling is started, shown and stopped, and moves the prefix", async () => {
  const prefix = Prefix.parse("198.51.100.7");
  expect(await signaling.status()).toEqual([]);
  await signaling.start([prefix]);
  expect((await signaling.status()).map(String)).toEqual(["198.51.100.7/32"]);
  expect(emulator.boundProfile("198.51.100.7")).toBe("profile://edge/guarded");
  await signaling.stop([prefix]);
  expect(emulator.boundProfile("198.51.100.7")).toBe("profile://edge/clean");
});

function credentials() {
  return { url: emulator.signalingUrl, clientId: "c1", secretKey: SECRET };
}
