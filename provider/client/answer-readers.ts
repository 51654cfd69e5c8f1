import { ranOutOfStack } from "../model/plain-data";
import type { Absent, Answers, ListKind, NodeHabits } from "../wire/answers";
import { refusePartialAnswer } from "../wire/envelope";
import { refuseRepeated, ShapeError } from "../wire/json";
import { type NodeAnswer, noJson, quotable, readAnswer, shows } from "../wire/node-answer";
import type { Command } from "../wire/node-command";
import { formatFor, verdictFor } from "../wire/places";
import { describedBy, PROBE } from "../wire/remedies";
import type { SignalingRefusal } from "../wire/signaling";
import { readTextList } from "../wire/text-list";
import type { Outcome } from "./errors";
import type { HttpAnswer } from "./http";
import { readByModule } from "./own-reader";

/** Result of reading an answer. */
export type Reading<T> = { readonly kind: "done"; readonly value: T } | Failed;

/** An answer that is not a success. */
export interface Failed {
  /** `unexpected`: the shape is unknown. `failed`: the answer reports a failure. */
  readonly kind: "failed" | "unexpected";
  readonly outcome: Outcome;
  /** Text of the other side, unredacted. */
  readonly message: string;
  /** True if a repeat of the same request may succeed. */
  readonly repeat: boolean;
  /** True if the other side is busy: the deadline ends the repeats, not a number of tries. */
  readonly isBusy?: boolean;
  /** One of the four texts of the signaling API. */
  readonly reason?: SignalingRefusal;
  /** A sentence: what to do. */
  readonly remedy?: string;
}

export function done<T>(value: T): Reading<T> {
  return { kind: "done", value };
}

export function refused(message: string, more: Pick<Failed, "reason" | "remedy"> = {}): Failed {
  return { kind: "failed", outcome: "refused", message, repeat: false, ...more };
}

/** @param repeat True for an answer that a proxy or a cut connection may have made; false for a well-formed one. */
export function unexpected(message: string, repeat: boolean, remedy?: string): Failed {
  return { kind: "unexpected", outcome: "unknown", message, repeat, ...(remedy !== undefined && { remedy }) };
}

/**
 * Reads statuses that mean failure whatever the operation; `undefined` for 2xx.
 *
 * @param messageIn Finds the error text in a body of this API.
 * @param option The option that holds the address, for remedies.
 */
export function failedStatus(
  answer: Pick<HttpAnswer, "status" | "header" | "body">,
  messageIn: (body: string) => string,
  option: string,
): Failed | undefined {
  const { status } = answer;
  if (status >= 200 && status < 300) return undefined;
  if (status < 400) {
    const location = answer.header("location");
    return refused(location === undefined ? "the redirect has no target" : `it redirects to ${location}`, {
      remedy: `Only 307 and 308 within one origin are followed: set \`${option}\` to the address itself.`,
    });
  }
  const message = messageIn(answer.body);
  // Rejected unread: by definition (RFC 6585, section 4; RFC 8470, section 5.2), or by the text of a conflict.
  const isBusy = status === 429 || status === 503 || (status === 409 && BUSY.test(message));
  if (isBusy && status !== 503) return { kind: "failed", outcome: "not-sent", message, repeat: true, isBusy };
  if (status === 425) return { kind: "failed", outcome: "not-sent", message, repeat: true };
  // Not implemented, no such version, no room: a repeat gets the same answer.
  if (status === 501 || status === 505 || status === 507) return refused(message);
  if (status === 408 || status >= 500) return { kind: "failed", outcome: "unknown", message, repeat: true, isBusy };
  return refused(message, remedyFor(status, option));
}

/** Text of a conflict that passes: another commit or writer is active. */
const BUSY = /\b(busy|in progress|locked|try(ing)? (it )?again|retry)\b/i;

function remedyFor(status: number, option: string): Pick<Failed, "remedy"> {
  if (status === 401 || status === 403) return { remedy: "Check the credentials of the connection." };
  return status === 405 ? { remedy: `Check that \`${option}\` is the base url of the API.` } : {};
}

