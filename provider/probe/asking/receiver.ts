import type { HttpAnswer, HttpRequest } from "../../client/http";
import { DEFAULTS, given, parseOptions, type ReceiverOptions, receiverSchema } from "../../client/options";
import { done } from "../../client/reading";
import { Requester } from "../../client/requester";
import { readDone, readStatusAnswer } from "../../client/signaling-client";
import { SignalingRequests } from "../../client/signaling-request";
import { systemWorld, type World } from "../../client/world";
import { Prefix } from "../../model/prefix";
import type { ReceiverAnswers } from "../../wire/answers";
import { quotable, readAnswer } from "../../wire/node-answer";
import type { SignalingOperation } from "../../wire/signaling";
import { prefixesIn, solveStatus } from "../shapes/status-search";
import { successOf, verdictOf } from "../shapes/verdicts";
import { pauseAfter, TIMING } from "../timing";
import { Answer } from "./answer";
import { whyUnread } from "./listing";
import { Unclear } from "./outcome";

interface Asking {
  /** Another secret than the receiver's own. */
  readonly secret?: string;
  /** Goes on where the user asked to stop. */
  readonly calm?: boolean;
}

/**
 * A receiver of signalings, asked with one prefix of the user's own that is not active. What may have been started is
 * remembered before it is sent, so that {@link clear} can stop it after any failure.
 */
export class Receiver {
  /** Address without client id and secret. */
  readonly endpoint: string;
  readonly world: World;
  private readonly requester: Requester;
  private readonly requests: SignalingRequests;
  private readonly started = new Set<string>();
  /** Starts and stops of which the status has shown that they were carried out. */
  private readonly successes: { readonly operation: "start" | "stop"; readonly answer: Answer }[] = [];
  /** How its answers are read: as the user says it, and by what they have shown. */
  answers: ReceiverAnswers;

  /** @throws {OptionsError} naming the wrong option. */
  constructor(
    options: ReceiverOptions,
    readonly prefix: Prefix,
    world: Partial<World>,
    private readonly signal: AbortSignal | undefined,
  ) {
    const { maxAnswerBytes: _, ...checked } = {
      ...DEFAULTS,
      ...given(parseOptions(receiverSchema(), options, "receiver")),
    };
    this.requests = new SignalingRequests(checked);
    this.answers = checked.answers ?? {};
    const { endpoint, redactor } = this.requests;
    this.endpoint = endpoint.shown;
    this.world = { ...systemWorld, ...world };
    const connection = { ...checked, endpoint: endpoint.shown, label: endpoint.label, redactor };
    this.requester = new Requester({ ...connection, maxConcurrency: 1, maxTries: 1 }, this.world);
  }

  /** Prefixes whose signaling may be active. */
  get remains(): readonly string[] {
    return [...this.started];
  }

  status({ secret, calm = false }: Asking = {}): Promise<Answer> {
    return this.send("status", this.requests.status(secret), calm);
  }

  start(prefixes: readonly string[]): Promise<Answer> {
    for (const prefix of prefixes) this.started.add(Prefix.parse(prefix).toString());
    return this.send("start", this.requests.change("start", prefixes), false);
  }

  stop(prefixes: readonly string[], { secret, calm = false }: Asking = {}): Promise<Answer> {
    return this.send("stop", this.requests.change("stop", prefixes, secret), calm);
  }

  /** How a client reads a status. */
  read(answer: Answer) {
    return readStatusAnswer(answer.http, this.answers);
  }

  /** The active prefixes. @throws {Unclear} when the status cannot be read. */
  async active(): Promise<string[]> {
    const answer = await this.status();
    const reading = this.read(answer);
    if (reading.kind === "done") return reading.value.map(String);
    throw new Unclear(`the status is not understood: ${whyUnread(reading)}`, [answer]);
  }

  /** Asks for the status until it shows the prefixes, and learns how it does. */
  async shows(...prefixes: readonly string[]) {
    const began = this.world.monotonic();
    for (let ms = 0; ; ms = this.world.monotonic() - began) {
      const answer = await this.status();
      const found = solveStatus(answer.body, this.answers, (answers) => {
        const active = this.activeIn(answer, answers)?.map(String);
        return prefixes.every((prefix) => active?.includes(prefix));
      });
      if (found) this.answers = found;
      if (found || ms >= TIMING.statusPatience) return { answer, ms, shown: found !== undefined };
      await this.pause(pauseAfter(ms));
    }
  }

