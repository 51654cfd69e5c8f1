#!/usr/bin/env node
// @ts-check
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { withoutComments, withTabs } from "./lib/comments.mjs";

const dist = join(import.meta.dirname, "..", "dist");

/**
 * Takes the comments from the compiled programs of `dist`, a sixth of their bytes, and indents them with tabs: editors read those of the declarations, and an
 * engine keeps the text of functions in its state. Files that an earlier build has written have none any more.
 */
for (const folder of ["provider", "policies"]) {
  for (const name of readdirSync(join(dist, folder), { recursive: true, encoding: "utf8" })) {
    if (!name.endsWith(".js")) continue;
    const file = join(dist, folder, name);
    const text = readFileSync(file, "utf8");
    const bare = withTabs(name, withoutComments(name, text));
    if (bare !== text) writeFileSync(file, bare);
  }
}
