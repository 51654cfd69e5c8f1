import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "../support/markdown";
import { commandPages } from "./command-pages";
import { environmentPage } from "./environment-page";
import { policyPages } from "./policy-pages";
import { schemaPages } from "./schema-pages";

// "npx vitest run test/reference/pages.test.ts -u" writes the pages anew.
const folder = join(root, "docs/reference");
const NOTICE =
  '<!-- Made by test/reference/pages.test.ts: change the source, then run "npx vitest run test/reference/pages.test.ts -u". -->\n';

test("docs/reference has all resources, functions, keys, variables, policies and commands, as schema, comments, rules and help say", async () => {
  const pages = { ...schemaPages(), ...policyPages(), ...environmentPage(), ...(await commandPages()) };
  for (const [name, text] of Object.entries(pages))
    await expect(`${NOTICE}\n${text}`).toMatchFileSnapshot(join(folder, `${name}.md`));
  // The last two are made by tests of their own: test/emulator/docs.test.ts and test/reference/times.test.ts.
  const files = [...Object.keys(pages), "README", "emulator", "times"].map((name) => `${name}.md`);
  await expect(`${NOTICE}\n${index(pages)}`).toMatchFileSnapshot(join(folder, "README.md"));
  expect(readdirSync(folder).sort()).toEqual(files.sort());
});

/** The list of the pages, by what they are about. */
function index(pages: Record<string, string>): string {
  const list = (isOne: (name: string) => boolean) =>
    Object.entries(pages)
      .filter(([name]) => isOne(name))
      .map(([name, text]) => `- [${/^# (.+)$/m.exec(text)?.[1]}](${name}.md)`)
      .join("\n");
  return `# Reference

[Switches, faults and operations of the emulator](emulator.md). [Times, sizes and limits](times.md): every default.

## Resources

${list((name) => /^[A-Z]/.test(name))}

## Functions

${list((name) => /^(get|read)/.test(name))}

## Objects, configuration and policies

${list((name) => ["types", "provider", "environment", "policies"].includes(name))}

## Commands

${list((name) => name.startsWith("command-"))}
`;
}
