import { done, failedStatus, readBody } from "../../client/answer-readers";
import { Cookies } from "../../client/cookies";
import { isUnreachable } from "../../client/errors";
import type { HttpAnswer } from "../../client/http";
import { NodeConnection } from "../../client/node-connection";
import type { NodeOptions } from "../../client/options";
import { retryAfter } from "../../client/pauses";
import { systemWorld, type World } from "../../client/world";
import type { MarkType } from "../../model/mark";
import { formatUrl, type MarkUrl, type ResourceUrl } from "../../model/resource-url";
import type { Answers } from "../../wire/answers";
import { errorText, readAnswer } from "../../wire/node-answer";
import { type Command, listCommand } from "../../wire/node-command";
import { TIMING } from "../timing";
import { Answer } from "./answer";
import type { Ending } from "./ending";
import { Learned } from "./learned";
import { KIND_OF } from "./listing";
import type { Exchange } from "./needed";
import type { Note } from "./undo";
import { Verdicts } from "./verdicts";

/** One request to the node. */
export interface Question {
  readonly url: ResourceUrl;
  readonly command: Command;
  readonly body: string;
  /** Name in the evidence; default: the command. */
  readonly asked?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** A table of marks, whose pace is kept. */
  readonly table?: MarkType;
  /** False: a redirect is not followed. */
  readonly follows?: boolean;
  /** True for one of two requests at once: a conflict is an answer, and no reason to ask again. */
  readonly isOneOfTwo?: true;
}

export interface Limits {
  /** Entries of the largest request. */
  readonly entries: number;
  /** Bytes of the largest request. */
  readonly bytes: number;
  /** Milliseconds for a change to show. */
  readonly patienceMs: number;
  /** Milliseconds for the whole run, without the cleaning up at the end. */
  readonly wholeMs: number;
}

/** Connection to the node, and the facts learnt about it. Requests are not repeated, so each answer belongs to one request. */
export class Asker {
  readonly learned: Learned;
  readonly verdicts: Verdicts;
  readonly world: World;
  readonly exchanges = new Map<string, Exchange>();
  /** Milliseconds that the node asked to wait before a list of marks, although the pace of each table was kept. */
  marksWait = 0;
  readonly cookies = new Cookies();
  /** Monotonic time at which the last request was sent that was not turned away. */
  sentAt = 0;
  /** Address after a redirect, without secrets. */
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
    /** Called with every change that may have to be taken back, before it is sent. */
    readonly note: (note: Note) => void = () => {},
  ) {
    this.world = { ...systemWorld, ...given };
    this.learned = new Learned(node.answers ?? {});
    this.verdicts = new Verdicts(this.learned);
    this.reached = node;
    this.connection = this.connect(node, this.cookies);
    this.connections = [this.connection];
  }

  /** Address without secrets. */
  get endpoint(): string {
    return this.connection.endpoint;
  }

  /**
   * Asks once, and once more after a status from 500 on: the same answer twice is taken as final.
   *
   * @throws {RequestError} when no whole answer came. @throws {Error}
   */
  async ask(question: Question): Promise<Answer> {
    const first = await this.send(question);
    if (first.status < 500 || [501, 505, 507].includes(first.status)) return first;
    const second = await this.send(question);
    if (second.status === first.status) return second;
    throw new Error(
      `The same request was answered with ${first.status} (${first.quote}) and then with ${second.status}.`,
    );
  }

  list(url: ResourceUrl, more: Partial<Question> = {}): Promise<Answer> {
    const body = listCommand(url, more.table, this.node.answers?.markTypes);
    return this.ask({ url, command: "list", body, ...more });
  }

  userArena(url: MarkUrl): Record<string, string> {
    return this.connection.requests.marksHeaders(url);
  }

  /** Asks without the credentials of headers and address. */
  askWithout(question: Question): Promise<Answer> {
    const { headers: _, ...plain } = this.node;
    return this.askSeparately(question, undefined, { ...plain, endpoint: this.endpoint });
  }

  /** Asks over a connection of its own, with these cookies alone. */
  async askSeparately(question: Question, cookies?: Cookies, node = this.reached): Promise<Answer> {
    const connection = this.connect(node, cookies);
    try {
      return await this.send(question, connection);
    } finally {
      await connection.close();
    }
  }

  /** Asks the same twice at once, whatever the settings allow; `undefined` for an incomplete answer. */
  askTwice(question: Question): Promise<(Answer | undefined)[]> {
    const one = () =>
      this.askSeparately({ ...question, isOneOfTwo: true }, this.cookies).catch((error: unknown) => {
        if (isUnreachable(error)) return undefined;
        throw error;
      });
    return Promise.all([one(), one()]);
  }

  /** Continues at another path of the same node. */
  move(endpoint: string): void {
    this.movedTo = endpoint;
    const { username, password } = new URL(this.node.endpoint);
    const url = Object.assign(new URL(endpoint), { username, password });
    this.reached = { ...this.node, endpoint: url.href };
    this.connection = this.connect(this.reached, this.cookies);
    this.connections.push(this.connection);
  }

  /** Waits. @throws as {@link Ending.check} */
  pause(ms: number): Promise<void> {
    return this.ending.sleep(ms);
  }

  async close(): Promise<void> {
    await Promise.all(this.connections.map((connection) => connection.close()));
  }

  private connect(options: NodeOptions, cookies?: Cookies): NodeConnection {
    return new NodeConnection(options, { ...this.given, maxTries: 1 }, undefined, cookies);
  }

  private async send(question: Question, connection = this.connection): Promise<Answer> {
    const { url, command, body, asked = command, headers, table, follows } = question;
    this.ending.check();
    if (table && this.marksWait > 0) await this.pause(this.marksWait);
    for (let waited = 0; ; waited++) {
      this.sentAt = this.world.monotonic();
      const answer = await connection.run<HttpAnswer>({
        url,
        command,
        request: connection.requests.post(body, headers),
        ...(follows !== undefined && { follows }),
        ...(table && { enter: (signal?: AbortSignal) => connection.enter(`${formatUrl(url)}/${table}`, signal) }),
        subject: `Probe of ${formatUrl(url)}`,
        read: done,
        readFailure: done,
        options: { once: true, ...this.ending.limits },
      });
      const wait = this.asksToWait(answer, question);
      if (wait === undefined || waited >= 3) {
        const whole = new Answer(asked, answer, connection.quote(answer.body), (text, own) =>
          this.classify(text, question, own as Answers | undefined),
        );
        const key = `${command} ${formatUrl(url)} ${table} ${whole.status} ${whole.body}`;
        this.exchanges.set(key, { url, command, table, answer: whole });
        return whole;
      }
      if (table) this.marksWait = Math.max(this.marksWait, wait);
      await this.pause(wait);
    }
  }

  private classify(body: string, { url, command }: Question, answers = this.learned.answers) {
    return command === "list"
      ? readBody(body, KIND_OF[url.kind], { answers, place: url })
      : readAnswer(body, answers, command);
  }

  /** Milliseconds to wait, if a client would ask again what was rejected unread. */
  private asksToWait(answer: HttpAnswer, { isOneOfTwo }: Question): number | undefined {
    if (failedStatus(answer, errorText, "endpoint")?.outcome !== "not-sent") return undefined;
    if (isOneOfTwo && answer.status === 409) return undefined;
    const wait =
      retryAfter(answer.header("retry-after"), answer.header("date"), this.world.wall()) ?? TIMING.turnedAway;
    return wait <= TIMING.longestWait ? wait : undefined;
  }
}
