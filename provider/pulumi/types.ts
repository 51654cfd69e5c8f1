import type * as pulumi from "@pulumi/pulumi";
import type { Answers, NodeOptions, ReceiverOptions, TlsOptions } from "../client/index";
import type { ListedValue } from "../model/entry";
import type { EntryLike, PrefixLike } from "../model/given-entries";

/** A type whose members, at any depth, are values or Outputs. */
export type Inputs<T> = T extends object ? { readonly [Key in keyof T]: pulumi.Input<Inputs<T[Key]>> } : T;

/** Outputs of a resource that repeat its arguments, under the same names and with the same comments. */
export type Given<Args> = { readonly [Name in keyof Args]?: unknown };

/** Shortest prefix lengths of both families. */
export interface ShortestPrefix {
  /** Of IPv4, 0 to 32. */
  ipv4?: number;
  /** Of IPv6, 0 to 128. */
  ipv6?: number;
}

/** TLS settings of a connection. Kept as a secret. */
export interface TlsArgs extends Inputs<TlsOptions> {}

/**
 * A node, written in the program instead of named in the configuration. It is complete: nothing of the configuration is added.
 * Headers are kept as secrets.
 *
 * @example
 * ```ts
 * const node = { endpoint: "https://192.0.2.10", headers: { Authorization: config.requireSecret("token") } };
 * ```
 */
export interface NodeArgs extends Inputs<NodeOptions> {
  /**
   * Base url, with or without `/fapi` (docs/contributing/contract.md#node-endpoint). User and password in it are kept as a secret
   * header; the address itself is shown in messages and in the output `endpoint`.
   */
  readonly endpoint: pulumi.Input<string>;
}

/** Members of the unnamed node; its address and headers have their own keys, or are here. */
export interface UnnamedNodeArgs extends Partial<NodeArgs> {}

/** Shape of a node's answers, see {@link Answers}. An answer in an unknown shape is an error that names the setting which reads it. */
export interface AnswersArgs extends Inputs<Answers> {}

/**
 * A signaling receiver, written in the program instead of named in the configuration
 * (docs/contributing/contract.md#signaling-operations). The secret key is kept as a secret.
 */
export interface ReceiverArgs extends Inputs<ReceiverOptions> {}

/** Members of the unnamed receiver; its address and credentials have their own keys, or are here. */
export interface UnnamedReceiverArgs extends Partial<ReceiverArgs> {}

/** A node: the name of one in `packetfilter:nodes`, or the node itself. */
export type NodeInput = pulumi.Input<string | NodeArgs>;

/** A receiver: the name of one in `packetfilter:receivers`, or the receiver itself. */
export type ReceiverInput = pulumi.Input<string | ReceiverArgs>;

/** An entry of a set with value and note. */
export interface EntryArgs {
  /**
   * Integer from 0 to 2³²−1 that rules can compare with; default 1 (docs/contributing/contract.md#set-entries). A text, which some nodes list, fails
   * the check unless the state has it.
   */
  value?: pulumi.Input<ListedValue>;
  /** Why the entry exists. */
  reason?: pulumi.Input<string>;
  /** Reference into another system, for example `INC-4711`. */
  ticket?: pulumi.Input<string>;
  /** ISO 8601 time with zone, after which the entry is no longer wanted. */
  expires?: pulumi.Input<string>;
  /**
   * Places where `block --now` put the entry, from a prefix file: the value, the url of the set and the addresses of the nodes;
   * default: none. Once the entry has expired, an `up` removes it there even if none has seen it before. No state keeps it.
   */
  sent?: pulumi.Input<string>;
}

/** A prefix in any spelling, or as `pulumi-packetfilter/client` parses it. */
export type PrefixInput = pulumi.Input<PrefixLike>;

/** Entries in an array, or in a record by prefix: what an Output keeps of them. */
type ResolvedEntries =
  | readonly (PrefixInput | EntryLike<EntryArgs> | readonly [PrefixLike, ListedValue | EntryArgs])[]
  | Readonly<Record<string, pulumi.Input<ListedValue | EntryArgs>>>;

/** Entries as a program writes them, a Map or another iterable included. */
type WrittenEntries =
  | (Iterable<PrefixInput | EntryLike<EntryArgs> | readonly [PrefixLike, ListedValue | EntryArgs]> & object)
  | ResolvedEntries;

/**
 * Prefixes alone, each with the value 1, or prefixes with values: a record or Map by prefix, or any iterable of prefixes or of
 * `{ prefix, value, … }`. What `getPrefixSet`, `readPrefixFile` and `NodeClient.listPrefixSet` return fits as it is. An Output, a secret
 * included, holds an array or a record: of a Map or a Set it would keep nothing.
 */
export type EntriesInput = WrittenEntries | Promise<WrittenEntries> | pulumi.OutputInstance<ResolvedEntries>;
