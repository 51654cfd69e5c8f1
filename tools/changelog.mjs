#!/usr/bin/env node
// @ts-check
import { readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

/**
 * `node tools/changelog.mjs v1.2.3`, before a release: prints the part of CHANGELOG.md about that version, and fails
 * when the tag, package.json and the changelog do not agree about it. The release workflow takes the text as its notes.
 */

/**
 * The section of the changelog about a version.
 *
 * @param {string} changelog
 * @param {{ tag: string, version: string }} release the tag as git has it, and the version of package.json
 * @returns {string} the lines below the version's heading
 * @throws {Error} that says what does not agree, and what to do
 */
export function releaseNotes(changelog, { tag, version }) {
  if (tag !== `v${version}`) {
    throw new Error(
      `The tag is ${tag} and package.json has ${version}: tag v${version}, or change package.json first.`,
    );
  }
  const parts = changelog.split(/^## /m).slice(1);
  const [newest] = parts;
  const part = parts.find((one) => one.split(/\s/, 1)[0] === version);
  if (part === undefined) throw new Error(`CHANGELOG.md has no heading "## ${version}": write what users notice.`);
  if (part !== newest)
    throw new Error(`CHANGELOG.md has a newer version above ${version}: a release is the newest one.`);
  const [heading = "", ...lines] = part.split("\n");
  const date = /^\S+ \((\d{4}-\d{2}-\d{2})\)$/.exec(heading)?.[1];
  if (date === undefined || new Date(`${date}T00:00:00Z`).toJSON()?.startsWith(date) !== true) {
    throw new Error(
      `The heading "## ${heading}" has no date: write "## ${version} (2026-12-31)", with the day of the release.`,
    );
  }
  const notes = lines.join("\n").trim();
  if (notes === "") throw new Error(`CHANGELOG.md says nothing about ${version}: write what users notice.`);
  return `${notes}\n`;
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const root = join(import.meta.dirname, "..");
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  try {
    const changelog = readFileSync(join(root, "CHANGELOG.md"), "utf8");
    process.stdout.write(releaseNotes(changelog, { tag: process.argv[2] ?? "", version }));
  } catch (error) {
    process.stderr.write(`${/** @type {Error} */ (error).message}\n`);
    process.exitCode = 1;
  }
}
