import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { prefixFileEditor } from "../../provider/prefixes/edit/edit-file";
import { useEmptyFolder, useFolder } from "../support/folder";

const folder = useEmptyFolder();
const other = useFolder();
const file = join(folder, "blocks.yaml");

const add = () => new Map([["203.0.113.7/32", { value: 1 }]]) as never;
const owner = (more: object = {}) => ({
  host: hostname(),
  pid: process.pid,
  since: "2030-01-31T18:00:00Z",
  id: randomUUID(),
  ...more,
});

/** A clock on which every pause is over at once. */
function hastyClock() {
  let now = 0;
  return {
    monotonic: () => now,
    sleep: async (ms: number) => {
      now += ms;
    },
    get passed() {
      return now;
    },
  };
}

async function edit(lock: string | undefined) {
  if (lock !== undefined) await writeFile(`${file}.lock`, lock);
  const clock = hastyClock();
  const said: string[] = [];
  await prefixFileEditor(file, { clock, say: (sentence) => void said.push(sentence) }).edit(add);
  expect(await readFile(file, "utf8")).toContain("203.0.113.7/32");
  expect(await readdir(folder)).toEqual(["blocks.yaml"]);
  return { passed: clock.passed, said };
}

test("the lock of a process of this machine that has ended is taken away at once", async () => {
  const { pid } = spawnSync(process.execPath, ["--version"]);
  expect(await edit(JSON.stringify(owner({ pid })))).toEqual({ passed: 0, said: [] });
});

describe("a lock that stands for longer than any edit takes was left, and says for whom it was waited", () => {
  test.each([
    [
      "of a process that lives",
      () => owner(),
      `process ${process.pid} on ${hostname()} edits it since 2030-01-31T18:00:00Z`,
    ],
    ["of another machine, as a commit brings it", () => owner({ host: "build-7" }), "on build-7 edits it since"],
    ["whose id is a path", () => owner({ id: "../../etc/cron.d/x" }), "another command edits it"],
    ["that writes to a terminal", () => owner({ host: "\u001b[2J" }), "another command edits it"],
    ["of another form", () => ({ pid: 1 }), "another command edits it"],
    ["that is large", () => owner({ host: "x".repeat(100_000) }), "another command edits it"],
  ])("%s", async (_, content, sentence) => {
    const { passed, said } = await edit(JSON.stringify(content()));
    expect(said).toEqual([expect.stringContaining(sentence)]);
    expect(passed).toBeGreaterThanOrEqual(5_000);
    expect(passed).toBeLessThan(6_000);
  });

  test("that is empty", async () => {
    expect((await edit("")).said).toHaveLength(1);
  });

  test("that is a link: what it leads to stays as it is", async () => {
    const secret = join(other, "secret");
    await writeFile(secret, JSON.stringify(owner()));
    await symlink(secret, `${file}.lock`);
    expect((await edit(undefined)).said).toEqual([expect.stringContaining("another command edits it")]);
    expect(await readFile(secret, "utf8")).toContain(hostname());
  });
});

test("a folder in its place is named", async () => {
  await mkdir(`${file}.lock`);
  await expect(prefixFileEditor(file).edit(add)).rejects.toThrow("blocks.yaml.lock is a folder");
});

test.each(["stop", "until"] as const)("a wait that %s ends names the process that it was for", async (name) => {
  const { host, pid, since, ...id } = owner();
  const end = new AbortController();
  const clock = {
    monotonic: () => 0,
    sleep: async () => end.abort(new Error("over")),
  };
  await writeFile(`${file}.lock`, JSON.stringify({ host, pid, since, ...id }));
  await expect(prefixFileEditor(file, { clock, [name]: end.signal }).edit(add)).rejects.toThrow(
    `blocks.yaml was not edited: process ${pid} on ${host} edits it since ${since}.`,
  );
  expect(await readdir(folder)).toEqual(["blocks.yaml.lock"]);
});

test("a command whose time is over edits a file that no other command has", async () => {
  await prefixFileEditor(file, { until: AbortSignal.abort() }).edit(add);
  expect(await readFile(file, "utf8")).toContain("203.0.113.7/32");
});

test("who lost the lock while it was stopped edits the file as it stands then", async () => {
  const slow = prefixFileEditor(file);
  let asked = 0;
  const before: string[][] = [];
  await slow.edit((entries) => {
    before.push(Object.keys(entries));
    asked += 1;
    if (asked === 1) {
      // Another one took it for left, and has edited the file.
      const script =
        "const fs = require('node:fs'); fs.rmSync(process.argv[1] + '.lock'); fs.writeFileSync(process.argv[1], '192.0.2.1/32: 1\\n')";
      spawnSync(process.execPath, ["-e", script, file]);
    }
    return add();
  });
  expect(before).toEqual([[], ["192.0.2.1/32"]]);
  expect(await readFile(file, "utf8")).toMatch(/192\.0\.2\.1[\s\S]*203\.0\.113\.7/);
});
