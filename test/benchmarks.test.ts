import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { partsOf } from "./bench/parts/parts";
import { pageOf } from "./bench/peers/draw/page";
import { condense, figuresSchema, figuresText, type Measured, type Sample } from "./bench/peers/figures";

const docs = join(__dirname, "..", "docs");
const text = readFileSync(join(docs, "benchmarks.json"), "utf8");
const published = figuresSchema.parse(JSON.parse(text));
const page = readFileSync(join(docs, "benchmarks.md"), "utf8");

const taken = (seconds: number, more: Partial<Measured> = {}): Measured => ({
  seconds,
  requests: 4,
  commits: 1,
  written: 100,
  engine: 100,
  provider: 150,
  other: 200,
  state: 3_000,
  ...more,
});
const sample = (repetition: number, outcome: Sample["outcome"]): Sample => ({
  ...({ workload: "set", size: 100, peer: "ours", step: "create" } as const),
  ...{ repetition, outcome },
});

test("the page and the file of figures are what drawing them anew gives", () => {
  expect(page).toBe(pageOf(published));
  expect(text).toBe(figuresText(published));
});

test("times are medians, counts are the largest, and a repetition that failed stands beside those that did not", () => {
  const [row] = condense([
    sample(0, taken(3, { requests: 4 })),
    sample(1, { failed: "it ended with 255: error" }),
    sample(2, taken(2, { requests: 6 })),
    sample(3, taken(9, { requests: 5 })),
  ]);
  expect([row?.runs, row?.note, row?.measured]).toEqual([
    3,
    "failed: it ended with 255: error",
    { ...taken(3, { requests: 6 }), shortest: 2, longest: 9 },
  ]);
});

test("a sample of a profile counts for the innermost function that has a part, and for loading where Node loads below it", () => {
  const dist = "file:///package/dist/parts/a.js";
  const frames: [name: string, url: string, children: number[]][] = [
    ["(root)", "", [1, 8, 9]],
    ["delete", "file:///sdk/@pulumi/pulumi/cmd/dynamic-provider/index.js", [2, 6]],
    ["delete", dist, [3, 4]],
    ["readEntries", dist, [5]],
    ["publish", dist, []],
    ["push", "", []],
    ["exports.handler", "", [7]],
    ["require", "node:internal/modules/helpers", []],
    ["(idle)", "", []],
    ["toJavaScript", "file:///sdk/google-protobuf/a.js", []],
  ];
  const nodes = frames.map(([functionName, url, children], id) => ({ id, callFrame: { functionName, url }, children }));
  const samples = [5, 4, 2, 7, 8, 9, 9];
  const parts = partsOf({ nodes, samples, timeDeltas: samples.map(() => 1_000) });
  expect(Object.entries(parts).filter(([, ms]) => ms > 0)).toEqual([
    ["loading this package", 1],
    ["reading the node's lists", 1],
    ["keys for other processes, and notes", 1],
    ["all else of this package", 1],
    ["messages of the engine", 2],
  ]);
});
