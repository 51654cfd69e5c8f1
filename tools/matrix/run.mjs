#!/usr/bin/env node
// @ts-check
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { bootstrap, root } from "../bootstrap.mjs";
import { ensurePulumiCli } from "../pulumi-cli/ensure.mjs";
import { up } from "./engine.mjs";
import { load, requireTime } from "./entries.mjs";
import { execute, install, installNode, installTools, MANAGERS, NODES, SDKS } from "./layouts.mjs";
import { PROGRAMS } from "./programs.mjs";
import { report } from "./report.mjs";
import { weigh } from "./sizes.mjs";
import { COMPILERS, compile, compilerName, RESOLUTIONS } from "./types.mjs";

/**
 * `npm run matrix`: the packed package in every place in which it promises to work, and what it weighs, as
 * docs/compatibility.md. It installs a few gigabytes in a temporary folder and takes about a quarter of an hour, so it
 * is no part of `npm test`; test/package.test.ts has what is quick.
 */
const PUBLINT = "publint@0.3.25";
const ATTW = "@arethetypeswrong/cli@0.18.5";
const NEWEST_NODE = NODES.at(-1) ?? "";
const NEWEST_SDK = SDKS.at(-1) ?? "";

await bootstrap();
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const specifiers = Object.keys(manifest.exports)
  .filter((subpath) => subpath !== "./package.json")
  .map((subpath) => subpath.replace(/^\./, manifest.name));
const { bin: cliBin } = await ensurePulumiCli();
const folder = mkdtempSync(join(tmpdir(), "packetfilter-matrix-"));
/** @type {import("./report.mjs").Row[]} */
const rows = [];
try {
  await matrix();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function matrix() {
  const tools = join(folder, "tools");
  const compilers = COMPILERS.map((version) => `${compilerName(version)}@npm:typescript@${version}`);
  await installTools(tools, [
    ...Object.values(MANAGERS).filter((one) => one !== undefined),
    PUBLINT,
    ATTW,
    ...compilers,
  ]);
  const [{ filename }] = JSON.parse(
    await execute("npm", ["pack", "--json", "--ignore-scripts", "--loglevel=error", "--pack-destination", folder], {
      cwd: root,
    }),
  );
  const tarball = join(folder, filename);
  const nodes = new Map();
  for (const version of NODES) nodes.set(version, await installNode(join(folder, `node-${version}`), version));
  const newestNode = nodes.get(NEWEST_NODE);

  await packageChecks(tools, tarball);
  /** @type {import("./layouts.mjs").Layout[]} */
  const layouts = [];
  for (const manager of Object.keys(MANAGERS)) {
    for (const sdk of SDKS) {
      const where = { manager, sdk, tarball, folder: join(folder, `${manager}-${sdk}`), tools };
      layouts.push(await install(where));
    }
  }
  for (const layout of layouts) {
    for (const [version, bin] of nodes) {
      await note("require and import", { ...layout, node: version }, () => load(layout, bin, specifiers));
    }
  }
  for (const layout of layouts.filter(({ sdk }) => sdk === NEWEST_SDK)) {
    for (const resolution of Object.keys(RESOLUTIONS)) {
      for (const version of COMPILERS) {
        if (version.startsWith("7.") && resolution === "node10") continue;
        const compiler = join(tools, "node_modules", compilerName(version));
        const cell = { layout, compiler, resolution, specifiers, skipLibCheck: true };
        await note("types", { ...layout, typescript: version, resolution }, () => compile(cell));
      }
    }
  }
  for (const layout of layouts) {
    for (const [version, nodeBin] of nodes) {
      for (const program of Object.keys(PROGRAMS)) {
        // Every kind of program in every layout, and every Node with every SDK; not each with each.
        if (version !== NEWEST_NODE && (layout.manager !== "npm" || program !== "default TypeScript")) continue;
        if (layout.sdk !== NEWEST_SDK && layout.manager !== "npm") continue;
        await note("pulumi up", { ...layout, node: version, program }, () => up({ layout, program, nodeBin, cliBin }));
      }
    }
  }

  const sdk = { "@pulumi/pulumi": NEWEST_SDK };
  const own = { [manifest.name]: `file:${tarball}` };
  const sizes = {
    "the SDK alone": await weigh(join(folder, "sdk"), sdk),
    "a program with both": await weigh(join(folder, "both"), { ...own, ...sdk }),
  };
  const [layout] = layouts.filter((one) => one.manager === "npm" && one.sdk === NEWEST_SDK);
  if (!layout) throw new Error("no layout to measure in");
  /** @type {Record<string, number>} */
  const times = {};
  for (const name of ["@pulumi/pulumi", ...specifiers]) times[name] = await requireTime(layout, newestNode, name);
  const date = new Date().toISOString().slice(0, 10);
  const text = report({
    date,
    version: manifest.version,
    node: NEWEST_NODE,
    rows,
    sizes,
    times,
    tools: { publint: PUBLINT, attw: ATTW },
  });
  writeFileSync(join(root, "docs", "compatibility.md"), text);
  const failed = rows.filter(({ outcome }) => outcome !== "yes");
  process.stdout.write(`${rows.length - failed.length} passed, ${failed.length} failed\n`);
  if (failed.length > 0) process.exitCode = 1;
}

async function packageChecks(/** @type {string} */ tools, /** @type {string} */ tarball) {
  const tool =
    (/** @type {string} */ name, /** @type {string[]} */ ...args) =>
    async () => {
      await execute(process.execPath, [join(tools, "node_modules", name), ...args], { cwd: tools });
      return "yes";
    };
  await note("publint", {}, tool("publint/src/cli.js", "run", tarball, "--strict"));
  await note("are the types wrong", {}, tool("@arethetypeswrong/cli/dist/index.js", tarball));
}

/**
 * Runs a cell and tells how it ended, with the whole reason where it failed.
 *
 * @param {string} what
 * @param {Record<string, string>} cell
 * @param {() => Promise<string>} run
 */
async function note(what, { folder: _, ...cell }, run) {
  const outcome = await run().catch((error) => error.message);
  rows.push({ what, cell, outcome });
  process.stdout.write(`${outcome === "yes" ? "ok    " : "FAILED"} ${what} ${Object.values(cell).join(", ")}\n`);
  if (outcome !== "yes") process.stdout.write(`${outcome.trim()}\n`);
}
