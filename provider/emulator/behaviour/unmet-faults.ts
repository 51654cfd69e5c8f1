import { JOURNAL } from "../defaults";
import type { JournalEntry } from "../journal/entry";
import type { Fault } from "./fault-schema";
import { type ActiveFault, differences } from "./faults";

/** A fault that was set and struck nothing. */
export interface UnmetFault {
  /** The id that it got when it was set. */
  readonly id: number;
  /** The fault as it was given. */
  readonly fault: Fault;
  /** Why, in words, with the requests that came nearest. */
  readonly reason: string;
}

/**
 * Thrown where a fault that was set struck nothing; `message` names each, and the requests that came nearest to it.
 *
 * @example
 * ```ts
 * emulator.fail({ cmd: "commit", status: 503 });
 * emulator.expectAllFaultsMet();   // throws UnmetFaultError: nothing was committed
 * ```
 */
export class UnmetFaultError extends Error {
  override readonly name = "UnmetFaultError";
  /** Kind of the error, for programs that do not share the class. */
  readonly code = "unmet-faults";

  constructor(
    /** Each with why. */
    readonly faults: readonly UnmetFault[],
  ) {
    const lines = faults.map(({ id, fault, reason }) => `  fault ${id} ${JSON.stringify(fault)}: ${reason}`);
    super(`${faults.length === 1 ? "A fault was" : `${faults.length} faults were`} never met:\n${lines.join("\n")}`);
  }
}

/** The faults that struck nothing, with what the journal tells about why. */
export function unmetFaults(faults: readonly ActiveFault[], journal: readonly JournalEntry[]): UnmetFault[] {
  return faults
    .filter(({ hits }) => hits === 0)
    .map((active) => ({ id: active.id, fault: active.fault, reason: reasonOf(active, journal) }));
}

/** @throws {UnmetFaultError} when there are any. */
export function expectNone(unmet: readonly UnmetFault[]): void {
  if (unmet.length > 0) throw new UnmetFaultError(unmet);
}

/** Fails the run of a program or of its tests where nothing may be thrown. Some runners of tests only note a rejection, but heed the exit code. */
export function failRun(error: UnmetFaultError): void {
  process.exitCode ??= 1;
  void Promise.reject(error);
}

function reasonOf({ fault, seen }: ActiveFault, journal: readonly JournalEntry[]): string {
  if (seen > 0) {
    const { nth = 1, every, rate } = fault;
    const times = seen === 1 ? "1 request matched" : `${seen} requests matched`;
    if (seen < nth) return `${times}, and it strikes from number ${nth} on`;
    if (every !== undefined && seen < every) return `${times}, and it strikes number ${every}`;
    return `${times}, ${rate === undefined ? "and each was met by another fault" : `and none was drawn at the rate ${rate}`}`;
  }
  if (journal.length === 0) return "nothing was asked of the emulator";
  const near = journal
    .map((entry) => ({ entry, differs: differences(fault, entry) }))
    .toSorted((a, b) => a.differs.length - b.differs.length || b.entry.index - a.entry.index)
    .slice(0, JOURNAL.nearMisses)
    .map(({ entry, differs }) => nearMiss(entry, differs));
  return `no request matched. Nearest: ${near.join("; ")}`;
}

function nearMiss(entry: JournalEntry, differs: readonly string[]): string {
  const { index, api, cmd, op, url, client, type } = entry;
  const words = [api, cmd ?? op, url ?? client, type].filter((word) => word !== undefined).join(" ");
  const why =
    differs.length > 0
      ? `another ${differs.join(" and another ")}`
      : "before the fault was set, or of no use to its kind";
  return `request ${index}, ${words} (${why})`;
}
