import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { z } from "zod";

/** The folder of the package, from its source and from its build alike. */
export const packageRoot: string = nearestManifest(__dirname);

/** The version of the package. */
export function packageVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(join(packageRoot, "package.json"), "utf8"));
  return z.object({ version: z.string() }).parse(manifest).version;
}

function nearestManifest(from: string): string {
  const above = dirname(from);
  return existsSync(join(from, "package.json")) || above === from ? from : nearestManifest(above);
}
