import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { DEFAULTS } from "../provider/client/options";
import { VARIABLES } from "../provider/commands/helping/variables";
import { CONFIG_KEYS } from "../provider/settings/config-keys";

/** All words of a kind in the sources of the resources and the client. */
async function wordsIn(pattern: RegExp): Promise<Set<string>> {
  const folders = ["provider/settings", "provider/deployment", "provider/pulumi", "provider/client"];
  const listings = await Promise.all(
    folders.map((folder) => readdir(folder, { recursive: true, withFileTypes: true })),
  );
  const files = listings.flat().flatMap((one) => (one.isFile() ? [join(one.parentPath, one.name)] : []));
  const texts = await Promise.all(files.map((file) => readFile(file, "utf8")));
  return new Set(texts.flatMap((text) => [...text.matchAll(pattern)].map(([, word = ""]) => word)));
}

it("docs/configuration.md names every variable and key that is read, and the reference the defaults that hold", async () => {
  const page = await readFile("docs/configuration.md", "utf8");
  const reference = await readFile("docs/reference/types.md", "utf8");
  const variables = await wordsIn(/(?:\benv\.|")(PACKETFILTER_[A-Z_]*[A-Z])\b/g);
  const keys = await wordsIn(/\bconfig\("([a-zA-Z]+)"\)/g);
  expect(variables.size).toBeGreaterThan(6);
  for (const variable of variables) expect(page).toContain(`\`${variable}\``);
  expect([...keys].filter((key) => !CONFIG_KEYS.some((known) => known === key))).toEqual([]);
  for (const key of CONFIG_KEYS) expect(page).toContain(`\`packetfilter:${key}\``);
  for (const [key, value] of Object.entries(DEFAULTS)) {
    const shown = String(value).replace(/\B(?=(\d{3})+$)/g, " ");
    expect(reference).toMatch(new RegExp(`^\\| \`${key}\`.*Default: \\W*${shown}\\W`, "m"));
  }
});

it("the table of variables has each one that the sources name, and no other", async () => {
  const table = "provider/commands/helping/variables.ts";
  const rooms = ["provider", "policies"].map((folder) =>
    readdir(folder, { recursive: true }).then((names) => names.map((name) => join(folder, name))),
  );
  const files = (await Promise.all(rooms)).flat().filter((file) => file.endsWith(".ts") && file !== table);
  const texts = await Promise.all(files.map((file) => readFile(file, "utf8")));
  const named = new Set(texts.flatMap((text) => text.match(/\bPACKETFILTER_[A-Z_]*[A-Z]\b/g) ?? []));
  expect(Object.keys(VARIABLES).sort()).toEqual([...named].sort());
});
