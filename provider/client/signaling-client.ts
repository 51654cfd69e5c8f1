import type { PrefixLike } from "../model/given-entries";
import { Prefix } from "../model/prefix";
import { some } from "../model/text";
import type { ReceiverAnswers } from "../wire/answers";
import { refusePartialAnswer } from "../wire/envelope";
import { refuseRepeated } from "../wire/json";
import { errorText, noJson, readAnswer } from "../wire/node-answer";
import * as wire from "../wire/signaling";
import { readActive, readStatus } from "../wire/status";
import { readTextPrefixes } from "../wire/text-list";
import { done, type Failed, failedStatus, type Reading, refused, understood, unexpected } from "./answer-readers";
import { listOf } from "./arguments";
import { labelOf } from "./endpoint";
import type { RequestError } from "./errors";
import type { Withholds } from "./failed-try";
import type { HttpAnswer } from "./http";
import type { CallOptions } from "./node-connection";
import { DEFAULTS, given, parseOptions, type ReceiverOptions, receiverSchema } from "./options";
import { type Connection, type Limits, Requester } from "./requester";
import { ensure } from "./signaling-ensure";
import { SignalingRequests } from "./signaling-request";
import { systemWorld, type World } from "./world";

/** Recipient prefixes, as text or parsed, such as the result of a status. A text that is not a prefix throws a `PrefixError` before anything is sent. */
type Prefixes = Iterable<PrefixLike> & object;

interface ObservedSignalings {
  /** Active prefixes of a recent status, which replaces the first request. Default: a status is requested. */
  readonly active?: Prefixes;
  /** Called with the prefixes of a request before it is sent. */
  readonly sending?: (prefixes: readonly Prefix[]) => void;
}

interface StartedSignalings {
  /**
   * The prefixes that the caller started. They are stopped even if a status does not show them, since some receivers answer a
   * wrong secret with an empty status. Default: none.
   */
  readonly started?: Prefixes;
  /** Those whose start had no answer: where the receiver does not take one for a prefix of the client, it was never active. Default: none. */
  readonly unanswered?: Prefixes;
}

interface Ensured {
  /** Prefixes that were in the desired state before. */
  readonly already: Prefix[];
  /** Error of the status, if it failed. */
  readonly unseen?: RequestError;
  /** The last refusal after which the status shows the desired state all the same. */
  readonly refusal?: RequestError;
  /** The prefixes of all such refusals. */
  readonly refused?: Prefix[];
}

interface Started extends Ensured {
  /** Prefixes that are active now and were not before. */
  readonly started: Prefix[];
}

interface Stopped extends Ensured {
  /** Prefixes that were active before and are not now. */
  readonly stopped: Prefix[];
}

/** Simultaneous requests to one receiver. */
const MAX_CONCURRENCY = 4;

/**
 * The signaling receiver API (docs/contributing/contract.md#signaling-operations). A prefix with active signaling is bound
 * to the profile with rules, any other to the one without.
 *
 * Most callers need {@link ensureActive} and {@link ensureInactive}: they request the status, send only what is needed and
 * check the result. {@link start} and {@link stop} are the bare requests.
 *
 * @example
 * ```ts
 * const client = new SignalingClient({ url: "https://signal.example.net/path", clientId: "client-a", secretKey });
 * await client.ensureActive(["198.51.100.7"]);
 * await client.status();                                        // [198.51.100.7/32]
 * ```
 */
export class SignalingClient {
  /** Canonical url of the receiver without client id and secret: for outputs, comparisons and messages. */
  readonly endpoint: string;
  private readonly requester: Requester;
  private readonly world: World;
  private readonly connection: Connection;
  private readonly requests: SignalingRequests;
  private readonly answers: ReceiverAnswers;
  /** True once a status has shown an active prefix: an empty one then is not that of a wrong secret. */
  private hasShown = false;

  /**
   * @param options See {@link ReceiverOptions}; checked here.
   * @param world Clock, timers, randomness and transport; for tests.
   * @param name Name of the receiver in messages. Default: its address.
   * @param withholds True if errors must not quote the receiver, since the prefixes are secret.
   * @throws {OptionsError} naming the wrong option.
   */
  constructor(
    options: ReceiverOptions,
    world: Partial<World> = {},
    name?: string,
    private readonly withholds?: Withholds,
  ) {
    const checked = { ...DEFAULTS, ...given(parseOptions(receiverSchema(), options, "receiver")) };
    this.requests = new SignalingRequests(checked);
    this.endpoint = this.requests.endpoint.shown;
    this.world = { ...systemWorld, ...world };
    this.answers = checked.answers ?? {};
    const { endpoint, requests } = this;
    const { maxAnswerBytes: _, ...own } = checked;
    const label = labelOf(name, requests.endpoint.label);
    this.connection = { ...own, endpoint, label, maxConcurrency: MAX_CONCURRENCY, redactor: requests.redactor };
    this.requester = new Requester(this.connection, this.world);
  }

