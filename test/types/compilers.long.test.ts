import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, expect, test } from "vitest";
import { useFolder } from "../support/folder";
import { root } from "../support/markdown";

/** The oldest that the README names, one before typed arrays had a type of their memory, today's, and those that leave `node10` behind. */
const VERSIONS = ["4.9.5", "5.4.5", "5.9.3", "6.0.3", "7.0.2"];
const TARGETS = ["es2016", "es2018", "es2020", "es2022", "esnext"];

/** The options that `pulumi new typescript` writes into `tsconfig.json`, beside the target. */
const TEMPLATE = {
  strict: true,
  outDir: "bin",
  module: "commonjs",
  moduleResolution: "node",
  sourceMap: true,
  experimentalDecorators: true,
  noFallthroughCasesInSwitch: true,
  noImplicitReturns: true,
  forceConsistentCasingInFileNames: true,
};

const PROGRAM = `import * as pulumi from "@pulumi/pulumi";
import * as pf from "pulumi-packetfilter";
import { NodeClient } from "pulumi-packetfilter/client";
import { parsePrefixes } from "pulumi-packetfilter/prefixes";

const set = new pf.PrefixSet("blocked", { arena: "edge", set: "blocked", entries: { "192.0.2.0/24": 1 } });
export const url: pulumi.Output<string> = set.url;
export const used = [NodeClient, parsePrefixes];
`;

const folder = useFolder();
const run = (command: string, ...args: string[]) => promisify(execFile)(command, args, { cwd: folder });

beforeAll(async () => {
  const { stdout } = await promisify(execFile)(
    "npm",
    ["pack", "--json", "--ignore-scripts", "--loglevel=error", "--pack-destination", folder],
    { cwd: root },
  );
  const [{ filename }] = JSON.parse(stdout);
  await writeFile(join(folder, "package.json"), JSON.stringify({ name: "edge", private: true }));
  await writeFile(join(folder, "index.ts"), PROGRAM);
  const compilers = VERSIONS.map((version) => `typescript-${version}@npm:typescript@${version}`);
  const others = ["@pulumi/pulumi@^3.259.0", "@types/node@^20"];
  await run("npm", "install", "--no-audit", "--no-fund", "--loglevel=error", `./${filename}`, ...others, ...compilers);
}, 300_000);

test.each(VERSIONS)(
  "a program with the tsconfig.json of pulumi new passes tsc %s for every target, declarations of libraries included",
  async (version) => {
    // Versions from 6 on refuse the template's way of finding modules, or warn of it.
    const ways = Number.parseInt(version, 10) < 6 ? {} : { module: "node16", moduleResolution: "node16" };
    const found: [string, string][] = [];
    for (const target of TARGETS) {
      const compilerOptions = { ...TEMPLATE, ...ways, target, noEmit: true };
      await writeFile(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["index.ts"] }));
      const compiler = join("node_modules", `typescript-${version}`, "lib", "tsc.js");
      const { stdout } = await run(process.execPath, compiler, "-p", ".").catch((error: { stdout: string }) => error);
      found.push([target, stdout]);
    }
    expect(found).toEqual(TARGETS.map((target) => [target, ""]));
  },
  300_000,
);
