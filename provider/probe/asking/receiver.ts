import { done, failedStatus } from "../../client/answer-readers";
import { isUnreachable } from "../../client/errors";
import type { HttpAnswer, HttpRequest } from "../../client/http";
import { DEFAULTS, given, parseOptions, type ReceiverOptions, receiverSchema } from "../../client/options";
import { Requester } from "../../client/requester";
import { readDone, readStatusAnswer } from "../../client/signaling-client";
import { statusPauses } from "../../client/signaling-ensure";
import { SignalingRequests } from "../../client/signaling-request";
import { systemWorld, type World } from "../../client/world";
import { isObject } from "../../model/json";
import { Prefix } from "../../model/prefix";
import { OPERATIONS, type ReceiverAnswers } from "../../wire/answers";
import { errorText, quotable, readAnswer } from "../../wire/node-answer";
import { placesIn } from "../../wire/places";
import { refusalIn, type SignalingOperation } from "../../wire/signaling";
import { eachSign } from "../shapes/answers";
import { prefixesIn, solveStatus } from "../shapes/status-search";
import { TIMING } from "../timing";
import { Answer } from "./answer";
import { isSame, type Raw } from "./baseline";
import type { Ending } from "./ending";
import { needed } from "./needed";
import { UNREAD } from "./outcome";
import { KnownAnswers } from "./signs";
import { type Note, notesBefore } from "./undo";

/** Most stops of a prefix that stays active. */
const STOPS = 3;

type Change = "start" | "stop";

/**
 * A receiver of signalings, asked with one prefix of the user's own that is not active. Each start is remembered before it
 * is sent, so that {@link clear} can stop it after any failure.
 */
export class Receiver {
  /** Address without client id and secret. */
  readonly endpoint: string;
  readonly world: World;
  private readonly requester: Requester;
  private readonly requests: SignalingRequests;
  private readonly started = new Set<string>();
  /** All starts, stopped ones included. */
  private readonly ever = new Set<string>();
  /** Prefixes in the status when the last {@link clear} gave up. */
  private listed: readonly string[] | undefined;
  /** Status before the first start, whatever its shape. */
  private baseline: Raw | undefined;
  /** Statuses in a row that cannot be read although the shape of a status is known. */
  private unread = 0;
  /** Answers to the last request: several if it was repeated. */
  private tries = 0;
  /** Last refusal during the cleaning up. */
  refusal: Answer | undefined;
  /** Milliseconds until a status showed a start, by which its shape is known. */
  delayMs: number | undefined;
  /** Starts and stops that a status has confirmed, and answers to requests that cannot succeed. */
  readonly known = new KnownAnswers<SignalingOperation>(
    OPERATIONS,
    () => this.given,
    ({ name, answer }, signs) => this.reads(name, answer, { ...this.answers, ...signs } as ReceiverAnswers),
  );
  private readonly exchanges: { readonly operation: SignalingOperation; readonly answer: Answer }[] = [];
  readonly given: ReceiverAnswers;
  private readonly deadlineMs: number;
  /** Settings by which its answers are read, given and learnt. */
  answers: ReceiverAnswers;

  /** @throws {OptionsError} naming the wrong option. */
  constructor(
    options: ReceiverOptions,
    readonly prefix: Prefix,
    world: Partial<World>,
    private readonly ending: Ending,
    private readonly note: (note: Note) => void = () => {},
  ) {
    const { maxAnswerBytes: _, ...checked } = {
      ...DEFAULTS,
      ...given(parseOptions(receiverSchema(), options, "receiver")),
    };
    this.requests = new SignalingRequests(checked);
    this.given = checked.answers ?? {};
    this.answers = this.given;
    const { endpoint, redactor } = this.requests;
    this.endpoint = endpoint.shown;
    this.world = { ...systemWorld, ...world };
    this.deadlineMs = checked.deadlineMs;
    const connection = { ...checked, endpoint: endpoint.shown, label: endpoint.label, redactor };
    this.requester = new Requester({ ...connection, maxConcurrency: 1 }, this.world);
  }

  /** Prefixes whose signaling may be active. */
  get remains(): readonly string[] {
    return [...this.started];
  }

