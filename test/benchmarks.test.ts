import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { partsOf } from "./bench/parts/parts";
import { Lookup } from "./bench/peers/draw/lookup";
import { pageOf } from "./bench/peers/draw/page";
import { stepTable } from "./bench/peers/draw/tables";
import { condense, type Figures, figuresSchema, figuresText, type Measured, type Sample } from "./bench/peers/figures";
import { type Group, type PeerName, PLAN, selected, selection } from "./bench/peers/plan";
import { carryOut } from "./bench/peers/schedule";

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
const sample = (peer: PeerName, size: number, repetition: number, outcome: Sample["outcome"]): Sample => ({
  workload: "set",
  size,
  peer,
  step: "create",
  repetition,
  outcome,
});
const figuresOf = (samples: readonly Sample[]): Figures => ({ ...published, rows: condense(samples) });

test("the page and the file of figures are what drawing them anew gives", () => {
  expect(page).toBe(pageOf(published));
  expect(text).toBe(figuresText(published));
});

test("times are medians, and ratios are those to the floor of the same size", () => {
  const figures = figuresOf([
    sample("floor", 100, 0, taken(2)),
    sample("ours", 100, 0, taken(9)),
    sample("ours", 100, 1, taken(2.5)),
    sample("ours", 100, 2, taken(2.4)),
    sample("floor", 10_000, 0, taken(4)),
    sample("ours", 10_000, 0, taken(4.4)),
    sample("ours", 10_000, 1, taken(5.2)),
    sample("script", 100, 0, taken(0.1)),
    sample("script", 10_000, 0, { failed: "it ended with 2: jq" }),
    sample("script", 50_000, 0, taken(60)),
  ]);
  expect(stepTable(new Lookup(figures), "set", "create")).toBe(
    [
      "| entries | engine's floor | this package | shell script |",
      "| ---: | ---: | ---: | ---: |",
      "| 100 | 2.00 | 2.50 (1.25) | 0.10 (0.05) |",
      "| 10 000 | 4.00 | 4.80 (1.20) | – |",
      "| 50 000 | – | – | 60.0 |",
    ].join("\n"),
  );
});

test("a repetition that failed is told beside those that did not, and counts are the largest", () => {
  const [row] = condense([
    sample("ours", 100, 0, taken(3, { requests: 4 })),
    sample("ours", 100, 1, { failed: "it ended with 255: error" }),
    sample("ours", 100, 2, taken(2, { requests: 6 })),
  ]);
  expect([row?.runs, row?.note, row?.measured]).toEqual([
    2,
    "failed: it ended with 255: error",
    { ...taken(2.5, { requests: 6 }), shortest: 2, longest: 3 },
  ]);
});

test("measures every group once, repeats the shortest in the time left, and names what does not fit", async () => {
  const group = (size: number): Group => ({ workload: "set", size, steps: ["create"] });
  const took: Record<number, number> = { 1: 10, 2: 30, 3: 20, 50000: 999 };
  let clock = 0;
  const order: string[] = [];
  const { samples, leftOut } = await carryOut({
    plan: [group(1), group(2), group(3), group(500_000)],
    seconds: 125,
    elapsed: () => clock,
    run: async ({ size }, repetition) => {
      order.push(`${size} run ${repetition}`);
      clock += took[size] ?? 0;
      return [sample("ours", size, repetition, taken(1))];
    },
  });
  expect(order).toEqual(["1 run 0", "2 run 0", "3 run 0", "1 run 1", "3 run 1", "2 run 1"]);
  expect(samples.length).toBe(6);
  expect(leftOut).toEqual(["one set of 500 000"]);
});

test("--only takes peers, parts, steps and sizes, and keeps the steps before a chosen one", () => {
  const choice = { peers: ["ours"], workloads: ["set"], steps: ["change"], sizes: [100] } as const;
  expect(selection(["ours", "set", "change", "100"], PLAN)).toEqual(choice);
  expect(selected(PLAN, choice)).toEqual([{ workload: "set", size: 100, steps: ["create", "nothing", "change"] }]);
  expect(selection(["our"], PLAN)).toMatch(/^"our" is nothing to choose\. There are: floor, ours, .+, 10000, 50000\.$/);
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