/**
 * Reads lists for client, forwarder and commands: JSON of a known shape, or the format in `answers`. Anything else may come
 * from a proxy or a cut connection, and is requested again.
 *
 * @param read Reads JSON by the habits of the node; throws a `ShapeError` for an unknown shape.
 */
export function readList<T extends readonly unknown[]>(
  answer: HttpAnswer,
  kind: ListKind,
  read: (json: unknown, habits: NodeHabits) => T,
  habits: NodeHabits,
): Reading<T> {
  const reading = understood((): Reading<T> => {
    const body = readBody(answer.body, kind, habits);
    switch (body.kind) {
      case "json": {
        const list = read(body.json, body.isSuccess ? { ...habits, isSuccess: true } : habits);
        refusePartialAnswer(answer, list.length, habits.answers);
        return done(list);
      }
      case "error":
        return refused(body.message, { remedy: body.remedy });
      case "html":
        return unexpected(`the answer is ${body.title}`, true);
      case "empty":
        if (habits.answers?.empty === "") {
          refusePartialAnswer(answer, 0, habits.answers);
          return done(read([], habits));
        }
        return unexpected(
          "the answer is empty",
          true,
          'If this is how the node answers an empty list, set answers.empty: "".',
        );
      case "text":
        return unexpected(noJson(body.text), true, /[\p{L}\p{N}]/u.test(body.text) ? describedBy("format") : PROBE);
    }
  });
  const isUnread = reading.kind === "unexpected" && !reading.repeat && reading.remedy === undefined;
  return isUnread ? { ...reading, remedy: PROBE } : reading;
}

/** Turns a `ShapeError`, and an answer nested beyond the stack, into an unexpected answer, which a repeat would not change. */
export function understood<T>(read: () => Reading<T>): Reading<T> {
  try {
    return read();
  } catch (error) {
    if (error instanceof ShapeError) return unexpected(error.message, false, error.remedy);
    if (ranOutOfStack(error)) return unexpected("the answer is nested too deeply", false);
    throw error;
  }
}

/** Parses the body of a list in the format of `answers`. @throws {ShapeError} */
export function readBody(body: string, kind: ListKind, habits: NodeHabits): NodeAnswer {
  const { read, failure } = habits.answers ?? {};
  const failed = verdictFor(failure, "list");
  if (read !== undefined && failed && shows(body, failed)) return { kind: "error", message: quotable(body) };
  if (read !== undefined) return { kind: "json", json: readByModule(read, body, kind), isSuccess: true };
  const format = formatFor(habits.answers ?? {}, kind);
  if (format !== "json") return readTextList(body, format, kind, habits);
  const answer = readAnswer(body, habits.answers);
  if (answer.kind === "json") refuseRepeated(body, answer.json);
  return answer;
}

/**
 * Reads the answer to a change: any 2xx without an error marker is a success, unless `answers` says otherwise. HTML comes
 * from a proxy, so the effect on the node is unknown.
 */
export function readSuccess(answer: HttpAnswer, command: Command, answers: Answers | undefined): Reading<void> {
  return understood(() => {
    const body = readAnswer(answer.body, answers, command);
    if (body.kind === "error") return refused(body.message, { remedy: body.remedy });
    return body.kind === "html" ? unexpected(`the answer is ${body.title}`, true) : done(undefined);
  });
}

/** Reads an answer that is no list as that of an absent set, which is empty, if `answers.absent` says so. HTML comes from a proxy and says nothing about sets. */
export function readAbsent(answer: HttpAnswer, absent: Absent | undefined): Reading<never[]> | undefined {
  if (absent === undefined || /^\s*</.test(answer.body)) return undefined;
  if (absent === "empty") return answer.status === 404 ? done([]) : undefined;
  if ("status" in absent) return answer.status === absent.status ? done([]) : undefined;
  return shows(answer.body, absent) ? done([]) : undefined;
}
