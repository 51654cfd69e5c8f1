import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { readFile, rm, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { expect, test } from "vitest";
import { at, BLOCKED, block, entries, expectAgreement, folder, held, nodes, unblock, write } from "./slow-nodes";
import { run } from "./support";

test(
  "of six processes at once at two slow nodes, file and nodes say the same in the end",
  () => expectAgreement(6),
  120_000,
);

/** Lets a command wait for the file, which another process holds and edits meanwhile. */
async function whileItWaits(args: readonly string[], edited: string) {
  const owner = { host: hostname(), pid: process.pid, since: new Date().toISOString(), id: randomUUID() };
  await writeFile(at("blocks.yaml.lock"), JSON.stringify(owner));
  const ended = run(args, { folder });
  // What the nodes hold is asked for before the file is edited.
  while (nodes.some(({ journal }) => journal.every(({ cmd }) => cmd !== "list"))) await new Promise(setImmediate);
  const script = "require('node:fs').writeFileSync(process.argv[1], process.argv[2])";
  spawnSync(process.execPath, ["-e", script, at("blocks.yaml"), edited]);
  expect(nodes.flatMap(({ journal }) => journal.filter(({ cmd }) => cmd !== undefined && cmd !== "list"))).toEqual([]);
  await rm(at("blocks.yaml.lock"));
  return ended;
}

test("what another process wrote while the command waited for the file is what it sends, and stays", async () => {
  await write("203.0.113.7/32: 1\n");
  const ended = await whileItWaits(block("203.0.113.7"), "# night shift\n203.0.113.7/32: 9\n198.51.100.1/32: 4\n");
  expect(ended).toMatchObject({ code: 0, err: "" });
  expect(held()).toEqual([{ "203.0.113.7/32": 9 }, { "203.0.113.7/32": 9 }]);
  expect(entries()).toMatchObject({
    "203.0.113.7/32": { value: 9, reason: "SYN flood" },
    "198.51.100.1/32": { value: 4 },
  });
  expect(await readFile(at("blocks.yaml"), "utf8")).toMatch(/^# night shift\n/);
});

test("a value that another process wrote meanwhile is the file's own, so that unblock removes it", async () => {
  await write("203.0.113.7/32: 1\n198.51.100.1/32: 4\n");
  for (const node of nodes) node.change(BLOCKED, { insert: { "203.0.113.7/32": 9 } });
  const ended = await whileItWaits(unblock("203.0.113.7"), "203.0.113.7/32: 9\n198.51.100.1/32: 4\n");
  expect(ended).toMatchObject({ code: 0, err: "" });
  expect([held(), Object.keys(entries())]).toEqual([[{}, {}], ["198.51.100.1/32"]]);
});
