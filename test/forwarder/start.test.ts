import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { startEmulator } from "../../provider/emulator";
import { packagesIn } from "./support/child";
import { configFile, configOf, stateWith, temporaryFolder } from "./support/forward";
import { httpSink } from "./support/http-sink";

const ROOT = join(__dirname, "../..");
const DIST = join(ROOT, "dist");
const LIBRARIES = ["commander", "ipaddr.js", "undici", "yaml", "zod"];
/** Of more than a hundred. */
const MOST_FILES = 40;
const isOutside = (file: string) => file.startsWith("..");

/** Files that a command loads before it ends, from `dist`, costly modules of Node, and the number of threads that it starts. */
async function loadedBy(...words: readonly string[]) {
  const script = `
    let threads = 0;
    process.on("worker", () => threads++);
    process.on("exit", () => {
      const modules = process.moduleLoadList.filter((name) => /^NativeModule (tls|http2)$/.test(name));
      console.error(JSON.stringify({ files: Object.keys(require.cache), modules, threads }));
    });
    process.argv.splice(1, 0, ${JSON.stringify(join(DIST, "provider/cli.js"))});
    require(process.argv[1]);`;
  const { stderr } = await promisify(execFile)(process.execPath, ["-e", script, ...words]);
  const loaded: { files: string[]; modules: string[]; threads: number } = JSON.parse(
    stderr.trim().split("\n").at(-1) ?? "",
  );
  return { ...loaded, files: loaded.files.map((file) => relative(DIST, file)) };
}

test("forward is loaded in few files of this package alone, its libraries among them", async () => {
  const { files } = await loadedBy("forward", "--help");
  expect(files.filter(isOutside)).toEqual([]);
  expect(files.length).toBeLessThanOrEqual(MOST_FILES);
});

test("a round without https loads no package, and of Node neither TLS nor HTTP/2, and starts no thread", async () => {
  using folder = temporaryFolder();
  await using emulator = await startEmulator({ state: stateWith(2) });
  const sink = await httpSink();
  const config = configFile(folder.path, configOf(emulator, [{ name: "web", type: "http", url: sink.url }]));
  const { files, ...others } = await loadedBy("forward", "--once", "--config", config);
  expect(files.filter(isOutside)).toEqual([]);
  expect(others).toEqual({ modules: [], threads: 0 });
  expect(sink.bodies).toHaveLength(1);
});

const scripts = readdirSync(DIST, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".js") && !name.startsWith("page"))
  .map((name) => ({ name, text: readFileSync(join(DIST, name), "utf8") }));

test("Node 20 can read all programs: a compiler for it has nothing to change", async () => {
  const { transformSync } = await import("rolldown/utils");
  const changed = scripts.filter(
    ({ name, text }) => transformSync(name, text, { target: "node20.18" }).code !== transformSync(name, text).code,
  );
  expect(changed.map(({ name }) => name)).toEqual([]);
});

test("no program loads a library from its package that is in dist/libraries", () => {
  const asked = scripts.flatMap(({ text }) => packagesIn(text));
  expect(asked.filter((name) => LIBRARIES.includes(name.split("/")[0] ?? ""))).toEqual([
    // What machines without vector instructions read; and the whole of it, for a proxy.
    "undici/lib/llhttp/llhttp-wasm.js",
    "undici",
  ]);
});

test("dist/libraries has the licence of each library in it, and the version of the lock file", () => {
  const { packages } = JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8"));
  const licences = readFileSync(join(DIST, "libraries/license.txt"), "utf8");
  const versions = LIBRARIES.map((name) => `${name} ${packages[`node_modules/${name}`].version}`);
  expect(licences.match(/^[a-z.]+ \d+\.\d+\.\d+$/gm)).toEqual(versions);
  for (const name of LIBRARIES) {
    const text = readFileSync(join(ROOT, "node_modules", name, "LICENSE"), "utf8");
    expect(licences).toContain(text.trim());
  }
});
