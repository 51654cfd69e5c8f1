import type { JournalEntry } from "../../../provider/emulator/journal/entry";
import { canonical, isMutating, requestsOf } from "./model";
import type { Case, Promised } from "./promise";

/** However many entries and resources of a set change at once, they share one commit. */
export const oneCommit: Promised = {
  number: 4,
  name: "one commit",
  judge: (given) =>
    isPlain(given) && !given.world.scenario.nodes.some(({ dialect }) => dialect?.commitUrl !== undefined)
      ? perSet(given, ({ cmd }) => cmd === "commit")
          .filter(({ count, machine, url }) => count > phases(given, url) + latePhases(given, machine, url))
          .map(({ count, set }) => `${count} commits of ${set} in one undisturbed run`)
      : [],
};

/** Groups of changes of a set that cannot share a commit: the engine deletes after everything else, each rollout of the set that has a step has its own waves and restores before them. */
function phases({ record: { done, run } }: Case, url: string): number {
  const others = done.steps.some(({ op }) => op !== "delete" && op !== "refresh");
  const deletes = done.steps.some(({ op }) => op === "delete") && others ? 1 : 0;
  // A resource whose replacement failed is in the state twice, and goes one after the other.
  const gone = done.steps.filter(({ op }) => op === "delete").map(({ name }) => name);
  const twice = gone.length > new Set(gone).size ? 1 : 0;
  const hasStep = (of: string) => done.steps.some(({ op, name }) => op !== "refresh" && name === of);
  const rollouts = run.program.filter(
    ({ name, args }) => args.rollout !== undefined && `prefixset://${args.arena}/${args.set}` === url && hasStep(name),
  ).length;
  const restores = rollouts > 0 && done.events.some(({ event }) => event.kind === "restored") ? 1 : 0;
  return Math.max(1, rollouts) + deletes + twice + restores;
}

/** One more where a commit published an insert that a killed run had staged, which no list shows before: it goes with a commit of its own. */
function latePhases({ world, record: { done } }: Case, machine: string, url: string): number {
  const { journal } = world.machines.get(machine) ?? { journal: [] };
  const isOfKilledRun = (prefix: string, before: number) => {
    const isInsert = ({ cmd, url: of, index, data = [] }: JournalEntry) =>
      cmd === "insert" &&
      of === url &&
      index < before &&
      data.some((item) => canonical((item as { p?: unknown }).p) === prefix);
    const label = journal.findLast(isInsert)?.label;
    return world.records.some(({ done: { label: of, wasKilled } }) => wasKilled && of === label);
  };
  const isLate = requestsOf(world, done, machine).some(
    ({ url: of, commit, index }) =>
      of === url && Object.keys(commit?.inserted ?? {}).some((prefix) => isOfKilledRun(prefix, index)),
  );
  return isLate ? 1 : 0;
}

/** A refresh lists each set once, however many resources have a part of it. */
export const oneList: Promised = {
  number: 5,
  name: "one list",
  judge: (given) =>
    isPlain(given) && given.record.run.command === "refresh"
      ? perSet(given, ({ cmd }) => cmd === "list")
          .filter(({ count }) => count > 1)
          .map(({ count, set }) => `${count} lists of ${set} in one undisturbed refresh`)
      : [],
};

/** Previews and refreshes change nothing; an `up` without a step sends nothing that changes anything. */
export const nothingNeedless: Promised = {
  number: 6,
  name: "no change without a reason",
  judge: ({ world, record: { done, preview, run } }) => {
    const sent = (record: typeof done) =>
      [...world.machines.keys()].flatMap((machine) =>
        requestsOf(world, record, machine)
          .filter(isMutating)
          .map(({ cmd, op, index }) => `request ${index} to ${machine}: ${cmd ?? op}`),
      );
    const looked = preview && preview !== done ? sent(preview).map((text) => `a preview sends ${text}`) : [];
    const changesNothing =
      done.isPreview || run.command === "refresh" || !done.steps.some(({ op }) => op !== "refresh");
    return [
      ...looked,
      ...(changesNothing ? sent(done).map((text) => `${run.command} without a step sends ${text}`) : []),
    ];
  },
};

/** True for an undisturbed run of one process at nodes that apply commits at once. */
function isPlain({ world, record: { isCalm, run, done } }: Case): boolean {
  const { scenario } = world;
  const stack = scenario.stacks[run.stack];
  return (
    isCalm &&
    run.options.parallel === undefined &&
    stack?.instances === 0 &&
    done.acts.length === 0 &&
    !scenario.nodes.some(({ aliases }) => aliases !== undefined) &&
    !scenario.nodes.some(({ dialect }) => dialect?.commitDelay !== undefined)
  );
}

function perSet({ world, record: { done } }: Case, isCounted: (entry: JournalEntry) => boolean) {
  return [...world.machines.keys()].flatMap((machine) => {
    const counts = new Map<string, number>();
    for (const entry of requestsOf(world, done, machine).filter(isCounted))
      counts.set(entry.url ?? "", (counts.get(entry.url ?? "") ?? 0) + 1);
    return [...counts].map(([url, count]) => ({ set: `${url} at ${machine}`, machine, url, count }));
  });
}
