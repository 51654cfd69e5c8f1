import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { z } from "zod";

/** The folder of the package: that of the nearest manifest above this file, compiled or not; in a bundle without one, that of the bundle. */
export const packageRoot: string = folderOfManifest(__dirname) ?? __dirname;

/** The version in the package's own manifest. */
export function packageVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(join(packageRoot, "package.json"), "utf8"));
  return z.object({ version: z.string() }).parse(manifest).version;
}

/** The nearest folder with a manifest, from `start` upwards; `undefined` if there is none up to the root. */
export function folderOfManifest(start: string): string | undefined {
  for (let folder = start; ; folder = dirname(folder)) {
    if (existsSync(join(folder, "package.json"))) return folder;
    if (folder === dirname(folder)) return undefined;
  }
}
