import { TIMES } from "../defaults";
import type { WholeAnswer } from "../http";
import type { Outgoing } from "../record/outgoing";
import { allRejected, type Delivered, SinkFailure } from "./sink";

/** Answer of a sink to a POST, with its words as a message or a file may quote them. */
export interface SinkAnswer extends WholeAnswer {
  /** The address that answered, without secrets. */
  readonly where: string;
  /** The same with its secrets. */
  readonly target: URL;
  /** True if redirects to another path of the server are followed. */
  readonly follows: boolean;
  /** Foreign text without secrets and control characters, on one line. */
  sanitize(text: string): string;
  /** POSTs something else to the same server. @throws {SinkFailure} when no answer came. */
  ask(path: (url: URL) => URL, body: string): Promise<SinkAnswer>;
}

export interface AnswerRules {
  /** The acknowledgement of the protocol, as messages name it. */
  readonly acknowledgement: string;
  /**
   * Outcome of records by an answer with a status of 2xx, which anything between may have sent.
   *
   * @returns `undefined` if it is not what the protocol acknowledges with
   */
  acknowledged(
    records: Outgoing,
    answer: SinkAnswer,
    signal: AbortSignal,
  ): Promise<Delivered | undefined> | Delivered | undefined;
  /** Number of records that an answer from 400 on took before it refused one, where it has it. Default: none. */
  takenBefore?(answer: SinkAnswer): number | undefined;
  /** True for a status from 400 on that is about no record: it is an outage. Default: those that every server may get over. */
  isPassing?(answer: SinkAnswer): boolean;
}

/** Outcome of a delivery. */
export type Verdict =
  | { readonly kind: "settled"; readonly outcome: Delivered }
  /** A part of the records is at fault. */
  | { readonly kind: "divide" }
  /** The first ones are taken, and the one behind them is refused, or the server cannot take more now. */
  | { readonly kind: "stopped"; readonly taken: number; readonly refusal?: string; readonly failure?: SinkFailure };

/** Statuses that may mean a part of the records only: something in it is wrong, or it is too large. */
const DIVISIBLE: readonly number[] = [400, 413, 422];
/** Statuses that a proxy also sends while the server is being replaced: an outage, until it has lasted `TIMES.refusalMs`. */
const OUTAGE_LIKE: readonly number[] = [403, 404];
const UNAUTHORIZED: readonly number[] = [401, 407];

/** True for statuses that ask to try later (RFC 9110, section 15.5; RFC 6585), and for errors of the server. */
function isPassing(status: number): boolean {
  return status === 408 || status === 425 || status === 429 || status >= 500;
}

/**
 * Decides what became of a delivery by the answer to its POST: delivered, refused for good, or to be sent again. The one place
 * that does. Delivered is only what the receiver's protocol acknowledges.
 */
export class AnswerJudge {
  /** Since when nothing but {@link OUTAGE_LIKE} was answered. */
  private refusedSince: number | undefined;

  /** @param now Milliseconds of a clock that never runs backwards. */
  constructor(
    private readonly rules: AnswerRules,
    private readonly now: () => number,
  ) {}

  /** No answer came, so that an outage that looked like a refusal is over. */
  unanswered(): void {
    this.refusedSince = undefined;
  }

  /** @throws {SinkFailure} when nothing is acknowledged: all of it is sent again. */
  async judge(records: Outgoing, answer: SinkAnswer, signal: AbortSignal): Promise<Verdict> {
    const { status } = answer;
    const failure = this.failure(answer);
    if (status < 300) {
      const outcome = await this.rules.acknowledged(records, answer, signal);
      if (outcome) return { kind: "settled", outcome };
      const { where } = answer;
      throw new SinkFailure(`${where}: HTTP ${status}, but not ${this.rules.acknowledgement}: ${wordsOf(answer)}`);
    }
    const taken = status >= 400 ? this.rules.takenBefore?.(answer) : undefined;
    const isPart = taken !== undefined && taken < records.count && !(failure && taken === 0);
    if (isPart) {
      return { kind: "stopped", taken, ...(failure ? { failure } : { refusal: refusalOf(answer) }) };
    }
    if (failure) throw failure;
    if (DIVISIBLE.includes(status) && records.count > 1) return { kind: "divide" };
    return { kind: "settled", outcome: allRejected(await records.records(), refusalOf(answer)) };
  }

  /** The failure of an answer that refuses nothing for good: a redirect, an outage, credentials. */
  private failure(answer: SinkAnswer): SinkFailure | undefined {
    const { status, where, afterMs } = answer;
    const fails = (what: string, unauthorized = false) => new SinkFailure(`${where}: ${what}`, afterMs, unauthorized);
    if (OUTAGE_LIKE.includes(status)) {
      this.refusedSince ??= this.now();
      // Credentials may have been replaced.
      if (this.now() - this.refusedSince < TIMES.refusalMs) return fails(refusalOf(answer), true);
    } else this.refusedSince = undefined;
    if (status < 300) return undefined;
    if (status < 400) return fails(`HTTP ${status}, ${redirectOf(answer)}`);
    if (UNAUTHORIZED.includes(status)) return fails(`HTTP ${status}, the credentials were refused`, true);
    if (isPassing(status) || this.rules.isPassing?.(answer)) return fails(refusalOf(answer));
    return undefined;
  }
}

function refusalOf({ status, body, sanitize }: SinkAnswer): string {
  const words = sanitize(body.toString("utf8"));
  return `HTTP ${status}${words === "" ? "" : `: ${words}`}`;
}

/** The media type of an answer; `undefined` without one. */
export function mediaTypeOf(answer: Pick<SinkAnswer, "header">): string | undefined {
  return answer.header("content-type")?.split(";")[0]?.trim().toLowerCase();
}

/** Pages are not quoted: many have another text each time. */
function wordsOf(answer: SinkAnswer): string {
  if (answer.body.length === 0) return "the body is empty";
  if (mediaTypeOf(answer) !== "text/html") return answer.sanitize(answer.body.toString("utf8"));
  return "it is a page of HTML, as a proxy or a sign-in answers";
}

/** Redirects that are followed without the body. */
const LOSES_BODY: readonly number[] = [301, 302, 303];
const KEEPS_BODY: readonly number[] = [307, 308];

/** A redirect, and what to do about it. Its query string may have secrets. */
function redirectOf({ status, header, sanitize, target, follows }: SinkAnswer): string {
  const location = header("location") ?? "";
  if (!URL.canParse(location, target.href)) return "a redirect to nowhere";
  const { origin, pathname } = new URL(location, target);
  const to = `a redirect to ${sanitize(`${origin}${pathname}`)}`;
  if (LOSES_BODY.includes(status)) {
    return `${to} that loses the body, as a sign-in sends: check \`url\` and credentials`;
  }
  const mayFollow = !follows && KEEPS_BODY.includes(status) && origin === target.origin;
  return `${to}: make that the \`url\`${mayFollow ? ", or set `followRedirects: true`" : ""}`;
}
