import { readFile } from "node:fs/promises";
import { Command } from "commander";
import { z } from "zod";
import { draw, FIGURES, write } from "./draw/draw";
import { summaryTables } from "./draw/tables";
import { condense, type Figures, figuresSchema } from "./figures";
import { machine, versions } from "./machine";
import { PLAN, roughSeconds, selected, selection } from "./plan";
import { PULUMI_PEERS } from "./pulumi-peers";
import { runGroup } from "./run-group";
import { carryOut } from "./schedule";
import { SCRIPT_PEER } from "./script-peer";
import { TERRAFORM_PEERS } from "./terraform-peers";

const MINUTES = 25;

const flagsSchema = z.object({
  only: z.string().array().optional(),
  minutes: z.coerce.number().positive(),
  draw: z.boolean().optional(),
});
type Flags = z.infer<typeof flagsSchema>;

/** `npm run bench peers`: measures what people would use instead of this package, and writes docs/benchmarks.md. */
export async function peers(args: readonly string[]): Promise<void> {
  const command = new Command("npm run bench peers --")
    .description("measures this package beside what people would use instead, and writes docs/benchmarks.md")
    .option("--only <word...>", "peers, workloads, steps or sizes; prints the tables and writes no page")
    .option("--minutes <number>", "time that the whole may take", String(MINUTES))
    .option("--draw", "measures nothing: writes the page anew from docs/benchmarks.json")
    .action(async () => {
      const flags = flagsSchema.parse(command.opts());
      if (flags.draw) await draw(figuresSchema.parse(JSON.parse(await readFile(FIGURES, "utf8"))));
      else await measureAll(flags, (wrong) => command.error(wrong));
    });
  await command.parseAsync([...args], { from: "user" });
}

async function measureAll({ only = [], minutes }: Flags, refuse: (wrong: string) => never): Promise<void> {
  const choice = selection(only, PLAN);
  if (typeof choice === "string") refuse(choice);
  const plan = selected(PLAN, choice);
  const all = [...PULUMI_PEERS, ...TERRAFORM_PEERS, SCRIPT_PEER];
  const chosen = choice.peers.length === 0 ? all : all.filter(({ name }) => choice.peers.includes(name));

  const { step } = await import("../../../tools/lib/progress.mjs");
  const guess = Math.ceil(plan.reduce((sum, group) => sum + roughSeconds(group), 0) / 60);
  const progress = step(
    `Comparing ${plan.length} groups: about ${guess} min for all once, and repeats within ${minutes} min`,
    { plainEvery: 60 },
  );
  const started = performance.now();
  const { samples, leftOut } = await carryOut({
    plan,
    seconds: minutes * 60,
    run: (group, repetition) =>
      runGroup(group, chosen, repetition, (title) => progress.update(`run ${repetition + 1}, ${title}`)),
    elapsed: () => (performance.now() - started) / 1_000,
  });
  progress.done();
  for (const title of leftOut) console.error(`Left out, since ${minutes} min were not enough: ${title}.`);

  const figures: Figures = {
    date: new Date().toISOString().slice(0, 10),
    leftOut,
    machine: machine(),
    versions: versions(),
    ...(await measuredByThemselves()),
    rows: condense(samples),
  };
  console.log(summaryTables(figures));
  if (only.length > 0) return;
  await write(figures);
  await draw(figures);
}

/** The look and the parts of the provider process are measured by themselves, and their figures stay. */
async function measuredByThemselves(): Promise<Pick<Figures, "look" | "parts">> {
  const text = await readFile(FIGURES, "utf8").catch(() => undefined);
  if (text === undefined) return {};
  const { look, parts } = figuresSchema.parse(JSON.parse(text));
  return { look, parts };
}
