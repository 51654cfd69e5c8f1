import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { homedir, hostname, userInfo } from "node:os";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";

const root = resolve(__dirname, "..");
const tracked = execFileSync("git", ["ls-files", "-z"], { cwd: root, encoding: "utf8" })
  .split("\0")
  .filter((file) => file !== "" && existsSync(join(root, file)))
  .map((file) => ({ file, text: readFileSync(join(root, file), "utf8") }));

/** Lines that match, as `file:line`; the patterns are written so that they do not match themselves. */
function matches(pattern: RegExp): string[] {
  return tracked.flatMap(({ file, text }) =>
    text.split("\n").flatMap((line, index) => (pattern.test(line) ? [`${file}:${index + 1}: ${line.trim()}`] : [])),
  );
}

const literal = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

test("there are files to look at", () => {
  expect(tracked.length).toBeGreaterThan(50);
});

test("no file names a folder of a machine", () => {
  const home = homedir() === "/" ? "" : `|${literal(`${homedir()}/`)}`;
  expect(matches(new RegExp(`(^|[^\\w.~/])/(ho[m]e|Us[e]rs)/\\w|${literal(`${root}/`)}${home}`))).toEqual([]);
});

test("no file names the machine or its user", () => {
  const names = [hostname(), userInfo().username].filter(
    (name) => name.length > 5 && !/^(localhost|runner)$/.test(name),
  );
  for (const name of names) expect(matches(new RegExp(`\\b${literal(name)}\\b`))).toEqual([]);
});

test("no file names a registry of packages, which every user chooses", () => {
  expect(matches(/registry\.(npmj[s]|yarnpkg|npmmirror)|artifact[o]ry|proxy\.gol[a]ng/)).toEqual([]);
});

test("no file refers to what lies beside the clone", () => {
  expect(matches(/\.\.\/sha[r]ed\b/)).toEqual([]);
});

test("no file holds a key, a certificate or a token of a known form", () => {
  // The base64 of the body tells, not the header, which tests of redaction write down.
  expect(matches(/(^|\\n|["'`\s])(MI[A-Za-z0-9+/]{46,}|b3BlbnNzaC1rZX[k])/)).toEqual([]);
  expect(matches(/\b(ghp_|npm_|pul-)[A-Za-z0-9]{36,}\b/)).toEqual([]);
});

test("no file holds both sides of a merge", () => {
  expect(matches(/^(<{7}|>{7}) /)).toEqual([]);
});
