import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Interrupted } from "../../provider/commands/interruption";
import { main } from "../../provider/commands/program";
import { readPrefixFile } from "../../provider/prefixes";
import { serveRaw } from "../support/raw-server";

const BLOCKED = "prefixset://edge/blocked";
const NODES = Array.from({ length: 100 }, (_, index) => `n${index + 1}`);
const HELD = [{ p: "203.0.113.7/32", v: 1 }];

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "packetfilter-hundred-"));
  await writeFile(join(folder, "blocks.yaml"), "{}\n");
});
afterEach(() => rm(folder, { recursive: true }));

type Sickness = "silent" | "reset" | "refusing" | "slow";

/**
 * A hundred nodes behind one address, the first so many of them sick. No list is answered before each node was asked for its
 * first one: a command that waits for some before it asks the others never gets on. Slow ones answer once all others are done.
 */
async function hundred(sick: number, sickness: Sickness) {
  const asked = new Map<string, number>();
  const committed = new Set<string>();
  const started: (() => void)[] = [];
  const late: (() => void)[] = [];
  const healthy = NODES.length - sick;
  const server = await serveRaw((request, response) => {
    const [, name = ""] = (request.url ?? "").split("/");
    const requests = (asked.get(name) ?? 0) + 1;
    asked.set(name, requests);
    const isSick = NODES.indexOf(name) < sick;
    const answer = () => {
      if (isSick && sickness === "reset") return void request.socket.destroy();
      if (isSick && sickness === "refusing") return void response.writeHead(403).end("no");
      if (isSick && sickness === "silent") return;
      // List, insert, commit, list.
      if (requests === 3) committed.add(name);
      response.end(JSON.stringify({ data: requests < 4 ? [] : HELD }));
      if (requests === 4 && [...committed].filter((one) => NODES.indexOf(one) >= sick).length === healthy) {
        for (const go of late.splice(0)) go();
      }
    };
    const due = () => (isSick && sickness === "slow" && requests === 1 && healthy > 0 ? late.push(answer) : answer());
    started.push(due);
    if (asked.size === NODES.length) for (const go of started.splice(0)) go();
  });
  const lines = NODES.map((name) => `    ${name}: { endpoint: "${server.url}/${name}" }\n`);
  await writeFile(join(folder, "Pulumi.dev.yaml"), `config:\n  packetfilter:nodes:\n${lines.join("")}`);
  return { asked, committed, [Symbol.dispose]: () => server[Symbol.dispose]() };
}

describe.each(["silent", "reset", "refusing", "slow"] as const)("of a hundred nodes", (sickness) => {
  test.each([0, 1, 20, 99])(
    `%i are ${sickness}: all are asked at once, and the others have the block after four requests`,
    async (sick) => {
      using nodes = await hundred(sick, sickness);
      const stop = new AbortController();
      const args = ["block", "203.0.113.7", "--file", "blocks.yaml", "--reason", "r", "--permanent", "--now", BLOCKED];
      const isOpen = sick > 0 && (sickness === "silent" || sickness === "reset");
      let out = "";
      const say = (text: string) => {
        out += text;
        // Those that are left would be waited for until the time-out.
        const done = out.split(": done, 1 changed").length - 1;
        if (isOpen && done === NODES.length - sick) stop.abort(new Interrupted("SIGINT"));
      };
      const io = { out: say, err: () => {}, env: {}, stop: stop.signal, folder };
      const code = await main([...args, "--all-nodes", "--timeout", "60s"], io);
      const others = NODES.slice(sickness === "slow" ? 0 : sick);
      expect([...nodes.committed].sort()).toEqual([...others].sort());
      expect(others.map((name) => nodes.asked.get(name))).toEqual(others.map(() => 4));
      const isAll = others.length === NODES.length;
      expect(code).toBe(isOpen ? 130 : isAll ? 0 : 1);
      expect(out).toContain(isAll ? "\n100 nodes: done.\n" : `\n${others.length} of 100 nodes: done.\nnot sent: n1`);
      expect(Object.keys(readPrefixFile(join(folder, "blocks.yaml")))).toEqual(["203.0.113.7/32"]);
    },
  );
});
