// Compiles the benchmarks and what they measure, and runs them on the node that runs this: `node test/bench/run.mjs [name…]`.
import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const tsc = createRequire(import.meta.url).resolve("typescript/bin/tsc");
const node = (...args) => spawnSync(process.execPath, args, { stdio: "inherit" }).status ?? 1;

const compiled = node(tsc, "-p", here);
process.exitCode =
  compiled || node("--expose-gc", join(here, "../../.tmp/bench/test/bench/run.js"), ...process.argv.slice(2));
