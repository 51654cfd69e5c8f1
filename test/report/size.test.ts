import { expect, test } from "vitest";
import { markdown, parsePreview, reportOf } from "../../provider/report";

const TYPE = "pulumi-nodejs:dynamic/packetfilter:PrefixSet";
const urn = (name: string) => `urn:pulumi:test::journey::${TYPE}::${name}`;
const entries = (count: number, third: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`10.${third}.${index >> 8}.${index & 255}/32`, 1]));
const note = JSON.stringify({ reason: "ü".repeat(500), ticket: "INC-1" });

function preview({ updated, deleted }: { updated: number; deleted: number }): string {
  const update = (index: number) => {
    const inputs = { arena: "edge", set: `changing-${index}`, node: `node-${index}` };
    const after = entries(30, index);
    const notes = Object.fromEntries(Object.keys(after).map((prefix) => [prefix, note]));
    return {
      op: "update",
      urn: urn(`set${index}`),
      oldState: { inputs: { ...inputs, entries: {} } },
      newState: { inputs: { ...inputs, entries: after, notes } },
    };
  };
  const gone = (index: number) => ({
    op: "delete",
    urn: urn(`gone${index}`),
    oldState: { inputs: { arena: "edge", set: `gone-${index}`, entries: { "192.0.2.0/24": 1 } } },
  });
  const steps = [
    ...Array.from({ length: updated }, (_, index) => update(index)),
    ...Array.from({ length: deleted }, (_, index) => gone(index)),
  ];
  return JSON.stringify({ steps, diagnostics: [{ severity: "warning", message: "w".repeat(2_000) }] });
}

const comment = (size: { updated: number; deleted: number }, maxBytes: number) =>
  markdown(reportOf(parsePreview(preview(size)), 0), { key: "k", limit: 20, maxBytes });
const deletions = (text: string) => text.match(/^- \*\*Deleted\*\*/gm)?.length ?? 0;

test("a comment that fits has everything, and names the number that --limit leaves out", () => {
  const text = comment({ updated: 2, deleted: 3 }, 60_000);
  expect(text).toContain("60 entries in");
  expect(text.match(/… and 10 more/g)).toHaveLength(2);
  expect(text).not.toContain("Left out for lack of space");
});

test("without room the lists become shorter first, then details go, and every deletion stays", () => {
  const text = comment({ updated: 40, deleted: 100 }, 60_000);
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(60_000);
  expect(text).toContain("100 resources deleted, 1 200 entries in");
  expect(deletions(text)).toBe(100);
  expect(text.match(/^\| `node-/gm)).toHaveLength(40);
  const shown = text.match(/<details>/g)?.length ?? 0;
  expect(shown).toBeGreaterThan(0);
  expect(text).toContain(`**Left out for lack of space:** ${40 + 100 - shown} details of sets.`);
  expect(text.match(/<\/details>/g)).toHaveLength(shown);
});

test("where deletions are too many to name, the counts include those left out", () => {
  for (const maxBytes of [6_000, 60_000, 65_000]) {
    const text = comment({ updated: 3, deleted: 2_000 }, maxBytes);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(maxBytes);
    expect(text).toContain("2 000 resources deleted, 90 entries in");
    const left = 2_000 - deletions(text);
    expect(left).toBeGreaterThan(0);
    expect(text.replaceAll(" ", "")).toContain(`${left}deletionsandreplacements`);
  }
});
