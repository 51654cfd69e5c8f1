import type { MarkType } from "../model/mark";
import { formatUrl, type MarkUrl, type ResourceUrl } from "../model/resource-url";
import type { NodeHabits } from "../wire/answers";
import { errorText, quotable } from "../wire/node-answer";
import { type Command, listCommand, NODE_PATH, USER_ARENA } from "../wire/node-command";
import { failedStatus, type Reading } from "./answer-readers";
import { Cookies } from "./cookies";
import { type Endpoint, labelOf, lowerCased, parseNodeEndpoint, senderHeaders } from "./endpoint";
import type { HttpAnswer, HttpRequest } from "./http";
import { DEFAULTS, given, type NodeOptions, nodeSchema, parseOptions } from "./options";
import { Redactor } from "./redact";
import { type ApiRequest, type Limits, Requester, Slots } from "./requester";
import { systemWorld, type World } from "./world";

/** Limits of one request. */
export interface ChunkLimits {
  readonly entries: number;
  readonly bytes: number;
}

/** Options of a single operation. */
export interface CallOptions {
  /** Ends the operation early, with code `request-cancelled`; a request that was sent may still have its effect. */
  readonly signal?: AbortSignal;
  /**
   * Repeats a request only if it certainly had no effect. For a change that does harm if an abandoned try takes effect
   * late: a delete before an insert of the same prefix. Default: false.
   */
  readonly once?: boolean;
}

/** One command to a node. */
export interface NodeRequest<T>
  extends Pick<ApiRequest<T>, "request" | "progress" | "remedy" | "enter" | "follows" | "withholds"> {
  readonly url: ResourceUrl;
  /** Beginning of messages about the request. */
  readonly subject: string;
  readonly command: Command;
  /** Reads an answer with a status of success. */
  readonly read: (answer: HttpAnswer) => Reading<T>;
  /** Reads an answer that is a success although {@link read} or its status says otherwise; `undefined` for a failure. */
  readonly readFailure?: (answer: HttpAnswer) => Reading<T> | undefined;
  readonly options?: (CallOptions & Pick<Limits, "until">) | undefined;
}

const busyRemedy = (status: number | undefined) =>
  status === 503 ? "The node is not ready." : "Lower `maxConcurrency` or raise `deadlineMs` of the node.";

/** One node: its checked options with defaults, and the connection to it. */
export class NodeConnection {
  /** Canonical base url of the node without userinfo and `/fapi`. */
  readonly endpoint: string;
  readonly requests: NodeRequests;
  /** Shapes of the node's answers, from its options and from earlier answers in this process. */
  readonly habits: NodeHabits;
  /** Checked, with defaults. */
  readonly options: NodeOptions & typeof DEFAULTS;
  private readonly world: World;
  private readonly requester: Requester;
  private readonly turns: Map<string, Pick<Slots, "acquire">>;

  /**
   * @param name Name of the node in messages. Default: its address.
   * @param cookies Cookies of another connection, to continue its session. Default: none.
   * @throws {OptionsError} naming the wrong option.
   */
  constructor(options: NodeOptions, world: Partial<World> = {}, name?: string, cookies = new Cookies()) {
    const checked = { ...DEFAULTS, ...given(parseOptions(nodeSchema(), options, "node")) };
    this.options = checked;
    this.requests = new NodeRequests(checked);
    this.endpoint = this.requests.endpoint.shown;
    this.world = { ...systemWorld, ...world };
    const { keyedPlaces, turns } = this.memory;
    this.turns = turns;
    this.habits = { answers: checked.answers, keyedPlaces, maxListRecords: checked.maxListRecords };
    const { endpoint, redactor } = this.requests;
    const label = labelOf(name, endpoint.label);
    this.requester = new Requester(
      { ...checked, endpoint: endpoint.shown, label, redactor, busyRemedy, cookies },
      this.world,
    );
  }

  /** {@link habits} for a request about one object, whose names `answers.path` may contain. */
  habitsAt(place: ResourceUrl): NodeHabits {
    return { ...this.habits, place };
  }

  /** The answer as a message may quote it: short, and nothing that may repeat a secret. */
  quote(body: string): string {
    return quotable(this.requests.redactor.foreign(body));
  }

  /** Waits until a list of a table of marks may be tried; returns the function to call at the end of the try. */
  enter(table: string, signal?: AbortSignal): Promise<() => void> {
    const { markPauseMs: pauseMs, markPace: by } = this.options;
    return this.memory.marks.enter(table, { pauseMs, by }, this.world, signal);
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
        // Staging the same entries twice, or committing twice, leads to the same set.
        idempotent: options.once !== true,
        read: (answer) => {
          const reading = failedStatus(answer, errorText, "endpoint") ?? read(answer);
          return reading.kind === "done" ? reading : (readFailure?.(answer) ?? reading);
        },
      },
      options,
    );
  }

  /** Does work that ends in a commit. No connection of this process to this address stages meanwhile what that commit applies. */
  async alone<T>(commitUrl: string, work: () => Promise<T>): Promise<T> {
    const turn = this.turns.get(commitUrl) ?? new Slots(1);
    this.turns.set(commitUrl, turn);
    const release = await turn.acquire();
    try {
      return await work();
    } finally {
      release();
    }
  }

  /** Waits for requests under way and closes the connections. */
  close(): Promise<void> {
    return this.requester.close();
  }
}

/**
 * Builds the requests to one node without sending them: address, headers, body, and the redactor for texts about them.
 * Used by client, forwarder and probe (docs/contributing/contract.md#node-endpoint).
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
  private readonly markTypes: NonNullable<NodeOptions["answers"]>["markTypes"];

  /**
   * @param options Already checked by `nodeSchema`.
   * @throws {OptionsError} when the endpoint is not a base url.
   */
  constructor({ endpoint, headers = {}, userArena, tls, answers }: NodeOptions) {
    this.markTypes = answers?.markTypes;
    this.endpoint = parseNodeEndpoint(endpoint);
    const { authorization, secrets } = this.endpoint;
    const given = lowerCased(headers);
    const { [USER_ARENA]: headerArena, ...credentials } = given;
    this.userArena = userArena ?? headerArena;
    this.headers = {
      accept: "application/json",
      ...senderHeaders(authorization),
      ...given,
      "content-type": "application/json",
    };
    // The arena's name is not a secret: every message shows it.
    this.redactor = new Redactor([...Object.values(credentials), authorization, ...secrets, tls?.key]);
  }

  /** The request that carries a command. */
  post(body: string, headers: Readonly<Record<string, string>> = {}): HttpRequest & { readonly body: string } {
    const { origin, path } = this.endpoint;
    return { method: "POST", origin, path: `${path}${NODE_PATH}`, headers: { ...this.headers, ...headers }, body };
  }

  /** @param userArena Value of `User-Arena`. Default: that of the options, else the arena of the url. */
  listMarks(url: MarkUrl, type: MarkType, userArena?: string): ReturnType<NodeRequests["post"]> {
    return this.post(listCommand(url, type, this.markTypes), this.marksHeaders(url, userArena));
  }

  /** The header that only a list of marks needs (docs/contributing/contract.md#marks). */
  marksHeaders({ arena }: MarkUrl, userArena = this.userArena ?? arena): Record<string, string> {
    // A header carries bytes; names beyond ASCII are sent as UTF-8.
    return { [USER_ARENA]: Buffer.from(userArena, "utf8").toString("latin1") };
  }
}