  /** Prefixes that are left: those of the last status, else all that may be active. */
  get left(): readonly string[] {
    return this.listed ?? this.remains;
  }

  /** Takes the status before the first start, with which the last one is compared. */
  begin({ status, body }: Raw): void {
    this.baseline ??= { status, body };
    for (const note of notesBefore("signaling", { status, body })) this.note(note);
  }

  /** Takes over prefixes that may be active. @param before Status before the first start of a killed probe. */
  inherit(prefixes: readonly string[], before = this.baseline, delayMs = this.delayMs): void {
    this.baseline = before;
    this.delayMs = delayMs;
    this.listed = undefined;
    for (const prefix of prefixes) for (const all of [this.started, this.ever]) all.add(prefix);
  }

  /**
   * @param secret Another one than the receiver's own.
   * @throws {Error} at the third status in a row that cannot be read although the shape of a status is known.
   */
  async status(secret?: string): Promise<Answer> {
    const status = await this.send("status", this.requests.status(secret));
    if (secret !== undefined) return status;
    this.unread = this.delayMs !== undefined && this.shownIn(status) === undefined ? this.unread + 1 : 0;
    if (this.unread < UNREAD || this.ending.isCleaning) return status;
    throw new Error(`${UNREAD} statuses in a row cannot be read, the last one: ${status.quote}`);
  }

  async start(prefixes: readonly string[]): Promise<Answer> {
    const named = prefixes.map((prefix) => Prefix.parse(prefix).toString());
    const added = named.filter((prefix) => !this.started.has(prefix));
    const isNew = !added.some((prefix) => this.ever.has(prefix));
    if (added.length > 0) this.note({ start: added });
    this.inherit(named);
    const answer = await this.send("start", this.requests.change("start", prefixes));
    // A single start that is refused in the contract's words has no effect; of several some may have one, and so may the first
    // try of one that was sent again.
    const [only, ...more] = added;
    const isSingle = more.length === 0 && named.length === 1 && this.tries === 1;
    if (only !== undefined && isSingle && refusalIn(answer.body) !== undefined) {
      this.started.delete(only);
      // If it is active already, another client has started it, and its signaling is not to be stopped.
      if (isNew) this.ever.delete(only);
      if (isNew && this.started.size === 0) this.note({ clear: "signaling" });
    }
    return answer;
  }

  stop(prefixes: readonly string[], secret?: string): Promise<Answer> {
    return this.send("stop", this.requests.change("stop", prefixes, secret));
  }

  /** Reads a status as a client does. */
  read({ http }: Answer, answers = this.answers) {
    return readStatusAnswer(http, answers);
  }

  /** Asks for the status until it shows the prefixes, and learns its form. */
  async shows(...prefixes: readonly string[]) {
    const began = this.world.monotonic();
    const pauses = statusPauses();
    for (let ms = 0; ; ms = this.world.monotonic() - began) {
      const answer = await this.status();
      const found = solveStatus(answer.body, this.answers, (answers) => {
        const active = this.activeIn(answer, answers)?.map(String);
        return prefixes.every((prefix) => active?.includes(prefix));
      });
      // A status that was turned away first came that much later.
      const now = this.world.monotonic() - began;
      if (now - ms > TIMING.long) ms = now;
      if (found) {
        this.answers = found;
        this.known.succeeded("status", answer);
        this.delayMs = Math.max(this.delayMs ?? 0, ms);
      }
      if (found || ms >= TIMING.statusPatience) return { answer, ms, shown: found !== undefined };
      await this.ending.sleep(pauses.next().value);
    }
  }

  /** Learns the form of a status without active prefixes. */
  showsNothing(answer: Answer): void {
    this.answers = this.readingNothing(answer) ?? this.answers;
  }

  private readingNothing(answer: Answer): ReceiverAnswers | undefined {
    const ways = [this.answers, ...(["{}", "", 404] as const).map((empty) => ({ ...this.answers, empty }))];
    return ways.find((answers) => this.activeIn(answer, answers)?.length === 0);
  }

  /** Learns the form of a success from the answer to a confirmed change of so many prefixes. False if no setting reads it. */
  succeeded(operation: Change, answer: Answer, count = 1): boolean {
    // A refusal of the contract is not a success, whatever the status shows: another client may have been faster.
    if (refusalIn(answer.body) !== undefined) return false;
    this.known.succeeded(operation, answer, count);
    this.learnSigns();
    return this.isDone(answer, operation);
  }

