import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";

const root = resolve(__dirname, "..");
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const optional = Object.keys(manifest.peerDependenciesMeta);
const brought = Object.keys(manifest.peerDependencies).filter((name) => !optional.includes(name));

/** A table of docs/contributing/dependencies.md below its heading: the cells of each row, but the release and the reason. */
function table(heading: string): string[][] {
  const text = readFileSync(join(root, "docs/contributing/dependencies.md"), "utf8");
  const section = text.split(/^## /m).find((one) => one.startsWith(`${heading}\n`)) ?? "";
  const rows = section.split("\n").filter((line) => line.startsWith("| `"));
  return rows.map((row) => {
    const [, name = "", version = "", released = "", licence = "", size = "", reason = ""] = row.split(/\s*\|\s*/);
    expect([released, reason]).toEqual([expect.stringMatching(/^\d{4}-\d{2}-\d{2}$/), expect.stringMatching(/\w{3}/)]);
    return [name, version, licence, size];
  });
}

/** Text that such a row must have for an installed package. */
function installed(name: string): string[] {
  const folder = join(root, "node_modules", name);
  const { version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  return [`\`${name}\``, version.replace(/^v/, ""), license, (sizeOf(folder) / 1e6).toFixed(1)];
}

/** Bytes of the files of a package, without packages of its own. */
function sizeOf(folder: string): number {
  return readdirSync(folder, { withFileTypes: true }).reduce((sum, entry) => {
    if (entry.name === "node_modules") return sum;
    const path = join(folder, entry.name);
    return sum + (entry.isDirectory() ? sizeOf(path) : statSync(path).size);
  }, 0);
}

test.each([
  ["Installed with the package", Object.keys(manifest.dependencies)],
  ["Brought by the program", brought],
  ["Optional, for parts of the forwarder", optional],
])("docs/contributing/dependencies.md has every package, as it is installed: %s", (heading, names) => {
  expect(table(heading)).toEqual(names.map(installed));
});

/** Licences that ask for no more than to be named. */
const PERMISSIVE = ["MIT", "ISC", "Apache-2.0", "BSD-3-Clause"];

test("docs/contributing/dependencies.md has every package for development whose licence asks for more", () => {
  const others = Object.keys(manifest.devDependencies)
    .map(installed)
    .filter(
      ([, , licence = ""]) => !licence.split(/ AND | OR |[()]/).every((one) => one === "" || PERMISSIVE.includes(one)),
    );
  expect(table("For development, under another kind of licence")).toEqual(others);
});

test("every licence lets others use, change and pass on the package", () => {
  const names = [...Object.keys(manifest.dependencies), ...Object.keys(manifest.peerDependencies)];
  const licences = new Set(names.map((name) => installed(name)[2]));
  expect([...licences].sort()).toEqual(["(BSD-3-Clause AND Apache-2.0)", "Apache-2.0", "ISC", "MIT"]);
});

test("of all packages that an installation brings one runs a script, which reads a version and may warn", () => {
  const { packages }: { packages: Record<string, { dev?: boolean; hasInstallScript?: boolean }> } = JSON.parse(
    readFileSync(join(root, "package-lock.json"), "utf8"),
  );
  const scripts = Object.entries(packages).filter(([, { hasInstallScript, dev }]) => hasInstallScript && !dev);
  expect(scripts.map(([path]) => path)).toEqual(["node_modules/protobufjs"]);
  expect(Object.keys(manifest.scripts).filter((name) => /^(pre|post)?install$/.test(name))).toEqual([]);
  const { scripts: ran } = JSON.parse(readFileSync(join(root, "node_modules/protobufjs/package.json"), "utf8"));
  expect(ran.postinstall).toBe("node scripts/postinstall");
  const script = readFileSync(join(root, "node_modules/protobufjs/scripts/postinstall.js"), "utf8");
  const loaded = [...script.matchAll(/require\(([^)]*)\)?/g)].map(([, name]) => name);
  expect(loaded).toEqual(['"path"', '"fs"', 'path.join(__dirname, "..", "package.json"']);
  expect([...script.matchAll(/\bfs\.(\w+)/g)].map(([, name]) => name)).toEqual(["readFileSync"]);
});
