// Made from the schemas beside it by `npx vitest run test/types/schema-types.test.ts -u`.

/** When all matches hold, the actions are carried out in order. */
export interface RuleSpec {
  /** Unique in the profile; the default id of the marks that it makes. */
  readonly id?: number;
  /** For people. */
  readonly name?: string;
  /** All must hold; none: every packet. */
  readonly match?: readonly MatchSpec[];
  /** In order; none: the rule does nothing. */
  readonly actions?: readonly ActionSpec[];
  /** Members of the rule record of another node, listed as they are and not interpreted. */
  readonly extra?: { readonly [name: string]: unknown };
}

/** Every member that is there must hold; `rate` is looked at last. */
export interface MatchSpec {
  /** In one of these prefixes. */
  readonly source?: string | readonly string[];
  /** In one of these prefixes. */
  readonly destination?: string | readonly string[];
  /** One of these: names, or numbers from 0 to 255. */
  readonly protocol?:
    | "icmp"
    | "igmp"
    | "tcp"
    | "udp"
    | "gre"
    | "esp"
    | "icmp6"
    | "sctp"
    | number
    | readonly ("icmp" | "igmp" | "tcp" | "udp" | "gre" | "esp" | "icmp6" | "sctp" | number)[];
  /** One of these ports, or in one of these ranges such as "1024-65535". */
  readonly sourcePort?: number | string | readonly (number | string)[];
  /** Likewise. */
  readonly destinationPort?: number | string | readonly (number | string)[];
  /** TCP flags that must be set, and that must not; never holds for other protocols. */
  readonly flags?: {
    /** Flags that must be set. */
    readonly set?: readonly ("fin" | "syn" | "rst" | "psh" | "ack" | "urg" | "ece" | "cwr")[];
    /** Flags that must not be set. */
    readonly unset?: readonly ("fin" | "syn" | "rst" | "psh" | "ack" | "urg" | "ece" | "cwr")[];
  };
  /** Bounds of the packet's length in bytes, both included. */
  readonly length?: {
    /** Least bytes. */
    readonly min?: number;
    /** Most bytes. */
    readonly max?: number;
  };
  /** The address lies in a prefix-set, as committed. */
  readonly set?: {
    /** A set of the profile or of its arena, or prefixset://ARENA/SET: a global one of any arena. */
    readonly name: string;
    /** Default: the profile's own set of this name, else the global one. */
    readonly scope?: "local" | "global";
    /** Default source. */
    readonly of?: "source" | "destination";
    /** Of the longest prefix of the set that holds the address. */
    readonly value?: ComparisonSpec;
  };
  /** The packet has a live record in a table of marks of this profile. */
  readonly mark?: {
    /** The table, by any of its names. */
    readonly type: "shost" | "dhost" | "sdhost" | "conn" | "hmark" | "dhmark" | "dmark" | "sdhmark" | "connmark";
    /** Of the record; absent: any. */
    readonly id?: number;
    /** Of the record; absent: any. */
    readonly value?: ComparisonSpec;
  };
  /** Counts the packets that come as far as this match; windows begin at multiples of their length. */
  readonly rate?: {
    /** Holds for what comes beyond this many in a window. */
    readonly above: number;
    /** What is counted together; default source. */
    readonly per?: "rule" | "source" | "destination" | "pair" | "connection";
    /** Default packets. */
    readonly unit?: "packets" | "bytes";
    /** Seconds, default 1. */
    readonly window?: number;
  };
  /** Holds when this does not. */
  readonly not?: MatchSpec;
}

/** A number to equal, or conditions that must all hold. */
export type ComparisonSpec =
  | number
  | {
      /** Equal to this. */
      readonly eq?: number;
      /** Not equal to this. */
      readonly ne?: number;
      /** Below this. */
      readonly lt?: number;
      /** At most this. */
      readonly le?: number;
      /** Above this. */
      readonly gt?: number;
      /** At least this. */
      readonly ge?: number;
    };

/** Accept and drop end the walk through the rules; all others go on. */
export type ActionSpec =
  | "accept"
  | "drop"
  | "count"
  | {
      /** What becomes of the value and the life of a record. */
      readonly hmark?: MarkActionSpec;
      /** What becomes of the value and the life of a record. */
      readonly dhmark?: MarkActionSpec;
      /** What becomes of the value and the life of a record. */
      readonly dmark?: MarkActionSpec;
      /** What becomes of the value and the life of a record. */
      readonly sdhmark?: MarkActionSpec;
      /** What becomes of the value and the life of a record. */
      readonly connmark?: MarkActionSpec;
    };

/** What becomes of the value and the life of a record. */
export interface MarkActionSpec {
  /** Of the record; default: the id of the rule. */
  readonly id?: number;
  /** The value becomes this. */
  readonly set?: number;
  /** The value rises by this for every packet; default 1. */
  readonly add?: number;
  /** The value becomes at least this. */
  readonly max?: number;
  /** Seconds from this packet on; absent: as it is, and a new record has no end. */
  readonly lifetime?: number;
}
