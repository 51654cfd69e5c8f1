// Makes the lock file of the forwarder's container from that of the project, whose versions are the ones that were tried:
// node tools/container-lock.mjs, after a change of package-lock.json. Which packages the container needs stands in its package.json.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = join(import.meta.dirname, "..");
const FOLDER = join(ROOT, "examples/forwarder-service");
/** Members of an entry that decide what is installed. */
const KEPT = ["version", "integrity", "dependencies", "optionalDependencies", "peerDependencies", "os", "cpu", "libc"];

const readJson = (path) => JSON.parse(readFileSync(path, "utf8"));

/** Texts of the container's `package.json` and of its lock file: one package a line, in the versions of the project. */
export function containerFiles() {
  const { packages } = readJson(join(ROOT, "package-lock.json"));
  const names = Object.keys(readJson(join(FOLDER, "package.json")).dependencies).sort();
  const dependencies = Object.fromEntries(names.map((name) => [name, packages[`node_modules/${name}`].version]));
  const [all, needed] = [true, false].map((withOptional) => reached(packages, names, withOptional));
  const entries = [...all].sort().map((path) => {
    const kept = KEPT.flatMap((name) => (packages[path][name] === undefined ? [] : [[name, packages[path][name]]]));
    return [path, { ...Object.fromEntries(kept), ...(!needed.has(path) && { optional: true }) }];
  });
  const lines = [["", { dependencies }], ...entries].map(
    ([path, entry]) => `${JSON.stringify(path)}:${JSON.stringify(entry)}`,
  );
  return {
    manifest: `${JSON.stringify({ private: true, dependencies }, null, 2)}\n`,
    lock: `{"lockfileVersion":3,"requires":true,"packages":{\n${lines.join(",\n")}\n}}\n`,
  };
}

/** Places of packages in a lock file that some packages need, in turn. */
function reached(packages, names, withOptional) {
  const found = new Set();
  const visit = (path) => {
    if (found.has(path)) return;
    found.add(path);
    const { dependencies, optionalDependencies, peerDependencies } = packages[path];
    const needs = { ...dependencies, ...peerDependencies, ...(withOptional && optionalDependencies) };
    for (const name of Object.keys(needs)) visit(placeOf(packages, path, name));
  };
  for (const name of names) visit(`node_modules/${name}`);
  return found;
}

/** Place of the package that another one gets for a name: the nearest, as Node looks for it. */
function placeOf(packages, from, name) {
  for (let at = from; ; at = at.slice(0, Math.max(0, at.lastIndexOf("/node_modules/")))) {
    const place = `${at === "" ? "" : `${at}/`}node_modules/${name}`;
    if (packages[place]) return place;
    if (at === "") throw new Error(`package-lock.json lacks ${name}, which ${from} needs.`);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { manifest, lock } = containerFiles();
  writeFileSync(join(FOLDER, "package.json"), manifest);
  writeFileSync(join(FOLDER, "package-lock.json"), lock);
}