  /** The prefixes with active signaling. @throws {SignalingRefused | UnexpectedResponse | RequestError} */
  status(options: CallOptions & Pick<Limits, "until"> = {}): Promise<Prefix[]> {
    return this.requestStatus(options);
  }

  /**
   * Starts signaling. Repeated only if it certainly did not arrive: after a lost answer, request the {@link status} first.
   *
   * @throws {SignalingRefused} `already-active` when one of the prefixes is, `prefix-invalid`, `secret-invalid`.
   */
  async start(prefixes: Prefixes, options: CallOptions = {}): Promise<void> {
    await this.request("start", parsed(prefixes), options);
  }

  /** Stops signaling; as {@link start}. @throws {SignalingRefused} `not-active` when one of the prefixes is not. */
  async stop(prefixes: Prefixes, options: CallOptions = {}): Promise<void> {
    await this.request("stop", parsed(prefixes), options);
  }

  /**
   * Makes signaling active for all prefixes, within `deadlineMs`: requests the status, starts the inactive ones, and
   * requests the status until they show. After a start with a lost answer, a status comes before the next start.
   *
   * If the first status fails, all prefixes are started, and the receiver's answer to the start counts.
   *
   * @throws {SignalingIncomplete} with the state of each prefix. Any other error: nothing was sent.
   */
  async ensureActive(prefixes: Prefixes, options: CallOptions & ObservedSignalings = {}): Promise<Started> {
    const { changed, ...rest } = await this.ensure("start", parsed(prefixes), [], options);
    return { started: changed, ...rest };
  }

  /** Ends signaling of all prefixes; as {@link ensureActive}. */
  async ensureInactive(
    prefixes: Prefixes,
    options: CallOptions & ObservedSignalings & StartedSignalings = {},
  ): Promise<Stopped> {
    const { changed, ...rest } = await this.ensure("stop", parsed(prefixes), parsed(options.started ?? []), options);
    return { stopped: changed, ...rest };
  }

  /** Waits for requests under way and closes the connections. */
  close(): Promise<void> {
    return this.requester.close();
  }

  private ensure(
    operation: "start" | "stop",
    prefixes: readonly Prefix[],
    untrusted: readonly Prefix[],
    { signal, active, sending, unanswered }: CallOptions & ObservedSignalings & StartedSignalings,
  ) {
    const { connection, world } = this;
    const limits = { until: world.monotonic() + connection.deadlineMs, ...(signal && { signal }) };
    const status = (until = limits.until) => this.requestStatus({ ...limits, until });
    const send = (needed: readonly Prefix[]) => {
      sending?.(needed);
      return this.request(operation, needed, limits);
    };
    const hasShown = () => this.hasShown;
    const doubtful = parsed(unanswered ?? []);
    const requests = { operation, connection, limits, world, status, send, hasShown, unanswered: doubtful };
    return ensure(requests, prefixes, untrusted, active && parsed(active));
  }

  private requestStatus(limits: Limits): Promise<Prefix[]> {
    return this.requester.execute(
      {
        request: this.requests.status(),
        subject: "Signaling status",
        withholds: this.withholds,
        object: this.endpoint,
        operation: "status",
        idempotent: true,
        read: (answer) => {
          const reading = readStatusAnswer(answer, this.answers);
          if (reading.kind === "done" && reading.value.length > 0) this.hasShown = true;
          return reading;
        },
      },
      limits,
    );
  }

  private request(operation: "start" | "stop", prefixes: readonly Prefix[], limits: Limits): Promise<void> {
    if (prefixes.length === 0) return Promise.resolve();
    const object = some(prefixes);
    return this.requester.execute(
      {
        request: this.requests.change(operation, prefixes),
        subject: `Signaling of ${object}`,
        withholds: this.withholds,
        object,
        operation,
        idempotent: false,
        remedy: "The outcome is unknown: check the status.",
        read: (answer) => readDone(answer, operation, this.answers),
      },
      limits,
    );
  }
}

