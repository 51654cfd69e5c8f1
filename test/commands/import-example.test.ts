import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Prefix, parseUrl } from "../../provider/client";
import { importFiles } from "../../provider/import/import";
import { heldSet } from "../../provider/import/source";
import { root } from "../support/markdown";

const example = (name: string) => readFileSync(join(root, "examples", "imported", name), "utf8");

/** A set that a node lists. */
function listed(url: string, entries: Record<string, number>) {
  const parsed = parseUrl(url);
  if (parsed.kind !== "prefixset") throw new TypeError(url);
  const list = Object.entries(entries).map(([text, value]) => [Prefix.canonical(text), value] as const);
  return heldSet(parsed, { endpoint: "https://192.0.2.10" }, new Map(list));
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
