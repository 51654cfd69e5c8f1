// @ts-check
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";

/** Members that are there for types, or for the makers of published schemas. */
const NOT_AT_WORK = ["core", "toJSONSchema"];

/**
 * A module in place of zod with the members that sources name. They take them from an object, `z`, of which a bundler keeps
 * everything, and half of zod reads and writes schemas of others.
 *
 * @param {string} folder The sources.
 * @param {string} zod Its whole module.
 */
export function membersOfZod(folder, zod) {
  const sources = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));
  const text = sources.map((name) => readFileSync(join(folder, name), "utf8")).join("\n");
  const named = new Set([...text.matchAll(/\b(?:z|zod\(\))\s*\.\s*(\w+)/g)].map(([, name = ""]) => name));
  const members = [...named].filter((name) => name in z && !NOT_AT_WORK.includes(name)).sort();
  const pairs = members.map((name) => `${name}: all.${name}`);
  return `import * as all from ${JSON.stringify(zod)};\nexport const z = { ${pairs.join(", ")} };\n`;
}
