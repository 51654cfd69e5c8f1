import type { JournalEntry } from "../../../provider/emulator/journal/entry";
import { sameJson } from "../../../provider/model/json";
import { compareNames } from "../../../provider/model/text";
import type { Kept, State } from "../engine/state";
import type { Declared, RunOptions } from "../scenario";
import type { CommandRecord, RunRecord, World } from "../simulation";
import { HEALTH } from "../story/group-changes";
import { START } from "../world/machines";
import { canonical, canonicalEntries, nodesOf, requestsOf } from "./model";
import type { Promised } from "./promise";

/** A content that has not passed wave k is on no node of wave k+1: neither at a node that lacks it, nor at one whose check fails. */
export const redStaysRed: Promised = {
  number: 16,
  name: "a red light stays red",
  judge: ({ world, record: { run, done } }) => {
    if (run.command !== "up") return [];
    return run.program.flatMap((group) => {
      const { rollout, set, arena, entries } = group.args;
      if (group.type !== "PrefixSetGroup" || rollout === undefined) return [];
      const waves = wavesOf(group);
      const url = `prefixset://${arena}/${set}`;
      const wanted = Object.entries(canonicalEntries(entries as Record<string, number>));
      const unseen = unseenBy(world, group, done, run.options);
      const { check } = rollout as { check?: Check };
      // No state names the check of a killed run: another one, of a program whose state is not red, is asked in its place.
      const isRed = groupsAt(done.before, url).some(({ outputs }) => rolloutOf(outputs).nodes !== undefined);
      const isOwnCheck = check !== undefined && !asksForHealth(check) && !isRed;
      return waves.flatMap((wave, index) =>
        wave.flatMap((node) => {
          const machine = world.nodes.get(node)?.name ?? "";
          const sent = requestsOf(world, done, machine).filter((entry) => entry.url === url);
          return sent.flatMap((entry) => {
            const news = wanted.filter(
              ([prefix, value]) =>
                brought(entry, prefix) === value &&
                sent.some((insert) => isInsertOf(insert, prefix)) &&
                !hadBefore(world, { machine, url, prefix, value, run: done.from[machine] ?? 0 }),
            );
            return news.flatMap(([prefix, value]) =>
              waves
                .slice(0, index)
                .flat()
                .flatMap((earlier) => why(world, { earlier, prefix, value, url, at: entry, began: done.began }, group))
                .concat(
                  redElsewhere(
                    world,
                    { node, prefix, value, url, at: entry },
                    { stack: run.stack, wanted, unseen, isOwnCheck },
                  ),
                )
                .map(
                  (reason) =>
                    `request ${entry.index} to ${node} (wave ${index + 1}) brings ${prefix} ${value}, while ${reason}`,
                ),
            );
          });
        }),
      );
    });
  },
};

interface Question {
  readonly earlier: string;
  readonly prefix: string;
  readonly value: number;
  readonly url: string;
  readonly at: JournalEntry;
  readonly began: number;
}

/** The value that a commit gave a prefix. */
function brought({ commit }: JournalEntry, prefix: string): number | undefined {
  return commit?.inserted[prefix] ?? commit?.changed[prefix]?.to;
}

function isInsertOf({ cmd, data = [] }: JournalEntry, prefix: string): boolean {
  return cmd === "insert" && data.some((item) => canonical((item as { p?: unknown }).p) === prefix);
}

interface Former {
  readonly machine: string;
  readonly url: string;
  readonly prefix: string;
  readonly value: number;
  /** Index of the first request of the run. */
  readonly run: number;
}

/** Content that a node had before a run is no step of a rollout, and comes back to all nodes at once. */
function hadBefore({ machines, scenario }: World, { machine, url, prefix, value, run }: Former): boolean {
  const { journal } = machines.get(machine) ?? { journal: [] };
  const initial = scenario.nodes.find(({ name }) => name === machine)?.sets[url] ?? {};
  return (
    initial[prefix] === value ||
    journal.some((entry) => entry.index < run && entry.url === url && brought(entry, prefix) === value)
  );
}

/** Why a node of an earlier wave forbids it. */
function why(world: World, question: Question, { args }: Declared): string[] {
  const { earlier, prefix, value, url, at, began } = question;
  const machine = world.nodes.get(earlier);
  if (!machine || (args.maxUnreachable ?? 0) !== 0) return [];
  const last = machine.journal.findLast(
    (entry) =>
      entry.url === url &&
      entry.time <= at.time &&
      (brought(entry, prefix) !== undefined || prefix in (entry.commit?.removed ?? {})),
  );
  const [since, until] = [last ? Date.parse(last.time) - START : 0, Date.parse(at.time) - START];
  // A restart leaves no request in the journal.
  const restarted = world.acts.some(
    ({ act, at: when }) => act.actor === "node" && act.node === earlier && when >= since && when <= until,
  );
  if (restarted) return [];
  const plan = world.scenario.nodes.find(({ name }) => name === machine.name);
  const held = last ? brought(last, prefix) : plan?.sets[url]?.[prefix];
  if (held === undefined) return [`${earlier} of an earlier wave lacks it`];
  // Another value that no program declared is taken over, and stays for a run.
  if (held !== value) return [];
  const { check } = args.rollout as { check?: Check };
  // What has passed there once, and was lost, comes back without a check.
  const first = machine.journal.find((entry) => entry.url === url && brought(entry, prefix) === value);
  const had = first ? Date.parse(first.time) - START : 0;
  const failing = asksForHealth(check) && wasIllFrom(world, earlier, Math.min(began, had), until);
  return failing && !hasPassed(world, question)
    ? [`the check of ${earlier} of an earlier wave has failed since it got it`]
    : [];
}

