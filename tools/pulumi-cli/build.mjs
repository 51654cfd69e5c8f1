// @ts-check
import { spawn } from "node:child_process";
import { chmodSync, copyFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { step } from "../lib/progress.mjs";

/** Older versions of Go cannot fetch the version that go.mod asks for by themselves. */
const LOWEST_GO = [1, 21];

/** @typedef {{ name: string, module: string, package: string }} Binary `module` is a folder beside this file */

/** @type {Binary[]} */
const BINARIES = [
  { name: "pulumi", module: "engine", package: "github.com/pulumi/pulumi/pkg/v3/cmd/pulumi" },
  {
    name: "pulumi-language-nodejs",
    module: "language-nodejs",
    package: "github.com/pulumi/pulumi/sdk/v3/nodejs/cmd/pulumi-language-nodejs",
  },
];

/** @type {Binary} */
const PYTHON = {
  name: "pulumi-language-python",
  module: "language-python",
  package: "github.com/pulumi/pulumi/sdk/v3/python/cmd/pulumi-language-python",
};

/** @type {Binary} */
const GO = {
  name: "pulumi-language-go",
  module: "language-go",
  package: "github.com/pulumi/pulumi/sdk/v3/go/pulumi-language-go",
};

/** @type {Binary} */
const YAML = {
  name: "pulumi-language-yaml",
  module: "language-yaml",
  package: "github.com/pulumi/pulumi-yaml/cmd/pulumi-language-yaml",
};

/** @type {Binary} */
const LOCAL_SDK = { name: "packetfilter-generate", module: "local-sdk", package: "." };

/** @type {Binary} */
const JAVA = {
  name: "pulumi-language-java",
  module: "java-and-dotnet",
  package: "github.com/pulumi/pulumi-java/pkg/cmd/pulumi-language-java",
};

/** @type {Binary} */
const OLDER_SDK = { name: "packetfilter-generate-older", module: "java-and-dotnet", package: "." };

/** @type {Binary} */
const REAL_ENGINE = { name: "packetfilter-real-engine", module: "../../test/simulation/real-engine", package: "." };

/** @typedef {{ version: string, env: NodeJS.ProcessEnv, out: import("../lib/progress.mjs").Out }} Options */

/**
 * Builds the CLI, the Node language host and the shim for dynamic providers from the pinned Go modules beside this file.
 *
 * @param {string} folder where the files go; it exists
 * @param {Options} options
 * @throws {Error} a sentence that says what is missing
 */
export async function build(folder, options) {
  const go = await goVersion(options.env);
  for (const binary of BINARIES) await buildOne(binary, folder, `${go} (once per machine, some minutes)`, options);
  const shim = "pulumi-resource-pulumi-nodejs";
  copyFileSync(join(import.meta.dirname, shim), join(folder, shim));
}

/**
 * Builds the Python language host, which only a test of this repository needs, and puts its script beside it.
 *
 * @param {string} folder where the files go; it exists
 * @param {Options} options
 * @throws {Error} a sentence that says what is missing
 */
export async function buildPythonHost(folder, options) {
  await buildPart(PYTHON, folder, options);
  let modules = "";
  const args = ["list", "-m", "-f", "{{.Dir}}", "github.com/pulumi/pulumi/sdk/v3"];
  await run("go", args, join(import.meta.dirname, PYTHON.module), goEnv(options.env), (line) => {
    modules = line;
  });
  const script = "pulumi-language-python-exec";
  copyFileSync(join(modules, "python", "cmd", script), join(folder, script));
  // Files of the module cache can only be read.
  chmodSync(join(folder, script), 0o755);
}

/** Builds the Go language host, as {@link buildPythonHost}. @param {string} folder @param {Options} options */
export function buildGoHost(folder, options) {
  return buildPart(GO, folder, options);
}

/** Builds the YAML language host, as {@link buildPythonHost}. @param {string} folder @param {Options} options */
export function buildYamlHost(folder, options) {
  return buildPart(YAML, folder, options);
}

/**
 * Builds what writes an SDK from a schema, as {@link buildPythonHost}: the hosts that Go can build do not know how.
 *
 * @param {string} folder
 * @param {Options} options
 */
export function buildLocalSdk(folder, options) {
  return buildPart(LOCAL_SDK, folder, options);
}

/** Builds the Java language host, as {@link buildPythonHost}. @param {string} folder @param {Options} options */
export function buildJavaHost(folder, options) {
  return buildPart(JAVA, folder, options);
}

/** Builds the generators of Java and .NET, as {@link buildLocalSdk}. @param {string} folder @param {Options} options */
export function buildOlderSdk(folder, options) {
  return buildPart(OLDER_SDK, folder, options);
}

/** Builds the program that runs the engine for the simulation, as {@link buildPythonHost}. @param {string} folder @param {Options} options */
export function buildRealEngine(folder, options) {
  return buildPart(REAL_ENGINE, folder, options);
}

/** @param {Binary} binary @param {string} folder @param {Options} options */
async function buildPart(binary, folder, options) {
  const go = await goVersion(options.env);
  await buildOne(binary, folder, `${go} (once per machine, a minute or two)`, options);
}

/** @param {Binary} binary @param {string} folder @param {string} how @param {Options} options */
async function buildOne(binary, folder, how, { version, env, out }) {
  const progress = step(`Building ${binary.name} ${version} with ${how}`, { out });
  const args = [
    "build",
    "-v",
    "-trimpath",
    "-buildvcs=false",
    "-ldflags",
    `-s -w -X github.com/pulumi/pulumi/sdk/v3/go/common/version.Version=${version}`,
    "-o",
    join(folder, binary.name),
    binary.package,
  ];
  let packages = 0;
  try {
    await run("go", args, join(import.meta.dirname, binary.module), goEnv(env), (line) => {
      if (line.startsWith("go: ")) progress.update(line.slice(4));
      else progress.update(`${++packages} packages compiled`);
    });
  } catch (error) {
    progress.fail();
    throw error;
  }
  progress.done();
}

/** Without cgo the result needs no C compiler and no particular libc. A workspace or flags of the user must not leak in. */
function goEnv(/** @type {NodeJS.ProcessEnv} */ env) {
  return { ...env, CGO_ENABLED: "0", GOWORK: "off", GOFLAGS: "-mod=readonly" };
}

async function goVersion(/** @type {NodeJS.ProcessEnv} */ env) {
  let answer = "";
  try {
    await run("go", ["version"], import.meta.dirname, { ...env, GOTOOLCHAIN: "local" }, (line) => {
      answer += line;
    });
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== "ENOENT") throw error;
    throw new Error("there is no go on PATH");
  }
  const [found, major, minor] = /\bgo(\d+)\.(\d+)\S*/.exec(answer) ?? [];
  if (found === undefined) throw new Error(`"go version" answered ${JSON.stringify(answer)}`);
  const [lowestMajor = 0, lowestMinor = 0] = LOWEST_GO;
  if (Number(major) < lowestMajor || (Number(major) === lowestMajor && Number(minor) < lowestMinor)) {
    throw new Error(`${found} is too old: 1.26 or later is needed`);
  }
  return found;
}

/**
 * @param {string} command
 * @param {string[]} args
 * @param {string} cwd
 * @param {NodeJS.ProcessEnv} env
 * @param {(line: string) => void} onLine
 * @returns {Promise<void>}
 */
function run(command, args, cwd, env, onLine) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
    /** @type {string[]} */
    const last = [];
    for (const stream of [child.stdout, child.stderr]) {
      createInterface({ input: stream }).on("line", (line) => {
        last.push(line);
        if (last.length > 10) last.shift();
        onLine(line);
      });
    }
    child.on("error", reject);
    child.on("close", (code, signal) => {
      if (code === 0) resolve();
      else reject(new Error(`"${command} ${args[0]}" ended with ${signal ?? code}:\n${last.join("\n")}`));
    });
  });
}
