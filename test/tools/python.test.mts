import { execFile } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { VERSION } from "../../tools/pulumi-cli/ensure.mjs";
import { ensurePart } from "../../tools/pulumi-cli/parts.mjs";
import { ensurePython } from "../../tools/python/ensure.mjs";

const HOST = ["pulumi-language-python", "pulumi-language-python-exec"];

let home: string;
let path: string;
let told: string;
let env: NodeJS.ProcessEnv;
const out = { write: (text: string) => (told += text) };

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "packetfilter-python-"));
  path = join(home, "path");
  mkdirSync(path);
  env = { HOME: home, PATH: path };
  told = "";
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function program(folder: string, name: string, script = ""): void {
  writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`);
  chmodSync(join(folder, name), 0o755);
}

describe("Pulumi's Python language host", () => {
  test("of an installed CLI is taken, if its script is beside it", async () => {
    const built = async (folder: string) => {
      for (const name of HOST) program(folder, name);
    };
    program(path, "pulumi-language-python");
    const made = await ensurePart("python", { env, out, built });
    expect(made).toBe(join(home, ".pulumi", "versions", VERSION, "bin"));
    expect(readdirSync(made).sort()).toEqual(HOST);
    expect(readdirSync(join(made, "..")).sort()).toEqual(["bin"]);
    program(path, "pulumi-language-python-exec");
    expect(await ensurePart("python", { env, out, built })).toBe(path);
  });

  test("is built once with Go from its pinned module, and its script comes from the same", async () => {
    const module = join(home, "module");
    const scripts = join(module, "python", "cmd");
    mkdirSync(scripts, { recursive: true });
    program(scripts, "pulumi-language-python-exec");
    chmodSync(join(scripts, "pulumi-language-python-exec"), 0o444);
    // A stand-in that writes down how it was called, and makes the file after -o a program.
    program(
      path,
      "go",
      `case "$1" in version) echo "go version go1.26.8 linux/amd64"; exit;; list) echo "${module}"; exit;; esac
echo "$PWD: $GOFLAGS $*" >> "${home}/calls"
while [ "$1" != -o ]; do shift; done
echo > "$2"
/bin/chmod +x "$2"`,
    );
    const [first, second] = await Promise.all([ensurePart("python", { env, out }), ensurePart("python", { env, out })]);
    expect(second).toBe(first);
    expect(readdirSync(first).sort()).toEqual(HOST);
    const calls = readFileSync(join(home, "calls"), "utf8").trim().split("\n");
    expect(calls.map((call) => call.replace(/.*\/(language-python): (\S+) .* (\S+)$/, "$1 $2 $3"))).toEqual([
      "language-python -mod=readonly github.com/pulumi/pulumi/sdk/v3/python/cmd/pulumi-language-python",
    ]);
    expect(told).toContain(`Building pulumi-language-python ${VERSION} with go1.26.8 (once per machine`);
  });

  test("that is not there and cannot be built is a sentence with the reason", async () => {
    await expect(ensurePart("python", { env, out })).rejects.toThrow(
      `Pulumi's Python language host is not on PATH and could not be built: there is no go on PATH. Install the Pulumi CLI ${VERSION} or later`,
    );
    expect(readdirSync(join(home, ".pulumi", "versions", VERSION))).toEqual(["bin"]);
  });
});

describe("the packages for Python", () => {
  /** A Python that knows its version, and writes down what else it is asked. */
  const standIn = (version: string, refuses: string) =>
    program(
      path,
      "python3",
      `if [ "$1" = -c ]; then echo '{"version": [${version}], "packages": "lib/site-packages"}'; exit; fi
echo "$*" >> "${home}/calls"
case "$*" in ${refuses}) echo "no such thing" >&2; exit 1;; esac
case "$*" in "-m ensurepip"*) /bin/mkdir -p "$4/lib/site-packages/pip";; esac`,
    );
  const calls = () =>
    readFileSync(join(home, "calls"), "utf8")
      .trim()
      .split("\n")
      .map((line) => line.replaceAll(/\S+\/python\/[0-9a-f]{12}-\w{6}/g, "ENV").replace(/--quiet.*/, "…"));

  test("go into an environment that is made once", async () => {
    standIn("3, 11, 7", "nothing");
    const [first, second] = await Promise.all([ensurePython({ env, out }), ensurePython({ env, out })]);
    expect(second).toBe(first);
    expect(existsSync(first)).toBe(true);
    expect(calls()).toEqual(["-m venv --without-pip ENV", "-m pip --version", "-m pip install …"]);
    expect(told).toContain("Installing Pulumi for Python with pip (once per machine, about 15 s)");
  });

  test("go there with the pip that comes with Python, where there is no other", async () => {
    standIn("3, 12, 0", '"-m pip"*');
    await ensurePython({ env, out });
    expect(calls()).toEqual([
      "-m venv --without-pip ENV",
      "-m pip --version",
      "-m ensurepip --root ENV/pip",
      "ENV/pip/lib/site-packages/pip install …",
    ]);
  });

  test.each([
    { what: "no Python", make: () => undefined, reason: "there is no python3 on PATH: install Python 3.10 or later" },
    {
      what: "an old Python",
      make: () => standIn("3, 9, 2", "nothing"),
      reason: "python3 on PATH is 3.9.2: the tests need 3.10 or later",
    },
    {
      what: "neither pip nor ensurepip",
      make: () => standIn("3, 11, 2", '"-m pip"*|"-m ensurepip"*'),
      reason: "this Python has neither pip nor ensurepip: install one of them (Debian: python3-pip)",
    },
    {
      what: "a pip that reaches no index",
      make: () => standIn("3, 11, 2", '"-m pip install"*'),
      reason: '"python3 -m pip install" failed:\nno such thing',
    },
  ])("are refused with the reason where there is $what, and leave nothing behind", async ({ make, reason }) => {
    make();
    await expect(ensurePython({ env, out })).rejects.toThrow(reason);
    const cache = join(home, ".cache", "pulumi-packetfilter", "python");
    expect(existsSync(cache) ? readdirSync(cache) : []).toEqual([]);
  });

  test("are of the version that engine tests run with", () => {
    const requirements = readFileSync(join(import.meta.dirname, "../../tools/python/requirements.txt"), "utf8");
    expect(/^pulumi==(.*)$/m.exec(requirements)?.[1]).toBe(VERSION);
    expect(requirements.split("\n").filter((line) => !/^(#.*|[\w.-]+==[\w.]+|)$/.test(line))).toEqual([]);
  });

  test("are known to the command, which prints the folder alone", async () => {
    standIn("3, 11, 7", "nothing");
    const script = join(import.meta.dirname, "../../tools/python/ensure.mjs");
    const { stdout } = await promisify(execFile)(process.execPath, [script], { env });
    expect(stdout).toMatch(/^.*\/\.cache\/pulumi-packetfilter\/python\/[0-9a-f]{12}\n$/);
  });
});
