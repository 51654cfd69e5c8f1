import type { MarkType } from "../model/mark";
import type { Command } from "./node-command";

/** The four kinds of lists of the node API (docs/contributing/contract.md#node-endpoint), as `answers.path` names them. */
export const LIST_KINDS = ["prefixset", "profiles", "rules", "marks"] as const;

/** One of `LIST_KINDS`. */
export type ListKind = (typeof LIST_KINDS)[number];

interface MoreMember {
  /** Dotted member that is present, and neither empty nor 0, if a list continues. */
  readonly member: string;
}

interface MoreHeader {
  /** Header that is present, and neither empty nor 0, if a list continues. */
  readonly header: string;
}

/** Meanings of members of entries, marks, profiles and rules, as `answers.names` and `answers.columns` name them. */
export const MEMBERS = [
  "prefix",
  "prefixLength",
  "value",
  "id",
  "name",
  "lifetime",
  "age",
  "status",
  "address",
  "source",
  "destination",
  "sourcePort",
  "destinationPort",
  "protocol",
  "rangeStart",
  "rangeEnd",
] as const;

/** One of `MEMBERS`. */
export type Member = (typeof MEMBERS)[number];

/** Members of the elements of each kind of list. */
export const MEMBERS_OF: Readonly<Record<ListKind, readonly Member[]>> = {
  prefixset: ["prefix", "prefixLength", "value", "rangeStart", "rangeEnd"],
  profiles: ["name"],
  rules: ["id", "name"],
  marks: MEMBERS.filter((member) => !/^(prefix|range|name$)/.test(member)),
};

/** Forms of lists: one JSON text, a JSON text on each line, or on each line fields between blanks or between separators. */
export const FORMATS = ["json", "ndjson", "lines", "csv"] as const;

/** One of `FORMATS`. */
export type ListFormat = (typeof FORMATS)[number];

/** Column of each member in a row: a name in the head line, or a number from 0. */
export type Columns = Readonly<Partial<Record<Member, string | number>>>;

/** A member of an answer and the values with which it is a sign. Case of texts does not matter; `7` and `"7"` are equal. */
export interface Verdict {
  /** The member, dotted. */
  readonly member: string;
  /** Values that count as the sign. */
  readonly values: readonly (string | number | boolean | null)[];
}

/** Seconds or milliseconds. */
type Unit = "s" | "ms";

/** A sign of an answer: a member with one of these values, or words that the body contains, bare for all kinds of bodies. */
export type Sign = Verdict | SignText;

interface SignText {
  /** Words in the body; case does not matter. */
  readonly text: string;
}

/** One setting for all commands, or one for each that is named. */
type PerCommand<T> = T | Readonly<Partial<Record<Command, T>>>;

/** One setting for every kind of list, or one for each that is named. */
export type PerKind<T> = T | Readonly<Partial<Record<ListKind, T>>>;

/** A node's answer for an unknown set: `"empty"`, the status 404; another status; a member with one of these values; or words in the body. */
export type Absent = "empty" | AbsentStatus | Verdict | AbsentText;

interface AbsentStatus {
  /** The status of the answer. */
  readonly status: number;
}

interface AbsentText {
  /** Words in the body; case does not matter. */
  readonly text: string;
}

/**
 * Settings for the answers of a node that does not use the natural shapes (docs/contributing/contract.md#node-answers).
 *
 * @example
 * ```ts
 * // {"payload":{"rows2":[{"subnet":"192.0.2.0","size":24,"weight":7}]}}
 * const answers: Answers = {
 *   path: { prefixset: "payload.rows2" },
 *   names: { prefix: "subnet", prefixLength: "size", value: "weight" },
 * };
 * // "192.0.2.0/24 7" a line; inserts are answered {"code":1000,"message":"Command completed"}
 * const text: Answers = { format: "lines", success: { member: "code", values: [1000] } };
 * ```
 */
