import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";
import { SIZES, TIMES } from "../../provider/forwarder/defaults";
import { timesPage } from "./times";

it("docs/reference/times.md has every default that can be set, as the sources have it", async () => {
  const page = timesPage();
  expect(page).toContain("| `commitCoalesceMs` | 30 |");
  expect(page).toContain("| `onceDeadlineMs` | 30 000 |");
  await expect(page).toMatchFileSnapshot(resolve(__dirname, "../../docs/reference/times.md"));
});

it("no page names a time or a size of the forwarder that cannot be set", () => {
  const root = resolve(__dirname, "../..");
  const args = ["ls-files", "README.md", "docs/**.md", "policies/**.md", "examples/**.md", "templates/**.md"];
  const pages = execFileSync("git", args, { cwd: root, encoding: "utf8" }).split("\n").filter(Boolean);
  expect(pages.length).toBeGreaterThan(40);
  const fixed = Object.keys({ ...TIMES, ...SIZES });
  const named = pages.flatMap((page) => {
    const words = new Set(readFileSync(join(root, page), "utf8").match(/\w+/g));
    return fixed.filter((name) => words.has(name)).map((name) => `${page}: ${name}`);
  });
  expect(named).toEqual([]);
});
