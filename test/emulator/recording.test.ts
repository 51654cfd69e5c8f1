import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Emulator, startEmulator } from "../../provider/emulator";
import { useFolder } from "../support/folder";
import { BLOCKED, EDGE, fapi, list, signaling } from "./calls";

const marks = { url: "mark://edge/web", cmd: "list", type: "shost" };
const insert = { url: BLOCKED, cmd: "insert", data: [{ p: "203.0.113.0/24", v: 4 }] };
const commit = { url: `${BLOCKED}/`, cmd: "commit" };
const SECRET = "canary-of-the-node";
const headers = { authorization: `Bearer ${SECRET}` };

const folder = useFolder();

test("what a node answered is answered again without it, in its order, and the last answer stays", async () => {
  const record = join(folder, "node.ndjson");
  const seen: unknown[] = [];
  {
    await using node = await startEmulator({ auth: { bearer: SECRET }, dialect: "strict" });
    await using proxy = await startEmulator({ proxy: node.endpoint, record });
    node.clock.freeze();
    for (const command of [list, list, insert, commit, list, { url: "prefixset://edge/absent", cmd: "list" }]) {
      const { status, text } = await fapi(proxy, command, headers);
      seen.push([status, text]);
    }
    const { status, text } = await fapi(proxy, marks, { ...headers, ...EDGE });
    seen.push([status, text]);
    seen.push((await fapi(proxy, list)).status);
    expect(node.prefixSet(BLOCKED).applied).toHaveProperty(["203.0.113.0/24"], 4);
    expect(node.journal).toHaveLength(8);
    expect(proxy.requests({ cmd: "list", url: BLOCKED }).map(({ status }) => status)).toEqual([200, 200, 200, 401]);
  }
  expect(seen.slice(-1)).toEqual([401]);
  expect(await readFile(record, "utf8")).not.toContain(SECRET);

  await using copy = await startEmulator({ replay: record });
  const again = async () => {
    const answers: unknown[] = [];
    for (const command of [list, list, insert, commit, list, { url: "prefixset://edge/absent", cmd: "list" }]) {
      const { status, text } = await fapi(copy, command);
      answers.push([status, text]);
    }
    const { status, text } = await fapi(copy, marks, EDGE);
    return [...answers, [status, text]];
  };
  expect(await again()).toEqual(seen.slice(0, -1));
  expect((await fapi(copy, list)).status).toBe(401);
  expect((await fapi(copy, { type: "shost", cmd: "list", url: "mark://edge/web/" }, EDGE)).status).toBe(200);
  copy.reset();
  expect(await again()).toEqual(seen.slice(0, -1));
});

test.each([
  ["arrays", "[".repeat(100_000) + "]".repeat(100_000)],
  ["objects", `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`],
])(
  "a body of %s within each other, however deep, is passed on, recorded and answered as it was",
  async (name, deep) => {
    const record = join(folder, `deep-${name}.ndjson`);
    const ask = async (emulator: Emulator) => {
      const [client] = emulator.clients;
      const node = await fapi(emulator, deep);
      const data = await fapi(emulator, `{"url":"${BLOCKED}","cmd":"insert","data":[${deep}]}`);
      const url = `${emulator.signalingUrl}/${client?.clientId}/${client?.secretKey}/start`;
      const start = await fetch(url, { method: "POST", body: `{"IP_prefix":${deep}}` });
      return [
        [node.status, node.text],
        [data.status, data.text],
        [start.status, await start.text()],
      ];
    };
    await using node = await startEmulator();
    const answers = await ask(node);
    expect(answers.map(([status]) => status)).toEqual([400, 400, 400]);
    {
      await using proxy = await startEmulator({ proxy: node.endpoint, proxySignaling: node.signalingUrl, record });
      expect(await ask(proxy)).toEqual(answers);
    }
    await using copy = await startEmulator({ replay: record });
    expect(await ask(copy)).toEqual(answers);
  },
);