export interface Answers {
  /**
   * Form of lists. `lines`: an element on each line, fields between blanks; `csv`: fields between commas, semicolons or
   * tabs, quoted as in RFC 4180. Blank lines and comments are ignored, an error line is an error. Default: `"json"`.
   */
  readonly format?: PerKind<ListFormat>;
  /** Meaning of the fields of a row, in `lines`, `csv` and elements that are JSON arrays. Default: a head line, if there is one. */
  readonly columns?: PerKind<Columns>;
  /**
   * Place of the list in an answer, dotted (`"result.items"`), for all kinds of lists or for each. A number selects an element
   * of an array; `{arena}`, `{profile}` and `{set}` stand for the names in the request; `"."` is the whole answer. Profiles
   * there may be keyed by name and rules by id.
   */
  readonly path?: PerKind<string>;
  /**
   * The node's own names of members, each for all kinds of lists or by kind: `{ id: { rules: "num", marks: "markid" } }`. Case
   * does not matter. A record without the named member is read by natural names, but `prefixLength` must be present; `"/"` means
   * that lengths follow a slash and are nowhere else.
   */
  readonly names?: Readonly<Partial<Record<Member, PerKind<string>>>>;
  /** Answer that means an empty list: `"{}"` an empty object, `""` also an empty body. Default: neither. */
  readonly empty?: "{}" | "";
  /**
   * Sign of a success, whatever else the answer holds: a member with one of these values, or words in the body, such as
   * `{ text: "<status>ok</status>" }`. Other values of the member, and bodies without the words, are failures. Words are no
   * sign of a list.
   */
  readonly success?: PerCommand<Sign>;
  /** Sign of a failure. Without `success`, other values of the member are successes, and bodies without the words but HTML. */
  readonly failure?: PerCommand<Sign>;
  /**
   * Answer for an unknown set, which then counts as empty, since the first insert creates it: `"empty"` for the status 404, or
   * another sign. Default: an unknown set is an error.
   */
  readonly absent?: Absent;
  /** Sign that a list continues. Default: any member beside the list, and any header, that may report it. */
  readonly more?: MoreMember | MoreHeader;
  /**
   * Members beside a list, dotted (`"meta.shard"`), and headers that report nothing about it. An ignored object is ignored as a
   * whole. Default: none; what is not known to be harmless is refused, since it may report that the list is only a part. Also
   * members of an entry, such as `state`: one that may say that the entry is not applied is refused otherwise.
   */
  readonly ignore?: readonly string[];
  /** Units of the times of marks. Default: seconds, `"s"`. Milliseconds are read as whole seconds. */
  readonly units?: {
    /** Unit of the lifetime of a mark. Default: `"s"`. */
    readonly lifetime?: Unit;
    /** Unit of the age of a mark. Default: `"s"`. */
    readonly age?: Unit;
  };
  /** The node's own words for the types of marks in requests: `{ shost: "src-host" }`. Default: those of the contract. */
  readonly markTypes?: Readonly<Partial<Record<MarkType, string>>>;
  /**
   * Path of your own module, for lists that no setting describes. Its default export takes the text of an answer and the kind
   * of the list, and returns a list in the contract's shape. Relative to the program, to the file of `--settings` or the
   * forwarder's configuration that names it, else to the working folder. Only where `PACKETFILTER_ALLOW_CODE` allows it.
   */
  readonly read?: string;
}

/**
 * Settings for the answers of a receiver that does not use the contract's shapes (docs/contributing/contract.md#signaling-operations).
 *
 * @example
 * ```ts
 * // {"result":{"active":["198.51.100.7"]}}; 404 when nothing is active; a start is answered {"rc":1}
 * const answers: ReceiverAnswers = {
 *   path: "result",
 *   name: "active",
 *   empty: 404,
 *   success: { member: "rc", values: [1] },
 * };
 * ```
 */
export interface ReceiverAnswers {
  /** Form of a status: `lines` and `csv` are a prefix a line. Default: `"json"`. */
  readonly format?: ListFormat;
  /** Place of the object with the prefixes, or of their list, in a status, dotted. */
  readonly path?: string;
  /** Name of the member with the prefixes, in any case. Default: `IP_prefix`. */
  readonly name?: string;
  /** Answer if nothing is active: `"{}"` an empty object, `""` also an empty body, `404` also that status. Default: none. */
  readonly empty?: "{}" | "" | 404;
  /** Sign of a success, by a member or by words in the body. Other values of the member, and bodies without the words, are failures. */
  readonly success?: PerOperation<Sign>;
  /** Sign of a failure. */
  readonly failure?: PerOperation<Sign>;
  /**
   * Members of a status, dotted, and headers that report neither a part of it nor a failure. Default: none; a total above the
   * number of listed prefixes, any sign of a continuation, and unknown words beside an empty list are refused. Also members of a
   * record, fields of a line (`"column 1"`), and all that stands under prefixes (`"value"`): one that may say that the prefix is
   * not active is refused otherwise, and so is a second address in a line.
   */
  readonly ignore?: readonly string[];
}

/** One setting for all operations of a receiver, or one for each that is named. */
type PerOperation<T> = T | Readonly<Partial<Record<(typeof OPERATIONS)[number], T>>>;

/** The three operations, as settings name them. */
export const OPERATIONS = ["status", "start", "stop"] as const;

/** Knowledge about a node that readers of its answers use. */
export interface NodeHabits {
  readonly answers?: Answers;
  /** Places where this node listed keyed objects before: an empty object there is an empty list. Readers add to it. */
  readonly keyedPlaces?: Set<string>;
  /** Most records of a list; a longer one is refused. Default: no limit. */
  readonly maxListRecords?: number;
  /** Listed resource, for the names in `answers.path`. */
  readonly place?: { readonly arena: string; readonly profile?: string; readonly set?: string };
  /** True if the settings declare the answer a success: nothing in it is taken for an error. */
  readonly isSuccess?: boolean;
}

/** The four commands, as settings name them. */
export const COMMANDS = ["list", "insert", "delete", "commit"] as const satisfies readonly Command[];