  /** Learns from a status how the receiver says that nothing is active. */
  showsNothing(answer: Answer): void {
    const ways = [this.answers, ...(["{}", "", 404] as const).map((empty) => ({ ...this.answers, empty }))];
    const found = ways.find((answers) => this.activeIn(answer, answers)?.length === 0);
    if (found) this.answers = found;
  }

  /** Learns from an answer to what was carried out how the receiver says so. False where no setting reads that. */
  succeeded(operation: "start" | "stop", answer: Answer): boolean {
    this.successes.push({ operation, answer });
    if (this.isDone(answer, operation)) return true;
    const bodies = this.successes.map(({ operation: name, answer: { errorBody } }) => ({ name, body: errorBody }));
    const success = successOf(operation, bodies);
    if (success === undefined) return false;
    const isByOperation = this.answers.success !== undefined && !("member" in this.answers.success);
    this.answers = {
      ...this.answers,
      success: "member" in success || !isByOperation ? success : { ...this.answers.success, ...success },
    };
    return this.isDone(answer, operation);
  }

  /**
   * The same of a start of several, which may be answered with their number: then only what failed says how it went.
   *
   * @param failures Answers to what was not carried out.
   */
  severalSucceeded(answer: Answer, failures: readonly Answer[]): boolean {
    if (this.isStarted(answer)) return true;
    const successes = [...this.successes.map((one) => one.answer), answer];
    const [good, bad] = [successes, failures].map((answers) => answers.map(({ errorBody }) => errorBody));
    const { success: _, ...rest } = this.answers;
    const verdict = verdictOf(good ?? [], bad ?? [], 0);
    if (verdict?.failure) this.answers = { ...rest, failure: verdict.failure };
    return this.isStarted(answer);
  }

  /** Waits; ends early, with an error, when the user asks to stop. */
  async pause(ms: number, { calm = false } = {}): Promise<void> {
    await this.world.sleep(ms, calm ? undefined : this.signal);
    if (!calm) this.signal?.throwIfAborted();
  }

  /** True for what a client takes for a success. */
  isStarted(answer: Answer): boolean {
    return this.isDone(answer, "start");
  }

  private isDone(answer: Answer, operation: "start" | "stop"): boolean {
    return readDone(answer.http, operation, this.answers).kind === "done";
  }

  /**
   * Stops what may have been started, and looks that it is not active any more. A status may show a start late, so each
   * is stopped whether or not it shows.
   *
   * @throws {Error} when one of them stays active.
   */
  async clear({ calm = false } = {}): Promise<void> {
    if (this.started.size === 0) return;
    const stops: Answer[] = [];
    for (const prefix of this.started) stops.push(await this.stop([prefix], { calm }));
    const began = this.world.monotonic();
    for (let ms = 0; ; ms = this.world.monotonic() - began) {
      const answer = await this.status({ calm });
      const left = this.shownIn(answer).filter((prefix) => this.started.has(prefix.toString()));
      if (left.length === 0) {
        this.showsNothing(answer);
        break;
      }
      if (ms >= TIMING.statusPatience)
        throw new Error(`Signaling of ${left.join(", ")} is still active after it was stopped.`);
      await this.pause(TIMING.laterPause, { calm });
    }
    const [stop] = stops;
    if (stops.length === 1 && stop && this.successes.length > 0) this.succeeded("stop", stop);
    this.started.clear();
  }

  /** What a status shows; where it cannot be read, every prefix that stands in it. */
  shownIn(answer: Answer): Prefix[] {
    return this.activeIn(answer, this.answers) ?? prefixesIn(answer.body);
  }

  private activeIn(answer: Answer, answers: ReceiverAnswers): Prefix[] | undefined {
    const reading = readStatusAnswer(answer.http, answers);
    return reading.kind === "done" ? reading.value : undefined;
  }

  close(): Promise<void> {
    return this.requester.close();
  }

  private async send(operation: SignalingOperation, request: HttpRequest, calm: boolean): Promise<Answer> {
    const answer = await this.requester.execute<HttpAnswer>(
      {
        request,
        subject: "Probe of signaling",
        object: this.endpoint,
        operation,
        idempotent: false,
        read: done,
      },
      { ...(!calm && this.signal && { signal: this.signal }) },
    );
    const quote = quotable(this.requests.redactor.text(answer.body));
    return new Answer(operation, answer, quote, (body) => readAnswer(body, this.answers, operation));
  }
}
