// Made from the schemas beside it by `npx vitest run test/types/schema-types.test.ts -u`.

/** If all matches match, the actions are carried out in order. */
export interface RuleSpec {
  /** Unique in the profile; the default id of the marks that it makes. */
  readonly id?: number;
  /** Name for readers. */
  readonly name?: string;
  /** All must match; none: every packet. */
  readonly match?: readonly MatchSpec[];
  /** In order; none: the rule does nothing. */
  readonly actions?: readonly ActionSpec[];
  /** Further members of another node's rule record, listed unchanged and without effect. */
  readonly extra?: { readonly [name: string]: unknown };
}

/** Every given member must match; `rate` is evaluated last. */
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
  /** TCP flags that must be set or not set; never matches other protocols. */
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
  /** The address is in the applied entries of a prefix-set. */
  readonly set?: {
    /** A set of the profile or of its arena, or prefixset://ARENA/SET: a global one of any arena. */
    readonly name: string;
    /** Default: the profile's own set of this name, else the global one. */
    readonly scope?: "local" | "global";
    /** Default source. */
    readonly of?: "source" | "destination";
    /** Value of the longest prefix of the set that contains the address. */
    readonly value?: ComparisonSpec;
  };
  /** The packet has a live record in a mark table of this profile. */
  readonly mark?: {
    /** The table, by any of its names. */
    readonly type: "shost" | "dhost" | "sdhost" | "conn" | "hmark" | "dhmark" | "dmark" | "sdhmark" | "connmark";
    /** Id of the record; absent: any. */
    readonly id?: number;
    /** Value of the record; absent: any. */
    readonly value?: ComparisonSpec;
  };
  /** Counts packets that all other matches accept; windows begin at multiples of their length. */
  readonly rate?: {
    /** Matches packets or bytes above this number in a window. */
    readonly above: number;
    /** Key of separate counts; default source. */
    readonly per?: "rule" | "source" | "destination" | "pair" | "connection";
    /** Default packets. */
    readonly unit?: "packets" | "bytes";
    /** Seconds, default 1. */
    readonly window?: number;
  };
  /** Matches if this does not. */
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

/** Accept and drop end the evaluation of the rules; all other actions continue. */
export type ActionSpec =
  | "accept"
  | "drop"
  | "count"
  | {
      /** Change of value and lifetime of a record. */
      readonly hmark?: MarkActionSpec;
      /** Change of value and lifetime of a record. */
      readonly dhmark?: MarkActionSpec;
      /** Change of value and lifetime of a record. */
      readonly dmark?: MarkActionSpec;
      /** Change of value and lifetime of a record. */
      readonly sdhmark?: MarkActionSpec;
      /** Change of value and lifetime of a record. */
      readonly connmark?: MarkActionSpec;
    };

/** Change of value and lifetime of a record. */
export interface MarkActionSpec {
  /** Id of the record; default: the id of the rule. */
  readonly id?: number;
  /** The value becomes this. */
  readonly set?: number;
  /** The value rises by this for every packet; default 1. */
  readonly add?: number;
  /** The value becomes at least this. */
  readonly max?: number;
  /** Seconds from this packet on; absent: unchanged, and a new record has no end. */
  readonly lifetime?: number;
}
