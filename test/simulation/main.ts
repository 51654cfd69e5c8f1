import { play } from "./play";
import { generate } from "./story/generate";

Error.stackTraceLimit = 8;

async function main(args: readonly string[]): Promise<void> {
  const value = (name: string) => args[args.indexOf(name) + 1];
  const isStory = args.includes("--story");
  const [from, to] = args.includes("--seed")
    ? [Number(value("--seed")), Number(value("--seed"))]
    : (value("--seeds") ?? "1-100").split("-").map(Number);
  let failed = 0;
  let events = 0;
  const kinds = new Map<string, number[]>();
  for (let seed = from as number; seed <= (to as number); seed += 1) {
    const { broken, world } = await play(generate(seed));
    events += world.story.events;
    if (isStory) process.stdout.write(`${world.story.lines.join("\n")}\n`);
    if (broken.length > 0) failed += 1;
    const [first] = broken;
    if (first) {
      const key = `${first.promise}: ${first.sentence.replace(/\d[\d.:a-f/]*/g, "N").slice(0, 150)}`;
      kinds.set(key, [...(kinds.get(key) ?? []), seed]);
    }
  }
  for (const [kind, seeds] of [...kinds].sort((a, b) => b[1].length - a[1].length))
    process.stdout.write(`${seeds.length} x ${kind}  [${seeds.slice(0, 8)}]\n`);
  const total = (to as number) - (from as number) + 1;
  const { user, system } = process.cpuUsage();
  process.stdout.write(
    `${(events / total).toFixed(0)} events a seed, ${((user + system) / 1000 / total).toFixed(1)} ms CPU a seed\n${total} seeds, ${failed} failed\n`,
  );
  process.exitCode = failed > 0 ? 1 : 0;
}

void main(process.argv.slice(2));
