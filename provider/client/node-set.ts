import type { ListedValue } from "../model/entry";
import type { CanonicalPrefix } from "../model/prefix";
import { type ListedMap, madeOnce } from "../model/prefix-map";
import { formatUrl, type PrefixSetUrl } from "../model/resource-url";
import type { NodeHabits } from "../wire/answers";
import { ShapeError } from "../wire/json";
import { type CommitRefusal, commitRefusalIn } from "../wire/node-answer";
import * as commands from "../wire/node-command";
import { type ListedEntry, readPrefixSetList } from "../wire/prefix-set-list";
import { done, type Reading, readAbsent, readList, readSuccess, understood } from "./answer-readers";
import { EntryTexts, EqualAnswers, EqualTexts } from "./equal-nodes";
import { RequestError } from "./errors";
import { WITHHELD, type Withholds } from "./failed-try";
import type { HttpAnswer } from "./http";
import type { CallOptions, NodeConnection, NodeRequest } from "./node-connection";

/**
 * A parsed prefix and its value: an integer from 0 to 2³²−1, or, when an entry of another writer is restored, the value
 * that the node listed.
 */
export type SetEntry = readonly [prefix: CanonicalPrefix, value: ListedValue];

type Change = "insert" | "delete" | "commit";

/**
 * One set of one node: the four commands on it (docs/contributing/contract.md#node-endpoint). Takes parsed values and does
 * not check them; `NodeClient` takes texts. A failed command is repeated if that is safe.
 *
 * @example
 * ```ts
 * const set = client.set({ kind: "prefixset", arena: "edge", set: "blocked" });
 * await set.insert([[Prefix.parse("203.0.113.0/24").toString(), 1]]);
 * await set.commit();
 * ```
 */
export class NodeSet {
  /** The set's url as text: `prefixset://edge/blocked`. */
  readonly url: string;
  /** Answers to the last insert, delete and commit, shortened and without secrets, for messages. */
  readonly answered = new Map<Change, string>();
  /** Reason of the last refused commit, if its words are known; also where messages withhold them. */
  commitRefusal: CommitRefusal | undefined;
  private readonly subject: string;
  /** Number of entries at the first {@link observe}; `undefined` before it. */
  firstSize: number | undefined;
  /** Result of the last {@link observe}; `undefined` before the first. */
  last: ObservedSet | undefined;

  constructor(
    private readonly node: NodeConnection,
    private readonly address: PrefixSetUrl,
    private readonly withholds: Withholds = () => false,
  ) {
    this.url = formatUrl(address);
    this.subject = `Set ${this.url}`;
  }

  get options(): NodeConnection["options"] {
    return this.node.options;
  }

  /** All entries in the node's order and spelling, duplicates included. @throws {RequestError} */
  list(options?: CallOptions): Promise<ListedEntry[]> {
    return this.ask((answer) => this.readEntries(answer), [], options);
  }

  /** Lists the set as a map. @throws {RequestError} also for a prefix that is listed with two values: which of them counts is not known */
  async observe(options?: NodeRequest<unknown>["options"]): Promise<ObservedSet> {
    const read = (answer: HttpAnswer) =>
      equalAnswers.of(answer, this.habits, () => {
        const reading = this.readEntries(answer);
        if (reading.kind !== "done") return reading;
        return understood(() => done({ value: ObservedSet.of(reading.value), length: reading.value.length }));
      });
    const observed = await this.ask(read, ObservedSet.of([]), options);
    this.firstSize ??= observed.values.size;
    this.last = observed;
    return observed;
  }

  /** @param empty Result for a set that does not exist, if `answers.absent` treats it as empty. */
  private ask<T>(read: (answer: HttpAnswer) => Reading<T>, empty: T, options?: NodeRequest<T>["options"]): Promise<T> {
    return this.run<T>({
      command: "list",
      request: this.node.requests.post(commands.listCommand(this.address)),
      read,
      readFailure: (answer) => readAbsent(answer, this.node.habits.answers?.absent) && done(empty),
      options,
    });
  }

  private readEntries(answer: HttpAnswer): Reading<ListedEntry[]> {
    return readList(answer, "prefixset", readPrefixSetList, this.habits);
  }

  private get habits(): NodeHabits {
    return this.node.habitsAt(this.address);
  }

  /** Stages entries, in chunks. @throws {RequestError} with `acknowledged` and `attempted`. */
  insert(entries: readonly SetEntry[], options?: CallOptions): Promise<void> {
    return this.send("insert", insertTexts(entries), options);
  }

