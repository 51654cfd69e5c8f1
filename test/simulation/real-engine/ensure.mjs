// @ts-check
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { buildRealEngine } from "../../../tools/pulumi-cli/build.mjs";
import { VERSION } from "../../../tools/pulumi-cli/ensure.mjs";
import { locked } from "../../../tools/pulumi-cli/lock.mjs";

const NAME = "packetfilter-real-engine";

/**
 * The program that runs Pulumi's engine for the simulation, built with Go from the module in this folder: once per machine and content of its
 * files, beside the CLI (`~/.pulumi/versions/…`; `PULUMI_HOME` is honoured).
 *
 * @param {{ env?: NodeJS.ProcessEnv, out?: import("../../../tools/lib/progress.mjs").Out }} [options]
 * @returns {Promise<string>} its path
 * @throws {Error} saying what is missing: the tests that need it fail then, they are not skipped
 */
export async function ensureRealEngine({ env = process.env, out = process.stderr } = {}) {
  const folder = join(env.PULUMI_HOME || join(env.HOME || homedir(), ".pulumi"), "versions", VERSION);
  const program = join(folder, `${NAME}-${contentDigest()}`);
  if (existsSync(program)) return program;
  mkdirSync(folder, { recursive: true });
  return locked(join(folder, `${NAME}.lock`), {
    waiting: (owner) => out.write(`Waiting for process ${owner}, which builds the engine of the simulation …\n`),
    work: async () => {
      if (existsSync(program)) return program;
      // Builds of former contents, and what interrupted ones left behind.
      for (const name of readdirSync(folder)) {
        if (name.includes(NAME) && !name.endsWith(".lock"))
          rmSync(join(folder, name), { recursive: true, force: true });
      }
      const staging = mkdtempSync(join(folder, `.${NAME}-`));
      try {
        await buildRealEngine(staging, { version: VERSION, env, out });
        renameSync(join(staging, NAME), program);
        return program;
      } catch (error) {
        const reason = /** @type {Error} */ (error).message;
        throw new Error(
          `The simulation with Pulumi's own engine needs a program that could not be built: ${reason}. Install Go 1.26 or later (https://go.dev/doc/install).`,
        );
      } finally {
        rmSync(staging, { recursive: true, force: true });
      }
    },
  });
}

function contentDigest() {
  const hash = createHash("sha256");
  const files = readdirSync(import.meta.dirname).filter((name) => /\.go$|^go\.(mod|sum)$/.test(name));
  for (const name of files.sort()) hash.update(`${name}\n`).update(readFileSync(join(import.meta.dirname, name)));
  return hash.digest("hex").slice(0, 12);
}
