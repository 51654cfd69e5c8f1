import { MARK_TYPES, type Mark, type MarkType, type Profile, type Rule } from "../model/mark";
import { Prefix } from "../model/prefix";
import { formatUrl, type PrefixSetUrl, type ResourceUrl } from "../model/resource-url";
import { readMarkList } from "../wire/mark-list";
import { errorText } from "../wire/node-answer";
import * as commands from "../wire/node-command";
import { type ListedEntry, readPrefixSetList } from "../wire/prefix-set-list";
import { readProfileList, readRuleList } from "../wire/record-lists";
import { chunkEnd } from "./chunks";
import { parseEndpoint } from "./endpoint";
import { RequestError } from "./errors";
import type { HttpAnswer } from "./http";
import { readList, readSuccess } from "./node-verdicts";
import { DEFAULTS, type NodeOptions, nodeOptionsSchema, parseOptions } from "./options";
import { Redactor } from "./redact";
import { type Call, Requester } from "./requester";
import { failedStatus, type Verdict } from "./verdict";
import { systemWorld, type World } from "./world";

export type { ListedEntry };

/** Options of a single operation. */
export interface CallOptions {
  /** Ends the operation early, with code `request-cancelled`; what was sent may have had its effect. */
  readonly signal?: AbortSignal;
  /**
   * Repeats only what certainly did not happen. For changes that would do harm if a first try, given up on, took effect
   * after what follows it: a delete before an insert of the same prefix. Default: false.
   */
  readonly once?: boolean;
}

/**
 * The node API (docs/contract.md#node-endpoint): the eleven commands on prefix-sets, profiles, rules and marks.
 *
 * Every operation repeats what is safe to repeat, up to five tries with jittered pauses within `deadlineMs`, and
 * fails with a {@link RequestError} that says what is known. Insert, delete and commit are repeated as well, since
 * doing them twice changes nothing more; then a refusal may be the echo of a first try whose answer was lost.
 * Changes count once they are committed; staged changes are shared by all who write to the set.
 *
 * @example
 * ```ts
 * const client = new NodeClient({ endpoint: "https://192.0.2.10:8080" });
 * const set = { kind: "prefixset", arena: "edge", set: "blocked" } as const;
 * await client.insert(set, [["203.0.113.0/24", 1]]);
 * await client.commit(set);
 * await client.close();
 * ```
 */
export class NodeClient {
  /** Canonical base url of the node without userinfo and `/fapi`: for outputs, comparisons and messages. */
  readonly endpoint: string;
  private readonly requester: Requester;
  private readonly userArena: string | undefined;
  private readonly limits: { entries: number; bytes: number };

  /**
   * @param options See {@link NodeOptions}; checked here.
   * @param world Clock, timers, randomness and transport; for tests.
   * @throws {OptionsError} naming the wrong option.
   */
  constructor(options: NodeOptions, world: Partial<World> = {}) {
    const checked = { ...DEFAULTS, ...defined(parseOptions(nodeOptionsSchema, options, "node")) };
    const endpoint = parseEndpoint(checked.endpoint, "endpoint", commands.NODE_PATH);
    const headers = lowerCased(checked.headers);
    this.endpoint = endpoint.shown;
    this.userArena = checked.userArena ?? headers[commands.USER_ARENA];
    this.limits = { entries: checked.maxEntriesPerRequest, bytes: checked.maxBytesPerRequest };
    this.requester = new Requester(
      {
        origin: endpoint.origin,
        path: endpoint.path,
        endpoint: endpoint.shown,
        label: endpoint.label,
        headers: {
          accept: "application/json",
          "user-agent": "pulumi-packetfilter",
          ...(endpoint.authorization !== undefined && { authorization: endpoint.authorization }),
          ...headers,
          "content-type": "application/json",
        },
        ...(checked.tls && { tls: checked.tls }),
        timeoutMs: checked.timeoutMs,
        deadlineMs: checked.deadlineMs,
        maxConcurrency: checked.maxConcurrency,
        redactor: new Redactor([
          // The arena's name is no secret, and stands in every message.
          ...Object.entries(headers).flatMap(([name, value]) => (name === commands.USER_ARENA ? [] : [value])),
          endpoint.authorization,
          ...endpoint.secrets,
          checked.tls?.key,
        ]),
      },
      { ...systemWorld, ...world },
    );
  }

  /**
   * All entries of a set, in the node's order and spelling. A prefix that the node lists twice is returned twice.
   * Whether staged entries are among them depends on the node.
   *
   * @throws {RequestError} `refused` for an unknown set. @throws {UnexpectedResponse}
   */
  async listPrefixSet(url: PrefixSetUrl, options?: CallOptions): Promise<ListedEntry[]> {
    return this.list(url, `Set ${formatUrl(url)}`, readPrefixSetList, {}, options);
  }

  /**
   * Stages entries; {@link commit} applies them. Sends chunks in order, within `maxEntriesPerRequest` and
   * `maxBytesPerRequest`; a chunk that is too large for the node (HTTP 413) is halved.
   *
   * @param entries Prefixes, sent in canonical form, and values from 0 to 2³²−1.
   * @throws {PrefixError | TypeError} on a wrong entry, before anything is sent.
   * @throws {RequestError} with `acknowledged` and `attempted`.
   */
  async insert(
    url: PrefixSetUrl,
    entries: readonly (readonly [prefix: string, value: number])[],
    options?: CallOptions,
  ): Promise<void> {
    const json = entries.map(([prefix, value]) => {
      const p = Prefix.parse(prefix).toString();
      if (!commands.isEntryValue(value)) {
        throw new TypeError(`Entry ${p}: the value ${String(value)} is no integer from 0 to ${commands.MAX_VALUE}.`);
      }
      return commands.insertEntry({ p, v: value });
    });
    await this.send(url, "insert", json, options);
  }

