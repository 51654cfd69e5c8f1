#!/usr/bin/env node
// @ts-check
import { accessSync, constants, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { step } from "../lib/progress.mjs";
import { locked } from "../pulumi-cli/lock.mjs";
import { goBuild } from "./go.mjs";
import { ensureJava, fetchJars } from "./maven.mjs";

/**
 * The servers that the forwarder's tests deliver to, the programs that read Prometheus' rules, bases of Kubernetes and GitHub's workflows, and Pulumi's SDK for Java, by the folder of what is pinned beside this file: a Go module, or jars. The
 * versions are those that are pinned there; a test compares the two.
 *
 * @typedef {"nats" | "victoria-logs" | "kafka" | "promtool" | "kustomize" | "actionlint" | "collector" | "pulumi-java"} Name
 * @typedef {{ version: string, package?: string, tags?: string, compiler?: boolean, seconds: number }} Server `package`: of Go; jars have none, and some need a compiler
 * @type {Record<Name, Server>}
 */
export const SERVERS = {
  nats: { version: "2.15.2", package: "github.com/nats-io/nats-server/v2", seconds: 15 },
  "victoria-logs": {
    version: "1.110.0",
    package: "github.com/VictoriaMetrics/VictoriaMetrics/app/victoria-logs",
    seconds: 40,
  },
  kafka: { version: "4.3.1", seconds: 15 },
  promtool: {
    version: "0.313.5",
    package: "github.com/prometheus/prometheus/cmd/promtool",
    // Of all the ways to find targets it needs none, and they are most of it.
    tags: "remove_all_sd",
    seconds: 150,
  },
  kustomize: { version: "5.6.0", package: "sigs.k8s.io/kustomize/kustomize/v5", seconds: 60 },
  // A program of ours with some of its parts: the whole of it has a hundred times as many.
  collector: { version: "0.165.0", package: ".", seconds: 160 },
  // The SDK that programs in Java are compiled against and run with.
  "pulumi-java": { version: "1.36.1", compiler: true, seconds: 15 },
  actionlint: { version: "1.7.12", package: "github.com/rhysd/actionlint/cmd/actionlint", seconds: 10 },
};

/**
 * The path of a server's program, or of the folder of its jars: built or fetched once per machine and version, found there from then on.
 *
 * @param {Name} name
 * @param {{ env?: NodeJS.ProcessEnv, out?: import("../lib/progress.mjs").Out }} [options]
 * @throws {Error} saying what is missing: the tests that need it fail then, none is skipped
 */
export async function ensureServer(name, { env = process.env, out = process.stderr } = {}) {
  const { version, package: main, tags, compiler, seconds } = SERVERS[name];
  const needed = (/** @type {unknown} */ error) =>
    new Error(`${name} ${version} is not to be had, and the tests need it: ${/** @type {Error} */ (error).message}`);
  if (main === undefined) {
    await ensureJava(env, { compiler }).catch((error) => {
      throw needed(error);
    });
  }
  const cache = join(env.XDG_CACHE_HOME || join(env.HOME || homedir(), ".cache"), "pulumi-packetfilter", "servers");
  const file = join(cache, `${name}-${version}`);
  if (isUsable(file)) return file;
  mkdirSync(cache, { recursive: true });
  return locked(`${file}.lock`, {
    waiting: (owner) => out.write(`Waiting for process ${owner}, which makes ${name} …\n`),
    work: async () => {
      if (isUsable(file)) return file;
      const staging = mkdtempSync(`${file}-`);
      const doing = main === undefined ? "Fetching" : "Building";
      const progress = step(`${doing} ${name} ${version} (once per machine, about ${seconds} s)`, { out });
      try {
        const made = join(staging, name);
        if (main === undefined) await fetchJars(name, made, progress.update);
        else await goBuild({ module: name, main, tags }, made, env, progress.update);
        // Moved into place whole, so that no process ever starts half a program.
        renameSync(made, file);
        progress.done();
        return file;
      } catch (error) {
        progress.fail();
        throw needed(error);
      } finally {
        rmSync(staging, { recursive: true, force: true });
      }
    },
  });
}

/** True of a program that may be run, and of a folder that may be entered. */
function isUsable(/** @type {string} */ file) {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

if (process.argv[1] === import.meta.filename) {
  for (const name of /** @type {Name[]} */ (Object.keys(SERVERS)))
    process.stdout.write(`${await ensureServer(name)}\n`);
}
