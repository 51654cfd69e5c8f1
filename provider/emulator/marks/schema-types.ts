// Made from the schemas beside it by `npx vitest run test/types/schema-types.test.ts -u`.

/** The four tables of marks of a profile. */
export interface MarkRecords {
  /** By senders. */
  readonly shost?: readonly {
    /** An IPv4 or IPv6 address. */
    readonly address: string;
    /** Id of the rule that made the record. */
    readonly id: number;
    /** Counter driven by rules; absent: 1. */
    readonly value?: number;
    /** Seconds left; absent: no end. */
    readonly lifetime?: number;
    /** Seconds since the record was added; absent: 0. */
    readonly age?: number;
    /** Seconds since the record expired; replaces lifetime. */
    readonly expiredFor?: number;
  }[];
  /** By recipients. */
  readonly dhost?: MarkRecords["shost"];
  /** By pairs of sender and recipient. */
  readonly sdhost?: readonly {
    /** Address of the sender. */
    readonly source: string;
    /** Address of the recipient. */
    readonly destination: string;
    /** Id of the rule that made the record. */
    readonly id: number;
    /** Counter driven by rules; absent: 1. */
    readonly value?: number;
    /** Seconds left; absent: no end. */
    readonly lifetime?: number;
    /** Seconds since the record was added; absent: 0. */
    readonly age?: number;
    /** Seconds since the record expired; replaces lifetime. */
    readonly expiredFor?: number;
  }[];
  /** By connections. */
  readonly conn?: readonly {
    /** Address of the sender. */
    readonly source: string;
    /** Address of the recipient. */
    readonly destination: string;
    /** Port of the sender; absent: 0. */
    readonly sourcePort?: number;
    /** Port of the recipient; absent: 0. */
    readonly destinationPort?: number;
    /** L4 protocol: a name, or its number (0 to 255). */
    readonly protocol: "icmp" | "igmp" | "tcp" | "udp" | "gre" | "esp" | "icmp6" | "sctp" | number;
    /** Id of the rule that made the record. */
    readonly id: number;
    /** Counter driven by rules; absent: 1. */
    readonly value?: number;
    /** Seconds left; absent: no end. */
    readonly lifetime?: number;
    /** Seconds since the record was added; absent: 0. */
    readonly age?: number;
    /** Seconds since the record expired; replaces lifetime. */
    readonly expiredFor?: number;
  }[];
}