test("what was never recorded is refused with what it is, or answered by the emulator's own rules", async () => {
  const record = join(folder, "little.ndjson");
  {
    await using node = await startEmulator();
    await using proxy = await startEmulator({ proxy: node.endpoint, record });
    await fapi(proxy, list);
  }
  await using strict = await startEmulator({ replay: record });
  expect(await fapi(strict, commit)).toMatchObject({
    status: 501,
    json: { error: `not recorded: commit ${BLOCKED}. Record it, or let the emulator answer unrecorded requests` },
  });
  expect(() => strict.fail({ kind: "stuck-commit" })).toThrow("stuck-commit changes the emulator's own node");
  // Signaling was not passed on, so it is the emulator's own.
  expect((await signaling(strict.signalingUrl, strict.clients[0], "status")).json).toEqual({ IP_prefix: [] });
  await using own = await startEmulator({ replay: record, unseen: "emulate" });
  own.fail({ cmd: "list", kind: "stale-list" });
  await fapi(own, insert);
  await fapi(own, commit);
  expect(own.prefixSet(BLOCKED).applied).toHaveProperty(["203.0.113.0/24"], 4);
  expect(Object.keys((await fapi(own, list)).json as object)).toEqual(["data"]);
});

test("a receiver of signalings is recorded without its secret, and answers every client that has any", async () => {
  const record = join(folder, "receiver.ndjson");
  const start = ["198.51.100.7/32"];
  {
    await using receiver = await startEmulator();
    await using proxy = await startEmulator({ proxySignaling: receiver.signalingUrl, record });
    const [client] = receiver.clients;
    await signaling(proxy.signalingUrl, client, "status");
    expect((await signaling(proxy.signalingUrl, client, "start", start)).text).toBe("ok");
    expect((await signaling(proxy.signalingUrl, client, "start", start)).status).toBe(409);
    await signaling(proxy.signalingUrl, client, "status");
    expect(receiver.signalings["client-a"]).toEqual(start);
    expect(await readFile(record, "utf8")).not.toContain(client?.secretKey ?? "");
  }
  await using copy = await startEmulator({ replay: record });
  const client = { clientId: "client-a", secretKey: "of-client-a" };
  expect((await signaling(copy.signalingUrl, client, "status")).json).toEqual({ IP_prefix: [] });
  expect((await signaling(copy.signalingUrl, client, "status")).json).toEqual({ IP_prefix: start });
  expect((await signaling(copy.signalingUrl, client, "start", start)).status).toBe(200);
  expect((await signaling(copy.signalingUrl, client, "start", start)).text).toBe("cloud signaling already active");
  expect((await fapi(copy, list)).status).toBe(200);
});

test("faults meet what is passed on, and a node that is away is said", async () => {
  const node = await startEmulator();
  await using proxy = await startEmulator({ proxy: node.endpoint });
  for (const kind of ["stale-list", "late-commit", "stuck-commit", "restart"] as const) {
    expect(() => proxy.fail({ kind })).toThrow(`${kind} changes the emulator's own node, which does not answer here`);
  }
  proxy.fail({ op: "start", kind: "restart", staged: "kept" });
  proxy.fail({ cmd: "commit", status: 503 });
  expect((await fapi(proxy, commit)).status).toBe(503);
  expect(node.requests({ cmd: "commit" })).toEqual([]);
  await node.close();
  expect(await fapi(proxy, list)).toMatchObject({ status: 502, text: expect.stringContaining("did not answer") });
});

test.each([
  [{ record: "x" }, /`record` needs a real node or receiver/],
  [{ replay: "x", proxy: "http://192.0.2.10" }, /leave out `proxy`/],
  [{ unseen: "emulate" as const }, /`unseen` has an effect only with `replay`/],
  [{ proxy: "192.0.2.10" }, /proxy.*http:\/\/192\.0\.2\.10/],
])("%j is refused", async (options, why) => {
  await expect(startEmulator(options)).rejects.toThrow(why);
});

test("a recording is not overwritten, and what is none is told with its line", async () => {
  const file = join(folder, "mine.txt");
  await writeFile(file, '{"recording":"pulumi-packetfilter","version":1,"apis":["node"]}\n{"request":{}}\n');
  await expect(startEmulator({ proxy: "http://192.0.2.10", record: file })).rejects.toThrow(
    /mine\.txt.*does not exist/,
  );
  await expect(startEmulator({ replay: file })).rejects.toThrow(/mine\.txt, line 2 is not a recording/);
});
