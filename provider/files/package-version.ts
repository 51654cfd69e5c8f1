import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { z } from "zod";

/** The version in the package's own manifest, which is the nearest one above this file, compiled or not. */
export function packageVersion(folder = __dirname): string {
  const file = join(folder, "package.json");
  if (!existsSync(file)) return packageVersion(dirname(folder));
  return z.object({ version: z.string() }).parse(JSON.parse(readFileSync(file, "utf8"))).version;
}
