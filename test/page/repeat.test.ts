import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import type { Emulator } from "../../provider/emulator";
import { BLOCKED, fapi } from "../emulator/calls";
import { startNode } from "./support";

interface Details {
  readonly curl?: string;
  readonly noCurl?: string;
  readonly noSend?: string;
  readonly rebuilt?: boolean;
}

async function details({ control }: Emulator, index: number): Promise<Details> {
  const response = await fetch(`${control}/page/journal/${index}`);
  const { curl, noCurl, noSend, rebuilt } = (await response.json()) as Details;
  return { curl, noCurl, noSend, rebuilt };
}

/** Sends an entry of the journal once more, and waits until the journal has it answered. */
async function sendAgain(emulator: Emulator, index: number) {
  const since = (emulator.journal.at(-1)?.index ?? -1) + 1;
  const response = await fetch(`${emulator.control}/page/journal/${index}/send`, { method: "POST" });
  if (!response.ok) return { refused: response.status, ...((await response.json()) as { error: string }) };
  const { api, cmd, op, url, client, status, data, headers } = await emulator.waitForRequest({}, { since });
  return { api, cmd, op, url, client, status, data, by: headers["user-agent"] };
}

/** Arguments that a shell gives to `curl`. */
function argumentsOf(command: string, env: Record<string, string> = {}): string[] {
  const script = `curl() { for each in "$@"; do printf '%s\\0' "$each"; done; }\n${command}\n`;
  return execFileSync("sh", ["-c", script], { env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] })
    .split("\0")
    .slice(0, -1);
}

test("a request of the node API is a command of the shell, and is sent again", async () => {
  await using emulator = await startNode();
  const data = [{ p: "203.0.113.7", v: 2 }];
  const arena = "東京";
  await fapi(emulator, { url: BLOCKED, cmd: "insert", data }, { "user-arena": Buffer.from(arena).toString("latin1") });
  const { curl = "", ...rest } = await details(emulator, 0);
  expect(rest).toEqual({});
  expect(argumentsOf(curl)).toEqual([
    "--globoff",
    "--request",
    "POST",
    `${emulator.endpoint}/fapi`,
    "--header",
    "accept: */*",
    "--header",
    "content-type: application/json",
    "--header",
    `user-arena: ${arena}`,
    "--data-raw",
    JSON.stringify({ url: BLOCKED, cmd: "insert", data }),
  ]);
  expect(await sendAgain(emulator, 0)).toEqual({
    api: "node",
    cmd: "insert",
    url: BLOCKED,
    status: 200,
    data,
    by: "emulator-page",
  });
  expect(emulator.journal.map(({ index, run, headers }) => [index, run, headers["user-arena"]])).toEqual([
    [0, 1, arena],
    [1, 1, arena],
  ]);
});

test("no text of a request is more than a text for the shell", async () => {
  await using emulator = await startNode();
  const evil = `x'; echo struck; '$(echo struck)\`echo struck\`\n"$HOME"\\`;
  await fapi(emulator, { url: evil, cmd: "insert", data: [{ p: evil, v: 1 }] });
  await fetch(`${emulator.endpoint}/path/${encodeURIComponent(evil)}/secret/status`);
  const body = argumentsOf((await details(emulator, 0)).curl ?? "").at(-1) ?? "";
  expect(JSON.parse(body)).toEqual({ url: evil, cmd: "insert", data: [{ p: evil, v: 1 }] });
  const env = { PACKETFILTER_SECRET_KEY: "$(echo struck)'" };
  const signaling = argumentsOf((await details(emulator, 1)).curl ?? "", env);
  expect(signaling[3]).toBe(`${emulator.signalingUrl}/${encodeURIComponent(evil)}/$(echo struck)'/status`);
});

test("the secret of a client is left to the environment, and the emulator fills it in", async () => {
  await using emulator = await startNode();
  const [client] = emulator.clients;
  const start = `${client?.clientId}/${client?.secretKey}/start`;
  const body = JSON.stringify({ IP_prefix: ["198.51.100.7/32"] });
  await fetch(`${emulator.signalingUrl}/${start}`, { method: "POST", body });
  const { curl = "" } = await details(emulator, 0);
  expect(curl).not.toContain(client?.secretKey);
  expect(() => argumentsOf(curl)).toThrow("PACKETFILTER_SECRET_KEY");
  const given = argumentsOf(curl, { PACKETFILTER_SECRET_KEY: "k" });
  expect([given[3], given.at(-1)]).toEqual([`${emulator.signalingUrl}/client-a/k/start`, body]);
  emulator.signal("client-a", { stop: ["198.51.100.7/32"] });
  expect(await sendAgain(emulator, 0)).toMatchObject({
    api: "signaling",
    op: "start",
    client: "client-a",
    status: 200,
  });
  expect(emulator.signalings["client-a"]).toEqual(["198.51.100.7/32"]);
});

