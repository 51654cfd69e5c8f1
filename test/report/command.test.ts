import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startEmulator } from "../../provider/emulator";
import { run } from "../commands/support";

const EMPTY = JSON.stringify({ steps: [], changeSummary: { same: 3 } });
const BLOCKED = "urn:pulumi:test::shop::pulumi-nodejs:dynamic/packetfilter:PrefixSet::blocked";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "packetfilter-report-"));
});
afterAll(() => rm(folder, { recursive: true }));

const report = (text: string, ...args: string[]) => run(["report", ...args], { stdin: Readable.from([text]) });

test("reads standard input without a file, and reports a preview without changes in a line", async () => {
  const line = "<!-- pulumi-packetfilter report: shop -->\n### Packet filter\n\nNo changes.\n";
  expect(await report(EMPTY, "--key", "shop")).toEqual({ code: 0, out: line, err: "" });
  expect((await report(EMPTY, "-", "--output", "text")).out).toBe("No changes.\n");
});

test("what is no preview ends with 1 and a sentence that quotes nothing of it", async () => {
  const wrong = [
    "",
    "words-of-a-secret",
    '{"a": "words-of-a-secret"',
    '{"words-of-a-secret": 1}',
    `${EMPTY}\n${EMPTY}`,
    "[]",
  ];
  const results = await Promise.all(wrong.map((text) => report(text)));
  expect(results.map(({ code, out }) => [code, out])).toEqual(wrong.map(() => [1, ""]));
  for (const { err } of results) expect(err).not.toContain("words-of-a-secret");
  expect(results[0]?.err).toContain("The preview is empty");
  expect(results[1]?.err).toContain("begins with something else");
  expect(results[4]?.err).toContain("goes on behind the object");
});

test("wrong use ends with 2, and nothing is read", async () => {
  const wrong = [
    ["--limit", "0"],
    ["--max-bytes", "65001"],
    ["--max-bytes", "5999"],
    ["--link", "javascript:alert(1)"],
    ["--link", "https://user:words@ci.example.com/"],
    ["--key", " "],
    ["--output", "html"],
    ["--config", "config.json"],
  ];
  for (const args of wrong) expect(await report(EMPTY, ...args), args.join(" ")).toMatchObject({ code: 2, out: "" });
  expect(await run(["report"])).toMatchObject({ code: 2, out: "" });
});

test("a link stands at the end, and nothing in it is markup", async () => {
  const { out } = await report(EMPTY, "--link", "https://ci.example.com/a_b(1)?x=<b>&y=[1]\\#>`|");
  expect(out.split("\n").at(-2)).toMatch(/^\[The whole preview\]\(<https:\/\/ci\.example\.com\/[^<>\\\s]+>\)$/);
});

test("credentials go only to their configured address, and a skipped node is named", async () => {
  const state = {
    arenas: {
      edge: {
        sets: { blocked: {} },
        profiles: { web: { marks: { shost: [{ address: "203.0.113.7", id: 1, value: 1, lifetime: 60 }] } } },
      },
    },
  };
  await using asked = await startEmulator({ state, auth: { bearer: "node-words" } });
  await using other = await startEmulator({ state, auth: { bearer: "node-words" } });
  const place = { arena: "edge", set: "blocked" };
  const entries = { "203.0.113.0/24": 1, "192.0.2.0/24": 1 };
  const step = (endpoint: string, node?: unknown) => ({
    op: "update",
    urn: BLOCKED,
    oldState: { inputs: { ...place, node, entries: {} }, outputs: { endpoint } },
    newState: { inputs: { ...place, node, entries } },
  });
  const config = { "packetfilter:endpoint": asked.endpoint, "packetfilter:headers": "[secret]" };
  await writeFile(
    join(folder, "preview.json"),
    JSON.stringify({
      config,
      steps: [step(asked.endpoint), step(other.endpoint, { endpoint: other.endpoint, headers: "[secret]" })],
    }),
  );
  const { code, out } = await run(["report", "preview.json", "--marks", "--output", "json"], {
    folder,
    env: { PACKETFILTER_HEADERS: '{"authorization":"Bearer node-words"}' },
  });
  expect(code).toBe(0);
  const sets: { endpoint: string; marks: unknown; in: { marked?: number } }[] = JSON.parse(out).sets;
  const at = ({ endpoint }: { endpoint: string }) => sets.find((set) => set.endpoint === endpoint);
  expect(at(asked)).toMatchObject({ marks: { sources: 1 }, in: { marked: 1 } });
  expect(at(other)?.marks).toEqual({ unasked: expect.stringContaining("HTTP 401") });
  expect(out).not.toContain("node-words");
  expect(asked.journal.map(({ cmd, type }) => `${cmd} ${type ?? ""}`.trim())).toHaveLength(2);
  expect(other.journal.every(({ status }) => status === 401)).toBe(true);
});
