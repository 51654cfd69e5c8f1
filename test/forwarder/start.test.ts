import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { join, relative } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { startEmulator } from "../../provider/emulator";
import { configFile, configOf, stateWith, temporaryFolder } from "./support/forward";
import { httpSink } from "./support/http-sink";

const ROOT = join(__dirname, "../..");
const DIST = join(ROOT, "dist");
const FORWARD = join(DIST, "forward");

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

test("forward is loaded from dist/forward alone, in few files, its libraries among them", async () => {
  const { files } = await loadedBy("forward", "--help");
  expect(files.filter((file) => !file.startsWith("forward"))).toEqual([join("provider", "cli.js")]);
  expect(files.length).toBeLessThanOrEqual(6);
});

test("a round without https loads no package, and of Node neither TLS nor HTTP/2, and starts no thread", async () => {
  using folder = temporaryFolder();
  await using emulator = await startEmulator({ state: stateWith(2) });
  const sink = await httpSink();
  const config = configFile(folder.path, configOf(emulator, [{ name: "web", type: "http", url: sink.url }]));
  const { files, ...others } = await loadedBy("forward", "--once", "--config", config);
  expect(files.filter((file) => !file.startsWith("forward"))).toEqual([join("provider", "cli.js")]);
  expect(others).toEqual({ modules: [], threads: 0 });
  expect(sink.bodies).toHaveLength(1);
});

test("every other command is loaded from the files that programs import", async () => {
  const { files } = await loadedBy("list", "--help");
  expect(files).toContain(join("provider", "commands", "list.js"));
  expect(files.filter((file) => file.startsWith("forward"))).toEqual([]);
});

const scripts = readdirSync(FORWARD)
  .filter((name) => name.endsWith(".js"))
  .map((name) => ({ name, text: readFileSync(join(FORWARD, name), "utf8") }));

test.each(scripts)(
  "Node 22 can read dist/forward/$name: a compiler for it has nothing to change",
  async ({ name, text }) => {
    const { transformSync } = await import("rolldown/utils");
    expect(transformSync(name, text, { target: "node22.15" }).code).toBe(transformSync(name, text).code);
  },
);

test("packages that dist/forward still loads are the log, undici for a proxy, and those of single sinks", () => {
  const asked = scripts.flatMap(({ text }) => [...text.matchAll(/\b(?:require|import)\(["`]([^"`]+)["`]\)/g)]);
  const packages = asked.map(([, name = ""]) => name).filter((name) => !name.startsWith("./") && !isBuiltin(name));
  expect([...new Set(packages)].sort()).toEqual([
    "@grpc/grpc-js",
    "@nats-io/jetstream",
    "@nats-io/kv",
    "@nats-io/transport-node",
    "@opentelemetry/otlp-transformer",
    "@platformatic/kafka",
    "pino",
    "undici",
  ]);
});

test("dist/forward has the licence of each library in it, and the version of the lock file", () => {
  const { packages } = JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8"));
  const licences = readFileSync(join(FORWARD, "license.txt"), "utf8");
  const names = ["commander", "ipaddr.js", "undici", "yaml", "zod"];
  const versions = names.map((name) => `${name} ${packages[`node_modules/${name}`].version}`);
  expect(licences.match(/^[a-z.]+ \d+\.\d+\.\d+$/gm)).toEqual(versions);
  for (const name of names) {
    const text = readFileSync(join(ROOT, "node_modules", name, "LICENSE"), "utf8");
    expect(licences).toContain(text.trim());
  }
});
