import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify, stripVTControlCharacters } from "node:util";
import { expect, test } from "vitest";
import { useFolder } from "../support/folder";
import { serveRaw } from "../support/raw-server";
import { run } from "./support";

const CLI = join(__dirname, "../../dist/provider/cli.js");
const BLOCKED = "prefixset://edge/blocked";
/** util-linux: runs a command at a terminal of its own. */
const TERMINAL = "script";

const folder = useFolder();

test("help and version are commands, too", async () => {
  expect(await run(["help", "unblock"])).toEqual(await run(["unblock", "--help"]));
  expect(await run(["help"])).toEqual(await run(["--help"]));
  expect(await run(["version"])).toEqual(await run(["--version"]));
  expect(await run(["help", "nothing"])).toEqual({
    code: 2,
    out: "",
    err: 'There is no command "nothing": help shows all.\n',
  });
});

test("--header-file has headers that no list of processes shows; --header with a credential is warned of", async () => {
  const seen: unknown[] = [];
  using node = await serveRaw((request, response) => {
    seen.push(request.headers.authorization);
    response.end('{"data":[]}');
  });
  await writeFile(join(folder, "headers"), "# of the node\nAuthorization: Bearer x\n\n");
  const list = (...more: string[]) => run(["list", BLOCKED, "--endpoint", node.url, ...more], { folder });
  expect(await list("--header-file", "headers")).toMatchObject({ code: 0, err: "" });
  const warned = await list("--header", "Authorization: Bearer y");
  expect([warned.code, warned.err]).toEqual([0, expect.stringContaining("--header-file keeps a secret from them")]);
  expect((await list("--header", "X-Request: 1")).err).toBe("");
  expect(seen).toEqual(["Bearer x", "Bearer y", undefined]);
  expect(warned.err).not.toContain("Bearer");
});

test("the help of a command has its own options only", async () => {
  for (const command of ["block", "unblock", "import"])
    expect((await run([command, "--help"])).out).not.toMatch(/--mark-pa|--user-arena/);
  expect((await run(["list", "--help"])).out).toContain("--mark-pause-ms");
});

test.each([60, 80, 200])("help fits a terminal of %i columns", async (columns) => {
  for (const command of ["block", "list", "report", "import"]) {
    const { out } = await run([command, "--help"], { terminal: { columns: () => columns } });
    const prose = out.split("\n").filter((line) => !line.startsWith("  "));
    expect(prose.filter((line) => line.length > Math.min(columns, 120))).toEqual([]);
  }
});

test("a node that is silent has a line every few seconds, where a person watches", async () => {
  const ticks: (() => void)[] = [];
  let ended = 0;
  const every = (ms: number, tick: () => void) => {
    expect(ms).toBe(5_000);
    ticks.push(tick);
    return () => {
      ended += 1;
    };
  };
  using node = await serveRaw((_, response) => {
    for (const tick of ticks) {
      tick();
      tick();
    }
    response.end('{"data":[]}');
  });
  const listed = await run(["list", BLOCKED, "--endpoint", node.url], { terminal: { columns: () => 80 }, every });
  const line = `listing ${BLOCKED} on ${node.url}`;
  expect([listed.code, listed.err]).toEqual([0, `${line}\n${line}: no answer for 5 s\n${line}: no answer for 10 s\n`]);
  expect(ended).toBe(1);
});

test("--timeout ends the wait for a node that takes connections and says nothing", async () => {
  using silent = await serveRaw(() => {});
  const ended = await run(["list", BLOCKED, "--endpoint", silent.url, "--timeout", "1s"]);
  expect([ended.code, ended.out]).toEqual([1, ""]);
  expect((await run(["list", BLOCKED, "--endpoint", "http://192.0.2.1", "--timeout", "soon"])).code).toBe(2);
});

/** Runs the command line at a terminal of so many columns, and gives what stands on it. */
async function atTerminal(columns: number, ...args: string[]): Promise<string> {
  const words = [process.execPath, CLI, ...args].map((word) => `'${word}'`).join(" ");
  const { stdout } = await promisify(execFile)(TERMINAL, ["-qec", `stty cols ${columns}; ${words}`, "/dev/null"]);
  return stdout.replaceAll("\r\n", "\n");
}

test("at a terminal: help fits, completion is the script, progress is said", async () => {
  const shown = await atTerminal(70, "help", "unblock");
  expect(shown).toContain("\u001b[1mUsage:\u001b[22m");
  const help = stripVTControlCharacters(shown);
  expect(help).toContain("Usage: pulumi-packetfilter unblock");
  const prose = help.split("\n").filter((line) => !line.startsWith("  "));
  expect(prose.filter((line) => line.length > 70)).toEqual([]);
  expect(await atTerminal(70, "completion", "bash")).toBe((await run(["completion", "bash"])).out);
  using node = await serveRaw((_, response) => response.end('{"data":[]}'));
  expect(await atTerminal(200, "list", BLOCKED, "--endpoint", node.url)).toBe(
    `listing ${BLOCKED} on ${node.url}\n0 entries.\n`,
  );
});
