import type { Mark, MarkType } from "../../model/mark";
import { type RowRange, writeLines } from "./lines";
import type { MarkEvent, NamedRule } from "./rows";
import { Sheet } from "./sheet";

/**
 * Report about one mark, as `format: plain` writes it. Members that the node did not send are absent.
 * `epoch` and `sequence` order the records of a table, by epoch first, whichever forwarder read them.
 */
export interface ForwardRecord extends Omit<Mark, "id" | "value" | "exact"> {
  /** When the list was obtained: ISO 8601, UTC. */
  readonly timestamp: string;
  /** Name of the node in the configuration. */
  readonly node: string;
  /** Arena of the table. */
  readonly arena: string;
  /** Profile of the table. */
  readonly profile: string;
  /** Which of the profile's tables it is. */
  readonly type: MarkType;
  /** Event of the mark. */
  readonly event: MarkEvent;
  /**
   * True of an `added` behind a `reset` whose mark this sink had before: it is no new attack. Absent of all others, also of marks that
   * came while the sink missed the table.
   */
  readonly resent?: true;
  /** A text where the node's integer is beyond ±(2⁵³−1). */
  readonly id?: number | string;
  /** A counter that rules drive; a text as `id`. */
  readonly value?: number | string;
  /** The rule that made the mark, if it is known. */
  readonly rule?: NamedRule;
  /** Grows with each start and each turn of a cluster; orders before `sequence`. */
  readonly epoch: number;
  /** Grows by each record of a table within an epoch. */
  readonly sequence: number;
  /** At most 40 characters: the same whenever this observation is delivered, and another one for every other. */
  readonly recordId: string;
  /** One readable line. */
  readonly message: string;
}

/** Reads a batch of the spool, or some of its rows. */
export function readBatch(
  body: Buffer,
  range: RowRange = { start: 0, end: Number.POSITIVE_INFINITY },
): ForwardRecord[] {
  const lines = writeLines(body, range, new Sheet(0)).toString("utf8").split("\n");
  lines.pop();
  return lines.map((line): ForwardRecord => JSON.parse(line));
}
