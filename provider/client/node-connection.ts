import type { MarkType } from "../model/mark";
import { formatUrl, type MarkUrl, type ResourceUrl } from "../model/resource-url";
import type { NodeHabits } from "../wire/answers";
import { errorText, quotable } from "../wire/node-answer";
import { type Command, listCommand, NODE_PATH, USER_ARENA } from "../wire/node-command";
import { Cookies } from "./cookies";
import { type Endpoint, labelOf, parseNodeEndpoint, senderHeaders } from "./endpoint";
import type { HttpAnswer, HttpRequest } from "./http";
import type { PaceOptions } from "./mark-pace";
import { DEFAULTS, given, type NodeOptions, nodeSchema, parseOptions } from "./options";
import { failedStatus, type Reading } from "./reading";
import { Redactor } from "./redact";
import { type ApiRequest, type Limits, Requester } from "./requester";
import { systemWorld, type World } from "./world";

/** Limits of one request. */
export interface ChunkLimits {
  readonly entries: number;
  readonly bytes: number;
}

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

/** One command to a node. */
export interface NodeRequest<T>
  extends Pick<ApiRequest<T>, "request" | "progress" | "remedy" | "enter" | "follows" | "withholds"> {
  readonly url: ResourceUrl;
  /** Beginning of a message about it. */
  readonly subject: string;
  readonly command: Command;
  /** Reads an answer with a status of success. */
  readonly read: (answer: HttpAnswer) => Reading<T>;
  /** Reads an answer whose status would count as a failure otherwise; `undefined` where it is one. */
  readonly readFailure?: (answer: HttpAnswer) => Reading<T> | undefined;
  readonly options?: (CallOptions & Pick<Limits, "until">) | undefined;
}

const busyRemedy = "A lower `maxConcurrency` or a longer `deadlineMs` of the node may help.";

/** One node: its options, checked once and with their defaults, and the way to it. */
export class NodeConnection {
  /** Canonical base url of the node without userinfo and `/fapi`. */
  readonly endpoint: string;
  /** Builds what is sent to it. */
  readonly requests: NodeRequests;
  readonly chunkLimits: ChunkLimits;
  /** Answers of the node, by its options and by what this process has seen. */
  readonly habits: NodeHabits;
  /** Milliseconds that a commit may take to show in lists. */
  readonly commitDelayMs: number;
  /** The largest value that the node takes, where that is known. */
  readonly maxValue: number | undefined;
  /** Pause between lists of marks. */
  readonly pace: PaceOptions;
  private readonly world: World;
  private readonly requester: Requester;

  /**
   * @param name What people call the node, for messages; by default its address alone stands there.
   * @param cookies Those of another connection, whose session goes on; by default none.
   * @throws {OptionsError} naming the wrong option.
   */
  constructor(options: NodeOptions, world: Partial<World> = {}, name?: string, cookies = new Cookies()) {
    const checked = { ...DEFAULTS, ...given(parseOptions(nodeSchema(), options, "node")) };
    this.requests = new NodeRequests(checked);
    this.endpoint = this.requests.endpoint.shown;
    this.chunkLimits = { entries: checked.maxEntriesPerRequest, bytes: checked.maxBytesPerRequest };
    this.world = { ...systemWorld, ...world };
    const { keyedPlaces } = this.memory;
    this.habits = { answers: checked.answers, keyedPlaces, maxListRecords: checked.maxListRecords };
    this.commitDelayMs = checked.commitDelayMs;
    this.maxValue = checked.maxValue;
    this.pace = { pauseMs: checked.markPauseMs, by: checked.markPace };
    const { endpoint, redactor } = this.requests;
    const label = labelOf(name, endpoint.label);
    this.requester = new Requester(
      { ...checked, endpoint: endpoint.shown, label, redactor, busyRemedy, cookies },
      this.world,
    );
  }

  /** {@link habits} for a request about a place, whose names may stand in `answers.path`. */
  habitsAt(place: ResourceUrl): NodeHabits {
    return { ...this.habits, place };
  }

  /** Answer of a node in a form that a message may quote: short, and without secrets. */
  quote(body: string): string {
    return quotable(this.requests.redactor.text(body));
  }

  /** Waits until a list of a table of marks may be tried; returns what tells that the try has ended. */
  enter(table: string, signal?: AbortSignal): Promise<() => void> {
    return this.memory.marks.enter(table, this.pace, this.world, signal);
  }

  private get memory() {
    return this.world.memories.of(this.endpoint);
  }

  /** Sends a command, with repeats. @throws {RequestError} */
  run<T>({ url, command, read, readFailure, options = {}, ...rest }: NodeRequest<T>): Promise<T> {
    return this.requester.execute(
      {
        ...rest,
        object: formatUrl(url),
        operation: command,
        // Staging the same entries twice, and committing twice, ends in the same set.
        idempotent: options.once !== true,
        read: (answer) => readFailure?.(answer) ?? failedStatus(answer, errorText, "endpoint") ?? read(answer),
      },
      options,
    );
  }

  /** Waits for requests under way and closes the connections. */
  close(): Promise<void> {
    return this.requester.close();
  }
}

/**
 * Builds the requests to one node, and sends none: address, headers, body, and the redactor for all texts about them.
 * Client, forwarder and probe build theirs here (docs/contributing/contract.md#node-endpoint).
 *
 * @example
 * ```ts
 * const requests = new NodeRequests({ endpoint: "https://192.0.2.10:8080" });
 * requests.post(commitCommand(set));                                      // { method: "POST", origin, path, headers, body }
 * requests.listMarks({ kind: "mark", arena: "edge", profile: "web" }, "shost");
 * ```
 */
export class NodeRequests {
  /** The node's base url without `/fapi`. */
  readonly endpoint: Endpoint;
  readonly redactor: Redactor;
  private readonly headers: Readonly<Record<string, string>>;
  private readonly userArena: string | undefined;

  /**
   * @param options Checked before, see `nodeSchema`.
   * @throws {OptionsError} when the endpoint is no base url.
   */
  constructor({ endpoint, headers = {}, userArena, tls }: NodeOptions) {
    this.endpoint = parseNodeEndpoint(endpoint);
    const { authorization, secrets } = this.endpoint;
    const given = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
    const { [USER_ARENA]: headerArena, ...credentials } = given;
    this.userArena = userArena ?? headerArena;
    this.headers = {
      accept: "application/json",
      ...senderHeaders(authorization),
      ...given,
      "content-type": "application/json",
    };
    // The arena's name is no secret, and stands in every message.
    this.redactor = new Redactor([...Object.values(credentials), authorization, ...secrets, tls?.key]);
  }

  /** The request that carries a command. */
  post(body: string, headers: Readonly<Record<string, string>> = {}): HttpRequest & { readonly body: string } {
    const { origin, path } = this.endpoint;
    return { method: "POST", origin, path: `${path}${NODE_PATH}`, headers: { ...this.headers, ...headers }, body };
  }

  /** @param userArena Value of `User-Arena`; default: the options', else the arena that is asked for. */
  listMarks(url: MarkUrl, type: MarkType, userArena?: string): ReturnType<NodeRequests["post"]> {
    return this.post(listCommand(url, type), this.marksHeaders(url, userArena));
  }

  /** The header that goes with a list of marks (docs/contributing/contract.md#marks), which no other command needs. */
  marksHeaders({ arena }: MarkUrl, userArena = this.userArena ?? arena): Record<string, string> {
    // A header carries bytes; names beyond ASCII travel as UTF-8.
    return { [USER_ARENA]: Buffer.from(userArena, "utf8").toString("latin1") };
  }
}
