import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { releaseNotes } from "../../tools/changelog.mjs";

const changelog = `# Changelog

## 1.1.0 (2026-12-01)

- PrefixSet: something new.

## 1.0.0 (2026-11-01)

- Everything.
`;

test("the notes of a release are what the changelog says of its version", () => {
  expect(releaseNotes(changelog, { tag: "v1.1.0", version: "1.1.0" })).toBe("- PrefixSet: something new.\n");
});

test.each([
  ["a tag of another version", changelog, "v1.1.1", "1.1.0", /tag v1\.1\.0, or change package\.json/],
  ["a version that is not in the changelog", changelog, "v1.2.0", "1.2.0", /no heading "## 1\.2\.0"/],
  ["a version that only begins alike", changelog, "v1.1", "1.1", /no heading "## 1\.1"/],
  ["an old version", changelog, "v1.0.0", "1.0.0", /newer version above 1\.0\.0/],
  ["a version without a date", "## 1.0.0 (unreleased)\n\n- Everything.\n", "v1.0.0", "1.0.0", /has no date/],
  ["a day that does not exist", "## 1.0.0 (2026-02-30)\n\n- Everything.\n", "v1.0.0", "1.0.0", /has no date/],
  ["a version of which nothing is said", "## 1.0.0 (2026-11-01)\n", "v1.0.0", "1.0.0", /says nothing about 1\.0\.0/],
])("no release of %s", (_, text, tag, version, message) => {
  expect(() => releaseNotes(text, { tag, version })).toThrow(message);
});

test("the changelog of this package can become a release by the day alone", () => {
  const root = join(import.meta.dirname, "../..");
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const text = readFileSync(join(root, "CHANGELOG.md"), "utf8").replace("(unreleased)", "(2026-12-31)");
  expect(releaseNotes(text, { tag: `v${version}`, version })).toContain("- PrefixSet: ");
});
