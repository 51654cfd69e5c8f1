import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { SWITCHES } from "../../provider/emulator/behaviour/dialect";
import { UNKNOWABLE } from "../probe/unknowable";
import { root } from "../support/markdown";

const PAGE = "docs/guides/first-contact.md";

test("the guide names every switch that no client can find out", async () => {
  const text = await readFile(join(root, PAGE), "utf8");
  const table = text.slice(text.indexOf("## What no client can find out"));
  const named = [...table.matchAll(/`(\w+)(?:: \w+)?`/g)].map(([, name]) => name ?? "");
  expect(named).toEqual(expect.arrayContaining(Object.keys(UNKNOWABLE)));
  expect(named.filter((name) => !(name in SWITCHES))).toEqual([]);
});
