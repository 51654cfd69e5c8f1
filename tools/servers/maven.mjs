// @ts-check
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { promisify } from "node:util";

const CENTRAL = "https://repo.maven.apache.org/maven2/";
/** Kafka 4 is compiled for it; Pulumi's SDK takes older ones. */
const JAVA = 17;
const DOWNLOAD_MS = 120_000;

/**
 * Fetches the jars of a program from Maven Central into a folder: those that `jars.sha256` names, in the folder of the
 * program's name beside this file. What has another digest is not kept.
 *
 * @param {string} name @param {string} target a folder that is not there yet
 * @param {(detail: string) => void} tell
 */
export async function fetchJars(name, target, tell) {
  const pins = pinnedJars(name);
  mkdirSync(target);
  for (const [index, { path, digest }] of pins.entries()) {
    tell(`${index} of ${pins.length} jars`);
    const bytes = await download(`${CENTRAL}${path}`);
    const found = createHash("sha256").update(bytes).digest("hex");
    if (found !== digest) throw new Error(`${path} has the SHA-256 ${found}, and ${digest} is pinned`);
    writeFileSync(join(target, basename(path)), bytes);
  }
}

/**
 * The pinned files, in the form of `sha256sum`: digest and path at Maven Central.
 *
 * @param {string} name
 */
export function pinnedJars(name) {
  const text = readFileSync(join(import.meta.dirname, name, "jars.sha256"), "utf8");
  const lines = text.split("\n").filter((line) => line !== "");
  return lines.map((line) => {
    const [digest = "", path = ""] = line.split("  ");
    return { digest, path };
  });
}

/**
 * Makes sure of a Java that runs these jars, or of a JDK where a program is compiled against them.
 *
 * @param {NodeJS.ProcessEnv} env
 * @param {{ compiler?: boolean | undefined }} [options]
 * @throws {Error} saying what is missing
 */
export async function ensureJava(env, { compiler = false } = {}) {
  const install = `install ${compiler ? "a JDK" : "Java"} ${JAVA} or later (https://adoptium.net)`;
  for (const command of compiler ? ["java", "javac"] : ["java"]) {
    const { stdout, stderr } = await promisify(execFile)(command, ["-version"], { env }).catch((error) => {
      throw new Error(error.code === "ENOENT" ? `there is no ${command} on PATH: ${install}` : error.message);
    });
    const version = /(?:version "|javac )([\d.]+)/.exec(stderr + stdout)?.[1] ?? "of an unknown kind";
    if (!(Number.parseInt(version, 10) >= JAVA)) throw new Error(`${command} on PATH is ${version}: ${install}`);
  }
}

/** @param {string} url */
async function download(url) {
  const { host } = new URL(url);
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(DOWNLOAD_MS) });
    if (!answer.ok) throw new Error(`${url} answers with HTTP ${answer.status}`);
    return Buffer.from(await answer.arrayBuffer());
  } catch (error) {
    const { cause, message } = /** @type {Error & { cause?: NodeJS.ErrnoException }} */ (error);
    throw cause ? new Error(`${host} cannot be reached (${cause.code ?? cause.message})`) : new Error(message);
  }
}
