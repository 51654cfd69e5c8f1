import type { JournalEntry } from "../../../provider/emulator/journal/entry";
import type { Declared } from "../scenario";
import type { World } from "../simulation";
import { START } from "../world/machines";
import { canonicalEntries, requestsOf } from "./model";
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
      const wanted = canonicalEntries(entries as Record<string, number>);
      return waves.flatMap((wave, index) =>
        wave.flatMap((node) => {
          const machine = world.nodes.get(node)?.name ?? "";
          const known = new Set(everDeclared(world, node, url, run.stack, done.began));
          return requestsOf(world, done, machine).flatMap((entry) => {
            const news = Object.keys(entry.commit?.inserted ?? {}).filter(
              (prefix) => prefix in wanted && !known.has(prefix) && entry.url === url,
            );
            return news.flatMap((prefix) =>
              waves
                .slice(0, index)
                .flat()
                .flatMap((earlier) => why(world, { earlier, prefix, url, at: entry, began: done.began }, group))
                .map(
                  (reason) => `request ${entry.index} to ${node} (wave ${index + 1}) brings ${prefix}, while ${reason}`,
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
  readonly url: string;
  readonly at: JournalEntry;
  readonly began: number;
}

/** Why a node of an earlier wave forbids it. */
function why(world: World, { earlier, prefix, url, at, began }: Question, group: Declared): string[] {
  const machine = world.nodes.get(earlier);
  const until = Date.parse(at.time) - START;
  const acted = world.acts.some(
    ({ act, at: when }) =>
      when <= until &&
      (("node" in act && act.node === earlier && act.actor !== "health") ||
        (act.actor === "outage" && act.at === earlier)),
  );
  if (!machine || acted || (group.args.maxUnreachable ?? 0) !== 0) return [];
  const last = machine.journal.findLast(
    (entry) =>
      entry.url === url &&
      entry.commit !== undefined &&
      entry.time <= at.time &&
      (prefix in entry.commit.inserted || prefix in entry.commit.removed),
  );
  const plan = world.scenario.nodes.find(({ name }) => name === machine.name);
  if (!last?.commit && prefix in (plan?.sets[url] ?? {})) return [];
  if (!last?.commit || prefix in last.commit.removed) return [`${earlier} of an earlier wave lacks it`];
  const { check } = group.args.rollout as { check?: object };
  const failing =
    check !== undefined && wasIllFrom(world, earlier, Math.min(began, Date.parse(last.time) - START), until);
  return failing ? [`the check of ${earlier} of an earlier wave has failed since it got it`] : [];
}

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
        `prefixset://${args.arena}/${args.set}` === url &&
        (args.node === node || (args.nodes as string[] | undefined)?.includes(node)),
    )
    .flatMap(({ args }) => Object.keys(canonicalEntries((args.entries ?? {}) as Record<string, number>)));
}

/** The nodes of a group wave by wave: names first, then sizes over what is left, then the rest. */
export function wavesOf({ args }: Declared): string[][] {
  const { waves } = args.rollout as {
    waves: readonly (number | string | readonly string[])[] | { canary: readonly string[]; size?: number | string };
  };
  const nodes = [...(args.nodes as string[])].sort(byNumber);
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

function byNumber(a: string, b: string): number {
  return a.localeCompare(b, "en", { numeric: true });
}
