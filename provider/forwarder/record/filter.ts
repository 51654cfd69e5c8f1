import type { ForwardRecord } from "./record";
import type { MarkEvent } from "./rows";

/** Which records of its tables a sink takes. What says that marks are gone passes always. */
export interface RecordFilter {
  /** Of their records those with one of these ids, beyond 2⁵³ as text, and whatever says that marks are gone. Default: all. */
  readonly ids?: readonly (number | string)[];
  /** Likewise those with one of these values. Default: all. */
  readonly values?: readonly (number | string)[];
  /** Likewise those of marks that live for so many seconds, or more. Default: all. */
  readonly minLifetime?: number;
}

/** Events that end a mark: without them a delivered mark would stay at the sink for ever. */
const ENDS: readonly MarkEvent[] = ["gone", "expired", "reset"];

/** Predicate for the records that pass a filter; `undefined` if all do. Records about the end of marks always pass. */
export function passing(filter: RecordFilter | undefined): ((record: ForwardRecord) => boolean) | undefined {
  const { ids, values, minLifetime } = filter ?? {};
  if (!ids && !values && minLifetime === undefined) return undefined;
  const [selectedIds, selectedValues] = [ids, values].map((some) => some && new Set(some.map(String)));
  return ({ event, id, value, lifetime }) => {
    if (ENDS.includes(event)) return true;
    const isSelected = (selectedIds?.has(String(id)) ?? true) && (selectedValues?.has(String(value)) ?? true);
    return isSelected && (minLifetime === undefined || (lifetime ?? 0) >= minLifetime);
  };
}
