// @ts-check
import { delimiter } from "node:path";
import process from "node:process";
import { buildIfStale } from "./build.mjs";
import { ensurePulumiCli } from "./pulumi-cli/ensure.mjs";

/** Runs once before the engine tests: they need the compiled package, and a Pulumi CLI on PATH. Without one they fail with the reason. */
export async function setup() {
  // Output exists in spite of type errors, which are "npm test"'s own step to fail.
  if (!buildIfStale())
    process.stderr.write("The package has errors, see above; the engine tests run with it as it is.\n");
  const { bin } = await ensurePulumiCli();
  const folders = (process.env.PATH ?? "").split(delimiter);
  process.env.PATH = [bin, ...folders.filter((folder) => folder !== bin)].join(delimiter);
}