function parsed(prefixes: Prefixes): Prefix[] {
  return listOf("prefixes", prefixes).map((prefix, index) => {
    if (prefix instanceof Prefix) return prefix;
    if (typeof prefix === "string") return Prefix.parse(prefix);
    throw new TypeError(`\`prefixes[${index}]\` is neither a text nor a prefix.`);
  });
}

/** Reads the answer to a status: an unambiguous shape, or the one in `answers`. */
export function readStatusAnswer(answer: HttpAnswer, answers: ReceiverAnswers): Reading<Prefix[]> {
  const isPage = /^\s*</.test(answer.body);
  if (answer.status === 404 && !isPage && (answers.empty === 404 || wire.saysNothingActive(errorText(answer.body)))) {
    return done([]);
  }
  const failure = commonFailure(answer);
  // A receiver may also hide a wrong secret behind "not found" (documented leniency).
  if (failure?.outcome === "refused" && answer.status === 404) {
    const mayBeEmpty = !isPage && wire.refusalIn(answer.body) === undefined;
    const { reason, remedy } = SECRET_INVALID;
    return { ...failure, reason, remedy: mayBeEmpty ? `${remedy} ${EMPTY_404}` : remedy };
  }
  if (failure) return failure;
  return understood(() => {
    const reason = wire.refusalIn(answer.body);
    if (reason !== undefined) return refusal(answer.body, reason);
    const { format = "json" } = answers;
    const isJson = format === "json";
    const body = isJson ? readAnswer(answer.body, answers, "status") : readTextPrefixes(answer.body, format, answers);
    if (isJson && body.kind === "json") refuseRepeated(answer.body, body.json);
    switch (body.kind) {
      case "json":
        return whole(
          answer,
          answers,
          isJson ? readStatus(body.json, answers, body.isSuccess) : readActive(body.json as unknown[], answers),
        );
      case "error":
        return refused(body.message, { remedy: body.remedy });
      case "empty":
        if (answers.empty === "") return whole(answer, answers, []);
        return unexpected(
          "the answer is empty",
          true,
          'If this means that nothing is active, set answers.empty: "" of the receiver.',
        );
      case "html":
        return unexpected(`the answer is ${body.title}`, true);
      case "text":
        return unexpected(noJson(body.text), true, "If it is a list, set answers.format of the receiver.");
    }
  });
}

/** The prefixes of a status that is no part. @throws {ShapeError} for one that status or headers say is */
function whole(answer: HttpAnswer, answers: ReceiverAnswers, prefixes: Prefix[]): Reading<Prefix[]> {
  const { "content-range": range, link } = answer.headers;
  refusePartialAnswer({ status: answer.status, headers: { "content-range": range, link } }, prefixes.length, answers);
  return done(prefixes);
}

/** Reads the answer to a start or stop. */
export function readDone(answer: HttpAnswer, operation: "start" | "stop", answers: ReceiverAnswers): Reading<void> {
  const failure = commonFailure(answer);
  if (failure) return failure;
  const reason = wire.refusalIn(answer.body);
  if (reason !== undefined) return refusal(answer.body, reason);
  return understood(() => {
    const body = readAnswer(answer.body, answers, operation);
    // Created, accepted, no content: the status alone reports success.
    if (body.kind === "empty" && answer.status > 200) return done(undefined);
    const doubt = wire.doubtOf(body, operation);
    if (doubt === undefined) return done(undefined);
    return body.kind === "error"
      ? refused(doubt.message, { remedy: doubt.remedy })
      : unexpected(doubt.message, false, doubt.remedy);
  });
}

const SECRET_INVALID = {
  reason: "secret-invalid",
  remedy: "Check `clientId`, `secretKey` and `url` of the receiver.",
} as const;

const EMPTY_404 = "If nothing is active, set answers.empty: 404 of the receiver.";

/** Failures by status. One of the four texts takes precedence, since a receiver may send it with any status. */
function commonFailure(answer: HttpAnswer): Failed | undefined {
  const failure = failedStatus(answer, errorText, "url");
  if (failure === undefined) return undefined;
  const reason = wire.refusalIn(answer.body);
  if (reason !== undefined) return refusal(answer.body, reason);
  return answer.status === 401 || answer.status === 403 ? { ...failure, ...SECRET_INVALID } : failure;
}

function refusal(body: string, reason: wire.SignalingRefusal): Failed {
  return refused(errorText(body), reason === "secret-invalid" ? SECRET_INVALID : { reason });
}
