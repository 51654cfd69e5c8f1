import { isEntryValue, MAX_VALUE } from "../model/entry";
import {
  type EntriesOf,
  givenEntries,
  NO_ENTRIES,
  type PrefixLike,
  prefixText,
  type ValueLike,
} from "../model/given-entries";
import { isObject, membersOf } from "../model/json";
import { MARK_TYPES, type Mark, type MarkType, type Profile, type Rule } from "../model/mark";
import { type CanonicalPrefix, Prefix } from "../model/prefix";
import { checkedUrl, formatUrl, type PrefixSetUrl, type ResourceUrl } from "../model/resource-url";
import type { ListKind, NodeHabits } from "../wire/answers";
import { readMarkList } from "../wire/mark-list";
import { listCommand } from "../wire/node-command";
import type { ListedEntry } from "../wire/prefix-set-list";
import { readProfileList, readRuleList } from "../wire/record-lists";
import { readList } from "./answer-readers";
import { listOf } from "./arguments";
import type { Withholds } from "./failed-try";
import { paceKey } from "./mark-pace";
import { type CallOptions, NodeConnection, type NodeRequest } from "./node-connection";
import { NodeSet, type SetEntry } from "./node-set";
import { isHeaderText, NO_HEADER, type NodeOptions } from "./options";
import type { World } from "./world";

export type { CallOptions, ListedEntry };

/**
 * The node API (docs/contributing/contract.md#node-endpoint): the eleven commands on prefix-sets, profiles, rules and marks.
 *
 * A failed request is repeated if that is safe: up to five tries with jittered pauses within `deadlineMs`. A busy node gets
 * one request at a time, with repeats up to `deadlineMs`. After that the operation fails with a `RequestError`. Insert,
 * delete and commit are repeated as well, since a second one changes nothing more; a refusal may then be the effect of a
 * first try whose answer was lost. A commit applies the staged changes of all writers of the set.
 *
 * @example
 * ```ts
 * const client = new NodeClient({ endpoint: "https://192.0.2.10:8080" });
 * const set = { kind: "prefixset", arena: "edge", set: "blocked" } as const;
 * await client.insert(set, { "203.0.113.0/24": 1 });
 * await client.commit(set);
 * await client.close();
 * ```
 */
export class NodeClient {
  /** Canonical base url of the node without userinfo and `/fapi`: for outputs, comparisons and messages. */
  readonly endpoint: string;
  /** The largest value that the node takes, if known. {@link insert} does not check it; resources and `block` do. */
  readonly maxValue: number | undefined;
  private readonly connection: NodeConnection;

  /**
   * @param options See {@link NodeOptions}; checked here.
   * @param world Clock, timers, randomness and transport; for tests.
   * @param name Name of the node in messages. Default: its address.
   * @throws {OptionsError} naming the wrong option.
   */
  constructor(options: NodeOptions, world: Partial<World> = {}, name?: string) {
    this.connection = new NodeConnection(options, world, name);
    this.endpoint = this.connection.endpoint;
    this.maxValue = this.connection.options.maxValue;
  }

  /**
   * One set, for callers with parsed prefixes; the methods below take texts.
   *
   * @param withholds True if errors must not quote the node, since the set's prefixes are secret.
   * @throws {TypeError} for anything but the address of a set.
   * @internal
   */
  set(url: PrefixSetUrl, withholds?: Withholds): NodeSet {
    return new NodeSet(this.connection, checkedUrl("prefixset", url), withholds);
  }

  /**
   * All entries of a set, in the node's order and spelling. A prefix that the node lists twice is returned twice. Some nodes
   * list staged entries, too.
   *
   * @throws {RequestError} `refused` for an unknown set. @throws {UnexpectedResponse}
   */
  async listPrefixSet(url: PrefixSetUrl, options?: CallOptions): Promise<ListedEntry[]> {
    return this.set(url).list(options);
  }

  /**
   * Stages entries; {@link commit} applies them. Sends chunks in order, within `maxEntriesPerRequest` and
   * `maxBytesPerRequest`; a chunk that is too large for the node (HTTP 413) is halved.
   *
   * @param entries Prefixes alone (value 1) or with values from 0 to 2³²−1, sent in canonical form: a record or Map by
   * prefix, or any iterable, such as the result of {@link listPrefixSet}.
   * @throws {PrefixError | TypeError} on a wrong entry, before anything is sent.
   * @throws {RequestError} with `acknowledged` and `attempted`.
   */
  async insert(url: PrefixSetUrl, entries: EntriesOf<ValueLike>, options?: CallOptions): Promise<void> {
    await this.set(url).insert(parseEntries(entries), options);
  }

  /**
   * Stages the removal of entries; {@link commit} applies it.
   *
   * @param entries Entries of {@link listPrefixSet}, sent in the node's spelling; prefixes, sent in canonical form; or
   * texts, sent as they are.
   * @throws {TypeError} on anything else, before anything is sent.
   * @throws {RequestError} with `acknowledged` and `attempted`.
   */
  async delete(
    url: PrefixSetUrl,
    entries: Iterable<PrefixLike | Pick<ListedEntry, "spelling">> & object,
    options?: CallOptions,
  ): Promise<void> {
    const spellings = listOf("entries", entries).map((entry, index) => {
      const spelling = typeof entry === "object" && "spelling" in entry ? entry.spelling : prefixText(entry);
      if (typeof spelling === "string") return spelling;
      throw new TypeError(`\`entries[${index}]\` is neither a text, a prefix nor an entry of a list.`);
    });
    await this.set(url).delete(spellings, options);
  }

