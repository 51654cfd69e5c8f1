import type { JournalEntry } from "../../../provider/emulator/journal/entry";
import type { World } from "../simulation";
import { activeAt, isGreen } from "./endings";
import { entriesIn } from "./events";
import { canonical, signaledAt } from "./model";
import { namesIn } from "./preview-shows";
import type { Promised } from "./promise";

/** A green run leaves no signaling active that its stack alone has started, whatever became of the answer, and that nothing declares any more. */
export const startedIsStopped: Promised = {
  number: 3,
  name: "what a stack has started ends with its declaration",
  judge: ({ world, record, now }) => {
    if (!isGreen(world, record, true)) return [];
    const after = record.run.command === "destroy" ? [] : now;
    return world.scenario.receivers.flatMap(({ name }) =>
      activeAt(world, name)
        .filter((prefix) => !signaledAt(after, name).includes(prefix) && isOfStack(world, name, prefix))
        .map(
          (prefix) => `${prefix} is still active at ${name}, which only this stack has started and nothing declares`,
        ),
    );
  },
};

/** True for a prefix that no other client has started, and that its declarations are told to stop. */
function isOfStack({ scenario, acts, machines, records }: World, receiver: string, prefix: string): boolean {
  // A replaced resource has said that its successor does not own what it found active.
  const isHandedOver = records.some(({ done }) =>
    done.printed.some((line) => line.includes("stay active, since another resource") && namesIn(line, prefix)),
  );
  const isOthers =
    scenario.receivers.some(({ name, active }) => name === receiver && active.includes(prefix)) ||
    acts.some(({ act }) => act.actor === "client" && act.receiver === receiver && act.start?.includes(prefix));
  const runs = scenario.turns.flatMap((turn) => (turn.kind === "runs" ? turn.runs : []));
  const isKept = runs.some(({ program }) =>
    program.some(
      ({ args, options }) =>
        [args.prefixes].flat().some((it) => canonical(it) === prefix) &&
        (args.stops === "none" || options?.retainOnDelete),
    ),
  );
  const journal = machines.get(receiver)?.journal ?? [];
  // A start that takes effect after the stop was refused is in no answer.
  const isRead = ({ status = 500, fault }: JournalEntry) => status < 500 && fault === undefined;
  const isGone = ({ index: stop }: JournalEntry) =>
    journal.some((it) => it.op === "status" && it.index > stop && isRead(it) && !entriesIn(it).has(prefix));
  const last = journal.findLast(
    (it) => (it.op === "start" || (it.op === "stop" && (isRead(it) || isGone(it)))) && it.data?.includes(prefix),
  );
  return last?.op === "start" && !isOthers && !isKept && !isHandedOver;
}
