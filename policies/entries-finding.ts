import { NotYetKnown } from "./not-yet-known";
import type { Entry, SetResource } from "./resources";
import type { Finding, Offender } from "./rule";

/** Members of an entry that may be unknown before the update. */
type Late = "value" | "notes";

/** Demand of a rule on single entries. */
export interface EntryDemand<L extends Late> {
  /** A member that the rule reads besides the prefix; entries in which it is unknown are judged in the update. */
  readonly reads?: L;
  /** Returns in a few words why an entry breaks the rule, `true` without words, or `undefined` if it keeps the rule. */
  readonly offence: (entry: Entry & { readonly [P in L]-?: NonNullable<Entry[P]> }) => string | true | undefined;
  /** As in {@link Finding}. */
  readonly problem: string;
  /** As in {@link Finding}. */
  readonly remedy: string;
}

/**
 * One finding for all entries of a resource that break a rule; none if every entry keeps it.
 *
 * @throws {NotYetKnown} after the finding, if `reads` of an entry is not known.
 */
export function* entriesFinding<L extends Late = never>(
  { entries }: SetResource,
  { reads, offence, problem, remedy }: EntryDemand<L>,
): Generator<Finding> {
  const offenders: Offender[] = [];
  let isComplete = true;
  for (const entry of entries) {
    if (!isKnown(entry, reads)) {
      isComplete = false;
      continue;
    }
    const why = offence(entry);
    if (why !== undefined) offenders.push({ prefix: entry.prefix, ...(why !== true && { detail: why }) });
  }
  if (offenders.length > 0) yield { problem, of: entries.length, offenders, remedy };
  if (reads && !isComplete) throw new NotYetKnown(reads);
}

function isKnown<L extends Late>(
  entry: Entry,
  reads: L | undefined,
): entry is Entry & { readonly [P in L]-?: NonNullable<Entry[P]> } {
  return reads === undefined || entry[reads] !== undefined;
}
