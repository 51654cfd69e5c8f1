import { execFile } from "node:child_process";
import { readdir, rm } from "node:fs/promises";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { AT_TERMINAL, environmentOf, LURES, NAMED, namedProject, WORDS } from "./named-project";
import { run } from "./support";

let folder: string;
beforeAll(async () => {
  folder = await namedProject();
});
afterAll(() => rm(folder, { recursive: true }));

/** Names that bash offers at the end of a typed line. */
async function offered(line: string): Promise<string[]> {
  const script = `source completion.bash; COMP_LINE="pulumi-packetfilter $1" COMP_POINT=$((20 + \${#1})); _pulumi_packetfilter; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const env = environmentOf(folder);
  const { stdout } = await promisify(execFile)("bash", ["-c", script, "bash", line], { cwd: folder, env });
  return stdout.split("\n").filter((word) => word !== "");
}

test.each(Object.entries(WORDS))("bash offers behind %j", async (line, words) => {
  expect((await offered(line)).sort()).toEqual(words);
});

test.each(NAMED)("a shell completes %s", async (_, line, names) => {
  // What stands before the last colon stays as it was typed.
  const typed = line.slice(line.lastIndexOf(" ") + 1);
  const before = typed.slice(0, typed.lastIndexOf(":") + 1);
  expect(await offered(line)).toEqual(names.map((name) => name.slice(before.length)));
});

test("names that cannot be had are none, and help has nothing of the command", async () => {
  const elsewhere = { folder: "/", env: {} };
  for (const kind of ["nodes", "receivers", "sets", "stacks"])
    expect(await run(["names", kind], elsewhere)).toEqual({ code: 0, out: "", err: "" });
  expect((await run(["--help"])).out).not.toMatch(/^ {2}names/m);
});

test("no name of a commit runs a command: at a terminal, with bash, by TAB and Enter", async () => {
  const args = [AT_TERMINAL, "source ./completion.bash", ...LURES, "--", "bash", "--norc", "--noprofile", "-i"];
  const env = { ...environmentOf(folder), TERM: "dumb", HOME: folder };
  const { stdout } = await promisify(execFile)("python3", args, { cwd: folder, env });
  expect(stdout).toContain("fra1");
  expect(await readdir(folder)).not.toContain("pwned");
});
