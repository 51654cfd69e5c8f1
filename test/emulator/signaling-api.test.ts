import { expect, test } from "vitest";
import { SignalingClient } from "../../provider/client";
import { startEmulator } from "../../provider/emulator";
import { signaling } from "./calls";

test("the four errors of the contract", async () => {
  await using emulator = await startEmulator();
  const [client] = emulator.clients;
  const wrong = { clientId: "client-a", secretKey: "wrong" };
  const base = emulator.signalingUrl;
  await signaling(base, client, "start", ["198.51.100.7/32"]);

  const answers = [
    await signaling(base, wrong, "start", ["198.51.100.7/32"]),
    await signaling(base, wrong, "stop", ["198.51.100.7/32"]),
    await signaling(base, wrong, "status"),
    await signaling(base, { clientId: "unknown", secretKey: "wrong" }, "status"),
    await signaling(base, client, "start", ["not a prefix"]),
    await signaling(base, client, "start", ["192.0.2.1/32"]),
    await signaling(base, client, "start", []),
    await signaling(base, client, "start", ["198.51.100.7/32"]),
    await signaling(base, client, "stop", ["198.51.100.8/32"]),
  ];
  expect(answers.map(({ status, text }) => `${status} ${text}`)).toEqual([
    "403 secret_key invalid",
    "403 secret_key invalid",
    "403 secret_key invalid",
    "403 secret_key invalid",
    "400 ip_prefix invalid",
    "400 ip_prefix invalid",
    "400 ip_prefix invalid",
    "409 cloud signaling already active",
    "409 cloud signaling is not active",
  ]);
});

test("id and secret may hold any characters, reserved ones of a url included, and the journal shows no secret", async () => {
  const [clientId, secretKey] = ["acme/edge 1", 'a/b?c#d%2F e"é&+'];
  const clients = [{ clientId, secretKey, prefixes: ["198.51.100.0/24"] }];
  await using emulator = await startEmulator({ state: { signaling: { clients } } });
  const receiver = new SignalingClient({ url: emulator.signalingUrl, clientId, secretKey });
  await receiver.ensureActive(["198.51.100.7"]);
  await receiver.close();
  expect(emulator.signalings).toEqual({ [clientId]: ["198.51.100.7/32"] });
  const journal = JSON.stringify(emulator.journal);
  expect([secretKey, encodeURIComponent(secretKey)].filter((text) => journal.includes(text))).toEqual([]);
  for (const text of ["", ".", ".."]) {
    const state = { signaling: { clients: [{ clientId, secretKey: text, prefixes: ["198.51.100.0/24"] }] } };
    await expect(startEmulator({ state })).rejects.toThrow(/secretKey.*must not be/);
  }
});

test("of several prefixes all are started or none", async () => {
  await using emulator = await startEmulator();
  const [client] = emulator.clients;
  await signaling(emulator.signalingUrl, client, "start", ["198.51.100.7/32"]);
  const answer = await signaling(emulator.signalingUrl, client, "start", ["198.51.100.8/32", "198.51.100.7/32"]);
  expect(answer.status).toBe(409);
  expect(emulator.signalings["client-a"]).toEqual(["198.51.100.7/32"]);
});

test("the test deployment has two clients of its own, with one prefix each", async () => {
  await using emulator = await startEmulator();
  expect(emulator.testClients.map(({ prefixes }) => prefixes.length)).toEqual([1, 1]);
  const [client] = emulator.testClients;
  expect((await signaling(emulator.testSignalingUrl, client, "start", ["192.0.2.1/32"])).text).toBe("ok");
  expect((await signaling(emulator.testSignalingUrl, client, "status")).json).toEqual({ IP_prefix: ["192.0.2.1/32"] });
  expect((await signaling(emulator.signalingUrl, client, "status")).status).toBe(403);
  expect(emulator.requests({ api: "test" })).toHaveLength(2);

  const [one, other] = emulator.testClients;
  const moving = { arena: "edge", idleProfile: "clean", activeProfile: "protected" };
  const { clients } = emulator;
  const twice = `signaling.clients.0.clientId: ${one?.clientId} is that of a default test client`;
  for (const [signals, why] of [
    [{ clients, testClients: [{ ...one, ...moving }, other] }, 'signaling.testClients.0: there is no "arena"'],
    [
      { clients, testClients: [{ ...one, clientId: "client-a" }, other] },
      "signaling.testClients.0.clientId: client-a is a client of the receiver, too",
    ],
    [{ clients: [one] }, twice],
  ] as const) {
    await expect(startEmulator({ state: { signaling: signals } } as never)).rejects.toThrow(why);
  }
});

test.each([
  ["no JSON", "IP_prefix=198.51.100.7"],
  ["an unknown member", '{"IP_prefix": ["198.51.100.7"], "until": 1}'],
  ["a text instead of an array", '{"IP_prefix": "198.51.100.7"}'],
])("%s in the body is refused", async (_, body) => {
  await using emulator = await startEmulator();
  const { clientId, secretKey } = emulator.clients[0] ?? { clientId: "", secretKey: "" };
  const answer = await fetch(`${emulator.signalingUrl}/${clientId}/${secretKey}/start`, { method: "POST", body });
  expect(answer.status).toBe(400);
  expect(emulator.signalings["client-a"]).toEqual([]);
});

test("a wrong method or path is refused, and no journal entry shows a secret", async () => {
  await using emulator = await startEmulator();
  const { secretKey } = emulator.clients[0] ?? { secretKey: "" };
  const paths = [
    `/path/client-a/${secretKey}/start`,
    `/path/client-a/${secretKey}/restart`,
    `/path/client-a/${secretKey}`,
    `/path/${secretKey}/status`,
    `/path/client-a/${secretKey}/status/`,
    `/path/client-a/${secretKey}/status?key=${secretKey}`,
    `/signaling/client-a/${secretKey}/status`,
  ];
  const answers = [];
  for (const path of paths) answers.push(await fetch(emulator.endpoint + path));
  expect(answers.map(({ status }) => status)).toEqual([405, 404, 404, 404, 404, 404, 404]);
  expect(answers[0]?.headers.get("allow")).toBe("POST");
  await signaling(emulator.signalingUrl, emulator.clients[0], "status");
  expect(emulator.journal.at(-1)).toMatchObject({
    path: "/path/client-a/***/status",
    op: "status",
    client: "client-a",
  });
  expect(JSON.stringify(emulator.journal)).not.toContain(secretKey);
});
