import { appendFileSync, rmSync } from "node:fs";
import { availableParallelism } from "node:os";
import process from "node:process";
import { isMainThread, parentPort, Worker } from "node:worker_threads";
import { Command, InvalidArgumentError } from "commander";
import { recorded } from "./plan-out";
import { play } from "./play";
import type { Scenario } from "./scenario";
import { playSeed, type SeedResult, worldsOf } from "./seeds";
import { Coverage } from "./story/coverage";
import { generate } from "./story/generate";
import { shrink } from "./story/shrink";

/** Seeds that a worker gets at a time: few, so that none waits for the last of another. */
const AT_A_TIME = 5;
const MINUTE_MS = 60_000;

interface Flags {
  readonly seeds?: readonly [number, number];
  readonly seed?: number;
  readonly story?: true;
  readonly minutes?: number;
  readonly from: number;
  readonly workers: number;
  readonly pairs?: true;
  readonly first?: true;
  readonly planOut?: string;
  readonly repeat?: readonly [number, number];
}

const number = (text: string): number => {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError("must be a whole number.");
  return Number(text);
};

const range = (text: string): [number, number] => {
  const [, from, to] = /^(\d{1,9})-(\d{1,9})$/.exec(text) ?? [];
  if (from === undefined || to === undefined || Number(from) > Number(to))
    throw new InvalidArgumentError("must be a range such as 1-2000.");
  return [Number(from), Number(to)];
};

const program = new Command("simulate")
  .description("Plays drawn worlds of engine, nodes and receivers, and judges every promise after each run.")
  .option("--seeds <from-to>", "seeds to play (default: 1-1000)", range)
  .option("--seed <number>", "one seed, with the story of a failure", number)
  .option("--story", "print the story of the seed, a line an event")
  .option("--minutes <number>", "play seeds for so long", number)
  .option("--from <number>", "first seed of --minutes", number, 1)
  .option("--workers <number>", "threads that play seeds", number, availableParallelism())
  .option("--first", "stop at the first failure")
  .option("--pairs", "print how many seeds had each pair of kinds of events")
  .option("--repeat <from-to>", "play each of these seeds twice; a seed fails whose stories differ", range)
  .option("--plan-out <file>", "write each scenario and what the simulated engine did, for the real engine")
  .option("--patch <file>", "play with a copy of the product, changed by this unified diff")
  .action(simulate);

async function simulate(flags: Flags): Promise<void> {
  if (flags.planOut !== undefined) return writePlan(flags.planOut, flags.seeds ?? [1, 50]);
  if (flags.repeat) return repeat(flags.repeat);
  if (flags.seed !== undefined) return one(flags.seed, flags.story === true);
  const coverage = new Coverage();
  const failures: SeedResult[] = [];
  const events: number[] = [];
  const began = performance.now();
  const take = (result: SeedResult) => {
    coverage.add(result.kinds);
    events.push(result.events);
    if (result.broken) failures.push(result);
    if (process.stderr.isTTY && events.length % AT_A_TIME === 0)
      process.stderr.write(`\r${events.length} seeds, ${failures.length} failed`);
  };
  const [from, to] = flags.seeds ?? (flags.minutes === undefined ? [1, 1000] : [flags.from, Number.POSITIVE_INFINITY]);
  const until = flags.minutes === undefined ? Number.POSITIVE_INFINITY : began + flags.minutes * MINUTE_MS;
  await inWorkers(
    flags.workers,
    from,
    to,
    () => performance.now() < until && !(flags.first && failures.length > 0),
    take,
  );
  if (process.stderr.isTTY) process.stderr.write("\r");
  process.stdout.write(flags.pairs ? coverage.pairTable() : coverage.table());
  for (const [kind, seeds] of grouped(failures))
    process.stdout.write(`${seeds.length} x ${kind} (seeds ${seeds.slice(0, 8).join(", ")})\n`);
  const [first] = failures.sort((a, b) => a.seed - b.seed);
  if (first) await tell(first);
  const minutes = (performance.now() - began) / MINUTE_MS;
  const median = events.sort((a, b) => a - b)[events.length >> 1] ?? 0;
  process.stdout.write(
    `${median} events a seed at the median, ${Math.round(events.length / minutes)} seeds a minute\n`,
  );
  process.stdout.write(`${events.length} seeds, ${failures.length} failed\n`);
  process.exitCode = failures.length > 0 ? 1 : 0;
}