/**
 * True where a run since then has left a state that declares the value there, under another check than the health of the nodes or under none, and names
 * no wave there that has not passed: what has passed stays so, whatever check the program gets.
 */
function hasPassed(world: World, question: Omit<Question, "began">): boolean {
  const { earlier, prefix, value, url, at } = question;
  const first = since(world, question);
  const isLater = ({ done }: RunRecord) =>
    first !== undefined && !done.wasKilled && done.label !== at.label && done.ended >= timeOf(first);
  return world.records.filter(isLater).some(({ done }) =>
    groupsAt(done.after, url).some(({ outputs }) => {
      const { check, nodes = [] } = rolloutOf(outputs);
      const { [prefix]: declared } = canonicalEntries(outputs.entries as Record<string, number>);
      const isThere = earlier in Object(outputs.endpoints) && declared === value;
      return isThere && !asksForHealth(check) && !nodes.includes(earlier);
    }),
  );
}

/** Groups of a state with a set. */
function groupsAt({ resources }: State, url: string): readonly Kept[] {
  return resources.filter(
    ({ type, inputs }) => type === "PrefixSetGroup" && `prefixset://${inputs.arena}/${inputs.set}` === url,
  );
}

/** The check of a state, and the nodes of its wave that has not passed. */
function rolloutOf({ rollout }: Kept["outputs"]): { readonly check?: Check; readonly nodes?: readonly string[] } {
  return (rollout ?? {}) as object;
}

type Check = { readonly url?: string; readonly status?: number };

/**
 * Nodes of whose red content a run cannot know: the engine creates a group in the place of another one, of which it shows nothing without a refresh,
 * and after a killed first create nothing at all. Then only the check of the program stands, at its own nodes.
 */
function unseenBy(
  world: World,
  { name, args }: Declared,
  { steps, before, from }: CommandRecord,
  { refresh }: RunOptions,
): (red: string, node: string) => boolean {
  const { check } = args.rollout as { check?: Check };
  const isMade = steps.some((step) => step.name === name && ["create", "replace"].includes(step.op));
  const url = `prefixset://${args.arena}/${args.set}`;
  if (!isMade || (refresh && groupsAt(before, url).length > 0)) return () => false;
  return (red, node) => {
    if (!(args.nodes as readonly string[]).includes(red)) return true;
    // Waves without a check stop where nodes hold other entries; an empty one may be new.
    return check === undefined ? wasEmpty(world, node, url, from) : !asksForHealth(check);
  };
}

/** True for a node that held nothing at the start of a run. */
function wasEmpty(world: World, node: string, url: string, from: CommandRecord["from"]): boolean {
  const { name = "", journal = [] } = world.nodes.get(node) ?? {};
  const held = new Set(Object.keys(world.scenario.nodes.find((plan) => plan.name === name)?.sets[url] ?? {}));
  for (const entry of journal.slice(0, from[name])) {
    if (entry.url !== url) continue;
    for (const prefix of Object.keys(entry.commit?.removed ?? {})) held.delete(prefix);
    for (const prefix of Object.keys(entry.commit?.inserted ?? {})) held.add(prefix);
  }
  return held.size === 0;
}

/** True for the check that the health of the nodes decides; another one, or one that expects the answer of ill nodes, passes where that one fails. */
export function asksForHealth(check: Check | undefined): boolean {
  return check?.url === HEALTH.url && (check?.status ?? 200) === 200;
}

/**
 * Nodes where an earlier run brought the same before it came here, in an earlier wave and under a check that has failed since: whatever
 * the program is now, that content has not passed.
 */
