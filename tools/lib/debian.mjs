// @ts-check
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import process from "node:process";

/**
 * Makes sure of a program that a package of Debian has; installs the package where it is missing and may be installed.
 *
 * @param {string} path the program @param {string} name the package @param {string} remedy what people do themselves
 * @throws {Error} saying what to do, where it is not to be had: tests that need it fail then and are never skipped.
 */
export function ensureDebian(path, name, remedy) {
  if (existsSync(path)) return;
  if (process.getuid?.() !== 0 || !isDebian()) {
    throw new Error(`There is no ${path}, and only root on Debian can install it from here. ${remedy}`);
  }
  process.stderr.write(`Installing ${name} (apt-get install ${name}) …\n`);
  // Several test processes may want it at once.
  const wait = ["-o", "DPkg::Lock::Timeout=300"];
  apt(...wait, "update");
  apt(...wait, "install", "-y", "--no-install-recommends", name);
  if (!existsSync(path)) throw new Error(`${name} was installed, but there is no ${path}. ${remedy}`);
}

function apt(/** @type {string[]} */ ...args) {
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  const { status, error } = spawnSync("apt-get", args, { env, stdio: ["ignore", 2, 2] });
  if (error || status !== 0) throw new Error(`"apt-get ${args.at(-1)}" failed, see above. ${error?.message ?? ""}`);
}

function isDebian() {
  const release = "/etc/os-release";
  return existsSync(release) && /^ID(_LIKE)?=.*debian/m.test(readFileSync(release, "utf8"));
}
