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
];

/** The exception that covers a broken promise, if there is one. */
export function exceptionFor(promise: number, sentence: string, given: Case): Exception | undefined {
  return EXCEPTIONS.find((exception) => exception.promise === promise && exception.matches(sentence, given));
}
