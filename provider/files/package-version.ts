import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { z } from "zod";

/** The folder of the package: that of the nearest manifest above this file, compiled or not. */
export const packageRoot: string = folderOfManifest(__dirname);

/** The version in the package's own manifest. */
export function packageVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(join(packageRoot, "package.json"), "utf8"));
  return z.object({ version: z.string() }).parse(manifest).version;
}

function folderOfManifest(from: string): string {
  return existsSync(join(from, "package.json")) ? from : folderOfManifest(dirname(from));
}
