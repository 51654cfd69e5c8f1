import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { globSync, readFileSync } from "node:fs";
import { chmod, copyFile, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { fapi } from "./calls";
import { instructions, words } from "./dockerfile";

const checkout = join(__dirname, "../..");
const image = instructions(readFileSync(join(checkout, "examples/emulator-container/Dockerfile"), "utf8"));
const textOf = (name: string) => image.filter((it) => it.name === name).map(({ text }) => text);

/** Installs the package like a global npm install, with the dependencies of the checkout. */
const NPM = `#!/bin/sh
set -e
[ "$1" = install ] || exit 0
for last; do :; done
package="$npm_config_prefix/lib/node_modules/pulumi-packetfilter"
mkdir -p "$package" "$npm_config_prefix/bin"
tar -xzf "$last" -C "$package" --strip-components 1
chmod +x "$package/dist/provider/cli.js"
ln -s "${checkout}/node_modules" "$package/node_modules"
ln -s "$package/dist/provider/cli.js" "$npm_config_prefix/bin/pulumi-packetfilter"
`;

/** The root folder of the image, and the folder that it is built from. */
let root: string;
let context: string;
beforeAll(async () => {
  const { buildIfStale } = await import("../../tools/build.mjs");
  buildIfStale();
  const folder = await mkdtemp(join(tmpdir(), "packetfilter-image-"));
  [root, context] = [join(folder, "root"), join(folder, "context")];
  for (const made of [context, join(root, "tmp"), join(root, "usr/local/bin")]) await mkdir(made, { recursive: true });
  await writeFile(join(root, "usr/local/bin/npm"), NPM);
  await chmod(join(root, "usr/local/bin/npm"), 0o755);
  execFileSync("npm", ["pack", "--ignore-scripts", "--loglevel=error", "--pack-destination", context], {
    cwd: checkout,
  });
}, 120_000);
afterAll(() => rm(dirname(root), { recursive: true, force: true }));

const inImage = (text: string) => text.replaceAll(/(?<=[ =]|^)\/(?=tmp\/|states)/g, `${root}/`);
const environment = () => ({
  PATH: `${join(root, "usr/local/bin")}:${dirname(process.execPath)}:/usr/bin:/bin`,
  npm_config_prefix: join(root, "usr/local"),
  PACKETFILTER_EMULATOR_TOKEN: "only-for-this-test",
});

test("the image is built from the packed package alone, serves what is in its folder, is healthy, and ends by SIGTERM", async () => {
  expect(image.map(({ name }) => name)).toEqual([
    "ARG",
    "FROM",
    "COPY",
    "RUN",
    "USER",
    "EXPOSE",
    "HEALTHCHECK",
    "ENTRYPOINT",
  ]);
  expect([textOf("USER"), textOf("EXPOSE")]).toEqual([["node"], ["8080 8081"]]);
  const [pattern = "", target = ""] = textOf("COPY")[0]?.split(" ") ?? [];
  await mkdir(inImage(target), { recursive: true });
  const copied = globSync(join(context, pattern));
  expect(copied).toHaveLength(1);
  for (const file of copied) await copyFile(file, join(inImage(target), basename(file)));
  for (const run of textOf("RUN")) execFileSync("sh", ["-ec", inImage(run)], { env: environment() });
  expect(globSync(join(root, "tmp/*"))).toEqual([]);

  await writeFile(join(root, "states/bad.yaml"), "arenas: { core: { sets: { bad: { 192.0.2.0/24: 5 } } } }\n");
  const [command = "", ...args] = words(image.find(({ name }) => name === "ENTRYPOINT"));
  expect(args).toEqual(expect.arrayContaining(["--port", "8080", "--control-port", "8081"]));
  // The same on ports that are free here.
  const free = args.map((arg) => (arg === "8080" || arg === "8081" ? "0" : inImage(arg)));
  const emulator = spawn(command, [...free, "--json"], { env: environment(), stdio: ["ignore", "pipe", "ignore"] });
  const ended = once(emulator, "exit");
  const [line] = await once(emulator.stdout, "data");
  const info = JSON.parse(String(line));
  expect(info.controlToken).toBe("only-for-this-test");
  expect((await fetch(`${info.control}/state`)).status).toBe(401);
  expect((await fapi(info, { url: "prefixset://core/bad", cmd: "list" })).json).toEqual({
    data: [{ p: "192.0.2.0/24", v: 5 }],
  });

  const [check = "", ...script] = words(image.find(({ name }) => name === "HEALTHCHECK"));
  const health = () => {
    const here = script.map((text) => text.replace("http://127.0.0.1:8081", info.control));
    const child = spawn(check, here, { env: environment(), stdio: "ignore" });
    return once(child, "exit");
  };
  expect(script.join(" ")).toContain("http://127.0.0.1:8081/health");
  expect(await health()).toEqual([0, null]);
  emulator.kill("SIGTERM");
  expect(await ended).toEqual([0, null]);
  expect(await health()).toEqual([1, null]);
}, 60_000);
