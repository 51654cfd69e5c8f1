import { isUnreachable } from "../../client/errors";
import type { HttpAnswer } from "../../client/http";
import { NodeConnection } from "../../client/node-connection";
import type { NodeOptions } from "../../client/options";
import { done, readBody } from "../../client/reading";
import { retryAfter } from "../../client/retry";
import { systemWorld, type World } from "../../client/world";
import type { MarkType } from "../../model/mark";
import { formatUrl, type MarkUrl, type ResourceUrl } from "../../model/resource-url";
import { readAnswer } from "../../wire/node-answer";
import { type Command, listCommand } from "../../wire/node-command";
import { TIMING } from "../timing";
import { Answer } from "./answer";
import { Learned } from "./learned";
import { KIND_OF, type ReadsList, readListed } from "./listing";
import { Skipped } from "./outcome";
import type { Receiver } from "./receiver";
import { type Sample, takeSample } from "./sample";
import { Tables, type Targets } from "./targets";
import { type Trial, tryStart } from "./trial";
import { Verdicts } from "./verdicts";
import type { Watch, WorkSet } from "./work-set";

/** One request to the node, in the form in which it is sent. */
export interface Question {
  readonly url: ResourceUrl;
  readonly command: Command;
  /** JSON, or what is to be tried in place of it. */
  readonly body: string;
  /** What evidence calls it; default: the command. */
  readonly asked?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** A table of marks, whose pace is kept. */
  readonly table?: MarkType;
  /** False: a redirect is not followed. */
  readonly follows?: boolean;
}

/** How far a probe goes. */
export interface Limits {
  /** Entries in the largest request that is tried. */
  readonly entries: number;
  /** Bytes of the largest request that is tried. */
  readonly bytes: number;
  /** Milliseconds that a change may take until it shows. */
  readonly patienceMs: number;
}

/**
 * What points work with: the node, what is named, the set to write to, and what has been learnt so far. Every request
 * goes through {@link ask}, which tries once, so that what came back is the node's answer to it and to nothing else.
 */
export class Bench {
  readonly learned: Learned;
  readonly verdicts: Verdicts;
  readonly tables = new Tables(this);
  readonly world: World;
  /** The set to write to; absent without permission to write. */
  work: WorkSet | undefined;
  /** Why nothing more can be asked of this node; absent where more can. */
  blocked: string | undefined;
  /** The signaling receiver; absent where none is asked. */
  receiver: Receiver | undefined;
  private connection: NodeConnection;
  private tried: Promise<Trial> | undefined;
  private sampled: Promise<Sample> | undefined;
  private readonly connections: NodeConnection[];

  constructor(
    readonly node: NodeOptions,
    readonly targets: Targets,
    readonly limits: Limits,
    private readonly given: Partial<World>,
    private readonly signal: AbortSignal | undefined,
  ) {
    this.world = { ...systemWorld, ...given };
    this.learned = new Learned(node.answers ?? {});
    this.verdicts = new Verdicts(this.learned);
    this.connection = this.connect(node);
    this.connections = [this.connection];
  }

  /** The node's address, without secrets. */
  get endpoint(): string {
    return this.connection.endpoint;
  }

  /** A url to ask about the node as a whole. @throws {Skipped} where none is named. */
  get first(): ResourceUrl {
    if (this.targets.first) return this.targets.first;
    throw new Skipped("no url is named");
  }

  /** The set to write to. @throws {Skipped} where nothing may be written. */
  get set(): WorkSet {
    if (this.work) return this.work;
    throw new Skipped("nothing may be written");
  }

  /**
   * Asks once. An answer with a status from 500 on is asked for once more: a node that says the same again means it.
   *
   * @param calm Goes on where the user asked to stop: for the work that must be done then.
   * @throws {RequestError} when no whole answer came. @throws {Error}
   */
  async ask(question: Question, { calm = false } = {}): Promise<Answer> {
    const first = await this.send(question, calm);
    if (first.status < 500 || [501, 505, 507].includes(first.status)) return first;
    const second = await this.send(question, calm);
    if (second.status === first.status) return second;
    throw new Error(
      `The same request was answered with ${first.status} (${first.quote}) and then with ${second.status}.`,
    );
  }

  /** Lists a resource. For marks with its `User-Arena`, and at their pace. */
  list(url: ResourceUrl, more: Partial<Question> & { readonly calm?: boolean } = {}): Promise<Answer> {
    const { calm = false, ...rest } = more;
    return this.ask({ url, command: "list", body: listCommand(url, rest.table), ...rest }, { calm });
  }

  /** The body of a plain list. */
  listBody(url: ResourceUrl): string {
    return listCommand(url);
  }

  /** Whether a set may be written to, even if that did not begin yet. */
  get mayWrite(): boolean {
    return this.work !== undefined;
  }

