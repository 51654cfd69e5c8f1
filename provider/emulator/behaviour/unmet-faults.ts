import { JOURNAL } from "../defaults";
import type { JournalEntry } from "../journal/entry";
import type { Fault } from "./fault-schema";
import { type ActiveFault, differences } from "./faults";

/** A fault that affected no request. */
export interface UnmetFault {
  /** Id of the fault. */
  readonly id: number;
  /** The given fault. */
  readonly fault: Fault;
  /** The reason, with the nearest requests. */
  readonly reason: string;
}

/**
 * Thrown if a fault affected no request; `message` names each such fault and the nearest requests.
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
    /** The faults, each with the reason. */
    readonly faults: readonly UnmetFault[],
  ) {
    const lines = faults.map(({ id, fault, reason }) => `  fault ${id} ${JSON.stringify(fault)}: ${reason}`);
    super(`${faults.length === 1 ? "A fault was" : `${faults.length} faults were`} never met:\n${lines.join("\n")}`);
  }
}

/** The faults that affected no request, with the reason from the journal. */
export function unmetFaults(faults: readonly ActiveFault[], journal: readonly JournalEntry[]): UnmetFault[] {
  return faults
    .filter(({ hits }) => hits === 0)
    .map((active) => ({ id: active.id, fault: active.fault, reason: reasonOf(active, journal) }));
}

/** @throws {UnmetFaultError} when there are any. */
export function expectNone(unmet: readonly UnmetFault[]): void {
  if (unmet.length > 0) throw new UnmetFaultError(unmet);
}

/** Fails the process without throwing. Some test runners only note a rejection, but use the exit code. */
export function failRun(error: UnmetFaultError): void {
  process.exitCode ??= 1;
  void Promise.reject(error);
}

function reasonOf({ fault, seen: matched }: ActiveFault, journal: readonly JournalEntry[]): string {
  if (matched > 0) {
    const { nth = 1, every, rate } = fault;
    const times = matched === 1 ? "1 request matched" : `${matched} requests matched`;
    if (matched < nth) return `${times}, and it takes effect from number ${nth} on`;
    if (every !== undefined && matched < every) return `${times}, and it takes effect at number ${every}`;
    return `${times}, ${rate === undefined ? "and each was met by another fault" : `and none was drawn at the rate ${rate}`}`;
  }
  if (journal.length === 0) return "the emulator received no request";
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
