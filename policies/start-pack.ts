import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { inspect } from "node:util";

/** Options of the executable, and the variables that they set. */
const OPTIONS = { "--policies": "PACKETFILTER_POLICIES", "--report": "PACKETFILTER_POLICIES_REPORT" } as const;

/**
 * Starts a pack folder from an executable file in it, such as `policies/run` of this package: the official CLI takes a
 * folder, while some Node language hosts take only an executable file. `packetfilter-policies.yaml` is searched in the
 * program's folder, in which the engine starts the file. The pack runs in its own folder, since `@pulumi/policy` reads its
 * version from the `package.json` there.
 *
 * Takes `--policies FILE` and `--report FILE` from a file that calls this one; the engine passes no options. For a wrong
 * configuration, it prints the message alone, and the process ends with 1.
 *
 * @param folder The folder of the pack, with its `package.json`.
 * @param load Loads the pack in its folder. Default: the file that `main` of the `package.json` names, also in TypeScript,
 * as in the Pulumi SDK.
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
    // For a wrong configuration the message helps, a stack of this package does not.
    const text = error instanceof Error && "__pulumiRunError" in error ? error.message : inspect(error);
    process.stderr.write(`${text}\n`);
    process.exitCode = 1;
  }
}

/** The SDK's own start of a pack, which needs the engine's address and a folder; an executable file gets only the address. */
function loadAsSdk(folder: string): void {
  process.argv = [...process.argv.slice(0, 3), "."];
  createRequire(join(folder, "package.json"))("@pulumi/pulumi/cmd/run-policy-pack");
}
