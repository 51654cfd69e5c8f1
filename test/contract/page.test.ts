import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { headingsOf } from "../../provider/commands/docs";
import { SWITCHES } from "../../provider/emulator/behaviour/dialect";
import { FAULT_KINDS } from "../../provider/emulator/behaviour/fault-kinds";
import { root } from "../support/markdown";

const page = readFileSync(join(root, "docs/contributing/contract.md"), "utf8");

const anchors = headingsOf(page.split("\n")).map(({ anchor }) => anchor);

const sources = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
  cwd: root,
  encoding: "utf8",
})
  .split("\0")
  .filter((file) => /^(provider|policies|test|tools|docs)\/.*\.(ts|tsx|mts|mjs|md)$|^[A-Z]+\.md$/.test(file))
  .flatMap((file) => {
    try {
      return [{ file, text: readFileSync(join(root, file), "utf8") }];
    } catch {
      return []; // removed and not yet committed
    }
  });

/** All matches of a pattern in the sources, each with its file. */
function found(pattern: RegExp, among = sources): { file: string; match: string }[] {
  return among.flatMap(({ file, text }) =>
    [...text.matchAll(pattern)].map(([all, part]) => ({ file, match: part ?? all })),
  );
}

test("every reference to a section of the contract has its heading", () => {
  const references = found(/\bcontract\.md#([\w-]+)/g);
  expect(references.filter(({ file }) => file.startsWith("provider/")).length).toBeGreaterThan(30);
  expect(references.filter(({ match }) => !anchors.includes(match))).toEqual([]);
  const within = [...page.matchAll(/\]\(#([\w-]+)\)/g)].map(([, anchor]) => anchor);
  expect(within.filter((anchor) => !anchors.includes(anchor ?? ""))).toEqual([]);
  expect(new Set(anchors).size).toBe(anchors.length);
});

test("no comment cites a section by a number, which no reader can look up", () => {
  const comments = sources.filter(({ file }) => !file.endsWith(".md"));
  const numbered = found(/^.*\bsection \d.*$/gm, comments).filter(({ match }) => !match.includes("RFC"));
  expect(numbered).toEqual([]);
});

test("the page names every switch of the emulator beside its open point, and no other", () => {
  // The last cell of a row: `name`, `name`, option `name`, faults `name`, `name`.
  const cells = [...page.matchAll(/^\|.*\|.*\|.*\|([^|]*)\|$/gm)].map(([, cell = ""]) => cell);
  const named = cells
    .flatMap((cell) => [...cell.matchAll(/(option|fault)?s? ?((?:`\w[\w-]*`(?:, )?)+)/g)])
    .map(([, kind = "", names = ""]) => ({ kind, names: names.match(/[\w-]+/g) ?? [] }));
  const ofKind = (kind: string) => new Set(named.filter((one) => one.kind === kind).flatMap(({ names }) => names));
  expect(ofKind("")).toEqual(new Set(Object.keys(SWITCHES)));
  expect([...ofKind("fault")].filter((name) => !(name in FAULT_KINDS))).toEqual([]);
  const options = readFileSync(join(root, "provider/emulator/options-types.ts"), "utf8");
  expect([...ofKind("option")].filter((name) => !options.includes(`readonly ${name}?:`))).toEqual([]);
  expect([ofKind("fault").size, ofKind("option").size].every((size) => size > 2)).toBe(true);
});
