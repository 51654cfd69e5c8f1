import type { JournalEntry } from "../../../provider/emulator/journal/entry";
import type { World } from "../simulation";
import { START } from "../world/machines";

/** Virtual milliseconds in which a node that answers has the block of an emergency: a list, an insert, a commit, and a node that takes its time. */
const IN_TIME_MS = 3_000;

/** 17. An emergency command reaches healthy nodes at once, whatever silent ones do. */
export function emergenciesInSeconds({ acts, nodes }: World): string[] {
  return acts.flatMap(({ at, act, healthy }) => {
    if (act.actor !== "on-call" || act.command !== "block") return [];
    return act.nodes
      .filter((node) => healthy.has(node))
      .flatMap((node) => {
        const machine = nodes.get(node);
        const isWanted = (entry: JournalEntry) =>
          entry.url === act.set && entry.commit !== undefined && act.prefix in entry.commit.inserted;
        const had = machine?.journal.some((entry) => isWanted(entry) && Date.parse(entry.time) - START < at);
        const inTime = machine?.journal.some(
          (entry) => isWanted(entry) && Date.parse(entry.time) - START <= at + IN_TIME_MS,
        );
        return had || inTime
          ? []
          : [`${node} answers, and does not have the block of ${act.prefix} within ${IN_TIME_MS} ms`];
      });
  });
}
