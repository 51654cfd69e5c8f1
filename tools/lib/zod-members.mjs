// @ts-check
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";

/** A member that is there for types. */
const NOT_AT_WORK = ["core"];

/**
 * A module in place of zod with the members that sources name. They take them from an object, `z`, of which a bundler keeps
 * everything, and a third of zod is of no use here.
 *
 * @param {readonly string[]} folders The sources.
 * @param {string} zod Its whole module.
 */
export function membersOfZod(folders, zod) {
  const text = folders.flatMap(textsIn).join("\n");
  const named = new Set([...text.matchAll(/\b(?:z|zod\(\))\s*\.\s*(\w+)/g)].map(([, name = ""]) => name));
  const members = [...named].filter((name) => name in z && !NOT_AT_WORK.includes(name)).sort();
  const pairs = members.map((name) => `${name}: all.${name}`);
  return `import * as all from ${JSON.stringify(zod)};\nexport const z = { ${pairs.join(", ")} };\n`;
}

function textsIn(/** @type {string} */ folder) {
  const sources = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));
  return sources.map((name) => readFileSync(join(folder, name), "utf8"));
}
