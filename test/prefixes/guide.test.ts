import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { LISTS } from "../../provider/prefixes/lists";
import { blocksOf, root } from "../support/markdown";
import { problemsOf } from "./support";

const page = "docs/guides/block-lists.md";
const text = readFileSync(join(root, page), "utf8");
const blocks = blocksOf(page);

describe("the guide to block lists", () => {
  test.each(blocks.filter(({ language }) => language === "ts"))("line $line stands in $tag", ({ tag, text: code }) => {
    expect(readFileSync(join(root, tag), "utf8")).toContain(code);
  });

  test("shows problems as they are told", () => {
    const [shown] = blocks.filter(({ tag }) => tag === "problems");
    const file = "192.0.2.0/24\n\n192.0.2.1/24\n\n\n\n198.51.100.0 many\n";
    expect(problemsOf(file, { file: "lists/ours.txt" })).toEqual(shown?.text.split("\n"));
  });

  test("names every list that has something particular", () => {
    const names = LISTS.map(({ name }) => name).filter((name) => name !== "Spamhaus ASN-DROP");
    expect(names.filter((name) => !text.includes(`\n| ${name} |`))).toEqual([]);
  });

  test("links to files that exist", () => {
    const links = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, link]) => link ?? "");
    expect(links.filter((link) => !existsSync(join(root, dirname(page), link)))).toEqual([]);
  });
});
