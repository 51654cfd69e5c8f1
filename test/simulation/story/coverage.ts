import { requestsOf } from "../promises/model";
import type { Act, Run, Scenario } from "../scenario";
import type { CommandRecord, World } from "../simulation";

/** Kinds of events that happened in a world, each once. */
export function kindsOf(world: World): string[] {
  const { scenario, records, acts, story } = world;
  const runs = records.filter(({ turn }) => turn < scenario.turns.length);
  const found = [
    ...scenarioKinds(scenario),
    ...acts.map(({ act }) => actKind(act)),
    ...runs.flatMap(({ run, done, hasCompany }) => [
      ...runKinds(run),
      ...done.acts.map((act) => `${actKind(act)} meanwhile`),
      ...faultKinds(world, done),
      ...(hasCompany ? ["two stacks at once"] : []),
      ...(done.wasKilled ? ["killed"] : []),
      ...(done.wasCancelled ? ["canceled"] : []),
      ...(done.errors.length > 0 ? ["run fails"] : []),
    ]),
  ];
  const text = story.lines.join("\n");
  for (const [kind, sign] of Object.entries(SIGNS)) if (sign.test(text)) found.push(kind);
  return [...new Set(found)].sort();
}

/** Kinds that only the story shows. */
const SIGNS: Readonly<Record<string, RegExp>> = {
  "red wave": /did not pass/,
  restored: /restores/,
  adopted: /adopted/,
  unreachable: /does not answer/,
  "sent again": /(is|are) sent again/,
};

function scenarioKinds({ nodes, stacks }: Scenario): string[] {
  return [
    ...stacks.map(({ door }) => `door ${door}`),
    ...(stacks.some(({ instances }) => instances > 0) ? ["several processes"] : []),
    ...nodes.flatMap(({ dialect }) => Object.keys(dialect ?? {}).map((name) => `dialect ${name}`)),
  ];
}

function actKind(act: Act): string {
  switch (act.actor) {
    case "node":
      return `restart ${act.restart}`;
    case "outage":
      return act.silent ? "outage" : "outage ends";
    case "health":
      return `health ${act.state}`;
    case "colleague":
      return act.commit ? "colleague commits" : "colleague stages";
    default:
      return act.actor;
  }
}

function runKinds({ command, options, program, isMistake }: Run): string[] {
  return [
    `${command}${options.refresh ? " --refresh" : ""}`,
    ...(isMistake ? ["mistake"] : []),
    ...(["targets", "excludes", "replace", "continueOnError"] as const)
      .filter((name) => options[name] !== undefined)
      .map((name) => `--${name}`),
    ...program.flatMap(({ type, options: own = {}, args }) => [
      type,
      ...(args.rollout === undefined ? [] : ["rollout"]),
      ...(["protect", "retainOnDelete", "ignoreChanges", "aliases"] as const).filter((name) => own[name] !== undefined),
    ]),
  ];
}

/** Faults that a run met. */
function faultKinds(world: World, done: CommandRecord): string[] {
  return [...world.machines.keys()].flatMap((machine) =>
    requestsOf(world, done, machine).flatMap(({ fault, status }) =>
      fault === undefined ? [] : [`fault ${fault === "error" ? `status ${status}` : fault}`],
    ),
  );
}

/** Numbers of seeds with each kind, and with each pair of kinds. */
export class Coverage {
  readonly kinds = new Map<string, number>();
  readonly pairs = new Map<string, number>();

  /** Adds a seed. @param worlds The kinds of each of its worlds: two kinds are a pair in one world alone. */
  add(worlds: readonly (readonly string[])[]): void {
    for (const kind of new Set(worlds.flat())) this.kinds.set(kind, (this.kinds.get(kind) ?? 0) + 1);
    const pairs = worlds.flatMap((kinds) =>
      kinds.flatMap((kind, index) => kinds.slice(index + 1).map((other) => pairOf(kind, other))),
    );
    for (const pair of new Set(pairs)) this.pairs.set(pair, (this.pairs.get(pair) ?? 0) + 1);
  }

  /** A line for each kind with its number of seeds, and the pairs that never happened. */
  table(): string {
    const names = [...this.kinds.keys()].sort();
    const never = names.flatMap((kind, index) =>
      names
        .slice(index + 1)
        .filter((other) => !this.pairs.has(pairOf(kind, other)))
        .map((other) => `${kind} + ${other}`),
    );
    const all = (names.length * (names.length - 1)) / 2;
    const lines = names.map((kind) => `${String(this.kinds.get(kind)).padStart(6)}  ${kind}`);
    return `seeds   kind of event\n${lines.join("\n")}\n${all - never.length} of ${all} pairs of kinds happened in one seed${never.length > 0 ? `; never: ${never.join("; ")}` : ""}\n`;
  }

  /** A line for each pair with its number of seeds. */
  pairTable(): string {
    return [...this.pairs]
      .sort()
      .map(([pair, count]) => `${String(count).padStart(6)}  ${pair.replace("\n", " + ")}\n`)
      .join("");
  }
}

const pairOf = (one: string, other: string) => `${one}\n${other}`;
