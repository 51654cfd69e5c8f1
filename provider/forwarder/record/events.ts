/**
 * What a record reports. With `records: all`: `seen`. With `records: changes`: `added`, `changed`, `renewed`, `gone`,
 * `expired` and `reset`; `seen` there only in snapshots. The position in this list is the number in the spool, so new
 * events go to its end.
 */
export const EVENTS = ["seen", "added", "changed", "renewed", "gone", "expired", "reset"] as const;

/** One of {@link EVENTS}. */
export type MarkEvent = (typeof EVENTS)[number];

/** The number of an event in the spool. */
export const EVENT_NUMBER = Object.fromEntries(EVENTS.map((event, number) => [event, number])) as Readonly<
  Record<MarkEvent, number>
>;
