import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { cp, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { describe, expect, test } from "vitest";
import { LISTS } from "../../provider/prefixes/lists";
import { run } from "../commands/support";
import { useEmptyFolder } from "../support/folder";
import { guide } from "../support/guide";
import { blocksOf, root } from "../support/markdown";
import { commandsOnPath } from "../support/place";
import { problemsOf } from "./support";

const folder = useEmptyFolder();
const page = "docs/guides/block-lists.md";
const text = readFileSync(join(root, page), "utf8");
const blocks = blocksOf(page);

describe("the guide to block lists", () => {
  test("shows problems as they are told", () => {
    const [shown] = blocks.filter(({ tag }) => tag === "problems");
    const file = "192.0.2.0/24\n\n192.0.2.1/24\n\n\n\n198.51.100.0 many\n";
    expect(problemsOf(file, { file: "lists/ours.txt" })).toEqual(shown?.text.split("\n"));
  });

  test("shows what changes as prefixes diff says it", async () => {
    const [shown] = blocks.filter(({ tag }) => tag === "output");
    await mkdir(join(folder, "lists"));
    await writeFile(
      join(folder, "lists/ours.yaml"),
      "203.0.113.7: { value: 3, reason: SYN flood }\n198.51.100.0/24: 1\n",
    );
    const before = "203.0.113.7: { value: 2, reason: SYN flood }\n";
    const args = ["prefixes", "diff", "-", "lists/ours.yaml"];
    const { out } = await run(args, { folder, stdin: Readable.from([before]) });
    expect(out).toBe(`${shown?.text}\n`);
  });

  guide("block-lists.md", "a list is looked at, and compared with the one of the last commit", async (guide) => {
    const git = (...args: string[]) =>
      execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.com", ...args], { cwd: folder });
    await cp(join(root, "examples/block-lists/lists"), join(folder, "lists"), { recursive: true });
    await writeFile(join(folder, "lists/ours.yaml"), "203.0.113.7: { value: 2, reason: SYN flood }\n");
    git("init", "-q");
    git("add", ".");
    git("commit", "-qm", "lists");
    await writeFile(
      join(folder, "lists/ours.yaml"),
      "203.0.113.7: { value: 3, reason: SYN flood }\n198.51.100.0/24: 1\n",
    );
    guide.at({ folder, env: commandsOnPath(folder) });
    expect(await guide.next("prefixes check")).toContain("lists/drop_v4.json: ");
  });

  test("names every list that has something particular", () => {
    const names = LISTS.map(({ name }) => name).filter((name) => name !== "Spamhaus ASN-DROP");
    expect(names.filter((name) => !text.includes(`\n| ${name} |`))).toEqual([]);
  });
});