/** Plays each seed twice, all of them once before any again. */
async function repeat([from, to]: readonly [number, number]): Promise<void> {
  const seeds = Array.from({ length: to - from + 1 }, (_, index) => from + index);
  const stories = async (): Promise<string[]> => {
    const told: string[] = [];
    for (const seed of seeds) told.push(await storyOf(seed));
    return told;
  };
  const [once, again] = [await stories(), await stories()];
  const different = seeds.filter((_, index) => once[index] !== again[index]);
  for (const seed of different) {
    const [first = [], second = []] = [once[seed - from]?.split("\n"), again[seed - from]?.split("\n")];
    const line = first.findIndex((text, index) => text !== second[index]);
    process.stdout.write(
      `Seed ${seed} differs the second time, at line ${line + 1}:\n${first[line]}\n${second[line]}\n`,
    );
  }
  process.stdout.write(`${seeds.length} seeds, ${different.length} failed\n`);
  process.exitCode = different.length > 0 ? 1 : 0;
}

/** The stories of the worlds of a seed. */
async function storyOf(seed: number): Promise<string> {
  const lines: string[] = [];
  for (const scenario of worldsOf(seed)) lines.push(...(await play(scenario)).world.story.lines);
  return lines.join("\n");
}

/** Plays one seed in this process. */
async function one(seed: number, isStory: boolean): Promise<void> {
  if (isStory) process.stdout.write(`${await storyOf(seed)}\n`);
  const result = await playSeed(seed);
  const { broken: first } = result;
  if (first && !isStory) await tell(result);
  process.stdout.write(`1 seeds, ${first ? 1 : 0} failed\n`);
  process.exitCode = first ? 1 : 0;
}

/** Prints the smallest story that breaks the same promise. */
async function tell({ seed, broken }: SeedResult): Promise<void> {
  const { promise = "", sentence } = broken ?? {};
  const told = async (scenario: Scenario) => (await play(scenario)).broken[0]?.promise === promise;
  const worlds = worldsOf(seed);
  let guilty = worlds.pop() as Scenario;
  for (const scenario of worlds) if (await told(scenario)) guilty = scenario;
  const { world } = await play(await shrink(guilty, promise));
  process.stdout.write(
    `\nSeed ${seed} breaks promise ${promise}: ${sentence}\nThe story, without what it does not need:\n${world.story.lines.join("\n")}\n\n`,
  );
}

function grouped(failures: readonly SeedResult[]): [string, number[]][] {
  const kinds = new Map<string, number[]>();
  for (const { seed, broken } of failures) {
    const kind = `${broken?.promise}: ${broken?.sentence.replace(/\d[\d.:a-f/]*/g, "N").slice(0, 160)}`;
    kinds.set(kind, [...(kinds.get(kind) ?? []), seed]);
  }
  return [...kinds].sort(([, a], [, b]) => b.length - a.length);
}

/** Plays seeds in several threads. */
async function inWorkers(
  threads: number,
  from: number,
  to: number,
  goesOn: () => boolean,
  take: (result: SeedResult) => void,
): Promise<void> {
  let next = from;
  const work = async () => {
    const worker = new Worker(__filename, { resourceLimits: { maxYoungGenerationSizeMb: 128 } });
    try {
      while (next <= to && goesOn()) {
        const last = Math.min(to, next + AT_A_TIME - 1);
        const results = new Promise<SeedResult[]>((resolve, reject) => {
          worker.once("message", resolve);
          worker.once("error", reject);
        });
        worker.postMessage([next, last]);
        next = last + 1;
        for (const result of await results) take(result);
        worker.removeAllListeners("error");
      }
    } finally {
      await worker.terminate();
    }
  };
  await Promise.all(Array.from({ length: Math.max(1, threads) }, work));
}

async function writePlan(file: string, [from, to]: readonly [number, number]): Promise<void> {
  rmSync(file, { force: true });
  for (let seed = from; seed <= to; seed += 1) {
    const scenario = generate(seed);
    const { world } = await play(scenario);
    appendFileSync(file, `${JSON.stringify({ scenario, recorded: recorded(world) })}\n`);
  }
}

Error.stackTraceLimit = 8;
if (isMainThread) void program.parseAsync();
else
  parentPort?.on("message", async ([from, to]: [number, number]) => {
    const results: SeedResult[] = [];
    for (let seed = from; seed <= to; seed += 1) results.push(await playSeed(seed));
    parentPort?.postMessage(results);
  });
