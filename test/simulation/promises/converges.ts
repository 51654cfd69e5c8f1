import type { RunRecord, World } from "../simulation";
import { claimsOf } from "./model";
import { differences } from "./truth-of-green";

/** After the faults end, two plain `up`s are enough, and a third changes nothing and sends nothing that changes anything. */
export async function converges(world: World): Promise<string[]> {
  world.calm();
  const problems: string[] = [];
  for (const [stack] of world.stacks.entries()) {
    const program = lastProgram(world, stack);
    if (!program) continue;
    const up = { stack, command: "up", program, options: {}, meanwhile: [] } as const;
    await world.time.until(world.time.sleep(120_000));
    const first = await world.more(up);
    const second = first.done.errors.length > 0 ? await world.more(up) : first;
    for (const error of second.done.errors) problems.push(`stack ${stack}: the second plain up fails: ${error}`);
    if (second.done.errors.length > 0) continue;
    for (const { sentence } of differences(world, claimsOf(program))) problems.push(`after two plain ups ${sentence}`);
    const third = await world.more({ ...up, command: "preview" });
    for (const { op, name } of third.done.steps) problems.push(`after two plain ups a preview shows: ${op} ${name}`);
  }
  return problems;
}

/** The program that the operator wants in the end: the last one that could be applied. */
function lastProgram({ records }: World, stack: number): RunRecord["run"]["program"] | undefined {
  const own = records.filter(({ run }) => run.stack === stack);
  const last = own.findLast(({ run, preview }) => run.command === "destroy" || (run.command === "up" && preview?.errors.length === 0));
  return last?.run.command === "up" ? last.run.program : undefined;
}
