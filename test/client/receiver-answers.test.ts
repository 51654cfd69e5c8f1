import { describe, expect, it } from "vitest";
import { Prefix, type ReceiverOptions, SignalingClient } from "../../provider/client";
import { failureOf, serve, TestWorld } from "./support";

const A = Prefix.parse("192.0.2.1");
const B = Prefix.parse("198.51.100.0/24");
type Told = string | [status: number, body: string];

/** A receiver that answers as `told` says, and "ok" to others. */
async function receiver(
  told: Partial<Record<"status" | "start" | "stop", Told>>,
  answers?: ReceiverOptions["answers"],
) {
  const server = await serve(({ path }, response) => {
    const answer = told[path.split("/").pop() as "status"] ?? "ok";
    const [status, body] = typeof answer === "string" ? [200, answer] : answer;
    response.writeHead(status).end(body);
  });
  const client = new SignalingClient({ url: server.url, clientId: "c1", secretKey: "k3y", answers }, new TestWorld());
  return {
    client,
    get asked() {
      return server.arrived.map(({ path }) => path.split("/").pop());
    },
    status: () => client.status().then((list) => list.map(String).join(" ")),
    [Symbol.asyncDispose]: async () => {
      await client.close();
      await server[Symbol.asyncDispose]();
    },
  };
}

