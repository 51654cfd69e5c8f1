import { Cookies } from "../../client/cookies";
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
import type { Note } from "../undo";
import { Answer } from "./answer";
import type { Ending } from "./ending";
import { Learned } from "./learned";
import { KIND_OF, type ReadsList, readListed } from "./listing";
import type { Seen } from "./needed";
import { Verdicts } from "./verdicts";

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
  /** Milliseconds that the whole run may take, without what is cleaned up in the end. */
  readonly wholeMs: number;
}

/**
 * The way to the node, and what has been learnt of it so far. Every request goes through {@link ask}, which tries once, so that
 * what came back is the node's answer to it and to nothing else.
 */
export class Asker {
  readonly learned: Learned;
  readonly verdicts: Verdicts;
  readonly world: World;
  /** All different answers. */
  readonly seen = new Map<string, Seen>();
  /** Milliseconds that the node asked to wait before a list of marks, although lists of one table were kept apart. */
  marksWait = 0;
  /** What the node has set. */
  readonly cookies = new Cookies();
  /** Where it goes on, without secrets. */
  protected movedTo: string | undefined;
  /** The node's options with the address at which it answers. */
  private reached: NodeOptions;
  private connection: NodeConnection;
  private readonly connections: NodeConnection[];

  constructor(
    readonly node: NodeOptions,
    readonly limits: Limits,
    private readonly given: Partial<World>,
    readonly ending: Ending,
    /** Is told of everything that may have to be taken back, before it is sent. */
    readonly note: (note: Note) => void = () => {},
  ) {
    this.world = { ...systemWorld, ...given };
    this.learned = new Learned(node.answers ?? {});
    this.verdicts = new Verdicts(this.learned);
    this.reached = node;
    this.connection = this.connect(node, this.cookies);
    this.connections = [this.connection];
  }

  /** The node's address, without secrets. */
  get endpoint(): string {
    return this.connection.endpoint;
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

  /** How a client reads a list by what is known so far. */
  read<T>(answer: Answer, url: ResourceUrl, read: ReadsList<T>) {
    return readListed(answer, url, read, this.learned.answers);
  }

  /** The headers of a list of marks. */
  userArena(url: MarkUrl): Record<string, string> {
    return this.connection.requests.marksHeaders(url);
  }

  /** The same question without any credentials of headers or of the address. */
  askWithout(question: Question): Promise<Answer> {
    const { headers: _, ...plain } = this.node;
    return this.askApart(question, undefined, { ...plain, endpoint: this.endpoint });
  }

  /** Asks over a connection of its own, without what the node had set of cookies, or with it. */
  async askApart(question: Question, cookies?: Cookies, node = this.reached): Promise<Answer> {
    const connection = this.connect(node, cookies);
    try {
      return await this.send(question, false, connection);
    } finally {
      await connection.close();
    }
  }

  /** Asks the same twice at once, whatever the settings allow; an answer that did not come whole is none. */
  async askTwice(question: Question): Promise<(Answer | undefined)[]> {
    const connection = this.connect({ ...this.reached, maxConcurrency: 2 }, this.cookies);
    const one = () =>
      this.send(question, false, connection).catch((error: unknown) => {
        if (isUnreachable(error)) return undefined;
        throw error;
      });
    try {
      return await Promise.all([one(), one()]);
    } finally {
      await connection.close();
    }
  }

  /** Goes on at another path of the same node. */
  move(endpoint: string): void {
    this.movedTo = endpoint;
    const { username, password } = new URL(this.node.endpoint);
    const url = Object.assign(new URL(endpoint), { username, password });
    this.reached = { ...this.node, endpoint: url.href };
    this.connection = this.connect(this.reached, this.cookies);
    this.connections.push(this.connection);
  }

  /** Waits; ends early, with an error, when the user asks to stop. */
  async pause(ms: number, { calm = false } = {}): Promise<void> {
    await this.ending.sleep(ms, calm);
  }

  async close(): Promise<void> {
    await Promise.all(this.connections.map((connection) => connection.close()));
  }

  private connect(options: NodeOptions, cookies?: Cookies): NodeConnection {
    return new NodeConnection(options, { ...this.given, maxTries: 1 }, undefined, cookies);
  }

  private async send(question: Question, calm: boolean, connection = this.connection): Promise<Answer> {
    const { url, command, body, asked = command, headers, table, follows } = question;
    this.ending.check(calm);
    // Once it is known that lists of all tables count together, no further one is turned away.
    if (table && this.marksWait > 0) await this.pause(this.marksWait, { calm });
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
        options: { once: true, ...this.ending.limitsFor(calm) },
      });
      const wait = this.asksToWait(answer);
      if (wait === undefined || waited >= 3) {
        const whole = new Answer(asked, answer, connection.quote(answer.body), (text) => this.sort(text, question));
        this.seen.set(`${command} ${formatUrl(url)} ${table} ${whole.status} ${whole.body}`, {
          url,
          command,
          table,
          answer: whole,
        });
        return whole;
      }
      if (table) this.marksWait = Math.max(this.marksWait, wait);
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
