import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Prefix, type PrefixSetUrl, parseUrl } from "../../provider/client";
import { importFiles } from "../../provider/import/import";
import { heldSet } from "../../provider/import/source";
import { root } from "../support/markdown";

const example = (name: string) => readFileSync(join(root, "examples", "imported", name), "utf8");

/** A set that a node lists. */
function listed(url: string, entries: Record<string, number>) {
  const parsed = parseUrl(url);
  if (parsed.kind !== "prefixset") throw new TypeError(url);
  const list = Object.entries(entries).map(([spelling, value]) => ({
    prefix: Prefix.parse(spelling),
    value,
    spelling,
  }));
  return heldSet(parsed, { endpoint: "https://192.0.2.10" }, list);
}

test("the example is what import writes", () => {
  const { files } = importFiles(
    {
      sets: [
        listed("prefixset://edge/blocked", { "198.51.100.0/24": 1, "203.0.113.7/32": 2, "2001:db8:bad::/48": 1 }),
        listed("prefixset://edge/web/partners", { "192.0.2.4": 7 }),
      ],
      signaling: { endpoint: "https://192.0.2.20", prefixes: [Prefix.parse("198.51.100.7")] },
    },
    {
      names: new Map([
        ["prefixset://edge/blocked", "edge-blocked"],
        ["prefixset://edge/web/partners", "edge-web-partners"],
        ["signaling", "signaling"],
      ]),
      as: "set",
      id: () => "7d7e9a52-6f0c-4a53-9d0b-0f6d5f3e7a11",
    },
  );
  expect(Object.fromEntries(files)).toEqual({
    "import.json": example("import.json"),
    "index.ts": example("index.ts"),
  });
});

test("a prefix that a node lists twice with different values is named with both", () => {
  const url = parseUrl("prefixset://edge/blocked") as PrefixSetUrl;
  const listed = (spelling: string, value: number) => ({
    prefix: Prefix.parse(spelling, { hostBits: "mask" }),
    value,
    spelling,
  });
  const held = (...values: [number, number]) =>
    heldSet(url, { endpoint: "https://192.0.2.10" }, [
      listed("192.0.2.5/24", values[0]),
      listed("192.0.2.0/24", values[1]),
    ]);
  expect(() => held(1, 2)).toThrow(
    "prefixset://edge/blocked on https://192.0.2.10 lists entries twice with different values: 192.0.2.0/24 (1 and 2). Remove one of each two on the node, and import again. Nothing was written.",
  );
  expect([...held(2, 2).entries]).toEqual([["192.0.2.0/24", 2]]);
});