  /** Learns the form of a failure from the answer to a change that cannot succeed. */
  failed(operation: Change, answer: Answer): void {
    this.known.failed(operation, answer);
    this.learnSigns();
  }

  private learnSigns(): void {
    const { success: _success, failure: _failure, ...form } = this.answers;
    this.answers = { ...form, ...given(this.known.signs().all) } as ReceiverAnswers;
  }

  /** Stops the prefix and starts it once more where a sign of success was learnt: one answer alone does not show that it is one. */
  async compare(): Promise<void> {
    if (this.known.signs().isProved) return;
    await this.clear();
    const own = this.prefix.toString();
    const answer = await this.start([own]);
    if ((await this.shows(own)).shown) this.succeeded("start", answer);
  }

  /** The settings that some answer needs. */
  needed(): ReceiverAnswers {
    const own = Object.entries(this.given).map(([name, one]) => [
      name,
      /^success|^failure/.test(name) ? eachSign(one, OPERATIONS) : one,
    ]);
    return needed<ReceiverAnswers>(this.answers, Object.fromEntries(own), (answers) =>
      this.exchanges.map(({ operation, answer }) =>
        operation === "status" ? this.activeIn(answer, answers) : this.reads(operation, answer, answers),
      ),
    );
  }

  /** True for an answer that a client takes for a success. */
  isDone(answer: Answer, operation: Change = "start"): boolean {
    return this.reads(operation, answer, this.answers);
  }

  private reads(operation: SignalingOperation, answer: Answer, answers: ReceiverAnswers): boolean {
    const isStatus = operation === "status";
    return (isStatus ? this.read(answer, answers) : readDone(answer.http, operation, answers)).kind === "done";
  }

  /**
   * Stops all prefixes that may be active, whether or not the status shows them, and checks the status: again after the delay of
   * a start, since a receiver may refuse to stop a prefix that it does not show yet.
   *
   * @returns the stop that ended the only one.
   * @throws {Error} if one of them stays active.
   */
  async clear(): Promise<Answer | undefined> {
    if (this.started.size === 0) return undefined;
    const before = this.started.size === 1 ? (this.startedIn(await this.status()) ?? []) : [];
    let left: readonly string[] = this.remains;
    for (let round = 0; round < STOPS; round++) {
      const stops: Answer[] = [];
      // A receiver may keep prefixes as they were sent: a single address that was started without its length has no other name.
      const asSent = (prefix: string) => (round === 1 ? withoutLength(prefix) : prefix);
      for (const prefix of left) stops.push(await this.stop([asSent(prefix)]));
      const status = await this.stopped();
      const shown = this.startedIn(status) ?? this.refused(status);
      // If no status has shown a start yet, the receiver's own words count: it refuses to stop what is not active.
      const isSaid = this.isKnown(status) || (round > 0 && stops.every(isInactive));
      this.listed = shown.length > 0 || isSaid ? shown : undefined;
      left = isSaid ? shown : this.remains;
      if (left.length > 0) continue;
      this.showsNothing(status);
      // Only a stop that ended an active signaling shows the form of a success.
      const ended = round === 0 && before.length === 1 ? stops[0] : undefined;
      if (ended) this.succeeded("stop", ended);
      this.started.clear();
      this.listed = undefined;
      this.note({ clear: "signaling" });
      return ended;
    }
    throw new Error(
      this.listed === undefined
        ? "no status has shown what was started, so it does not show that it was stopped"
        : `Signaling of ${left.join(", ")} is still active after it was stopped.`,
    );
  }

  /** True for a status in a form that has shown a start, or that the client reads by the user's settings. */
  private isKnown(status: Answer): boolean {
    return this.delayMs !== undefined || this.activeIn(status, this.given) !== undefined;
  }

  /** Checks again after the delay of starts, and stops late ones. @throws as {@link clear} */
  async lookAgain(): Promise<void> {
    if (this.ever.size === 0) return;
    await this.ending.sleep(2 * this.lateMs);
    const status = await this.status();
    const active = this.shownIn(status) ?? this.refused(status);
    const late = active.map(String).filter((prefix) => this.ever.has(prefix));
    if (late.length === 0) return;
    this.inherit(late);
    await this.clear();
  }

