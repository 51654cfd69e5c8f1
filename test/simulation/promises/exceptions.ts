import type { JournalEntry } from "../../../provider/emulator/journal/entry";
import { canonical } from "./model";
import type { Case } from "./promise";

/** A known fault of the product that stays for now: what it breaks is counted, and fails no seed. */
export interface Exception {
  readonly name: string;
  /** Number of the broken promise. */
  readonly promise: number;
  /** A seed that shows it. */
  readonly seed: number;
  readonly matches: (sentence: string, given: Case) => boolean;
}

/** The list that is to become empty. */
export const EXCEPTIONS: readonly Exception[] = [
  {
    // A node that refuses an existing prefix gets a delete and an insert. Where it answers that insert with an unknown success and does nothing, no list can
    // show it before the commit.
    name: "an insert between delete and commit is answered with a success and has no effect",
    promise: 1,
    seed: 33,
    matches: (sentence, { world }) => {
      const [, index, machine, prefix] = /^request (\d+) to (\S+): a commit of \S+ removes (\S+),/.exec(sentence) ?? [];
      const { journal } = world.machines.get(machine ?? "") ?? { journal: [] };
      const isInsert = ({ cmd, index: at, data = [] }: JournalEntry) =>
        cmd === "insert" &&
        at < Number(index) &&
        data.some((item) => canonical((item as { p?: unknown }).p) === prefix);
      return journal.findLast(isInsert)?.fault === "unknown-shape";
    },
  },
  {
    // The same nodes: between the delete and the insert of one process, another process of the stack commits.
    name: "a process commits between delete and insert of another process of its stack",
    promise: 1,
    seed: 313,
    matches: (sentence, { world, record }) => {
      const [, machine] = / to (\S+): a commit /.exec(sentence) ?? [];
      const node = world.scenario.nodes.find(({ name }) => name === machine);
      return node?.dialect?.insertExisting === "error" && (world.scenario.stacks[record.run.stack]?.instances ?? 0) > 0;
    },
  },
  {
    // The preview before the failure named them.
    name: "the preview of an up that settles removals of a failed run does not name them",
    promise: 2,
    seed: 462,
    matches: (sentence, { record }) => {
      const [, prefix = ""] = /the up removes (\S+) of/.exec(sentence) ?? [];
      const open = record.done.before.resources.filter(({ outputs }) => JSON.stringify(outputs).includes("unsettled"));
      return prefix !== "" && open.some(({ outputs }) => JSON.stringify(outputs).includes(`"${prefix}"`));
    },
  },
];

/** Known faults that show only at the end of a scenario. */
export const FINAL_EXCEPTIONS: readonly (Omit<Exception, "matches"> & { readonly says: string })[] = [
  {
    name: "a group without state and check, whose nodes differ, needs up --refresh",
    promise: 3,
    seed: 322,
    says: "these waves have no check",
  },
];

/** The exception that covers a broken promise, if there is one. */
export function exceptionFor(promise: number, sentence: string, given: Case): Exception | undefined {
  return EXCEPTIONS.find((exception) => exception.promise === promise && exception.matches(sentence, given));
}
