import type { JournalEntry } from "../../../provider/emulator/journal/entry";
import type { World } from "../simulation";
import { foreignAt } from "./converges";
import { canonical, claimsOf } from "./model";
import { namesIn } from "./preview-shows";
import type { Promised } from "./promise";

/** A green destroy leaves nothing at the nodes that a run of this stack put there, killed runs included, unless it names it. */
export const destroyedIsGone: Promised = {
  number: 3,
  name: "a green destroy leaves nothing of its stack",
  judge: ({ world, record: { run, done, hasCompany } }) => {
    if (run.command !== "destroy" || done.errors.length > 0 || done.wasKilled || done.wasCancelled || hasCompany)
      return [];
    if (isExcused(world, run.stack) || done.acts.length > 0 || done.after.resources.length > 0) return [];
    const keeps = done.before.resources.some(
      ({ inputs, retainOnDelete }) => retainOnDelete || (inputs.onDestroy ?? "remove") !== "remove",
    );
    if (keeps) return [];
    const own = `${world.stacks[run.stack]?.plan.name} `;
    // A resource whose create was killed is in no state: the engine names that, and deletes nothing.
    const places = claimsOf(
      done.before.resources.map(({ type, name, inputs }) => ({ type, name, args: inputs })),
    ).flatMap((claim) => (claim.kind === "set" ? [{ machine: world.nodes.get(claim.node), url: claim.url }] : []));
    const known = JSON.stringify(done.before.resources);
    const isFalse = (line: string, prefix: string) => line.includes("did not know") && namesIn(known, prefix);
    return places.flatMap(({ machine, url }) => {
      if (!machine) return [];
      const foreign = foreignAt(world, machine.name, url);
      return Object.keys(machine.held(url))
        .filter((prefix) => !foreign.has(prefix) && !foreign.has("*"))
        .filter((prefix) => lastInsert(machine.journal, url, prefix)?.label?.startsWith(own))
        .filter((prefix) => !done.printed.some((line) => namesIn(line, prefix) && !isFalse(line, prefix)))
        .map((prefix) => `${machine.name} still holds ${prefix} of ${url}, which a run of this stack put there`);
    });
  },
};

function lastInsert(journal: readonly JournalEntry[], url: string, prefix: string): JournalEntry | undefined {
  return journal.findLast(
    (entry) =>
      entry.cmd === "insert" &&
      entry.url === url &&
      entry.data?.some((item) => canonical((item as { p?: unknown }).p) === prefix),
  );
}

/** True where no client can know what its stack has put there. */
function isExcused(world: World, stack: number): boolean {
  const hasAliases = world.scenario.nodes.some(({ aliases }) => aliases !== undefined);
  const isRestored = world.acts.some(({ act }) => act.actor === "restore");
  const others = world.records.some(({ run }) => run.stack !== stack && claimsOf(run.program).length > 0);
  return hasAliases || isRestored || others;
}