  /** Applies all staged changes of a set, by any writer. @throws {RequestError} */
  async commit(url: PrefixSetUrl, options?: CallOptions): Promise<void> {
    await this.set(url).commit(options);
  }

  /** The profiles of an arena. @throws {RequestError} @throws {UnexpectedResponse} */
  async listProfiles(arena: string, options?: CallOptions): Promise<Profile[]> {
    const url = checkedUrl("arena", { kind: "arena", arena });
    return this.list({
      url,
      kind: "profiles",
      subject: `Profiles of ${formatUrl(url)}`,
      read: readProfileList,
      options,
    });
  }

  /** The rules of a profile, in their order. @throws {RequestError} @throws {UnexpectedResponse} */
  async listRules(arena: string, profile: string, options?: CallOptions): Promise<Rule[]> {
    const url = checkedUrl("profile", { kind: "profile", arena, profile });
    return this.list({ url, kind: "rules", subject: `Rules of ${formatUrl(url)}`, read: readRuleList, options });
  }

  /**
   * All marks of one type. By `markPace` and `markPauseMs`, each list and each repeat waits for the lists that other callers
   * in this process have begun (docs/contributing/contract.md#pace-of-mark-lists). 100 000 marks are about 4.8 MB.
   *
   * @param options `userArena`: value of the header `User-Arena` for this request; default: the client's, else `arena`.
   * @throws {RequestError} @throws {UnexpectedResponse}
   */
  async listMarks(
    arena: string,
    profile: string,
    type: MarkType,
    options: CallOptions & Pick<NodeOptions, "userArena"> = {},
  ): Promise<Mark[]> {
    if (!MARK_TYPES.includes(type)) throw new TypeError(`\`type\` must be one of ${MARK_TYPES.join(", ")}.`);
    const url = checkedUrl("mark", { kind: "mark", arena, profile });
    if (options.userArena !== undefined && !isHeaderText(options.userArena))
      throw new TypeError(`\`userArena\` ${NO_HEADER}.`);
    const request = this.connection.requests.listMarks(url, type, options.userArena);
    const subject = `Marks (${type}) of ${formatUrl(url)}`;
    const enter = (signal?: AbortSignal) => this.connection.enter(paceKey(url, type), signal);
    const read = (json: unknown, habits: NodeHabits) => readMarkList(json, type, habits);
    return this.list({ url, kind: "marks", subject, request, enter, read, options });
  }

  /** Waits for requests under way and closes the connections. */
  close(): Promise<void> {
    return this.connection.close();
  }

  private list<T extends readonly unknown[]>({ kind, read, ...rest }: NodeList<T>): Promise<T> {
    return this.connection.run({
      request: this.connection.requests.post(listCommand(rest.url)),
      ...rest,
      command: "list",
      read: (answer) => readList(answer, kind, read, this.connection.habitsAt(rest.url)),
    });
  }
}

/** Parses the entries of an insert; a prefix that stands twice with one value counts once. @throws {PrefixError | TypeError} */
function parseEntries(entries: unknown): SetEntry[] {
  const given = givenEntries(entries);
  if (!given) throw new TypeError(`\`entries\` ${NO_ENTRIES}.`);
  const values = new Map<CanonicalPrefix, number>();
  given.spellings.forEach((spelling, index) => {
    if (typeof spelling !== "string")
      throw new TypeError(`\`${given.path(index)}\` is not a text with a prefix in it.`);
    const prefix = Prefix.parse(spelling).toString();
    const value = entryValue(prefix, given.content(index));
    if ((values.get(prefix) ?? value) !== value)
      throw new TypeError(`Entry ${prefix} stands twice, with the values ${values.get(prefix)} and ${value}.`);
    values.set(prefix, value);
  });
  return [...values];
}

function entryValue(prefix: CanonicalPrefix, content: unknown): number {
  const strange = Object.keys(membersOf(content)).find((member) => !CONTENT.has(member));
  if (strange !== undefined)
    throw new TypeError(`Entry ${prefix}: ${JSON.stringify(strange)} is no member of an entry.`);
  const value = isObject(content) ? (content.value ?? 1) : content;
  if (isEntryValue(value)) return value;
  throw new TypeError(`Entry ${prefix}: the value ${String(value)} is not an integer from 0 to ${MAX_VALUE}.`);
}

/** Members of an entry beside its prefix: its value, and the note that programs and prefix files give it. */
const CONTENT: ReadonlySet<string> = new Set(["value", "reason", "ticket", "expires", "sent"]);

/** A list of profiles, rules or marks. */
interface NodeList<T extends readonly unknown[]> extends Pick<NodeRequest<T>, "subject" | "enter" | "options"> {
  readonly url: ResourceUrl;
  readonly kind: ListKind;
  /** Default: the plain list of `url`. */
  readonly request?: NodeRequest<T>["request"];
  readonly read: (json: unknown, habits: NodeHabits) => T;
}