function redElsewhere(
  world: World,
  { node, prefix, value, url, at }: Pick<Question, "prefix" | "value" | "url" | "at"> & { readonly node: string },
  {
    stack,
    wanted,
    unseen,
    isOwnCheck,
  }: {
    readonly stack: number;
    readonly wanted: readonly (readonly [string, number])[];
    readonly unseen: (red: string, node: string) => boolean;
    readonly isOwnCheck: boolean;
  },
): string[] {
  return world.records.flatMap(({ run, done }) => {
    if (run.stack !== stack || run.command !== "up" || (done.wasKilled && isOwnCheck)) return [];
    return run.program.flatMap((group) => {
      const { rollout, arena, set, entries = {} } = group.args;
      const { check } = (rollout ?? {}) as { check?: Check };
      if (`prefixset://${arena}/${set}` !== url || !asksForHealth(check)) return [];
      // Another content is a change of its own, which begins with the first wave.
      if (!sameJson(canonicalEntries(entries as Record<string, number>), Object.fromEntries(wanted))) return [];
      const waves = wavesOf(group);
      const own = waves.findIndex((wave) => wave.includes(node));
      return waves
        .slice(0, Math.max(0, own))
        .flat()
        .filter(
          (earlier) =>
            !unseen(earlier, node) && isRedThere(world, { earlier, prefix, value, url, at, label: done.label }),
        )
        .map((earlier) => `the check of ${earlier} has failed since an earlier run brought it there`);
    });
  });
}

/** True where the run with a label brought a value that the node has had since, but for losses, and whose check has failed since. */
export function isRedThere(world: World, question: Omit<Question, "began"> & { readonly label: string }): boolean {
  const first = since(world, question);
  if (first?.label !== question.label || hasPassed(world, question)) return false;
  return wasIllFrom(world, question.earlier, timeOf(first), timeOf(question.at));
}

/**
 * The request that brought a value which the node has had since, but for losses: what another writer or a killed run of the stack did to
 * it is unknown to the state, and the next run restores the value as a loss, which is no step of a wave. What a killed run brought
 * before the node restarted empty counts for nothing: neither a state nor a list has it.
 */
function since(world: World, { earlier, prefix, value, url, at }: Omit<Question, "began">): JournalEntry | undefined {
  const { journal } = world.nodes.get(earlier) ?? { journal: [] };
  const restarts = world.acts.filter(
    ({ act, at: when }) =>
      act.actor === "node" && act.node === earlier && act.restart === "empty" && when <= timeOf(at),
  );
  const emptied = Math.max(...restarts.map(({ at: when }) => when), Number.NEGATIVE_INFINITY);
  const isForgotten = (entry: JournalEntry) =>
    timeOf(entry) <= emptied && world.records.some(({ done }) => done.label === entry.label && done.wasKilled);
  const changes = journal.filter(
    (entry) =>
      entry.url === url &&
      entry.time <= at.time &&
      !isForgotten(entry) &&
      (brought(entry, prefix) !== undefined || prefix in (entry.commit?.removed ?? {})),
  );
  const isReported = ({ label }: JournalEntry) =>
    world.records.some(({ done }) => done.label === label && !done.wasKilled);
  const other = changes.findLastIndex((entry) => brought(entry, prefix) !== value && isReported(entry));
  return changes.slice(other + 1).find((entry) => brought(entry, prefix) === value);
}

const timeOf = ({ time }: JournalEntry) => Date.parse(time) - START;

/** True where the health of a node was bad at a moment, and until another one. */
function wasIllFrom({ acts }: World, node: string, since: number, until: number): boolean {
  const changes = acts.filter(({ at, act }) => act.actor === "health" && act.node === node && at <= until);
  const last = changes.findLast(({ at }) => at <= since);
  return last?.act.actor === "health" && last.act.state !== "pass" && !changes.some(({ at }) => at > since);
}

/** Prefixes that an earlier program of the stack has declared for a node. */
export function everDeclared({ records }: World, node: string, url: string, stack: number, before: number): string[] {
  return records
    .filter(({ run, done }) => run.stack === stack && run.command === "up" && done.began < before)
    .flatMap(({ run }) => run.program)
    .filter(
      ({ args }) =>
        `prefixset://${args.arena}/${args.set}` === url && (args.node === node || nodesOf(args).includes(node)),
    )
    .flatMap(({ args }) => Object.keys(canonicalEntries((args.entries ?? {}) as Record<string, number>)));
}

/** The nodes of a group wave by wave: names first, then sizes over what is left, then the rest. */
export function wavesOf({ args }: Declared): string[][] {
  const { waves } = args.rollout as {
    waves: readonly (number | string | readonly string[])[] | { canary: readonly string[]; size?: number | string };
  };
  const nodes = [...(args.nodes as string[])].sort(compareNames);
  const list = Array.isArray(waves) ? waves : undefined;
  const named = list
    ? list.filter((one): one is string[] => Array.isArray(one)).flat()
    : (waves as { canary: string[] }).canary;
  const left = nodes.filter((node) => !named.includes(node));
  const found: string[][] = [];
  const take = (size: number | string) => {
    const count = typeof size === "number" ? size : Math.ceil((Number.parseFloat(size) / 100) * nodes.length);
    found.push(left.splice(0, count));
  };
  if (list) for (const one of list) Array.isArray(one) ? found.push(one) : take(one as number | string);
  else {
    const { canary, size } = waves as { canary: string[]; size?: number | string };
    found.push([...canary]);
    while (size !== undefined && left.length > 0) take(size);
  }
  found.push(left);
  return found.filter((wave) => wave.length > 0);
}