test.each([
  ["bearer", { bearer: "a-token-of-this-node" }, "Bearer a-token-of-this-node"],
  ["bearer of any characters", { bearer: "jeton-東京" }, Buffer.from("Bearer jeton-東京").toString("latin1")],
  [
    "basic",
    { basic: { user: "u", password: "a-password" } },
    `Basic ${Buffer.from("u:a-password").toString("base64")}`,
  ],
] as const)(
  "credentials and certificates are named, and filled in by the emulator: %s",
  async (_, auth, authorization) => {
    await using emulator = await startNode({ auth, advertise: "https://ci-host.example:49152" });
    const headers = { "content-type": "application/json", authorization };
    const body = JSON.stringify({ url: BLOCKED, cmd: "list" });
    // By its own port: the advertised name leads nowhere here.
    await fetch(`${originOf(emulator)}/fapi`, { method: "POST", headers, body });
    const { curl = "" } = await details(emulator, 0);
    const given = argumentsOf(curl, { EMULATOR_AUTHORIZATION: "x" });
    expect(given).toEqual(expect.arrayContaining(["https://ci-host.example:49152/fapi", "authorization: x"]));
    expect(await sendAgain(emulator, 0)).toMatchObject({ cmd: "list", status: 200 });
  },
);

/** Address of the protocol port, whatever is advertised. */
function originOf(emulator: Emulator): string {
  const { parts } = emulator as unknown as { parts: { server: { origin: string } } };
  return parts.server.origin;
}

test("over TLS with certificates of both sides", async () => {
  await using emulator = await startNode({ tls: "mutual" });
  emulator.fail({ cmd: "list", status: 503 });
  const { ca, cert, key } = emulator.tls ?? {};
  const { request } = await import("node:https");
  await new Promise((resolve, reject) => {
    const headers = { "content-type": "application/json" };
    const sent = request(`${emulator.endpoint}/fapi`, { method: "POST", headers, ca, cert, key, agent: false });
    sent.on("error", reject).on("response", (response) => response.on("end", resolve).resume());
    sent.end(JSON.stringify({ url: BLOCKED, cmd: "list" }));
  });
  const env = { EMULATOR_CA: "ca.pem", EMULATOR_CERT: "cert.pem", EMULATOR_KEY: "key.pem" };
  const given = argumentsOf((await details(emulator, 0)).curl ?? "", env);
  expect(given.join(" ")).toContain("--cacert ca.pem --cert cert.pem --key key.pem");
  expect(await sendAgain(emulator, 0)).toMatchObject({ cmd: "list", status: 200 });
});

test("what the journal does not hold cannot be repeated, and the reason is given", async () => {
  await using real = await startNode();
  await using emulator = await startNode({ proxy: real.endpoint });
  await fetch(`${emulator.endpoint}/elsewhere/x`);
  await fetch(`${emulator.endpoint}/fapi`, { method: "POST", body: "no JSON" });
  await fapi(emulator, { url: BLOCKED, cmd: "list", dta: [] });
  const data = Array.from({ length: 9_000 }, (_, at) => ({ p: `2001:db8::${at.toString(16)}`, v: 1 }));
  await fapi(emulator, { url: BLOCKED, cmd: "insert", data });
  const path = "The journal does not keep the path of this request.";
  const body = "The journal does not keep the body of this request.";
  const credentials = `The emulator does not keep the credentials for ${real.endpoint}.`;
  expect([await details(emulator, 0), await details(emulator, 1)]).toEqual([
    { noCurl: path, noSend: path },
    { noCurl: body, noSend: body },
  ]);
  expect(await details(emulator, 2)).toMatchObject({ rebuilt: true, noSend: credentials });
  expect(await details(emulator, 3)).toEqual({
    noCurl: "The request is too long for a command line.",
    noSend: credentials,
  });
  const refused = [await sendAgain(emulator, 0), await sendAgain(emulator, 2)];
  expect(refused).toEqual([path, credentials].map((error) => ({ refused: 400, error })));
  const gone = await fetch(`${emulator.control}/page/journal/99/send`, { method: "POST" });
  expect(gone.status).toBe(404);
  expect(emulator.journal.length).toBe(4);
});

test.each([
  ["a long text", "x".repeat(200)],
  ["an object", { of: "mine" }],
])("an item with %s, of which the journal keeps the beginning alone, cannot be repeated", async (_, note) => {
  await using emulator = await startNode();
  await fapi(emulator, { url: BLOCKED, cmd: "insert", data: [{ p: "192.0.2.0/24", v: 1, note }] });
  const body = "The journal does not keep the body of this request.";
  expect(await details(emulator, 0)).toEqual({ noCurl: body, noSend: body });
  const [sent] = emulator.har().log.entries;
  expect(sent?.request.postData?.comment).toBe("Texts that end with … are the beginning of longer ones.");
});

test("a fault that withholds the answer holds nothing up, and another page cannot send", async () => {
  await using emulator = await startNode();
  await fapi(emulator, { url: BLOCKED, cmd: "list" });
  emulator.fail({ kind: "silence", every: 1 });
  const send = (headers: Record<string, string>) =>
    fetch(`${emulator.control}/page/journal/0/send`, { method: "POST", headers });
  expect((await send({ origin: "http://attacker.example" })).status).toBe(403);
  expect((await send({})).status).toBe(200);
  await expect.poll(() => emulator.journal.map(({ fault }) => fault)).toEqual([undefined, "silence"]);
});

test("a list of marks is repeated with the node's own word for their type", async () => {
  await using emulator = await startNode({ dialect: { markTypes: "shost=src-host" } });
  const command = { url: "mark://edge/web", cmd: "list", type: "src-host" };
  await fapi(emulator, command, { "user-arena": "edge" });
  expect(JSON.parse(argumentsOf((await details(emulator, 0)).curl ?? "").at(-1) ?? "")).toEqual(command);
  expect(await sendAgain(emulator, 0)).toMatchObject({ status: 200 });
});
