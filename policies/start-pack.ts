import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { inspect } from "node:util";

/** Options of the executable, and the variables that they stand for. */
const OPTIONS = { "--policies": "PACKETFILTER_POLICIES", "--report": "PACKETFILTER_POLICIES_REPORT" } as const;

/**
 * Starts a pack folder from an executable file in it, as `policies/run` of this package is one: the official CLI takes a
 * folder, while some Node language hosts take an executable file alone. The folder of the program, in which the
 * engine starts the file, is where `packetfilter-policies.yaml` is looked for; the pack itself runs in its own folder, since
 * `@pulumi/policy` reads its version from the `package.json` there.
 *
 * Takes `--policies FILE` and `--report FILE`, which a file that starts this one can hand on: the engine hands on none.
 * A configuration that is wrong is said in a sentence, and the process ends with 1.
 *
 * @param folder The folder of the pack, with its `package.json`.
 * @param load Loads the pack, once the process is in its folder; default: what `main` of the `package.json` names, TypeScript
 * too, as the Pulumi SDK does.
 *
 * @example
 * ```js
 * #!/usr/bin/env node
 * require("pulumi-packetfilter/policies").startPack(__dirname);
 * ```
 */
export async function startPack(folder: string, load: () => unknown = () => loadAsSdk(folder)): Promise<void> {
  process.env.PACKETFILTER_PROGRAM_FOLDER ??= process.cwd();
  try {
    for (const [option, variable] of Object.entries(OPTIONS)) {
      const at = process.argv.indexOf(option);
      if (at < 0) continue;
      const [, file] = process.argv.splice(at, 2);
      if (!file || file.startsWith("--")) {
        process.stderr.write(`${option} needs a file.\n`);
        process.exit(2);
      }
      process.env[variable] = resolve(file);
    }
    process.chdir(folder);
    await load();
  } catch (error) {
    // A wrong configuration is the user's to mend: the sentence helps, a stack of ours does not.
    const text = error instanceof Error && "__pulumiRunError" in error ? error.message : inspect(error);
    process.stderr.write(`${text}\n`);
    process.exitCode = 1;
  }
}

/** The SDK's own way of running a pack: it wants the address of the engine and a folder, and a file is told the first alone. */
function loadAsSdk(folder: string): void {
  process.argv = [...process.argv.slice(0, 3), "."];
  createRequire(join(folder, "package.json"))("@pulumi/pulumi/cmd/run-policy-pack");
}
