import { mkdtemp, rm, writeFile } from "node:fs/promises";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { Interrupted } from "../../provider/commands/interruption";
import { main } from "../../provider/commands/program";
import { startEmulator } from "../../provider/emulator";
import { serveRaw } from "../support/raw-server";
import { BLOCKED, NAMES } from "./hundred-nodes";
import { expectDone } from "./hundred-operators";
import { run } from "./support";

test("of a hundred nodes all are asked at once, and have the block after four requests", async () => {
  expect.hasAssertions();
  await expectDone(0, "silent");
});

test("where twenty of a hundred are silent, the others have the block after four requests", async () => {
  expect.hasAssertions();
  await expectDone(20, "silent");
});

test("a node that is silent holds one socket, however many sets are named, and a healthy one has them all", async () => {
  const folder = await mkdtemp(join(tmpdir(), "packetfilter-sockets-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const sets = ["blocked", "other", "third"];
  await using healthy = await startEmulator({
    state: { arenas: { edge: { sets: { blocked: {}, other: {}, third: {} } } } },
  });
  const asked: (string | undefined)[] = [];
  using silent = await serveRaw(({ url }) => void asked.push(url));
  const endpoint = (name: string) => (name === "n100" ? healthy.endpoint : `${silent.url}/${name}`);
  const lines = NAMES.map((name) => `    ${name}: { endpoint: "${endpoint(name)}" }\n`);
  await writeFile(join(folder, "Pulumi.dev.yaml"), `config:\n  packetfilter:nodes:\n${lines.join("")}`);
  const stop = new AbortController();
  let out = "";
  const say = (text: string) => {
    out += text;
    // Those that are silent would be waited for until the time is over.
    if (out.split(": done, 1 changed").length > sets.length) stop.abort(new Interrupted("SIGINT"));
  };
  const words = ["block", "203.0.113.7", "--file", "blocks.yaml", "--create", "--reason", "r", "--permanent"];
  const now = sets.flatMap((set) => ["--now", `prefixset://edge/${set}`]);
  const io = { out: say, err: () => {}, env: {}, folder, stop: stop.signal };
  expect(await main([...words, ...now, "--all-nodes", "--timeout", "10m"], io)).toBe(130);
  for (const set of sets) expect(healthy.prefixSet(`prefixset://edge/${set}`).applied).toEqual({ "203.0.113.7/32": 1 });
  expect(asked).toHaveLength(99);
  expect(new Set(asked).size).toBe(99);
  expect(healthy.journal.map(({ cmd }) => cmd)).toEqual(sets.flatMap(() => ["list", "insert", "commit", "list"]));
});

test("of three hundred nodes no more are connected to than a process may have sockets, and all are done", async () => {
  const folder = await mkdtemp(join(tmpdir(), "packetfilter-sockets-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const asked = new Map<string, number>();
  const sockets = new Set<Socket>();
  let most = 0;
  using server = await serveRaw(({ url = "", socket }, response) => {
    if (!sockets.has(socket)) socket.once("close", () => sockets.delete(socket));
    most = Math.max(most, sockets.add(socket).size);
    const number = (asked.get(url) ?? 0) + 1;
    asked.set(url, number);
    response.end(JSON.stringify({ data: number < 4 ? [] : [{ p: "203.0.113.7/32", v: 1 }] }));
  });
  const lines = Array.from({ length: 300 }, (_, index) => `    n${index}: { endpoint: "${server.url}/n${index}" }\n`);
  await writeFile(join(folder, "Pulumi.dev.yaml"), `config:\n  packetfilter:nodes:\n${lines.join("")}`);
  const words = ["block", "203.0.113.7", "--file", "blocks.yaml", "--create", "--reason", "r", "--permanent"];
  const ended = await run([...words, "--now", BLOCKED, "--all-nodes", "--timeout", "10m"], { folder });
  expect([ended.code, ended.out]).toEqual([0, expect.stringContaining("\n300 nodes: done.\n")]);
  // 250 by the client; the server may see a connection end a little later.
  expect(most).toBeLessThan(300);
});
