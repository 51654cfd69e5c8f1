import type * as pulumi from "@pulumi/pulumi";
import type { ListKind, Member } from "../client/index";

/** TLS settings of a connection; texts in PEM form. */
export interface TlsArgs {
  /** Certificate authority to trust instead of the system's. */
  ca?: pulumi.Input<string>;
  /** Client certificate. */
  cert?: pulumi.Input<string>;
  /** Key of the client certificate; kept as a secret. */
  key?: pulumi.Input<string>;
  /** Name to check the certificate against, where it is not the host of the address. */
  serverName?: pulumi.Input<string>;
}

/**
 * A node, written in the program instead of named in the configuration. It stands by itself: nothing of the
 * configuration is mixed in.
 *
 * @example
 * ```ts
 * const node = { endpoint: "https://192.0.2.10", headers: { Authorization: config.requireSecret("token") } };
 * ```
 */
export interface NodeArgs {
  /**
   * Base url, with or without `/fapi` (docs/contract.md#node-endpoint). User and password in it are kept as a secret
   * header; the address itself is shown in messages and in the output `endpoint`.
   */
  endpoint: pulumi.Input<string>;
  /** Headers sent with every request; kept as secrets. */
  headers?: pulumi.Input<Record<string, pulumi.Input<string>>>;
  /** Value of the header `User-Arena` of mark lists; default: the arena of the url. */
  userArena?: pulumi.Input<string>;
  /** Certificates and keys; only with an `https:` endpoint. */
  tls?: pulumi.Input<TlsArgs>;
  /** Milliseconds that one request may take; default 10 000. */
  timeoutMs?: pulumi.Input<number>;
  /** Milliseconds that one operation may take with its repetitions; default 60 000. */
  deadlineMs?: pulumi.Input<number>;
  /** How often one request is sent at most; default 5. */
  maxTries?: pulumi.Input<number>;
  /** Milliseconds of the longest pause after the first try, doubled after each further one; default 300. */
  retryPauseMs?: pulumi.Input<number>;
  /** Milliseconds above which such a pause does not grow; default 10 000. */
  maxRetryPauseMs?: pulumi.Input<number>;
  /** Entries in one request; default 5 000. */
  maxEntriesPerRequest?: pulumi.Input<number>;
  /** Bytes in one request; default 1 MiB. */
  maxBytesPerRequest?: pulumi.Input<number>;
  /** Requests at a time; default 4. */
  maxConcurrency?: pulumi.Input<number>;
  /** Bytes of one answer; a longer one is an error; default 128 MiB. */
  maxAnswerBytes?: pulumi.Input<number>;
  /** Records of one list; a longer one is an error; default 5 000 000. */
  maxListRecords?: pulumi.Input<number>;
  /** The largest value that the node takes; a larger one fails in the preview; default none. */
  maxValue?: pulumi.Input<number>;
  /** Milliseconds without a further change after which a group of changes is sent; default 30. */
  commitCoalesceMs?: pulumi.Input<number>;
  /** Looks before each commit for what others staged, on nodes that list staged entries: `"fail"` or `"warn"`. */
  foreignStaged?: pulumi.Input<"fail" | "warn">;
  /** How the node answers, where its answers have none of the natural shapes. */
  answers?: pulumi.Input<AnswersArgs>;
  /** What a 404 to the list of a set means: `"fail"` (default), or `"empty"`, a set that the first insert makes. */
  absentSet?: pulumi.Input<"fail" | "empty">;
  /** A node that does not answer at all: a refresh fails (default), or keeps the state of its resources and warns. */
  onUnreachable?: pulumi.Input<"fail" | "skip">;
  /** Milliseconds from the end of one list of marks to the start of the next; default 3 000, less only with `markPace: "off"`. */
  markPauseMs?: pulumi.Input<number>;
  /** Keeps the pause between lists of one `"table"` (default), or between any two of the `"node"`; `"off"`: no pause. */
  markPace?: pulumi.Input<"table" | "node" | "off">;
}

/**
 * How a node answers. An answer that is not understood is an error that names the setting with which it is read.
 *
 * @example
 * ```ts
 * // {"payload":{"rows2":[{"subnet":"192.0.2.0","size":24,"weight":7}]}}
 * const answers = { path: "payload.rows2", names: { prefix: "subnet", prefixLength: "size", value: "weight" } };
 * ```
 */
export interface AnswersArgs {
  /** Where lists stand in answers, with dots: for all kinds of lists, or for those that are named. */
  path?: pulumi.Input<string | Partial<Record<ListKind, pulumi.Input<string>>>>;
  /** The node's own names of members; case does not matter. */
  names?: pulumi.Input<Partial<Record<Member, pulumi.Input<string>>>>;
  /** What stands for an empty list: `"{}"` an empty object, `""` also an answer without a body. */
  empty?: pulumi.Input<"{}" | "">;
}

/**
 * A signaling receiver, written in the program instead of named in the configuration
 * (docs/contract.md#signaling-operations).
 */
export interface ReceiverArgs {
  /** Base url; client id and secret key follow as path segments. */
  url: pulumi.Input<string>;
  /** Id of the client, a part of each request's path. */
  clientId: pulumi.Input<string>;
  /** Kept as a secret. */
  secretKey: pulumi.Input<string>;
  /** Certificates and keys; only with an `https:` url. */
  tls?: pulumi.Input<TlsArgs>;
  /** Milliseconds that one request may take; default 10 000. */
  timeoutMs?: pulumi.Input<number>;
  /** Milliseconds that one operation may take with its repetitions; default 60 000. */
  deadlineMs?: pulumi.Input<number>;
  /** How often one request is sent at most; default 5. */
  maxTries?: pulumi.Input<number>;
  /** Milliseconds of the longest pause after the first try, doubled after each further one; default 300. */
  retryPauseMs?: pulumi.Input<number>;
  /** Milliseconds above which such a pause does not grow; default 10 000. */
  maxRetryPauseMs?: pulumi.Input<number>;
}

/** A node: the name of one in `packetfilter:nodes`, or the node itself. */
export type NodeInput = pulumi.Input<string | NodeArgs>;

/** A receiver: the name of one in `packetfilter:receivers`, or the receiver itself. */
export type ReceiverInput = pulumi.Input<string | ReceiverArgs>;

/** What an entry of a set can say beside its value. */
export interface EntryArgs {
  /** Integer from 0 to 2³²−1 that rules can compare with; default 1 (docs/contract.md#set-entries). */
  value?: pulumi.Input<number>;
  /** Why the entry exists. */
  reason?: pulumi.Input<string>;
  /** Reference into another system, for example `INC-4711`. */
  ticket?: pulumi.Input<string>;
  /** ISO 8601 time with zone, after which the entry is no longer wanted. */
  expires?: pulumi.Input<string>;
  /**
   * What a prefix file remembers of `block --now`: address of the node and url of the set to the value that it put there;
   * default: none. Once the entry has expired, an `up` removes it there even if none has seen it before.
   */
  sent?: pulumi.Input<Record<string, pulumi.Input<number>>>;
}

/** Prefixes alone, each with the value 1, or prefixes with values. */
export type EntriesInput = pulumi.Input<pulumi.Input<string>[] | Record<string, pulumi.Input<number | EntryArgs>>>;
