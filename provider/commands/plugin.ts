import { chmod, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import type { Command } from "commander";
import { makeFolders } from "../files/make-folders";
import { packageRoot, packageVersion } from "../files/package-version";
import type { CliIo } from "./cli-io";

const HELP = `
Programs in YAML, Python, Go and other languages use the plugin. After "plugin install" every project on this machine
finds it, and Pulumi.yaml needs no path. The cache starts the package where it is installed now: after the package has
moved, install the plugin again.
`;

export function register(program: Command, io: CliIo): void {
  const plugin = program.command("plugin").addHelpText("after", HELP);
  plugin
    .command("install")
    .description("put the plugin of this version into the plugin cache of the Pulumi CLI")
    .action(async () => {
      const folder = await install(io.env);
      io.out(`The plugin packetfilter ${packageVersion()} is in ${folder}.\n`);
    });
  plugin
    .command("remove")
    .description("take the plugin of this version out of the cache")
    .action(async () => {
      const folder = cached(io.env);
      await rm(folder, { recursive: true, force: true });
      io.out(`The plugin packetfilter ${packageVersion()} is no longer in ${folder}.\n`);
    });
}

/** Folder of this version in the cache of the CLI (`PULUMI_HOME`). */
function cached(env: CliIo["env"]): string {
  return join(plugins(env), `resource-packetfilter-v${packageVersion()}`);
}

function plugins({ PULUMI_HOME, HOME }: CliIo["env"]): string {
  return join(PULUMI_HOME || join(HOME || homedir(), ".pulumi"), "plugins");
}

/** Writes the folder beside its place first: a run that starts meanwhile sees a whole plugin or none. */
async function install(env: CliIo["env"]): Promise<string> {
  const main = join(packageRoot, "dist", "provider", "plugin", "main.js");
  const folder = cached(env);
  makeFolders(plugins(env));
  const staging = await mkdtemp(join(plugins(env), ".packetfilter-"));
  try {
    const name = join(staging, "pulumi-resource-packetfilter");
    await writeFile(name, `#!/bin/sh\nexec node '${main.replaceAll("'", "'\\''")}' "$@"\n`);
    await chmod(name, 0o755);
    await writeFile(`${name}.cmd`, `@echo off\r\nnode "${main}" %*\r\n`);
    await chmod(staging, 0o755);
    await rm(folder, { recursive: true, force: true });
    await rename(staging, folder);
    return folder;
  } catch (error) {
    await rm(staging, { recursive: true, force: true });
    throw error;
  }
}
