// Compiles the benchmarks and what they measure, and runs them on the node that runs this: `node test/bench/run.mjs [name…]`.
// `peers` takes a quarter of an hour and more and writes a page, so it runs only alone, and has options: `node test/bench/run.mjs peers --help`.
// `parts` writes a part of that page.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { setup } from "../../tools/e2e-setup.mjs";
import { ensurePulumiCli } from "../../tools/pulumi-cli/ensure.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const names = process.argv.slice(2);
const tsc = createRequire(import.meta.url).resolve("typescript/bin/tsc");
/** Not with `spawnSync`: this process keeps the keys of the stacks, and answers the engine meanwhile. */
const node = async (...args) => (await once(spawn(process.execPath, args, { stdio: "inherit" }), "close"))[0] ?? 1;

// Only these start an engine; npm puts a wrapper on PATH that would download one.
if (names.length === 0 || ["fleet", "large", "look"].some((name) => names.includes(name))) {
  const { bin } = await ensurePulumiCli();
  process.env.PATH = [bin, process.env.PATH].join(delimiter);
}
const measuresPeers =
  names[0] === "parts" || (names[0] === "peers" && !names.includes("--draw") && !names.includes("--help"));
// The emulator and the package are the compiled ones, and each stack is a copy of one that is made here.
const end = measuresPeers ? await setup() : () => {};
const compiled = await node(tsc, "-p", here);
process.exitCode = compiled || (await node("--expose-gc", join(here, "../../.tmp/bench/test/bench/run.js"), ...names));
end();
