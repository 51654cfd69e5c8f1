/** The four tables of marks of a profile (docs/contributing/contract.md#mark-types). */
export const MARK_TYPES = ["shost", "dhost", "sdhost", "conn"] as const;

/** Shortest time between two lists of marks, in milliseconds (docs/contributing/contract.md#pace-of-mark-lists). */
export const MARK_PAUSE_MS = 3_000;

/** `shost`: by source, `dhost`: by recipient, `sdhost`: by connection, `conn`: by connection with extended parameters. */
export type MarkType = (typeof MARK_TYPES)[number];

/**
 * One record of a mark table, as a node lists it. Members that a node does not send are absent.
 * The contract names id, value and lifetime; the others are read where a node sends them.
 */
export interface Mark {
  /** Tells which rule made the record. */
  readonly id?: number;
  /** A counter that rules drive; changes between polls. */
  readonly value?: number;
  /** Seconds until the record ends. */
  readonly lifetime?: number;
  /** Seconds since the record was added. */
  readonly age?: number;
  /** For example `active` or `expired`. */
  readonly status?: string;
  /** The address of a table by source or by recipient; marks have no masks (docs/contributing/contract.md#terms). */
  readonly address?: string;
  /** Source address, in tables that have one. */
  readonly source?: string;
  /** Destination address, in tables that have one. */
  readonly destination?: string;
  /** Source port, in tables of connections. */
  readonly sourcePort?: number;
  /** Destination port, in tables of connections. */
  readonly destinationPort?: number;
  /** L4 protocol, as the node writes it. */
  readonly protocol?: string | number;
  /**
   * Decimal digits of integers beyond ±(2⁵³−1), by member; the member itself holds the nearest number then.
   * Present only where a node sends such integers (64-bit counters).
   */
  readonly exact?: Readonly<Record<string, string>>;
  /** Members of the record that this package does not know, untouched. */
  readonly extra?: Readonly<Record<string, unknown>>;
}

/** A profile of an arena. Beyond the name its members are not specified, and kept under `extra`. */
export interface Profile {
  /** Name in urls. */
  readonly name: string;
  /** Members that this package does not know, untouched. */
  readonly extra?: Readonly<Record<string, unknown>>;
}

/** A rule of a profile. Matched with marks by `id` or value (docs/contributing/contract.md#profiles-and-rules). */
export interface Rule {
  /** The number that its marks have as `id`. */
  readonly id?: number;
  /** Name for people. */
  readonly name?: string;
  /** As {@link Mark.exact}. */
  readonly exact?: Readonly<Record<string, string>>;
  /** Members that this package does not know, untouched. */
  readonly extra?: Readonly<Record<string, unknown>>;
}
