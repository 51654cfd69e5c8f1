/**
 * Every time and count of this room, with its reason and its user. The wait of a lone change, `commitCoalesceMs`, is an
 * option of the node (`client/options.ts`, 30 ms); the wait of a group is described in
 * `docs/contributing/decisions/group-commit.md`.
 */

/** A wait that grows with `commitCoalesceMs`, up to a limit. */
export interface Wait {
  readonly times: number;
  readonly atMostMs: number;
}

/** While callers show no rhythm: a busy engine lets a step follow another within this time (`in-flight.ts`). */
export const WITHOUT_RHYTHM: Wait = { times: 3, atMostMs: 90 };
/** For a group whose callers come slowly: a caller that never comes must not delay the others (`in-flight.ts`). */
export const LONGEST_WAIT: Wait = { times: 40, atMostMs: 1_000 };
/** Usual gaps between two callers after which no other is waited for (`in-flight.ts`). */
export const PATIENCE = 10;
/** Usual gaps between two checks after which no other resource is waited for (`in-flight.ts`). */
export const CHECK_PATIENCE = 3;
/** Fewer gaps than these show no rhythm (`in-flight.ts`). */
export const RHYTHM_GAPS = 3;
/** Milliseconds from the first caller of a group to its flush, however many others join (`in-flight.ts`). */
export const LONGEST_GATHERING_MS = 5_000;

/** Milliseconds between the first two lists after a commit; doubled after each (`set-confirmation.ts`). */
export const FIRST_LIST_PAUSE_MS = 50;
/** Milliseconds above which that pause does not grow (`set-confirmation.ts`). */
export const LONGEST_LIST_PAUSE_MS = 1_000;
/** A late commit shows after a while; after this many lists it is more likely that the change was lost (`set-confirmation.ts`). */
export const REPAIR_AFTER_LISTS = 4;

/** Milliseconds for which a list serves the reads of other resources: those of one refresh arrive over about a second (`shared-reads.ts`). */
export const SHARED_FOR_MS = 30_000;