  /** Waits for a status that shows no start of the probe, and returns the one after a start's delay; else the last one. */
  private async stopped(): Promise<Answer> {
    const began = this.world.monotonic();
    const patienceMs = TIMING.statusPatience + 2 * this.lateMs;
    for (;;) {
      const status = await this.status();
      const ms = this.world.monotonic() - began;
      if (this.startedIn(status)?.length === 0) {
        if (this.lateMs === 0) return status;
        await this.ending.sleep(Math.ceil(1.25 * this.lateMs));
        return this.status();
      }
      if (ms >= patienceMs) return status;
      await this.ending.sleep(TIMING.laterPause);
    }
  }

  /** Milliseconds after which a start may still show. */
  private get lateMs(): number {
    return this.delayMs ?? TIMING.unmeasured;
  }

  private startedIn(status: Answer): string[] | undefined {
    return this.shownIn(status)
      ?.map(String)
      .filter((prefix) => this.started.has(prefix));
  }

  /**
   * The active prefixes; all prefixes in a status that cannot be read; none in one that is the same as before the first start.
   * `undefined` for anything else.
   */
  shownIn(answer: Answer): Prefix[] | undefined {
    const read = this.activeIn(answer, this.answers);
    if (read) return read;
    if (this.baseline && isSame(answer, this.baseline)) return [];
    const all = answer.status < 300 ? prefixesIn(answer.body) : [];
    return all.length > 0 ? all : undefined;
  }

  /** The same for the status before the first start, of which only a refusal is known by its form. */
  firstIn(answer: Answer): Prefix[] | undefined {
    const read = this.activeIn(answer, this.answers) ?? (this.readingNothing(answer) && []);
    const { errorBody: json, isRefusal, doubt } = answer;
    // A code that may mean a success has a list beside it, if only an empty one.
    const mayBeList = doubt !== undefined && isObject(json) && placesIn(json).length > 0;
    return read || (isRefusal && !mayBeList) ? read : prefixesIn(answer.body);
  }

  private refused(status: Answer): never {
    throw new Error(`The status is refused: ${status.quote}`);
  }

  private activeIn(answer: Answer, answers: ReceiverAnswers): Prefix[] | undefined {
    const reading = this.read(answer, answers);
    return reading.kind === "done" ? reading.value : undefined;
  }

  close(): Promise<void> {
    return this.requester.close();
  }

  private async send(operation: SignalingOperation, request: HttpRequest): Promise<Answer> {
    this.ending.check();
    const { limits: most } = this.ending;
    const limits = { ...most, until: Math.min(most.until, this.world.monotonic() + this.deadlineMs) };
    const idempotent = operation === "status";
    let last: HttpAnswer | undefined;
    this.tries = 0;
    const read = (one: HttpAnswer) => {
      last = one;
      this.tries += 1;
      const failure = failedStatus(one, errorText, "url");
      return failure?.repeat ? failure : done(one);
    };
    const asked = { request, subject: "Probe of signaling", object: this.endpoint, operation, idempotent, read };
    const answer = await this.requester.execute<HttpAnswer>(asked, limits).catch((error: unknown) => {
      // A failure that is answered in the same way again is the receiver's answer.
      if (last === undefined || last.status < 500 || isUnreachable(error)) throw error;
      return last;
    });
    const quote = quotable(this.requests.redactor.foreign(answer.body));
    const whole = new Answer(operation, answer, quote, (body, answers = this.answers) =>
      readAnswer(body, answers, operation),
    );
    this.exchanges.push({ operation, answer: whole });
    if (this.ending.isCleaning && (whole.isRefusal || refusalIn(whole.body) !== undefined)) this.refusal = whole;
    return whole;
  }
}

/** True for a stop that is refused in the contract's words, since the prefix is not active. */
function isInactive({ body }: Answer): boolean {
  return refusalIn(body) === "not-active";
}

/** Removes `/32` and `/128`. */
function withoutLength(text: string): string {
  const { size, address } = Prefix.parse(text);
  return size === 1n ? address : text;
}
