import { expect, it } from "vitest";
import { NodeClient, type NodeOptions, UnexpectedResponse } from "../../provider/client";
import { failureOf, reply, SET, serve, TestWorld } from "./support";

/** The error of a list of the set, or its entries, for an answer of the node. */
async function list(status: number, body: unknown, options: Partial<NodeOptions> = {}) {
  await using server = await serve(reply(status, body));
  const client = server.node({ ...options });
  const told = await client.listPrefixSet(SET).then(
    (entries) => entries.map(({ prefix, value, spelling }) => [prefix.toString(), value, spelling]),
    (error: Error) => error.message.replaceAll(server.host, "NODE"),
  );
  return told;
}

it("an unknown shape fails with the shape and with the setting that reads it", async () => {
  const body = { payload: { rows2: [{ subnet: "192.0.2.0", size: 24, weight: 700 }] } };
  expect(await list(200, body)).toBe(
    'Set prefixset://edge/blocked on NODE: list failed (HTTP 200): the answer is an object with "payload"; its shape is {"payload":{"rows2":[{"subnet":text,"size":number,"weight":number}]}}. Describe it by answers.path. To find settings that read it, run "pulumi-packetfilter probe" for this node.',
  );
  const path = "payload.rows2";
  expect(await list(200, body, { answers: { path } })).toBe(
    'Set prefixset://edge/blocked on NODE: list failed (HTTP 200): element 0 has no prefix (an object with "subnet", "size", "weight"). Describe it by answers.names. To find settings that read it, run "pulumi-packetfilter probe" for this node.',
  );
  const names = { prefix: "subnet", prefixLength: "size", value: "weight" };
  expect(await list(200, body, { answers: { path, names } })).toEqual([["192.0.2.0/24", 700, "192.0.2.0/24"]]);
});

it("the settings may be JSON texts, as a configuration holds them, and wrong ones are named", async () => {
  const options = { answers: '{"path":"payload"}' as never };
  expect(await list(200, { payload: ["192.0.2.0/24"] }, options)).toEqual([["192.0.2.0/24", 1, "192.0.2.0/24"]]);
  const wrong = { endpoint: "http://192.0.2.10", answers: { names: { prefixes: "x" } }, markPauseMs: 100 } as never;
  expect(() => new NodeClient(wrong)).toThrow(
    'Options of the node: `answers.names` has no member `prefixes`: `prefix` is likely meant; `markPauseMs` must be at least 3000, or go with `markPace`: "off".',
  );
});

it("an answer without a body is no list, and an empty one with the setting for it", async () => {
  const message = await list(200, "");
  expect(message).toMatch(
    /the answer is empty\. If this is how the node answers an empty list, set answers\.empty: ""\.$/,
  );
  expect(await list(200, "", { answers: { empty: "" } })).toEqual([]);
  expect(await list(200, "", { answers: { empty: "{}" } })).toMatch(/the answer is empty/);
  expect(await list(200, {}, { answers: { empty: "{}" } })).toEqual([]);
});

it("an empty object is an empty list once any client has seen a keyed list", async () => {
  const answers: unknown[] = [{}, { "192.0.2.0/24": 1 }, {}, { data: {} }];
  await using server = await serve((request, response, count) => reply(200, answers[count - 1])(request, response, 1));
  const world = new TestWorld();
  const ask = () => server.node({}, world).listPrefixSet(SET);
  expect(await failureOf(ask())).toBeInstanceOf(UnexpectedResponse);
  expect(await ask()).toHaveLength(1);
  expect(await ask()).toEqual([]);
  expect(await failureOf(ask())).toMatchObject({ code: "unexpected-response" });
});

it.each([
  [200, { code: 1, msg: "no such set" }, "no such set"],
  [200, { Err: "no such set", data: [] }, "no such set"],
  [200, "ERROR: no such set", "ERROR: no such set"],
  [202, { response: { status: "failed", reason: "no such set" } }, "no such set"],
  [404, { fault: "no such set" }, "no such set"],
  [404, { fault: "no such set", at: "edge", size: 7 }, 'the answer is {"fault":text,"at":text,"size":number}'],
])("status %d and %j is an error at once, in the node's words", async (status, body, words) => {
  await using server = await serve(reply(status, body));
  const client = server.node();
  for (const request of [client.listPrefixSet(SET), client.insert(SET, [["192.0.2.0/24", 1]]), client.commit(SET)]) {
    const error = await failureOf(request);
    expect(error).toMatchObject({ outcome: "refused", tries: 1, status });
    expect(error.message).toContain(`(HTTP ${status}): ${words}.`);
  }
});

it("what a node answered to changes is kept, short and without secrets", async () => {
  await using server = await serve((request, response) => {
    const { cmd } = JSON.parse(request.body);
    const body = cmd === "insert" ? { inserted: 0, by: "canary-5ecret" } : cmd === "delete" ? "" : "x".repeat(500);
    reply(200, body)(request, response, 1);
  });
  const client = server.node({ headers: { "x-token": "canary-5ecret" } });
  const set = client.set(SET);
  await set.insert([["192.0.2.0/24" as never, 1]]);
  await set.delete(["192.0.2.0/24"]);
  await set.commit();
  expect([...set.answered]).toEqual([
    ["insert", expect.stringMatching(/^\{"inserted":0,"by":"(?!canary).*"\}$/)],
    ["delete", "an empty body"],
    ["commit", `${"x".repeat(200)}…`],
  ]);
});

it("what a node refused is kept too, with its status", async () => {
  await using server = await serve(reply(409, { error: "busy with canary-5ecret" }));
  const client = server.node({ headers: { "x-token": "canary-5ecret" } });
  const set = client.set(SET);
  await failureOf(set.commit());
  expect([...set.answered]).toEqual([
    ["commit", expect.stringMatching(/^HTTP 409, \{"error":"busy with (?!canary).*"\}$/)],
  ]);
});

it("a value that a node listed goes back to it as it came", async () => {
  await using server = await serve(reply(200));
  const client = server.node();
  const values = [1.5, -1, "drop", "18446744073709551617", "017"];
  await client.set(SET).insert(values.map((value, n) => [`192.0.2.${n}/32` as never, value]));
  const sent = /"data":(.*)\}$/.exec(server.arrived[0]?.body ?? "")?.[1];
  expect(sent).toBe(
    '[{"p":"192.0.2.0/32","v":1.5},{"p":"192.0.2.1/32","v":-1},{"p":"192.0.2.2/32","v":"drop"},{"p":"192.0.2.3/32","v":18446744073709551617},{"p":"192.0.2.4/32","v":"017"}]',
  );
  const own = await failureOf(client.insert(SET, [["192.0.2.0/24", 1.5]]));
  expect(own.message).toContain("the value 1.5 is not an integer from 0 to 4294967295");
});
