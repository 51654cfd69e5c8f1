import type { Rule } from "../../model/mark";
import type { NodeHabits } from "../../wire/answers";
import type { AnswerHead } from "../../wire/envelope";
import type { TableName } from "../table";

/** The turn of a cluster in which a node is listed. */
export interface Turn {
  /** Greater than that of every earlier holder of the node. */
  readonly epoch: number;
  /**
   * The first epoch since which no other forwarder had the node: what was read before it says nothing any more. 0: no other ever had
   * it. A turn that ends before it has read a table leaves that to the next one.
   */
  readonly since: number;
}

/** The answer to the list of a table. */
export interface ArrivedList {
  readonly table: TableName;
  /** Status and headers that may say that the list is not whole. Default: a status of 200 and none. */
  readonly head?: AnswerHead;
  /** In pieces, which a ledger in another thread takes away. */
  readonly body: readonly Uint8Array[];
  /** When its last byte came: milliseconds since 1970. */
  readonly wall: number;
  /** The same on the clock that machines keep until they restart. */
  readonly now: number;
  readonly rules: readonly Rule[];
  readonly habits: NodeHabits;
  /** With `records: changes`: also all that is listed, as `seen`. */
  readonly snapshot: boolean;
  readonly turn?: Turn;
}
