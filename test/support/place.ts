import { mkdirSync, symlinkSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { root } from "./markdown";

/**
 * This package installed in a folder, and the environment of a shell that finds its commands.
 */
export function commandsOnPath(folder: string): Record<string, string> {
  const installed = join(folder, "node_modules", "pulumi-packetfilter");
  const commands = join(folder, "node_modules", ".bin");
  mkdirSync(commands, { recursive: true });
  symlinkSync(root, installed);
  symlinkSync(join(installed, "dist/provider/cli.js"), join(commands, "pulumi-packetfilter"));
  return {
    ...plain(process.env),
    HOME: folder,
    PATH: [commands, dirname(process.execPath), process.env.PATH].join(delimiter),
  };
}

const plain = (env: NodeJS.ProcessEnv) =>
  Object.fromEntries(Object.entries(env).filter((pair): pair is [string, string] => pair[1] !== undefined));
