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
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ensurePulumiCli, VERSION } from "../../tools/pulumi-cli/ensure.mjs";

const FILES = ["pulumi", "pulumi-language-nodejs", "pulumi-resource-pulumi-nodejs"];
const script = join(import.meta.dirname, "../../tools/pulumi-cli/ensure.mjs");

let home: string;
let path: string;
let env: NodeJS.ProcessEnv;
let bin: string;
let made: string[];
let told: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "packetfilter-cli-"));
  path = join(home, "path");
  mkdirSync(path);
  bin = join(home, ".pulumi", "versions", VERSION, "bin");
  env = { HOME: home, PATH: path };
  made = [];
  told = "";
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

/** Puts a program there that prints one line. */
function program(folder: string, name: string, prints = ""): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name), `#!/bin/sh\necho "${prints}"\n`);
  chmodSync(join(folder, name), 0o755);
}

function cli(folder: string, version: string, files = FILES): void {
  for (const file of files) program(folder, file, file === "pulumi" ? `v${version}` : "");
}

const fails = async () => {
  throw new Error("get.pulumi.com cannot be reached (ENOTFOUND)");
};

async function builds(folder: string): Promise<void> {
  made.push(folder);
  cli(folder, VERSION);
}

type Maker = (folder: string) => Promise<void>;
const ensure = (makers: { downloaded: Maker; built: Maker } = { downloaded: fails, built: builds }) =>
  ensurePulumiCli({ env, makers, out: { write: (text: string) => (told += text) } });

describe("the CLI on PATH", () => {
  test("is taken when it is new enough and has its language host", async () => {
    cli(path, "3.300.1");
    expect(await ensure()).toEqual({ bin: path, version: "3.300.1", source: "path" });
    expect(existsSync(join(home, ".pulumi"))).toBe(false);
  });

  test("is taken when its language host stands in another folder of PATH", async () => {
    cli(path, VERSION, ["pulumi"]);
    const other = join(home, "other");
    cli(other, VERSION, FILES.slice(1));
    env.PATH = `${path}:${other}`;
    expect(await ensure()).toMatchObject({ bin: path, source: "path" });
  });

  test("is passed over when it is older by number, not by text", async () => {
    cli(path, "3.99.0");
    expect(await ensure()).toMatchObject({ bin, source: "built" });
  });

  test("is passed over when it has no language host", async () => {
    cli(path, "3.300.0", ["pulumi", "pulumi-resource-pulumi-nodejs"]);
    expect(await ensure()).toMatchObject({ bin, source: "built" });
  });

  test("is never the npm wrapper, which would start its download when asked for its version", async () => {
    const wrapper = join(home, "node_modules", "pulumi");
    program(wrapper, "pulumi", `v${VERSION}" > "${home}/asked`);
    env.PATH = wrapper;
    expect(await ensure()).toMatchObject({ source: "built" });
    expect(existsSync(join(home, "asked"))).toBe(false);
  });
});

describe("the npm wrapper's folder", () => {
  test("is used when it is complete", async () => {
    cli(bin, VERSION);
    expect(await ensure()).toEqual({ bin, version: VERSION, source: "home" });
  });

  test("follows PULUMI_HOME", async () => {
    env.PULUMI_HOME = join(home, "elsewhere");
    expect((await ensure()).bin).toBe(join(home, "elsewhere", "versions", VERSION, "bin"));
  });

  test("is completed when only the CLI is there", async () => {
    cli(bin, VERSION, ["pulumi"]);
    expect(await ensure()).toMatchObject({ bin, source: "built" });
    expect(readdirSync(bin).sort()).toEqual(FILES);
  });

  test("is made anew when its CLI does not run", async () => {
    cli(bin, VERSION);
    writeFileSync(join(bin, "pulumi"), "#!/bin/sh\nexit 126\n");
    expect(await ensure()).toMatchObject({ source: "built" });
    expect(await ensure()).toMatchObject({ source: "home" });
  });
});

describe("making one", () => {
  test("takes the download first, and leaves nothing else behind", async () => {
    const cliWithOthers = async (folder: string) => {
      cli(folder, VERSION);
      program(folder, "pulumi-language-go");
      mkdirSync(join(folder, "versions"));
    };
    expect(await ensure({ downloaded: cliWithOthers, built: builds })).toMatchObject({ source: "downloaded" });
    expect(made).toEqual([]);
    expect(readdirSync(bin).sort()).toEqual([...FILES, "pulumi-language-go"].sort());
    expect(readdirSync(join(home, ".pulumi", "versions"))).toEqual([VERSION]);
  });

  test("shows nothing half done: an interrupted build is swept away by the next", async () => {
    const leftover = join(home, ".pulumi", "versions", `.${VERSION}-leftover`);
    mkdirSync(leftover, { recursive: true });
    await ensure();
    expect(readdirSync(join(home, ".pulumi", "versions"))).toEqual([VERSION]);
  });

  test("a build that lacks a file is a failure, and nothing of it is installed", async () => {
    const half = async (folder: string) => cli(folder, VERSION, ["pulumi"]);
    await expect(ensure({ downloaded: fails, built: half })).rejects.toThrow("pulumi-language-nodejs was not among");
    expect(existsSync(bin)).toBe(false);
  });

  test("happens once when two ask at the same time", async () => {
    const slowly = async (folder: string) => {
      await new Promise((resolve) => setTimeout(resolve, 300));
      await builds(folder);
    };
    const both = await Promise.all([ensure({ downloaded: fails, built: slowly }), ensure()]);
    expect(both.map(({ source }) => source).sort()).toEqual(["built", "home"]);
    expect(made).toHaveLength(1);
    expect(told).toContain(`Waiting for process ${process.pid}`);
  });

  test("does not wait for a process that has died", async () => {
    const lock = join(home, ".pulumi", "versions", `${VERSION}.lock`);
    mkdirSync(join(lock, ".."), { recursive: true });
    writeFileSync(lock, "999999999");
    expect(await ensure()).toMatchObject({ source: "built" });
    expect(existsSync(lock)).toBe(false);
  });
});

