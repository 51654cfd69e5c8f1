import fc from "fast-check";
import { expect, test } from "vitest";
import { markdown, parsePreview, reportOf, text } from "../../provider/report";
import { keyLine } from "../../provider/report/code-spans";

/** Texts on which platforms act, and those that end places where they do not. */
const FRAGMENTS = [
  ...[
    "@everyone",
    "@org/team",
    "#1",
    "GH-1",
    "!1",
    "a/b#2",
    "https://example.com/",
    "www.example.com",
    "a@example.com",
  ],
  ...[
    "[x](https://example.com)",
    "![x](https://example.com/x.png)",
    "<img src=x>",
    "</details>",
    "<!--",
    "-->",
    "--!>",
  ],
  ...["`", "``", "```\n", "|", "\\|", "\\", "\n", "\r\n", "\u2028", "\u0085", "\n\n# head", "\n/close", "~~~", "***"],
  ...["$`x`$", "&#64;", "&lt;b&gt;", "\u001b[2J", "\u0007", "\u202e", "\u200b", "\ud800", "\udc00", "{+ +}", ":tada:"],
  ...[" ", "\t", "$&", "$1", "%%%"],
];
const hostile = fc.oneof(
  fc
    .array(fc.oneof(fc.constantFrom(...FRAGMENTS), fc.string({ unit: "binary", maxLength: 6 })), { maxLength: 12 })
    .map((parts) => parts.join("")),
  fc.string({ unit: "binary", maxLength: 400 }),
);

const TYPE = "pulumi-nodejs:dynamic/packetfilter:";

/** A preview in which every text that a user may choose is a given one. */
function preview(texts: readonly string[]): string {
  const [reason, ticket, name, message, node, argument, value] = texts;
  const urn = (type: string) => `urn:pulumi:test::journey::my:index:Fleet$${TYPE}${type}::${name}`;
  const parent = `urn:pulumi:test::journey::my:index:Fleet::${name}`;
  const place = { arena: "edge", set: "blocked", node };
  const notes = {
    "192.0.2.1/32": JSON.stringify({ reason, ticket }),
    "192.0.2.2/32": JSON.stringify({ reason: "before" }),
  };
  const after = { ...place, entries: { "192.0.2.1/32": 1, "192.0.2.2/32": 2, "192.0.2.4/32": `v${value}` }, notes };
  const before = {
    ...place,
    entries: { "192.0.2.2/32": 2, "192.0.2.3/32": `w${value}`, "192.0.2.4/32": 3 },
    notes: { "192.0.2.2/32": JSON.stringify({ reason, ticket }) },
  };
  return JSON.stringify({
    steps: [
      { op: "same", urn: "urn:pulumi:test::journey::pulumi:pulumi:Stack::journey-test" },
      {
        op: "update",
        urn: urn("PrefixSet"),
        oldState: { parent, inputs: before },
        newState: { parent, inputs: after },
      },
      {
        op: "delete",
        urn: urn("PrefixSetEntry"),
        oldState: { parent, inputs: { ...place, prefix: "192.0.2.9", reason, ticket } },
      },
      {
        op: "replace",
        urn: urn("PrefixSet"),
        replaceReasons: [`p${argument}`],
        oldState: { parent, inputs: { ...place, set: "old", entries: {} } },
        newState: { parent, inputs: { ...place, set: "old", entries: {} } },
      },
      {
        op: "update",
        urn: urn("PrefixSet"),
        detailedDiff: { restores: {} },
        newState: { parent, inputs: { ...before, restores: `b${message}` } },
      },
      {
        op: "update",
        urn: urn("CloudSignaling"),
        oldState: { parent, inputs: { prefixes: ["192.0.2.1/32"], stops: "all" } },
        newState: {
          parent,
          inputs: { prefixes: ["192.0.2.2/32"], receiver: node, reason: `r${reason}`, ticket: `t${ticket}` },
        },
      },
    ],
    diagnostics: ["warning", "error"].map((severity) => ({ severity, message })),
  });
}

const SPAN = /`[^`\n]+`/g;
const options = { key: "journey/test", limit: 20, maxBytes: 65_000 };

test("whatever people write, a comment has the same structure, and their words are in code spans", () => {
  const written = (texts: readonly string[]) => markdown(reportOf(parsePreview(preview(texts)), 0), options);
  const skeleton = (comment: string) => comment.replace(SPAN, "`…`");
  const tame = skeleton(written(Array.from({ length: 7 }, () => "word")));
  expect(tame.match(/`…`/g)?.length).toBeGreaterThan(25);
  fc.assert(
    fc.property(
      fc.array(
        hostile.filter((one) => /\S/.test(one)),
        { minLength: 7, maxLength: 7 },
      ),
      (texts) => {
        const comment = written(texts);
        expect(skeleton(comment)).toBe(tame);
        for (const span of comment.match(SPAN) ?? [])
          expect(span.slice(1, -1)).not.toMatch(/[`|\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/u);
      },
    ),
    { numRuns: 60 },
  );
});

test("whatever people write, a terminal gets as many lines and no control characters", () => {
  const written = (texts: readonly string[]) => text(reportOf(parsePreview(preview(texts)), 0), 20);
  const lines = written(Array.from({ length: 7 }, () => "word")).split("\n").length;
  fc.assert(
    fc.property(
      fc.array(
        hostile.filter((one) => /\S/.test(one)),
        { minLength: 7, maxLength: 7 },
      ),
      (texts) => {
        const shown = written(texts);
        expect(shown.split("\n").length).toBe(lines);
        expect(shown.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/u);
      },
    ),
    { numRuns: 40 },
  );
});

test("the hidden line is one HTML comment whatever the key holds, and another one for another key", () => {
  fc.assert(
    fc.property(hostile, (key) => {
      expect(keyLine(key)).toMatch(/^<!-- pulumi-packetfilter report: (?:[A-Za-z0-9._/%]|-(?!-| -->$|-->))* -->$/);
      const inside = keyLine(key).slice("<!-- pulumi-packetfilter report: ".length, -" -->".length);
      expect(inside).not.toMatch(/--|^-|-$|[<>&@#\s]/);
      expect(decodeURIComponent(inside)).toBe(Buffer.from(key, "utf8").toString("utf8"));
    }),
    { numRuns: 200 },
  );
  expect(keyLine("shop-a/production")).toBe("<!-- pulumi-packetfilter report: shop-a/production -->");
});