  /**
   * Stages the removal of entries, in chunks.
   *
   * @param spellings Prefixes in the node's own text, sent as they are.
   * @throws {RequestError} with `acknowledged` and `attempted`.
   */
  delete(spellings: readonly string[], options?: CallOptions): Promise<void> {
    return this.send("delete", deletes.of(spellings), options);
  }

  /** Applies all staged changes of the set, by any writer. @throws {RequestError} */
  async commit(options?: CallOptions): Promise<void> {
    await this.run({
      command: "commit",
      request: this.node.requests.post(commands.commitCommand(this.address, this.options.commitUrl)),
      ...this.hearing("commit"),
      remedy: "The outcome is unknown until the set is listed.",
      options,
    });
  }

  /** The url of the commit, which other sets may share. */
  get commitUrl(): string {
    return commands.urlOfCommit(this.address, this.options.commitUrl);
  }

  /** Does work that ends in a commit of this set, see {@link NodeConnection.alone}. */
  alone<T>(work: () => Promise<T>): Promise<T> {
    return this.node.alone(this.commitUrl, work);
  }

  private run<T>(request: Omit<NodeRequest<T>, "url" | "subject" | "withholds">): Promise<T> {
    const { address: url, subject, withholds } = this;
    return this.node.run({ url, subject, withholds, ...request });
  }

  /** Reads the answer to a change and keeps its text, which may explain why the change does not show later. */
  private hearing(command: Change): Pick<NodeRequest<void>, "read" | "readFailure"> {
    const keep = ({ status, body }: HttpAnswer) => {
      const answer = this.withholds() ? WITHHELD : this.node.quote(body);
      this.answered.set(command, status < 300 ? answer : `HTTP ${status}, ${answer}`);
      if (command === "commit") this.commitRefusal = commitRefusalIn(body);
    };
    return {
      readFailure: (answer) => void keep(answer),
      read: (answer) => {
        keep(answer);
        return readSuccess(answer, command, this.node.habits.answers);
      },
    };
  }

  /** Sends entries in chunks, in order; a chunk that is too large for the node (HTTP 413) is halved. */
  private async send(command: Exclude<Change, "commit">, entries: EntryTexts, options?: CallOptions): Promise<void> {
    const frame = commands.dataCommand(this.address, command);
    const { maxEntriesPerRequest, maxBytesPerRequest } = this.options;
    let limits = { entries: maxEntriesPerRequest, bytes: maxBytesPerRequest };
    for (let start = 0; start < entries.length; ) {
      const { body, end } = entries.chunk(frame, start, limits);
      const attempted = end - start;
      try {
        await this.run({
          command,
          request: this.node.requests.post(body),
          ...this.hearing(command),
          progress: { acknowledged: start, attempted, total: entries.length },
          options,
        });
        start = end;
      } catch (error) {
        if (!(error instanceof RequestError) || error.status !== 413 || attempted === 1) throw error;
        limits = { ...limits, entries: attempted >> 1 };
      }
    }
  }
}

const insertTexts = madeOnce(
  (entries: readonly SetEntry[]) => new EntryTexts(entries.map(([p, v]) => commands.insertEntry(p, v))),
);

const deletes = new EqualTexts(commands.deleteEntry);

/** The sets that nodes listed last in this process. */
const equalAnswers = new EqualAnswers<ObservedSet>();

/** The content of a set as a node lists it, with the node's spellings, which a delete needs. */
export class ObservedSet {
  private constructor(
    /** Canonical prefix to value. */
    readonly values: ListedMap,
    private readonly spelled: ReadonlyMap<CanonicalPrefix, readonly string[]>,
  ) {}

  /** @throws {ShapeError} for a prefix with two values */
  static of(list: readonly ListedEntry[]): ObservedSet {
    const values = new Map<CanonicalPrefix, ListedValue>();
    const spelled = new Map<CanonicalPrefix, string[]>();
    list.forEach(({ prefix, value, spelling }) => {
      const key = prefix.toString();
      const other = values.get(key) ?? value;
      if (other !== value)
        throw new ShapeError(
          `${key} is listed with the values ${other} and ${value}`,
          "Remove one of the two at the node.",
        );
      if (spelling !== key || values.has(key)) {
        const earlier = spelled.get(key) ?? (values.has(key) ? [key] : []);
        spelled.set(key, [...new Set([...earlier, spelling])]);
      }
      values.set(key, value);
    });
    return new ObservedSet(values, spelled);
  }

  has(prefix: CanonicalPrefix): boolean {
    return this.values.has(prefix);
  }

  /** Spellings of the prefix in the node's list; the canonical text if it is not listed. */
  spellings(prefix: CanonicalPrefix): readonly string[] {
    return this.spelled.get(prefix) ?? [prefix];
  }
}
