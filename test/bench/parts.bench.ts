import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";

import { middleOf } from "./figure";
import { PARTS, partsOf, profileSchema } from "./parts/parts";
import { draw, FIGURES, write } from "./peers/draw/draw";
import { partsTable } from "./peers/draw/tables";
import { type Figures, figuresSchema } from "./peers/figures";
import { finished } from "./peers/measure";
import { BenchNode } from "./peers/node";
import { entriesOf, STEPS, type Step } from "./peers/plan";
import { PULUMI_PEERS } from "./peers/pulumi-peers";

const SIZE = 10_000;
const RUNS = 5;
const PEERS = ["ours", "floor"] as const;
const writtenSchema = z.object({ cpu: z.number(), profile: profileSchema });

/** Cost of one step in the provider process: milliseconds of its processor time, and of its main thread by part. */
interface Cost {
  readonly cpu: number;
  readonly parts: Readonly<Record<string, number>>;
}

/** `npm run bench parts`: where the provider process spends its time, for docs/benchmarks.md. */
export async function parts(): Promise<void> {
  const costs: { peer: (typeof PEERS)[number]; step: Step; cost: Cost }[] = [];
  for (let run = 0; run < RUNS; run++) for (const one of await measured()) costs.push(one);
  const middle = (peer: string, step: Step, of: (cost: Cost) => number) =>
    Math.round(middleOf(costs.flatMap((one) => (one.peer === peer && one.step === step ? of(one.cost) : []))));
  const row = (what: string, peer: string, of: (cost: Cost) => number) => ({
    what,
    ms: Object.fromEntries(STEPS.map((step) => [step, middle(peer, step, of)])) as Record<Step, number>,
  });
  const measuredParts: Figures["parts"] = {
    date: new Date().toISOString().slice(0, 10),
    entries: SIZE,
    runs: RUNS,
    rows: [
      ...PARTS.map((part) => row(part, "ours", ({ parts }) => parts[part] ?? 0)),
      row("processor time, all threads", "ours", ({ cpu }) => cpu),
      row("processor time of the floor's provider", "floor", ({ cpu }) => cpu),
    ],
  };
  const figures = { ...figuresSchema.parse(JSON.parse(await readFile(FIGURES, "utf8"))), parts: measuredParts };
  console.log(partsTable(measuredParts));
  await write(figures);
  await draw(figures);
}

/** Each step once, of both. */
async function measured() {
  const folder = await mkdtemp(join(tmpdir(), "packetfilter-bench-"));
  await using node = await BenchNode.start(PEERS);
  const costs: { peer: (typeof PEERS)[number]; step: Step; cost: Cost }[] = [];
  for (const peer of PEERS) {
    const task = { workload: "set", endpoint: node.endpoint, set: peer } as const;
    await using session = await PULUMI_PEERS.find(({ name }) => name === peer)?.prepare(task);
    if (!session) throw new Error(`There is no peer ${peer}.`);
    for (const step of STEPS) {
      await session.want(entriesOf(SIZE, !["create", "nothing"].includes(step)));
      const profiled = {
        NODE_OPTIONS: `--require ${join(__dirname, "parts/profiled.js")}`,
        PACKETFILTER_BENCH_PROFILES: folder,
      };
      const { code, output } = await finished(session.start(step, profiled));
      if (code !== 0) throw new Error(output);
      for (const name of await readdir(folder)) {
        const { cpu, profile } = writtenSchema.parse(JSON.parse(await readFile(join(folder, name), "utf8")));
        costs.push({ peer, step, cost: { cpu, parts: partsOf(profile) } });
        await rm(join(folder, name));
      }
    }
  }
  await rm(folder, { recursive: true });
  return costs;
}
