import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Command } from "commander";
import { packageRoot } from "../files/package-version";
import { nearest } from "../model/nearest";
import { type CliIo, UsageError } from "./cli-io";
import { printed } from "./listing/output";

const HELP = `
Name a page as in the list, or as in messages and links: docs/forwarder.md#health prints only that section.

Examples:
  pulumi-packetfilter docs
  pulumi-packetfilter docs first-stack | less
  pulumi-packetfilter docs docs/configuration.md
`;

export function register(program: Command, io: CliIo): void {
  program
    .command("docs")
    .argument("[name]", "page, or one section of it with #section; default: the list of pages")
    .addHelpText("after", HELP)
    .action(async (name?: string) => io.out(name === undefined ? await list() : await page(name)));
}

/** The pages of the package, in its folder `docs`, by name: the path without its ending. */
async function pages(): Promise<ReadonlyMap<string, string>> {
  const folder = join(packageRoot, "docs");
  const files = (await readdir(folder, { recursive: true })).filter((file) => file.endsWith(".md"));
  const named = files.map((file) => [file.replaceAll("\\", "/").replace(/(\/README)?\.md$/, ""), join(folder, file)]);
  const order = (name: string) =>
    `${["guides", "reference", "contributing"].indexOf(name.split("/")[0] ?? "") + 1} ${name}`;
  return new Map((named as [string, string][]).toSorted(([one], [other]) => (order(one) < order(other) ? -1 : 1)));
}

async function list(): Promise<string> {
  const rows = await Promise.all(
    [...(await pages())].map(async ([name, file]) => ({ page: name, about: titleOf(await readFile(file, "utf8")) })),
  );
  const summary = `${rows.length} pages; "pulumi-packetfilter docs NAME" prints one.`;
  return printed({ columns: ["page", "about"], rows, summary }, "table");
}

/** @throws {UsageError} with the likely name */
async function page(given: string): Promise<string> {
  const [path = "", section] = given.split("#");
  const name = path
    .replace(/^(\.{0,2}\/)*(docs\/)?/, "")
    .replace(/\.md$/, "")
    .replace(/\/README$/, "");
  const all = await pages();
  const matching = [...all.keys()].filter((each) => each.split("/").at(-1) === name);
  const file = all.get(name) ?? (matching.length === 1 ? all.get(matching[0] ?? "") : undefined);
  if (file === undefined) {
    const near = nearest(name, [...all.keys(), ...[...all.keys()].flatMap((each) => each.split("/").slice(1))]);
    throw new UsageError(
      `There is no page ${JSON.stringify(given)}${near === undefined ? "." : `; did you mean ${JSON.stringify(near)}?`} "pulumi-packetfilter docs" lists all pages.`,
    );
  }
  const text = await readFile(file, "utf8");
  return section === undefined ? text : sectionOf(text, section, given);
}

const titleOf = (text: string) => /^# (.+)$/m.exec(text)?.[1] ?? "";

/** From a heading to the next one of its level. @throws {UsageError} */
function sectionOf(text: string, anchor: string, given: string): string {
  const lines = text.split("\n");
  const headings = headingsOf(lines);
  const at = headings.findIndex((heading) => heading.anchor === anchor);
  const found = headings[at];
  if (!found) {
    const near = nearest(
      anchor,
      headings.map((heading) => heading.anchor),
    );
    throw new UsageError(
      `${given}: the page has no such section${near === undefined ? "." : `; did you mean "#${near}"?`} Without "#…" the whole page is printed.`,
    );
  }
  const end = headings.slice(at + 1).find(({ level }) => level <= found.level);
  return `${lines.slice(found.line, end?.line).join("\n").trimEnd()}\n`;
}

/** Headings outside of code, each with the anchor by which links name it. */
export function headingsOf(lines: readonly string[]): { line: number; level: number; anchor: string }[] {
  let isCode = false;
  return lines.flatMap((text, line) => {
    if (/^ *```/.test(text)) isCode = !isCode;
    const [, marks = "", title = ""] = (!isCode && /^(#+) (.+)$/.exec(text)) || [];
    const anchor = title
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, "")
      .trim()
      .replaceAll(" ", "-");
    return marks === "" ? [] : [{ line, level: marks.length, anchor }];
  });
}