  /**
   * Stages the removal of entries; {@link commit} applies it.
   *
   * @param spellings Prefixes in the node's own text ({@link ListedEntry.spelling}), sent as they are.
   * @throws {RequestError} with `acknowledged` and `attempted`.
   */
  async delete(url: PrefixSetUrl, spellings: readonly string[], options?: CallOptions): Promise<void> {
    await this.send(
      url,
      "delete",
      spellings.map((a) => commands.deleteEntry({ a })),
      options,
    );
  }

  /** Applies what is staged in a set, by whomever. @throws {RequestError} */
  async commit(url: PrefixSetUrl, options?: CallOptions): Promise<void> {
    const remedy = "Whether it was applied is not known: list the set.";
    return this.run(
      url,
      `Set ${formatUrl(url)}`,
      "commit",
      commands.commitCommand(url),
      readSuccess,
      { remedy },
      options,
    );
  }

  /** The profiles of an arena. @throws {RequestError} @throws {UnexpectedResponse} */
  async listProfiles(arena: string, options?: CallOptions): Promise<Profile[]> {
    const url = { kind: "arena", arena } as const;
    return this.list(url, `Profiles of ${formatUrl(url)}`, readProfileList, {}, options);
  }

  /** The rules of a profile, in their order. @throws {RequestError} @throws {UnexpectedResponse} */
  async listRules(arena: string, profile: string, options?: CallOptions): Promise<Rule[]> {
    const url = { kind: "profile", arena, profile } as const;
    return this.list(url, `Rules of ${formatUrl(url)}`, readRuleList, {}, options);
  }

  /**
   * All marks of one type. Pauses of at least three seconds between such lists are up to the caller
   * (docs/contract.md#pace-of-mark-lists). 100 000 marks are about 4.8 MB.
   *
   * @param options `userArena`: value of the header `User-Arena` for this request; default: the client's, else `arena`.
   * @throws {RequestError} @throws {UnexpectedResponse}
   */
  async listMarks(
    arena: string,
    profile: string,
    type: MarkType,
    options: CallOptions & { readonly userArena?: string } = {},
  ): Promise<Mark[]> {
    if (!MARK_TYPES.includes(type)) throw new TypeError(`\`type\` must be one of ${MARK_TYPES.join(", ")}.`);
    const url = { kind: "mark", arena, profile } as const;
    const userArena = options.userArena ?? this.userArena ?? arena;
    // A header carries bytes; names beyond ASCII travel as UTF-8.
    const headers = { [commands.USER_ARENA]: Buffer.from(userArena, "utf8").toString("latin1") };
    const subject = `Marks (${type}) of ${formatUrl(url)}`;
    return this.list(url, subject, (json) => readMarkList(json, type), { headers, type }, options);
  }

  /** Waits for requests under way and closes the connections. */
  close(): Promise<void> {
    return this.requester.close();
  }

  private async list<T>(
    url: ResourceUrl,
    subject: string,
    read: (json: unknown) => T,
    more: { headers?: Call<T>["headers"]; type?: MarkType },
    options?: CallOptions,
  ): Promise<T> {
    const body = commands.listCommand(url, more.type);
    return this.run(url, subject, "list", body, (answer) => readList(answer, read), { headers: more.headers }, options);
  }

  private async send(
    url: PrefixSetUrl,
    operation: "insert" | "delete",
    entries: readonly string[],
    options?: CallOptions,
  ): Promise<void> {
    const { head, tail } = commands.dataCommand(url, operation);
    const sizes = entries.map((entry) => Buffer.byteLength(entry));
    const frame = Buffer.byteLength(head) + tail.length;
    let limits = this.limits;
    for (let start = 0; start < entries.length; ) {
      const end = chunkEnd(sizes, start, frame, limits);
      const progress = { acknowledged: start, attempted: end - start, total: entries.length };
      const body = `${head}${entries.slice(start, end).join(",")}${tail}`;
      try {
        await this.run(url, `Set ${formatUrl(url)}`, operation, body, readSuccess, { progress }, options);
        start = end;
      } catch (error) {
        if (!(error instanceof RequestError) || error.status !== 413 || end - start === 1) throw error;
        limits = { ...limits, entries: (end - start) >> 1 };
      }
    }
  }

  private run<T>(
    url: ResourceUrl,
    subject: string,
    operation: commands.Command,
    body: string,
    read: (answer: HttpAnswer) => Verdict<T>,
    more: Pick<Call<T>, "headers" | "progress" | "remedy">,
    options: CallOptions = {},
  ): Promise<T> {
    return this.requester.execute(
      {
        method: "POST",
        path: commands.NODE_PATH,
        body,
        subject,
        object: formatUrl(url),
        operation,
        // Staging the same entries twice, and committing twice, ends in the same set.
        idempotent: options.once !== true,
        read: (answer) => failedStatus(answer, errorText, "endpoint") ?? read(answer),
        ...more,
      },
      options,
    );
  }
}

function lowerCased(headers: NodeOptions["headers"] = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

/** A member that is present and `undefined` means absent: spreading it would hide a default. */
function defined<T extends object>(options: T): T {
  const copy = { ...options };
  for (const key of Object.keys(copy)) {
    if (Reflect.get(copy, key) === undefined) Reflect.deleteProperty(copy, key);
  }
  return copy;
}
