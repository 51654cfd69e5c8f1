/** Reasons for which a record is not delivered to a sink, each as the log explains it, from the gravest on. */
export const LOSS_CAUSES = {
  full: "its spool is full and drops the oldest (`spool.maxBytes`, `whenFull: drop-oldest`)",
  age: "they have waited too long (`spool.maxAgeMs`, `whenFull: drop-oldest`)",
  disk: "the disk of the state has no room, and its spool drops the oldest (`whenFull: drop-oldest`)",
  evicted: "it refused them, and newer ones needed their room (`rejected.maxBytes`)",
  missed: "its spool is full; it gets these tables from the start, with a reset, when it has room",
  removed: "the configuration does not name it any more, or its `only` leaves these tables out",
} as const;

export type LossCause = keyof typeof LOSS_CAUSES;

/** Records of a table that a sink will not get. */
export interface Loss {
  readonly sink: string;
  readonly cause: LossCause;
  readonly table: string;
  readonly records: number;
  /** When the first and the last of them were listed: milliseconds since 1970. */
  readonly first: number;
  readonly last: number;
}