describe("a status", () => {
  it.each<[Told, ReceiverOptions["answers"]?]>([
    ['{"IP_prefix":["192.0.2.1","198.51.100.0/24"]}'],
    ['{"result":{"ip_prefix":["192.0.2.1","198.51.100.0/24"]},"status":"ok"}'],
    ['["192.0.2.1","198.51.100.0/24"]'],
    ['{"a":{"b":["192.0.2.1","198.51.100.0/24"]}}', { path: "a.b" }],
    ['{"a":{"b":["192.0.2.1","198.51.100.0/24"]}}', { path: "a", name: "b" }],
    [
      '{"code":5,"message":"2 active","data":["192.0.2.1","198.51.100.0/24"]}',
      { success: { status: { member: "code", values: [5] } } },
    ],
    ['{"total":9,"data":["192.0.2.1","198.51.100.0/24"]}', { ignore: ["total"] }],
    ["# active\r192.0.2.1\r198.51.100.0/24\r", { format: "lines" }],
    ["192.0.2.1,UDP flood\n198.51.100.0/24,", { format: "csv" }],
  ])("%j is read by %j", async (status, answers) => {
    await using peer = await receiver({ status }, answers);
    expect(await peer.status()).toBe("192.0.2.1/32 198.51.100.0/24");
  });

  it.each<[string, ReceiverOptions["answers"]?]>([
    ['{"IP_prefix":[{"prefix":"198.51.100.0/24","active":false}]}', { ignore: ["active"] }],
    ['{"IP_prefix":{"198.51.100.0/24":{"state":"stopped"}}}', { ignore: ["state"] }],
    ["198.51.100.0/24,UDP flood,inactive", { format: "csv", ignore: ["column 2"] }],
    ["prefix,state\n198.51.100.0/24,inactive", { format: "csv", ignore: ["State"] }],
    ['{"prefix":"198.51.100.0/24","active":false}\n', { format: "ndjson", ignore: ["active"] }],
    ['{"IP_prefix":["198.51.100.0/24"],"old":["192.0.2.1"]}', { path: "IP_prefix" }],
    ['{"IP_prefix":["198.51.100.0/24"],"old":["192.0.2.1"]}', { ignore: ["old"] }],
    ['{"IP_prefix":{"198.51.100.0/24":true}}'],
    ['{"198.51.100.0/24":null}'],
    ['{"IP_prefix":{"198.51.100.0/24":60}}'],
    ['{"IP_prefix":{"198.51.100.0/24":"2030-01-01T00:00:00Z"}}'],
    ['{"IP_prefix":{"198.51.100.0/24":"active"}}'],
    ['{"IP_prefix":{"198.51.100.0/24":false}}', { ignore: ["value"] }],
    ['{"IP_prefix":["198.51.100.0/24"],"details":{"198.51.100.0/24":{"since":"2030-01-01"}}}'],
    ['{"IP_prefix":["198.51.100.0/24"],"account":4711,"accountId":4711,"counter":99}'],
    ['{"IP_prefix":["198.51.100.0/24"],"quota":"1 of 5","used":"2 of 10 mitigations active"}'],
    ['{"IP_prefix":["198.51.100.0/24"],"ttl":{"198.51.100.0/24":60}}'],
    ['{"IP_prefix":["198.51.100.0/24"],"history":[{"prefix":"198.51.100.0/24","event":"stopped"}]}'],
    ['{"result":{"ip_prefix":["198.51.100.7/24"]},"networks":["198.51.100.0/24"]}'],
    ["198.51.100.0/24 0", { format: "lines" }],
    ["PREFIX STATE\n198.51.100.0/24 active", { format: "lines" }],
    ["source,prefix,state\n192.0.2.1,198.51.100.0/24,active", { format: "csv" }],
    ["10:30:00 198.51.100.0/24", { format: "lines" }],
    ["192.0.2.1 198.51.100.0/24", { format: "lines", ignore: ["column 0"] }],
    ["198.51.100.0/24 via 192.0.2.1", { format: "lines", ignore: ["column 2"] }],
    ["198.51.100.0/24 00:1b:44:11:3a:b7", { format: "lines" }],
    ["1:02:03:04 198.51.100.0/24", { format: "lines" }],
    ["0 198.51.100.0/24", { format: "lines" }],
    ["198.51.100.0/24 active 0", { format: "lines" }],
    ["198.51.100.0/24 NO AS64500", { format: "lines" }],
  ])("%j shows one prefix with %j", async (status, answers) => {
    await using peer = await receiver({ status }, answers);
    expect(await peer.status()).toBe("198.51.100.0/24");
  });

  it.each<[Told, ReceiverOptions["answers"]?]>([
    [[404, "no active signaling"]],
    ['{"IP_prefix":[],"message":"no active signaling"}'],
    ['{"IP_prefix":[],"status":7}', { success: { status: { member: "status", values: [7] } } }],
    [[404, '{"error":"nothing is active"}']],
    [[404, "cloud signaling not active"]],
    [[404, "There are no active prefixes."]],
    ...[
      "no active mitigations",
      "No signaling is active for this client",
      "no active entries",
      "No active diversion for client 7.",
      "no prefixes active on client 7",
    ].map((words): [Told] => [[404, words]]),
    ['{"IP_prefix":[],"message":"No prefix is currently active."}'],
    ["[]", { empty: "{}" }],
    [[404, "?"], { empty: 404 }],
    ['{"total":0,"IP_prefix":[],"status":"inactive","quota":{"remaining":9},"next_check":30}'],
    ['{"IP_prefix":[],"next":"10:30","last_change":"2030-01-01","quota":{"left":9,"next":"2030-01-01T00:00:00Z"}}'],
    ['{"IP_prefix":[],"cursor":"","nextPageToken":null,"next_page":0}'],
    ...["ready", "online", "up", "healthy", "standby", "normal", "clear", "Idle"].map((word): [Told] => [
      JSON.stringify({ IP_prefix: [], status: word }),
    ]),
    ...["next check in 30 s", "signaling is off", "service available", "Currently no prefixes are signaled."].map(
      (message): [Told] => [JSON.stringify({ IP_prefix: [], message })],
    ),
    ['{"IP_prefix":[],"message":"backend unavailable"}', { ignore: ["Message"] }],
    ['{"IP_prefix":[],"status":{"message":"warming up"}}', { ignore: ["status"] }],
  ])("%j says that nothing is active, with %j", async (status, answers) => {
    await using peer = await receiver({ status }, answers);
    expect(await peer.status()).toBe("");
  });

  it.each<[Told, string, ReceiverOptions["answers"]?]>([
    [
      "{}",
      'the answer is an empty object. If this means that nothing is active, set answers.empty: "{}" of the receiver.',
    ],
    ["", 'the answer is empty. If this means that nothing is active, set answers.empty: "" of the receiver.'],
    ['{"active":[]}', 'without "IP_prefix"; its shape is {"active":[]}. If a list of prefixes is in it, say where'],
    ['{"a":1}', 'without "IP_prefix", and at "b" in it is not a list', { path: "b" }],
    ['{"code":5,"message":"table locked","IP_prefix":[]}', "table locked"],
    ['{"IP_prefix":[],"ip_prefix":["192.0.2.1"]}', 'both "IP_prefix" and "ip_prefix" may be the list'],
    ['{"IP_prefix":["192.0.2.1"],"IP_prefix":[]}', 'the member "IP_prefix" stands twice in one object'],
    [
      '{"IP_prefix":["192.0.2.1"],"next":"/2"}',
      '"next" says that the list continues. If the list is whole whatever it says, set answers.ignore: ["next"].',
    ],
    ['{"result":{"IP_prefix":["192.0.2.1"]},"total":5}', '"total" is 5 and 1 are listed'],
    ['{"IP_prefix":["192.0.2.1"],"info":"1 of 5 prefixes"}', "may report a part of the list"],
    ['{"IP_prefix":["192.0.2.1"],"page":"1 of 5"}', "may report a part of the list"],
    ['{"IP_prefix":["192.0.2.1"],"info":"truncated: 1 of 5"}', "may report a part of the list"],
    ['{"IP_prefix":["192.0.2.1"],"nextPageToken":"eyJwYWdlIjoyfQ"}', '"nextPageToken" says that the list continues'],
    ['{"IP_prefix":["192.0.2.1"],"meta":{"continue":"abc"}}', 'answers.ignore: ["meta.continue"]'],
    ['{"IP_prefix":["192.0.2.1"],"_scroll_id":"abc"}', '"_scroll_id" is'],
    ['{"IP_prefix":["192.0.2.1"],"LastEvaluatedKey":{"id":7}}', '"LastEvaluatedKey" says that the list continues'],
    [
      '{"IP_prefix":[],"message":"backend unavailable"}',
      'nothing is listed, and beside it stands "backend unavailable". If nothing is active whatever it says, set answers.ignore: ["message"].',
    ],
    ['{"IP_prefix":[],"status":"ready","state":"degraded"}', 'beside it stands "state": "degraded"'],
    ['{"IP_prefix":[],"status":"degraded","message":"next check in 30 s"}', '"status": "degraded"'],
    ['{"IP_prefix":[],"message":"no such client is signaled for"}', '"no such client is signaled for"'],
    ['{"IP_prefix":[],"message":"client is not active"}', '"client is not active"'],
    ['{"IP_prefix":[],"message":"no license for active mitigation"}', '"no license for active mitigation"'],
    [[404, "no active subscription"], "Check `clientId`"],
    [[404, "No client is active"], "Check `clientId`"],
    [[404, "no active mitigation license"], "If nothing is active, set answers.empty: 404 of the receiver."],
    [[404, "no license for active mitigation"], "Check `clientId`"],
    ['{"status":"inactive","message":"timeout","IP_prefix":[]}', 'nothing is listed, and beside it stands "timeout"'],
    [
      '{"IP_prefix":[],"active":["198.51.100.0/24"]}',
      'both "IP_prefix" and "active" are lists. If "IP_prefix" is the whole list, set answers.path: "IP_prefix" or answers.ignore: ["active"].',
    ],
    [
      '{"IP_prefix":["198.51.100.0/24"],"details":{"198.51.100.0/24":{},"192.0.2.1":{}}}',
      'both "IP_prefix" and "details" are lists',
    ],
    ['{"IP_prefix":["198.51.100.0/24"],"old":[{"id":7}]}', 'both "IP_prefix" and "old" are lists'],
    [
      '{"data":{"prefixes":["192.0.2.1"]},"active":["198.51.100.0/24"]}',
      'Name the right one: answers.path: "active" or answers.path: "data.prefixes".',
    ],
    [
      '{"IP_prefix":["198.51.100.0/24"],"IPv6_prefix":["2001:db8::/48"]}',
      'both "IP_prefix" and "IPv6_prefix" are lists',
    ],
    [
      '{"IP_prefix":{"198.51.100.0/24":false}}',
      '"198.51.100.0/24" has false, and may not be active. If each listed prefix is active whatever it says, set answers.ignore: ["value"].',
    ],
    ['{"IP_prefix":{"198.51.100.0/24":0}}', '"198.51.100.0/24" has 0, and may not be active'],
    ['{"IP_prefix":{"198.51.100.0/24":["stopped"]}}', '"198.51.100.0/24" has an array, and may not be active'],
    ['{"198.51.100.0/24":"inactive"}', '"198.51.100.0/24" has "inactive", and may not be active'],
    [
      '{"198.51.100.0/24":{"active":false}}',
      'element 0 has "active": false, and may not be applied. If the entry counts whatever it says, set answers.ignore: ["active"].',
    ],
    ['{"IP_prefix":[{"prefix":"198.51.100.0/24","state":"stopped"}]}', 'element 0 has "state": "stopped"'],
    ["192.0.2.1\n# truncated\n", 'line 2, "# truncated", may report a part of the list', { format: "lines" }],
    [
      "192.0.2.1\nTABLE BUSY\n",
      "status failed (HTTP 200): 192.0.2.1 TABLE BUSY.",
      { format: "lines", failure: { text: "table busy" } },
    ],
    [
      "192.0.2.1 198.51.100.0/24\n",
      'line 1 holds "192.0.2.1" and "198.51.100.0/24", and nothing says which one is active. If "192.0.2.1" is the active one, set answers.ignore: ["column 1"]; if "198.51.100.0/24" is it, answers.ignore: ["column 0"].',
      { format: "lines" },
    ],
    ["198.51.100.0/24 inactive\n", 'line 1 has "column 1": "inactive"', { format: "lines" }],
    ["198.51.100.0/24,false\n", 'line 1 has "column 1": "false"', { format: "csv" }],
    ["prefix,state\n198.51.100.0/24,inactive\n", 'line 2 has "state": "inactive"', { format: "csv" }],
    ["There is a lock on this address", "line 1 holds no prefix", { format: "lines" }],
    ['{"prefix":"192.0.2.1"}\n{"ok":false}', "carries an error marker", { format: "ndjson" }],
    [[206, ""], "the status 206 says that this is a part of the list", { empty: "" }],
    [[206, '{"IP_prefix":["192.0.2.1"]}'], "the status 206 says that this is a part of the list"],
    [[404, "not found"], "Check `clientId`, `secretKey` and `url`"],
    [[404, "<html>no active signaling</html>"], "Check `clientId`", { empty: 404 }],
    ["192.0.2.1\n198.51.100.0/24", "If it is a list, set answers.format of the receiver."],
    ...["[]", "null", "ok", '{"IP_prefix":""}', '{"data":[]}', '{"IP_prefix":["x"]}'].map((told): [Told, string] => [
      told,
      "status failed",
    ]),
  ])("%j is an error that names the setting", async (status, message, answers) => {
    await using peer = await receiver({ status }, answers);
    expect((await failureOf(peer.client.status())).message).toContain(message);
  });
});

