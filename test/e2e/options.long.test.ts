import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { expect, it } from "vitest";
import { root } from "../support/markdown";
import { journeys } from "./options/journey";
import "./options/arguments";
import "./options/choosing";
import "./options/leaving";
import "./options/looking";
import "./options/names";
import "./options/plans";
import "./options/replacing";

const page = readFileSync(join(root, "docs/guides/options-and-flags.md"), "utf8");
const named = (text: string) => [...text.matchAll(/`([^`]+)`/g)].map(([, name]) => name ?? "");
const cells = page.split("\n").flatMap((line) => (line.startsWith("| `") ? [line.split(" | ")] : []));
const rows = Object.fromEntries(
  cells.flatMap(([names = "", , shownBy = ""]) => named(names).map((name) => [name, shownBy.replace(" |", "")])),
);
const withoutEffect = named(page.split("## Without effect on entries").at(-1) ?? "");

it("each row of the page names the journey that shows it, and each journey has its rows", () => {
  expect(rows).toEqual(journeys());
});

it("each option of the SDK has a row", () => {
  const file = join(root, "node_modules/@pulumi/pulumi/resource.d.ts");
  const { statements } = ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.ES2022);
  const known = ["ResourceOptions", "CustomResourceOptions", "ComponentResourceOptions"];
  const types = statements.filter(ts.isInterfaceDeclaration).filter(({ name }) => known.includes(name.text));
  expect(types).toHaveLength(known.length);
  const options = types.flatMap(({ members }) =>
    members.flatMap(({ name }) => (name && ts.isIdentifier(name) ? [name.text] : [])),
  );
  expect(
    Object.keys(rows)
      .filter((name) => /^\w+$/.test(name))
      .sort(),
  ).toEqual([...new Set(options)].sort());
});

it("each flag of the engine has a row or no effect; each command on the state is named", () => {
  const help = (...command: string[]) => execFileSync("pulumi", [...command, "--help"], { encoding: "utf8" });
  const state = help("state");
  const commands = [...(state.split("Available Commands:")[1] ?? "").matchAll(/^ {2}(\w+) /gm)].map(
    ([, name]) => name ?? "",
  );
  expect(commands.length).toBeGreaterThan(8);
  expect(commands.filter((name) => !page.includes(`\`state ${name}\``))).toEqual([]);
  const texts = [
    ...["up", "preview", "refresh", "destroy"].map((command) => help(command)),
    ...[state, ...commands.map((name) => help("state", name))],
  ];
  const flags = texts.flatMap((text) => [...text.matchAll(/^ +(?:-\w, )?(--[a-z-]+)/gm)].map(([, flag]) => flag ?? ""));
  const ours = [...Object.keys(rows).filter((name) => name.startsWith("--")), ...withoutEffect];
  expect(ours.sort()).toEqual([...new Set(flags)].sort());
});
