import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { expect, it } from "vitest";
import { root } from "../support/markdown";
import { ROWS, shownBy } from "./options/front-ends";
import { journeys } from "./options/journey";
import "./options/choosing";
import "./options/leaving";
import "./options/looking";
import "./options/names";
import "./options/plans";
import "./options/replacing";
import { SECRETS } from "./options/secrets";

const PAGE = join(root, "docs/guides/options-and-flags.md");
const page = readFileSync(PAGE, "utf8");
const named = (text: string) => [...text.matchAll(/`([^`]+)`/g)].map(([, name]) => name ?? "");
/** A row of the page: its names, and the rest but for what shows it. */
const ROW = /^(\| (`.+?)\| .* \| )[^|]* \|$/;
const names = page.split("\n").flatMap((line) => named(ROW.exec(line)?.[2] ?? ""));
const withoutEffect = named(page.split("## Without effect on entries").at(-1) ?? "");

it("the page names what shows each row, and each journey and each row of the front ends is on it", async () => {
  const known = { ...ROWS, ...journeys(), ...SECRETS };
  expect(names.toSorted()).toEqual(Object.keys(known).toSorted());
  const lines = page.split("\n").map((line) => {
    const [, start = "", all = ""] = ROW.exec(line) ?? [];
    const shown = new Set(named(all).map((name) => (name in SECRETS ? "canaries" : shownBy(name, journeys()[name]))));
    return start === "" ? line : `${start}${[...shown].join("; ")} |`;
  });
  await expect(lines.join("\n")).toMatchFileSnapshot(PAGE);
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
  expect(names.filter((name) => /^\w+$/.test(name)).sort()).toEqual([...new Set(options)].sort());
  const shown = [...Object.keys(ROWS), ...Object.keys(journeys()).filter((name) => options.includes(name))];
  expect([...new Set(shown)].sort()).toEqual([...new Set(options)].sort());
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
  const ours = [...names.filter((name) => name.startsWith("--")), ...withoutEffect];
  expect(ours.sort()).toEqual([...new Set(flags)].sort());
});
