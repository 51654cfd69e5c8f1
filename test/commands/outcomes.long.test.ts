import { randomUUID } from "node:crypto";
import { existsSync, rmSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { Interrupted } from "../../provider/commands/interruption";
import { serveRaw } from "../support/raw-server";
import { useNodes } from "./nodes";
import { run } from "./support";

const BLOCKED = "prefixset://edge/blocked";
const NOW = Date.parse("2030-01-31T18:00:00Z");
const NAMES = ["ams1", "ber1", "fra1"];

const state = { arenas: { edge: { sets: { blocked: {} } } } };
const { folder, nodes, endpoint, place } = useNodes({ ams1: { state }, ber1: { state }, fra1: { state } });

const FILE = ["--file", "blocks.yaml", "--now", BLOCKED, "--all-nodes"];
const BLOCK = ["block", "203.0.113.7", "--create", "--reason", "SYN flood", "--for", "2h", ...FILE];
const here = (...args: string[]) => run(args, { folder, now: () => NOW });
const done = (index: number) => ({
  stack: "dev",
  node: NAMES[index],
  endpoint: endpoint(index),
  set: BLOCKED,
  outcome: "done",
  changed: 1,
  problems: [],
});

describe("--output json", () => {
  const json = async (...args: string[]) => {
    const { code, out, err } = await here(...args, "--output", "json");
    return { code, err, said: JSON.parse(out) };
  };

  test("of block says what became of file and nodes, and what finishes the rest", async () => {
    nodes[2]?.fail({ cmd: "list", status: 401, times: 1 });
    const refused = `Set ${BLOCKED} on fra1 (${endpoint(2).replace("http://", "")}): list failed (HTTP 401)`;
    expect(await json(...BLOCK)).toEqual({
      code: 1,
      err: expect.stringContaining(refused),
      said: {
        file: "blocks.yaml",
        made: true,
        prefixes: ["203.0.113.7/32"],
        expires: "2030-01-31T20:00:00Z",
        written: true,
        timeoutMs: 15_000,
        nodes: [
          done(0),
          done(1),
          { ...done(2), outcome: "not sent", changed: 0, problems: [expect.stringContaining("HTTP 401")] },
        ],
        problems: [expect.stringContaining("HTTP 401"), expect.stringContaining("1 of 3 failed.")],
        finish: [],
      },
    });
  });

  test("of unblock and block expire says what is kept, and why", async () => {
    await here(...BLOCK);
    const { said } = await json("unblock", "203.0.113.7", "--file", "blocks.yaml", "--now", BLOCKED, "--node", "ams1");
    expect(said).toEqual({
      file: "blocks.yaml",
      prefixes: ["203.0.113.7/32"],
      kept: ["203.0.113.7/32"],
      written: true,
      timeoutMs: 15_000,
      nodes: [done(0)],
      problems: [],
      finish: [],
    });
    const expired = await json("block", "expire", "--file", "blocks.yaml", "--now");
    expect(expired.said).toEqual({
      file: "blocks.yaml",
      expired: ["203.0.113.7/32"],
      kept: [],
      written: true,
      timeoutMs: 15_000,
      nodes: expect.arrayContaining([done(1), done(2)]),
      problems: [],
      finish: [],
    });
    expect(nodes.map((node) => node.prefixSet(BLOCKED).applied)).toEqual([{}, {}, {}]);
  });

  test("is there where nothing was changed, and says why and what became of each node", async () => {
    const words = BLOCK.map((word) => (word === BLOCKED ? "prefixset://edge/blokced" : word));
    const mistyped = { set: "prefixset://edge/blokced", outcome: "not sent", changed: 0 };
    expect(await json(...words)).toEqual({
      code: 1,
      err: expect.stringContaining("Nothing was changed, the file neither"),
      said: {
        file: "blocks.yaml",
        made: false,
        prefixes: ["203.0.113.7/32"],
        expires: "2030-01-31T20:00:00Z",
        written: false,
        timeoutMs: 15_000,
        nodes: [0, 1, 2].map((index) => ({ ...done(index), ...mistyped, problems: [expect.any(String)] })),
        problems: [expect.stringContaining("Nothing was changed, the file neither")],
        finish: [],
      },
    });
    const nothing = { written: false, nodes: [], finish: [] };
    const absent = await json("block", "203.0.113.7", ...FILE, "--reason", "r", "--permanent");
    expect(absent).toMatchObject({ code: 2, said: { ...nothing, problems: [expect.stringContaining("--create")] } });
    for (const name of [
      ["unblock", "203.0.113.7"],
      ["block", "expire"],
    ])
      expect(await json(...name, ...FILE)).toMatchObject({
        code: 2,
        said: { ...nothing, problems: [expect.stringContaining("there is no such file")] },
      });
    await here(...BLOCK);
    for (const node of nodes) node.fail({ cmd: "list", status: 401 });
    const later = () => NOW + 3 * 3_600_000;
    const args = ["block", "expire", "--file", "blocks.yaml", "--now", "--output", "json"];
    const expired = await run(args, { folder, now: later });
    expect(expired.err).toMatch(/Nothing was changed, the file neither\.\n$/);
    expect(JSON.parse(expired.out)).toMatchObject({ written: false, expired: ["203.0.113.7/32"], nodes: [{}, {}, {}] });
  });

  test("of blocks is the entries as they stand, with the time that is left, and without what was sent", async () => {
    await here(...BLOCK);
    const { said } = await json("blocks", "--file", "blocks.yaml");
    expect(said).toEqual([
      { prefix: "203.0.113.7/32", value: 1, reason: "SYN flood", expires: "2030-01-31T20:00:00Z", left: "2h" },
    ]);
  });
});

test("results fold: how many are done, and exceptions by name", async () => {
  nodes[1]?.fail({ cmd: "list", status: 401, times: 1 });
  nodes[2]?.change(BLOCKED, { insert: { "203.0.113.7/32": 9 } });
  const { out, err } = await here(...BLOCK);
  expect(out).toMatch(/\n1 of 3 nodes: done\.\nnot all: fra1\.\nnot sent: ber1\.\n$/);
  expect(err).toContain("The file is written. 1 of 3 failed, 1 did not do all. ");
  expect((await here(...BLOCK, "--force")).out).toMatch(/\n3 nodes: done\.\n$/);
});

test("a mistyped set makes no file, though a node is silent until the time is over", async () => {
  using silent = await serveRaw(() => {});
  await place({ fra1: silent.url });
  const mistyped = BLOCK.map((word) => (word === BLOCKED ? "prefixset://edge/blokced" : word));
  const ended = await here(...mistyped, "--timeout", "1s");
  const nothing = "Nothing was changed, the file neither: without --now the file alone is written.";
  expect(ended).toMatchObject({ code: 1, err: expect.stringContaining(nothing) });
  expect(existsSync(join(folder, "blocks.yaml"))).toBe(false);
});

test("with a --timeout of weeks nodes are waited for, and done", async () => {
  const ended = await here(...BLOCK, "--timeout", "4w");
  expect(ended).toMatchObject({ code: 0, out: expect.stringMatching(/\n3 nodes: done\.\n$/) });
});

test.each([
  ["block", [...BLOCK]],
  ["unblock", ["unblock", "203.0.113.7", "--file", "blocks.yaml"]],
])("the wait of %s for the file ends with --timeout, and says for whom it was", async (_, words) => {
  const FOUND = "203.0.113.7/32: 1\n";
  await writeFile(join(folder, "blocks.yaml"), FOUND);
  const since = "2030-01-31T17:59:00.000Z";
  const owner = { host: hostname(), pid: process.pid, since, id: randomUUID() };
  await writeFile(join(folder, "blocks.yaml.lock"), JSON.stringify(owner));
  const ended = await here(...words, "--timeout", "1s");
  const whom = `process ${process.pid} on ${hostname()} edits it since ${since}.`;
  expect([ended.code, ended.err]).toEqual([1, expect.stringContaining(`blocks.yaml was not edited: ${whom}`)]);
  expect(await readFile(join(folder, "blocks.yaml"), "utf8")).toBe(FOUND);
  expect(existsSync(join(folder, "blocks.yaml.lock"))).toBe(true);
  expect(nodes.flatMap(({ journal }) => journal.filter(({ cmd }) => cmd !== "list"))).toEqual([]);
});

test.each([
  ["that ends with the lock of the other command", 0],
  ["that SIGTERM ends", 143],
])("at a terminal a sentence about the wait for the file, %s, stands above the line that moves", async (_, code) => {
  const lock = join(folder, "blocks.yaml.lock");
  const since = "2030-01-31T17:59:00.000Z";
  await writeFile(lock, JSON.stringify({ host: hostname(), pid: process.pid, since, id: randomUUID() }));
  const stop = new AbortController();
  const heard = ({ err }: { readonly err: string }) => {
    if (!err.includes("Waits for")) return;
    if (code === 0) rmSync(lock, { force: true });
    else stop.abort(new Interrupted("SIGTERM"));
  };
  const surroundings = { folder, now: () => NOW, terminal: { columns: () => 60 }, graceMs: 600_000 };
  const ended = await run(BLOCK, { ...surroundings, stop: stop.signal, heard });
  expect(ended.code).toBe(code);
  expect(ended.err).toContain(
    `\r\u001b[KWaits for blocks.yaml: process ${process.pid} on ${hostname()} edits it since ${since}.\n`,
  );
  expect(existsSync(join(folder, "blocks.yaml"))).toBe(code === 0);
});

test("at a terminal one line moves: how many have answered, and who is waited for, then the result stands alone", async () => {
  let answer = () => {};
  let requests = 0;
  const HELD = JSON.stringify({ data: [{ p: "203.0.113.7/32", v: 1 }] });
  using slow = await serveRaw((_, response) => {
    requests += 1;
    const go = () => void response.end(requests < 4 ? '{"data":[]}' : HELD);
    if (requests > 1) return go();
    answer = go;
  });
  await place({ fra1: slow.url });
  let second = () => {};
  const every = (ms: number, tick: () => void) => {
    if (ms === 1_000) second = tick;
    return () => {};
  };
  const heard = ({ err }: { readonly err: string }) => {
    if (err.endsWith("2 of 3 answered, waits for fra1")) second();
    else if (err.endsWith("waits for fra1 (1 s)")) answer();
  };
  const terminal = { columns: () => 60 };
  const { code, out, err: written } = await run(BLOCK, { folder, now: () => NOW, terminal, every, heard });
  expect(code).toBe(0);
  expect(out).toMatch(/^blocks\.yaml was created\..*\n.*until [^ ]+\.\n.*"block expire --now"\.\n.*3 nodes: done\./);
  const moving = written.split("\r\u001b[K").filter((part) => part !== "");
  expect(moving[0]).toBe("0 of 3 answered, waits for ams1, ber1, fra1");
  expect(moving).toContain("2 of 3 answered, waits for fra1 (1 s)");
  expect(moving.at(-1)).toBe("3 of 3 answered (1 s)");
  expect(written.endsWith("\r\u001b[K")).toBe(true);
  expect(Math.max(...moving.map((line) => line.length))).toBeLessThan(60);
});
