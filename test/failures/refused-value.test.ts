import { expect, it } from "vitest";
import { type DialectSettings, startEmulator } from "../../provider/emulator";
import { type Declared, MiniEngine } from "./support/engine";
import { HurriedWorld } from "./support/hurried-world";
import { BLOCKED, entry, NODE, PARTNERS, set } from "./support/scenarios";

/**
 * A node that stages the rest of a request with a refused entry, refuses what exists, and deletes by its own spelling only, which
 * no list shows before a commit. A single address that is staged by mistake goes only through a commit.
 */
const CLINGING = {
  maxValue: 255,
  insertExisting: "error",
  deleteAbsent: "error",
  refusedEntry: "rest",
  singleAddress: "bare",
  deleteSpelling: "listed",
} as const satisfies DialectSettings;

const PREFIXES = [1, 2, 3, 4, 5].map((host) => `203.0.113.${host}/32`);
const values = (value: (index: number) => number, prefixes = PREFIXES) =>
  Object.fromEntries(prefixes.map((prefix, index) => [prefix, value(index)]));
const singles = (value: (index: number) => number) =>
  PREFIXES.map((prefix, index) => entry(`e${index}`, prefix, value(index)));

interface Story {
  readonly name: string;
  readonly before: readonly Declared[];
  readonly refused: readonly Declared[];
  readonly after: readonly Declared[];
  readonly held: Record<string, number>;
}

const all = (value: number) => values(() => value);
const STORIES: readonly Story[] = [
  {
    name: "a new set",
    before: [],
    refused: [set(values((index) => (index === 2 ? 300 : 1)))],
    after: [set(all(1))],
    held: all(1),
  },
  {
    name: "a new set that is made smaller next",
    before: [],
    refused: [set(values((index) => (index === 2 ? 300 : 1)))],
    after: [set(values(() => 1, PREFIXES.slice(0, 2)))],
    held: values(() => 1, PREFIXES.slice(0, 2)),
  },
  {
    name: "new values beside new entries",
    before: [set(values(() => 1, PREFIXES.slice(0, 3)))],
    refused: [set(values((index) => (index === 1 ? 300 : 2)))],
    after: [set(all(2))],
    held: all(2),
  },
  {
    name: "single entries",
    before: [],
    refused: singles((index) => (index === 2 ? 300 : 1)),
    after: singles(() => 1),
    held: all(1),
  },
];

for (const lists of ["applied", "staged"] as const) {
  it.for(STORIES)(
    `one refused value in $name does not stop the next up, where lists show ${lists} entries`,
    async ({ before, refused, after, held }) => {
      await using node = await startEmulator({ state: NODE, dialect: { ...CLINGING, listShows: lists } });
      const applied = () => ({ ...node.prefixSet(BLOCKED).applied, ...node.prefixSet(PARTNERS).applied });
      const engine = new MiniEngine({ endpoint: node.endpoint, node: { commitCoalesceMs: 1, deadlineMs: 2_000 } });
      expect((await engine.up(before)).errors).toEqual([]);
      const failed = await engine.up(refused);
      expect(failed.errors.map(({ message }) => message).join()).toContain("must be an integer from 0 to 255");
      expect((await engine.up(after)).errors).toEqual([]);
      expect(applied()).toEqual(held);
      expect((await engine.preview(after, { refresh: true })).steps).toEqual([]);
      expect((await engine.destroy()).errors).toEqual([]);
      expect(applied()).toEqual({});
    },
  );
}

/** Eight hosts, which such a node takes back only once they are listed, among four networks. */
const TWELVE = [
  ...["192.0.2.0/27", "192.0.2.32/27"],
  ...["203.0.113.1/32", "203.0.113.2/32", "203.0.113.3/32", "203.0.113.4/32"],
  ...["203.0.113.5/32", "203.0.113.6/32", "203.0.113.7/32", "203.0.113.8/32"],
  ...["192.0.2.64/27", "192.0.2.96/27"],
];

it.for(["failed", "was killed"])(
  "twelve entries, four a request, converge with the next up after one that %s",
  async (how) => {
    await using node = await startEmulator({ state: NODE, dialect: CLINGING });
    const engine = new MiniEngine({ endpoint: node.endpoint, node: { commitCoalesceMs: 1, maxEntriesPerRequest: 4 } });
    if (how === "failed") {
      const refused = await engine.up([set(values((index) => (index === 5 ? 300 : 1), TWELVE))]);
      expect(refused.errors.map(({ message }) => message)).toEqual([
        expect.stringMatching(
          /the node refused 203\.0\.113\.4\/32, and did not take back 203\.0\.113\.1\/32.* which is applied now/,
        ),
      ]);
      const { "203.0.113.4/32": _, ...held } = node.prefixSet(BLOCKED).applied;
      expect(engine.state[0]?.outputs.entries).toEqual(held);
    } else {
      const world = new HurriedWorld({ request: 4, when: "before" });
      await engine.up([set(values(() => 1, TWELVE))], { world });
      expect(engine.state).toEqual([]);
      expect(Object.keys(node.prefixSet(BLOCKED).staged)).toHaveLength(8);
    }
    const next = await engine.up([set(values(() => 1, TWELVE))]);
    expect(next.errors).toEqual([]);
    expect(next.printed.filter((line) => line.startsWith("warning"))).toEqual([]);
    expect(node.prefixSet(BLOCKED)).toEqual({ applied: values(() => 1, TWELVE), staged: values(() => 1, TWELVE) });
    expect((await engine.preview([set(values(() => 1, TWELVE))], { refresh: true })).steps).toEqual([]);
  },
);