describe("a start", () => {
  it.each<[Told, ReceiverOptions["answers"]?]>([
    ['{"result":"success","count":1}'],
    ['{"code":0,"message":"started"}'],
    [[201, ""]],
    [[204, ""]],
    ["Accepted"],
    ["ok\0"],
    ['{"code":1000,"message":"done, 1 prefix"}', { success: { member: "code", values: [1000] } }],
    ['{"rc":7}', { failure: { start: { member: "rc", values: [9] } } }],
  ])("is done by %j, with %j", async (start, answers) => {
    await using peer = await receiver({ start }, answers);
    await peer.client.start([A]);
    expect(peer.asked).toEqual(["start"]);
  });

  it.each<[Told, string, ReceiverOptions["answers"]?]>([
    ['{"rc":7}', 'answers.success.start: { member: "rc", values: [7] }'],
    ['{"code":1000,"message":"done, 1 prefix"}', 'answers.success.start: { member: "code", values: [1000] }'],
    ['{"id":7}', 'the answer is not "ok" but an object with "id". Declare success by answers.success of the receiver.'],
    ['{"error":"table locked"}', "table locked"],
    ['{"rc":9}', "start failed", { failure: { start: { member: "rc", values: [9] } } }],
    ["<html>", "the answer is an HTML page"],
    ...["", "pending", "not ok", "{}", "[]", '{"status":"queued"}'].map((told): [Told, string] => [
      told,
      "start failed",
    ]),
  ])("is not done by %j", async (start, message, answers) => {
    await using peer = await receiver({ start }, answers);
    expect((await failureOf(peer.client.start([A]))).message).toContain(message);
  });

  it.each<[string, Told]>([
    ["cannot be read", '{"active":3}'],
    ["fails", [500, "no database"]],
    ["is away for long", [503, "restarting"]],
    ["is a sign-in page", "<html><title>Sign in</title>"],
    ["leads to a sign-in page", [302, ""]],
    ["is missing", [404, "not found"]],
    ["is forbidden", [403, "no"]],
  ])("is sent where the status %s, and so is a stop: their own answers decide", async (_what, status) => {
    await using peer = await receiver({ status });
    expect(await peer.client.ensureActive([A, B])).toEqual({
      started: [A, B],
      already: [],
      unseen: expect.objectContaining({ operation: "status" }),
    });
    expect(await peer.client.ensureInactive([A, B], { started: [A] })).toMatchObject({ stopped: [A, B], already: [] });
    expect(peer.asked.filter((asked) => asked !== "status")).toEqual(["start", "stop"]);
    await using refusing = await receiver({
      status,
      start: [409, "cloud signaling already active"],
      stop: [409, "cloud signaling is not active"],
    });
    expect(await refusing.client.ensureActive([A])).toMatchObject({ started: [], already: [A] });
    expect(await refusing.client.ensureInactive([A])).toMatchObject({ stopped: [], already: [A] });
    await using failing = await receiver({ status, start: [400, "secret_key invalid"] });
    expect(await failureOf(failing.client.ensureActive([A]))).toMatchObject({ started: [], missing: [A] });
  });
});
