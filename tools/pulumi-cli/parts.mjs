#!/usr/bin/env node
// @ts-check
import { accessSync, constants, mkdirSync, mkdtempSync, readdirSync, realpathSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { buildGoHost, buildJavaHost, buildLocalSdk, buildOlderSdk, buildPythonHost, buildYamlHost } from "./build.mjs";
import { VERSION } from "./ensure.mjs";
import { locked } from "./lock.mjs";

/** @typedef {(folder: string, options: { version: string, env: NodeJS.ProcessEnv, out: import("../lib/progress.mjs").Out }) => Promise<void>} Maker */

/**
 * Parts that some tests need beside the CLI. The file that the others need comes last: where it stands, they do.
 *
 * @type {Record<"python" | "go" | "yaml" | "java" | "local-sdk" | "older-sdk", { title: string, files: string[], make: Maker }>}
 */
const PARTS = {
  python: {
    title: "Pulumi's Python language host",
    files: ["pulumi-language-python-exec", "pulumi-language-python"],
    make: buildPythonHost,
  },
  go: { title: "Pulumi's Go language host", files: ["pulumi-language-go"], make: buildGoHost },
  yaml: { title: "Pulumi's YAML language host", files: ["pulumi-language-yaml"], make: buildYamlHost },
  java: { title: "Pulumi's Java language host", files: ["pulumi-language-java"], make: buildJavaHost },
  "local-sdk": { title: "The generator of local SDKs", files: ["packetfilter-generate"], make: buildLocalSdk },
  "older-sdk": {
    title: "The generator of SDKs for Java and .NET",
    files: ["packetfilter-generate-older"],
    make: buildOlderSdk,
  },
};

/**
 * The folder of a part: that of an installed CLI on PATH, else one that was built with Go beside the others, in
 * `~/.pulumi/versions/3.259.0/bin` (`PULUMI_HOME` is honoured), once per machine.
 *
 * @param {keyof typeof PARTS} name
 * @param {{ env?: NodeJS.ProcessEnv, out?: import("../lib/progress.mjs").Out, built?: Maker }} [options]
 * @throws {Error} saying what is missing: the test that needs it fails then, it is not skipped
 */
export async function ensurePart(name, { env = process.env, out = process.stderr, built = PARTS[name].make } = {}) {
  const { title, files } = PARTS[name];
  const isComplete = (/** @type {string} */ folder) => hasAll(folder, files);
  const folders = (env.PATH ?? "").split(delimiter).filter((folder) => folder !== "");
  const found = folders.find(isComplete);
  if (found !== undefined) return resolve(found);
  const bin = join(env.PULUMI_HOME || join(env.HOME || homedir(), ".pulumi"), "versions", VERSION, "bin");
  if (isComplete(bin)) return bin;
  mkdirSync(bin, { recursive: true });
  return locked(join(dirname(bin), `${name}.lock`), {
    waiting: (owner) => out.write(`Waiting for process ${owner}, which builds: ${title} …\n`),
    work: async () => {
      if (isComplete(bin)) return bin;
      removeStagings(dirname(bin), name);
      const staging = mkdtempSync(join(dirname(bin), `.${name}-`));
      try {
        await built(staging, { version: VERSION, env, out });
        for (const file of files) renameSync(join(staging, file), join(bin, file));
        return bin;
      } catch (error) {
        const reason = /** @type {Error} */ (error).message;
        throw new Error(
          `${title} is not on PATH and could not be built: ${reason}. Install the Pulumi CLI ${VERSION} or later (https://www.pulumi.com/docs/install/), or Go 1.26 or later (https://go.dev/doc/install).`,
        );
      } finally {
        rmSync(staging, { recursive: true, force: true });
      }
    },
  });
}

/** Removes what interrupted runs left behind. @param {string} folder @param {string} name */
function removeStagings(folder, name) {
  for (const found of readdirSync(folder)) {
    if (found.startsWith(`.${name}-`)) rmSync(join(folder, found), { recursive: true, force: true });
  }
}

/** @param {string} folder @param {string[]} files */
function hasAll(folder, files) {
  return files.every((file) => {
    try {
      accessSync(join(folder, file), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  try {
    const [name = ""] = process.argv.slice(2);
    if (!(name in PARTS)) throw new Error(`usage: parts.mjs ${Object.keys(PARTS).join("|")}`);
    process.stdout.write(`${await ensurePart(/** @type {keyof typeof PARTS} */ (name))}\n`);
  } catch (error) {
    process.stderr.write(`${/** @type {Error} */ (error).message}\n`);
    process.exitCode = 1;
  }
}