  /** How a client reads a list by what is known so far. */
  read<T>(answer: Answer, url: ResourceUrl, read: ReadsList<T>) {
    return readListed(answer, url, read, this.learned.answers);
  }

  /** The headers of a list of marks. */
  userArena(url: MarkUrl): Record<string, string> {
    return this.connection.requests.marksHeaders(url);
  }

  /**
   * Asks with a request that may be too large: some nodes break the connection instead of an answer.
   *
   * @returns `undefined` then, if the node still answers others. @throws {RequestError} where it does not.
   */
  async askLarge(send: () => Promise<Answer>): Promise<Answer | undefined> {
    try {
      return await send();
    } catch (error) {
      if (!isUnreachable(error)) throw error;
      await this.set.list("list after a broken connection");
      return undefined;
    }
  }

  /** The same question without any credentials of headers or of the address. */
  async askWithout(question: Question): Promise<Answer> {
    const { headers: _, ...plain } = this.node;
    const connection = this.connect({ ...plain, endpoint: this.endpoint });
    try {
      return await this.send(question, false, connection);
    } finally {
      await connection.close();
    }
  }

  /** Goes on at another address of the same node. */
  move(endpoint: string): void {
    const { username, password } = new URL(this.node.endpoint);
    const url = Object.assign(new URL(endpoint), { username, password });
    this.connection = this.connect({ ...this.node, endpoint: url.href });
    this.connections.push(this.connection);
  }

  /** What a body says, short and without secrets. */
  quote(body: string): string {
    return this.connection.quote(body);
  }

  /** Waits; ends early, with an error, when the user asks to stop. */
  async pause(ms: number, { calm = false } = {}): Promise<void> {
    if (ms > 0) await this.world.sleep(ms, calm ? undefined : this.signal);
    if (!calm) this.signal?.throwIfAborted();
  }

  /** What a sample of entries showed; taken once, for all points. @throws {Unclear} */
  sample(): Promise<Sample> {
    this.sampled ??= takeSample(this.set, this.learned, this.verdicts);
    return this.sampled;
  }

  /** The receiver to ask. @throws {Skipped} where none is. */
  get signaling(): Receiver {
    if (this.receiver) return this.receiver;
    throw new Skipped("no receiver is asked");
  }

  /** What a start and its refusals showed; tried once, for all points. @throws {Blocked | Unclear} */
  trial(): Promise<Trial> {
    this.tried ??= tryStart(this.signaling);
    return this.tried;
  }

  /** For changes that may well not show: by what was seen of commits, they do soon or never. */
  get briefly(): Pick<Watch, "patienceMs"> {
    return { patienceMs: TIMING.brief + 4 * this.learned.commitDelay };
  }

  async close(): Promise<void> {
    await Promise.all([...this.connections, this.receiver].map((connection) => connection?.close()));
  }

  private connect(options: NodeOptions): NodeConnection {
    return new NodeConnection({ ...options, maxTries: 1 }, this.given);
  }

  private async send(question: Question, calm: boolean, connection = this.connection): Promise<Answer> {
    const { url, command, body, asked = command, headers, table, follows } = question;
    // Once it is known that lists of all tables count together, no further one is turned away.
    if (table && this.tables.waited > 0) await this.pause(this.tables.waited, { calm });
    for (let waited = 0; ; waited++) {
      const answer = await connection.run<HttpAnswer>({
        url,
        command,
        request: connection.requests.post(body, headers),
        ...(follows !== undefined && { follows }),
        ...(table && { enter: (signal?: AbortSignal) => connection.enter(`${formatUrl(url)}/${table}`, signal) }),
        subject: `Probe of ${formatUrl(url)}`,
        read: done,
        readFailure: done,
        options: { once: true, ...(!calm && this.signal && { signal: this.signal }) },
      });
      const wait = this.asksToWait(answer);
      if (wait === undefined || waited >= 3) {
        return new Answer(asked, answer, connection.quote(answer.body), (text) => this.sort(text, question));
      }
      if (table) this.tables.turnedAway(wait);
      await this.pause(wait, { calm });
    }
  }

  /** As a client would that knows what is known by then. */
  private sort(body: string, { url, command }: Question) {
    const { answers } = this.learned;
    return command === "list"
      ? readBody(body, KIND_OF[url.kind], { answers, place: url })
      : readAnswer(body, answers, command);
  }

  private asksToWait(answer: HttpAnswer): number | undefined {
    if (answer.status !== 429) return undefined;
    const wait =
      retryAfter(answer.header("retry-after"), answer.header("date"), this.world.wall()) ?? TIMING.turnedAway;
    return wait <= TIMING.longestWait ? wait : undefined;
  }
}
