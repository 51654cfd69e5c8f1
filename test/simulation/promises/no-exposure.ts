import type { JournalEntry } from "../../../provider/emulator/journal/entry";
import type { World } from "../simulation";
import { type Claim, canonical, declaredAt, requestsOf, signaledAt } from "./model";
import type { Promised } from "./promise";

/** No commit publishes a set without a prefix that is desired before and after; no running signaling that stays desired is stopped. */
export const noExposure: Promised = {
  number: 1,
  name: "no exposure",
  judge: ({ world, record: { done, run }, before, now }) => {
    const after = run.command === "destroy" ? [] : run.command === "up" ? now : before;
    return [...world.machines.keys()].flatMap((machine) =>
      requestsOf(world, done, machine).flatMap(({ commit, url = "", op, data = [], index }) => {
        // What a new resource declares that waits for others, no process knows before its turn.
        const isKnown = ({ resource: { name, options } }: Claim) =>
          options?.dependsOn === undefined || before.some(({ resource }) => resource.name === name);
        const known = after.filter(isKnown);
        const is = declaredAt(known, world, machine, url);
        const removed = Object.keys(commit?.removed ?? {}).filter(
          (prefix) =>
            prefix in is &&
            !isOfColleague(world, machine, index, url, prefix) &&
            !isGapOfAnother(world, { machine, index, url, prefix, stack: run.stack }) &&
            !wasDropped(world, { machine, index, url, prefix }),
        );
        const stopped =
          op !== "stop"
            ? []
            : data
                .map(String)
                .filter(
                  (prefix) =>
                    signaledAt(before, machine).includes(prefix) && signaledAt(after, machine).includes(prefix),
                );
        return [
          ...removed.map(
            (prefix) =>
              `request ${index} to ${machine}: a commit of ${url} removes ${prefix}, which is declared before and after`,
          ),
          ...stopped.map(
            (prefix) => `request ${index} to ${machine}: ${prefix} is stopped, which is declared before and after`,
          ),
        ];
      }),
    );
  },
};

/** True where the delete that a commit published was staged by another writer: the API has no way to commit one's own changes alone. */
export function isOfColleague(world: World, machine: string, before: number, url: string, prefix: string): boolean {
  const { journal } = world.machines.get(machine) ?? { journal: [] };
  const isDelete = ({ cmd, url: of, index, data = [] }: JournalEntry) =>
    cmd === "delete" &&
    of === url &&
    index < before &&
    data.some((item) => canonical((item as { a?: unknown }).a) === prefix);
  return isOther(
    journal.findLast(isDelete),
    journal.find(({ index: at }) => at === before),
  );
}

interface Removal {
  readonly machine: string;
  /** Index of the commit in the journal. */
  readonly index: number;
  readonly url: string;
  readonly prefix: string;
}

/**
 * True where a process committed between the delete and the insert of another process of its stack. A node that refuses an existing prefix needs both for
 * another value, and a commit applies the changes of every caller.
 */
function isGapOfAnother(world: World, { stack, ...removal }: Removal & { readonly stack: number }): boolean {
  const { scenario } = world;
  const node = scenario.nodes.find(({ name }) => name === removal.machine);
  if (node?.dialect?.insertExisting !== "error" || (scenario.stacks[stack]?.instances ?? 0) === 0) return false;
  return insertsOf(world, removal).next !== undefined;
}

/** True where a node answered the insert with a success and dropped it: no list shows that before the commit. */
function wasDropped(world: World, removal: Removal): boolean {
  const { before } = insertsOf(world, removal);
  return before?.fault === "unknown-shape" && before.status !== undefined && before.status < 300;
}

/** The last insert of a prefix before a commit, and the next one of the same run. */
function insertsOf(world: World, { machine, index, url, prefix }: Removal) {
  const { journal } = world.machines.get(machine) ?? { journal: [] };
  const label = journal.find((entry) => entry.index === index)?.label;
  const isInsert = (entry: JournalEntry) =>
    entry.cmd === "insert" &&
    entry.url === url &&
    (entry.data ?? []).some((item) => canonical((item as { p?: unknown }).p) === prefix);
  return {
    before: journal.findLast((entry) => entry.index < index && isInsert(entry)),
    next: journal.find((entry) => entry.index > index && entry.label === label && isInsert(entry)),
  };
}

/** True for a request of another writer than that of a commit. */
export function isOther(request: JournalEntry | undefined, commit: JournalEntry | undefined): boolean {
  const writer = (entry: JournalEntry | undefined) => entry?.label?.split(" ")[0];
  return request !== undefined && writer(request) !== writer(commit);
}
