import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it, test } from "vitest";

const root = resolve(__dirname, "..");
const read = (file: string) => readFileSync(join(root, file), "utf8");
const tracked = (...paths: string[]) =>
  execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", ...paths], {
    cwd: root,
    encoding: "utf8",
  })
    .trim()
    .split("\n");

/** Words that had a meaning in this house only, and what is written instead. */
const FORMER: Readonly<Record<string, string>> = {
  somebody: "caller, client, operator, another writer",
  nobody: "no caller, no client",
  whoever: "every client, any writer",
  anybody: "any client, any writer",
  everybody: "every client, all callers",
  someone: "a caller, a client",
  anyone: "any client, any writer",
  Crowd: "in-flight callers",
  Turnstile: "a queue, by its kind",
  rails: "limits",
  isLast: "isDelete",
  quietMs: "commitCoalesceMs",
};
const ANY = new RegExp(`\\b(${Object.keys(FORMER).join("|")})\\b`, "gi");

describe("the glossary", () => {
  const words = [...read("docs/glossary.md").matchAll(/^\| ([^|]+) \| [^|]+ \|$/gm)].map(([, word]) => word).slice(1);

  it("has each word once, and is found from README and CONTRIBUTING", () => {
    expect(words.length).toBeGreaterThanOrEqual(40);
    expect(words.filter((word, index) => words.indexOf(word) !== index)).toEqual([]);
    for (const page of ["README.md", "CONTRIBUTING.md"]) expect(read(page)).toContain("(docs/glossary.md)");
  });
});

test("sources, messages, tests and guides use no word that the glossary replaced", () => {
  const files = tracked().filter((file) => /\.(tsx?|[cm]js|md)$/.test(file) && file !== "test/glossary.test.ts");
  const found = files.flatMap((file) =>
    [...read(file).replaceAll("organisation-rails", "").matchAll(ANY)].map(([word]) => `${file}: ${word}`),
  );
  expect(files.length).toBeGreaterThan(400);
  // The option `rails` of the policy `organisation-rails` is published.
  expect(found.filter((line) => !/(polic|as-up).*: rails$/.test(line))).toEqual([]);
});
