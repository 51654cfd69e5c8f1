import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "../support/markdown";
import { run } from "./support";

const read = (name: string) => readFileSync(join(root, "docs", name), "utf8");
const docs = async (...args: string[]) => run(["docs", ...args]);

test("the list has every page with its title, guides after the pages at the top, those of contributors last", async () => {
  const { code, out } = await docs();
  const files = readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" }).filter((it) =>
    it.endsWith(".md"),
  );
  const names = files.map((file) => file.replace(/(\/README)?\.md$/, ""));
  const [heading, ...lines] = out.split("\n");
  expect([code, heading]).toEqual([0, expect.stringMatching(/^page +about$/)]);
  expect(
    lines
      .slice(0, names.length)
      .map((line) => line.split(/ {2,}/)[0]?.trim())
      .sort(),
  ).toEqual(names.sort());
  expect(out).toMatch(/^guides\/first-stack +A first stack$/m);
  expect(out.indexOf("\nguides ")).toBeGreaterThan(out.indexOf("\noperations "));
  expect(out.indexOf("\ncontributing/")).toBeGreaterThan(out.indexOf("\nguides/teams"));
});

test.each([
  "first-stack",
  "guides/first-stack",
  "docs/guides/first-stack.md",
  "../guides/first-stack.md",
  "./docs/guides/first-stack",
])("%s names a page", async (name) => {
  expect(await docs(name)).toEqual({ code: 0, out: read("guides/first-stack.md"), err: "" });
});

test("a section is what stands between its heading and the next of its level", async () => {
  const { code, out } = await docs("docs/contributing/contract.md#set-entries");
  expect([code, out.split("\n")[0]]).toEqual([0, expect.stringMatching(/^#+ Set entries$/)]);
  expect(read("contributing/contract.md")).toContain(out.trimEnd());
  expect(out.length).toBeLessThan(read("contributing/contract.md").length / 2);
});

test.each([
  [
    "frist-stack",
    'There is no page "frist-stack"; did you mean "first-stack"? "pulumi-packetfilter docs" lists all pages.',
  ],
  ["../SECURITY", 'There is no page "../SECURITY"'],
  ["contract#set-entrys", 'contract#set-entrys: the page has no such section; did you mean "#set-entries"?'],
])("%s is told with what was likely meant", async (name, message) => {
  const { code, out, err } = await docs(name);
  expect([code, out]).toEqual([2, ""]);
  expect(err).toContain(message);
});
