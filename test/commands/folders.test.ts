import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { useEmptyFolder } from "../support/folder";
import { run } from "./support";

const folder = useEmptyFolder();
const BLOCKED = "prefixset://edge/blocked";
const PLAN = JSON.stringify({ steps: [], changeSummary: {} });
const BLOCK = ["192.0.2.1", "--for", "2h", "--reason", "SYN flood"];

test.each([
  ["block", ...BLOCK, "--file", "folder.yaml"],
  ["block", ...BLOCK, "--create", "--file", "folder.yaml"],
  ["unblock", "192.0.2.1", "--file", "folder.yaml"],
  ["block", "expire", "--now", BLOCKED, "--file", "folder.yaml"],
  ["blocks", "--file", "folder.yaml"],
  ["prefixes", "check", "folder.yaml"],
  ["prefixes", "diff", "list.txt", "folder.yaml"],
  ["prefixes", "aggregate", "folder.yaml"],
  ["prefixes", "aggregate", "list.txt", "--exclude", "folder.yaml"],
  ["list", BLOCKED, "--settings", "folder.yaml"],
  ["list", BLOCKED, "--ca", "folder.yaml"],
  ["list", BLOCKED, "--config", "folder.yaml"],
  ["list", BLOCKED, "--contains", "192.0.2.1", "--state", "folder.yaml"],
  ["report", "folder.yaml"],
  ["report", "plan.json", "--policies", "folder.yaml"],
  ["probe", "--clean", "folder.yaml"],
  ["probe", BLOCKED, "--check", "folder.yaml"],
])("%s %s: a folder in the place of a file is named, and ends with 2", async (...args) => {
  mkdirSync(join(folder, "folder.yaml"), { mode: 0o700 });
  writeFileSync(join(folder, "plan.json"), PLAN);
  writeFileSync(join(folder, "list.txt"), "192.0.2.0/24\n");
  expect(await run(args, { folder, env: { PACKETFILTER_ENDPOINT: "http://192.0.2.10" } })).toMatchObject({
    code: 2,
    err: expect.stringContaining("folder.yaml is a folder, and a file is needed (EISDIR). Name a file in it."),
  });
});

test.each([
  ["emulator", "--background", "--pid-file"],
  ["emulator", "stop", "--pid-file"],
  ["emulator", "--journal"],
])("%s %s %s: the same, of a path from the working folder of the process", async (...args) => {
  expect(await run([...args, folder])).toMatchObject({
    code: 2,
    err: expect.stringContaining(`${folder} is a folder, and a file is needed (EISDIR). Name a file in it.`),
  });
});