describe("the command", () => {
  const run = (more: NodeJS.ProcessEnv = {}) =>
    promisify(execFile)(process.execPath, [script], { env: { ...env, ...more } });

  test("prints the folder alone to stdout", async () => {
    cli(path, VERSION);
    expect(await run()).toEqual({ stdout: `${path}\n`, stderr: "" });
  });

  test("names every way that failed and what to do, and exits with 1", async () => {
    cli(path, "3.1.0");
    const noInternet = join(home, "no-internet.cjs");
    writeFileSync(
      noInternet,
      'fetch = async () => { throw new TypeError("fetch failed", { cause: { code: "ENOTFOUND" } }); }',
    );
    const failure = await run({ NODE_OPTIONS: `--require ${noInternet}` }).then(
      () => undefined,
      (error: { code: number; stdout: string; stderr: string }) => error,
    );
    expect(failure).toMatchObject({ code: 1, stdout: "" });
    expect(failure?.stderr.replaceAll(home, "~")).toBe(
      [
        "No Pulumi CLI was found, and none could be made:",
        `- PATH: ~/path/pulumi is 3.1.0, older than ${VERSION}`,
        `- ~/.pulumi/versions/${VERSION}/bin: holds no working CLI`,
        "- download: get.pulumi.com cannot be reached (ENOTFOUND)",
        "- build: there is no go on PATH",
        `Do one of these and run the command again: install the Pulumi CLI ${VERSION} or later (https://www.pulumi.com/docs/install/), or`,
        "install Go 1.26 or later (https://go.dev/doc/install), with which it is then built here.",
        "",
      ].join("\n"),
    );
  });

  test("builds with Go from the two pinned modules, and says so in plain lines in a pipe", async () => {
    const noInternet = join(home, "no-internet.cjs");
    writeFileSync(
      noInternet,
      'fetch = async () => { throw new TypeError("fetch failed", { cause: { code: "ENOTFOUND" } }); }',
    );
    // A stand-in that writes down how it was called, and makes the file after -o a program.
    writeFileSync(
      join(path, "go"),
      `#!/bin/sh
if [ "$1" = version ]; then echo "go version go1.26.8 linux/amd64"; exit; fi
echo "$PWD: CGO_ENABLED=$CGO_ENABLED go $*" >> "${home}/calls"
while [ "$1" != -o ]; do shift; done
printf '#!/bin/sh\\necho v${VERSION}\\n' > "$2"
/bin/chmod +x "$2"
`,
    );
    chmodSync(join(path, "go"), 0o755);
    const { stdout, stderr } = await run({ NODE_OPTIONS: `--require ${noInternet}`, GOFLAGS: "-mod=mod" });
    expect(stdout).toBe(`${bin}\n`);
    expect(stderr.replace(/\(\d+ s\)/g, "(N s)").split("\n")).toEqual([
      `Building pulumi ${VERSION} with go1.26.8 (once per machine, some minutes) …`,
      `Building pulumi ${VERSION} with go1.26.8 (once per machine, some minutes): done (N s)`,
      `Building pulumi-language-nodejs ${VERSION} with go1.26.8 (once per machine, some minutes) …`,
      `Building pulumi-language-nodejs ${VERSION} with go1.26.8 (once per machine, some minutes): done (N s)`,
      "",
    ]);
    const calls = readFileSync(join(home, "calls"), "utf8").trim().split("\n");
    expect(calls.map((call) => call.replace(/.*(engine|language-nodejs): .* (\S+)$/, "$1 $2"))).toEqual([
      "engine github.com/pulumi/pulumi/pkg/v3/cmd/pulumi",
      "language-nodejs github.com/pulumi/pulumi/sdk/v3/nodejs/cmd/pulumi-language-nodejs",
    ]);
    expect(readdirSync(bin).sort()).toEqual(FILES);
  });
});

test("the version is the same in the npm wrapper, the Go module and the script", () => {
  const read = (file: string) => readFileSync(join(import.meta.dirname, "../..", file), "utf8");
  expect(JSON.parse(read("package.json")).devDependencies.pulumi).toBe(VERSION);
  for (const module of ["tools/pulumi-cli/engine", "test/simulation/real-engine"]) {
    expect(/pulumi\/pkg\/v3 v(\S+)/.exec(read(`${module}/go.mod`))?.[1]).toBe(VERSION);
  }
});
