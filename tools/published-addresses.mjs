#!/usr/bin/env node
// @ts-check
import { readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

/** `node tools/published-addresses.mjs`, before a package is packed for npm or published: fails while an address in package.json is a placeholder. */

/**
 * The members of a manifest that are empty or name example.com.
 *
 * @param {{ homepage?: string, bugs?: { url?: string }, repository?: { url?: string } }} manifest
 */
export function placeholders({ homepage = "", bugs = {}, repository = {} }) {
  const addresses = { homepage, "bugs.url": bugs.url ?? "", "repository.url": repository.url ?? "" };
  return Object.entries(addresses).flatMap(([member, address]) =>
    address === "" || /\bexample\.com\b/.test(address) ? [member] : [],
  );
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const found = placeholders(JSON.parse(readFileSync(join(import.meta.dirname, "..", "package.json"), "utf8")));
  if (found.length > 0) {
    process.stderr.write(
      `package.json still has placeholders in ${found.join(", ")}. Nothing is published with them: push a tag, for which the workflow sets them (docs/contributing/releasing.md), or set them with npm pkg set.\n`,
    );
    process.exitCode = 1;
  }
}
