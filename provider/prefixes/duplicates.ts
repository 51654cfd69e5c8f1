import { endOf, type PrefixEntry } from "./entries";
import type { DuplicateRule } from "./options";

/** Judges two entries of one prefix. Returns the one that is kept, `undefined` if the file must not have both. */
export type Chooser = (earlier: PrefixEntry, later: PrefixEntry) => PrefixEntry | undefined;

/** The rule of the option `onDuplicate`. An entry that has expired never takes the place of another one. */
export function chooser(rule: DuplicateRule | undefined, now: number): Chooser {
  return (earlier, later) => {
    const [isOver, isLaterOver] = [endOf(earlier) <= now, endOf(later) <= now];
    if (isOver !== isLaterOver) return isOver ? later : earlier;
    if (rule === "first") return earlier;
    if (rule === "last") return later;
    if (earlier.value === later.value) return endOf(later) > endOf(earlier) ? later : earlier;
    if (rule === "max") return earlier.value > later.value ? earlier : later;
    return undefined;
  };
}

/** The problem of a prefix with two values. */
export function contradiction(prefix: string, earlier: PrefixEntry, later: PrefixEntry): string {
  return `${prefix} appears again with the value ${later.value}; it had ${earlier.value} before: keep one of them, or set onDuplicate.`;
}
