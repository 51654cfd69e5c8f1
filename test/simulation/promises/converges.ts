import { sameJson } from "../../../provider/model/json";
import type { Step } from "../engine/deployment";
import type { Declared } from "../scenario";
import type { RunRecord, World } from "../simulation";
import { type Claim, claimsOf, isBlind, nodesOf } from "./model";
import { namesIn } from "./preview-shows";
import { differences } from "./truth-of-green";

/** After the faults end, two plain `up`s are enough, and a third changes nothing and sends nothing that changes anything. */
export async function converges(world: World): Promise<string[]> {
  world.calm();
  const problems: string[] = [];
  for (const [stack] of world.stacks.entries()) {
    const program = lastProgram(world, stack);
    if (!program) continue;
    const options = isBlind(world, { stack, options: {} }) ? { refresh: true } : {};
    const up = { stack, command: "up", program, options, meanwhile: [] } as const;
    await world.time.until(world.time.sleep(120_000));
    let last = await world.more(up);
    // The engine shows no provider the state of a group that is renamed: such waves without a check stop where nodes differ, and say what reads it.
    if (last.done.errors.some((error) => error.includes('or run "pulumi up --refresh", which reads the state')))
      last = await world.more({ ...up, options: { refresh: true } });
    // What others had staged is published by the first of them.
    const isOpen = last.done.errors.length > 0 || last.done.printed.some((line) => line.includes("did not send"));
    if (isOpen) last = await world.more(up);
    // An entry that is taken over keeps its value in the run that says so.
    if (last.done.printed.some((line) => line.includes("adopted"))) last = await world.more(up);
    // A program that the stack's limits forbid, and that a run for some resources alone could apply in part.
    if (last.done.errors.some((error) => error.includes("(forbiddenPrefixes)"))) continue;
    if (last.done.errors.length > 0 && lacksProtected(world, stack, program)) continue;
    for (const error of last.done.errors) problems.push(`stack ${stack}: the second plain up fails: ${error}`);
    if (last.done.errors.length > 0) continue;
    const claims = claimsOf(program, {}, last.done.began);
    for (const { sentence } of differences(world, claims)) problems.push(`after two plain ups ${sentence}`);
    // A killed run leaves no state: what it added is of others for the next run, which names it and the remedy.
    const wasKilled = world.records.some(({ run, done }) => run.stack === stack && done.wasKilled);
    const named = wasKilled ? last.done.printed.filter((line) => line.includes('"pulumi up --refresh" removes')) : [];
    const left = leftovers(world, claims);
    problems.push(...left.filter(({ prefix }) => !named.some((line) => namesIn(line, prefix))).map(sentenceOf));
    problems.push(...leftNodes(world, stack, program, last));
    const third = await world.more({ ...up, command: "preview" });
    for (const step of third.done.steps)
      if (step.op !== "refresh" && !isUndecided(step, third) && !hasUnknown(step, program))
        problems.push(`after two plain ups a preview shows: ${step.op} ${step.name}`);
  }
  return problems;
}

/** True for a program that lacks a protected resource of the state, which the engine deletes for no run: only some of it could be applied. */
function lacksProtected({ stacks }: World, stack: number, program: readonly Declared[]): boolean {
  const names = program.flatMap(({ name, options }) => [name, ...(options?.aliases ?? [])]);
  const { resources = [] } = stacks[stack]?.history.at(-1) ?? {};
  return resources.some(({ name, protect }) => protect && !names.includes(name));
}

/**
 * True for a group that waits for a word of the operator alone: a node has left it that may be the same machine as one that stays, and the run
 * says so.
 */
function isUndecided({ op, type, old, inputs }: Step, { done }: RunRecord): boolean {
  if (op !== "update" || type !== "PrefixSetGroup" || !sameJson(old?.inputs, inputs)) return false;
  const left = Object.keys(old?.outputs.endpoints ?? {}).filter((node) => !nodesOf(inputs ?? {}).includes(node));
  const isNamed = (node: string) =>
    done.printed.some(
      (line) => line.includes(`on ${node}: it leaves the group`) && line.includes("may be the same machine"),
    );
  return left.length > 0 && left.every(isNamed);
}

/** True for a resource that a preview knows only in part. */
function hasUnknown({ name }: Step, program: readonly Declared[]): boolean {
  return program.some((one) => one.name === name && one.options?.unknown !== undefined);
}

/** Nodes that the state of a group still has after they left the program, and of which the last run says nothing. */
function leftNodes({ stacks }: World, stack: number, program: readonly Declared[], { done }: RunRecord): string[] {
  return (stacks[stack]?.history.at(-1)?.resources ?? []).flatMap(({ name, outputs }) => {
    const { args = {} } = program.find((it) => it.name === name) ?? {};
    const left = Object.keys(Object(outputs.endpoints)).filter((node) => !nodesOf(args).includes(node));
    return left
      .filter((node) => !done.printed.some((line) => line.includes(`on ${node}: `)))
      .map((node) => `after two plain ups the state of ${name} still has ${node}, which has left it`);
  });
}

/** Entries of a whole set that no program declares and no other writer has put there. */
function leftovers(world: World, claims: readonly Claim[]): Leftover[] {
  // Two addresses may be one machine there: what another one declares stays, and a warning says so.
  if (world.scenario.nodes.some(({ aliases }) => aliases !== undefined)) return [];
  return claims.flatMap((claim) => {
    if (claim.kind !== "set" || !claim.exclusive || claim.resource.options?.ignoreChanges) return [];
    const machine = world.nodes.get(claim.node);
    if (!machine || world.acts.some(({ act }) => act.actor === "restore")) return [];
    const foreign = foreignAt(world, machine.name, claim.url);
    const held = Object.keys(machine.held(claim.url)).filter(
      (prefix) => !(prefix in claim.entries) && !foreign.has(prefix) && !foreign.has("*"),
    );
    return held.map((prefix) => ({ prefix, node: claim.node, url: claim.url }));
  });
}

interface Leftover {
  readonly prefix: string;
  readonly node: string;
  readonly url: string;
}

function sentenceOf({ prefix, node, url }: Leftover): string {
  return `after two plain ups ${node} still holds ${prefix} of ${url}, which only this stack has put there and no longer declares`;
}

/** Prefixes that others have put into a set; `*` for any. */
export function foreignAt({ scenario, acts, nodes }: World, machine: string, url: string): Set<string> {
  const initial = scenario.nodes
    .filter(({ name }) => nodes.get(name)?.name === machine)
    .flatMap(({ sets }) => Object.keys(sets[url] ?? {}));
  const written = acts.flatMap(({ act }) => {
    if (act.actor === "node" && act.restart === "older" && nodes.get(act.node)?.name === machine) return ["*"];
    if (act.actor === "on-call" && act.set === url) return [act.prefix];
    if (act.actor === "operator" && act.set === url && act.command === "block")
      return act.nodes.some((node) => nodes.get(node)?.name === machine) ? act.prefixes : [];
    if (act.actor !== "colleague" || act.set !== url || nodes.get(act.node)?.name !== machine) return [];
    return Object.keys(act.insert ?? {});
  });
  return new Set([...initial, ...written]);
}

/** The program that the operator wants in the end: the last one that could be applied. */
function lastProgram({ records }: World, stack: number): RunRecord["run"]["program"] | undefined {
  const own = records.filter(({ run }) => run.stack === stack);
  const last = own.findLast(
    ({ run, preview }) => run.command === "destroy" || (run.command === "up" && preview?.errors.length === 0),
  );
  return last?.run.command === "up" ? last.run.program : undefined;
}
