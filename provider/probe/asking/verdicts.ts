import { attempt } from "../../model/errors";
import type { Answers } from "../../wire/answers";
import { readAnswer } from "../../wire/node-answer";
import type { Command } from "../../wire/node-command";
import { countedText } from "../shapes/template";
import { sharedVerdict, successAt, textSigns, verdictOf } from "../shapes/verdicts";
import type { Answer } from "./answer";
import type { Learned } from "./learned";

/** Values that are the same in all of some answers, by the paths of their members. */
function constants(answers: readonly Answer[]): ReadonlyMap<string, unknown> {
  const [first, ...others] = answers.map(({ errorBody }) => scalarsOf(errorBody));
  return new Map([...(first ?? [])].filter(([path, value]) => others.every((one) => one.get(path) === value)));
}

/** True for the same status, the same text but for numbers, or the same members with the values that never differed. */
function isLike(good: Answer, answer: Answer, constant: ReadonlyMap<string, unknown>): boolean {
  if (good.status !== answer.status) return false;
  const [own, other] = [good.errorBody, answer.errorBody];
  if (typeof own !== "object" || typeof other !== "object")
    return good.body.replace(/\d+/g, "0").trim() === answer.body.replace(/\d+/g, "0").trim();
  const [ours, theirs] = [scalarsOf(own), scalarsOf(other)];
  const isSame = [...ours].every(([path, value]) => {
    const isCount = typeof value === "number" && typeof theirs.get(path) === "number" && COUNTED.test(path);
    return constant.has(path) && !isCount ? theirs.get(path) === value : theirs.has(path);
  });
  return isSame && theirs.size === ours.size;
}

/** Names of numbers of changes, which may differ where only one success is known. */
const COUNTED =
  /(?:^|[._])(?:n|num|number|count|total|entries|rows|changes|changed|affected|inserted|deleted|committed)$/i;

function scalarsOf(json: unknown, path = ""): Map<string, unknown> {
  if (typeof json !== "object" || json === null) return new Map([[path, json]]);
  return new Map(
    Object.entries(json).flatMap(([name, value]) => [...scalarsOf(value, path === "" ? name : `${path}.${name}`)]),
  );
}

/** Answers to requests that are known to have been carried out or not. */
export class Verdicts {
  private readonly successes: { readonly command: Command; readonly answer: Answer; readonly count?: number }[] = [];
  private readonly failures: Answer[] = [];

  /** Settings of the user. */
  private readonly given: Answers;

  constructor(private readonly learned: Learned) {
    this.given = learned.answers;
  }

  /** @param answer Answer to a command whose effect a list has shown. @param count Number of its entries. */
  succeeded(command: Command, answer: Answer, count?: number): void {
    // A node may carry out a part of a request, and refuse it for the other part.
    const isRefused = answer.isRefusal && answer.doubt === undefined && !answer.isPage;
    if (isRefused && !this.isMisread(command, answer)) return;
    this.successes.push({ command, answer, ...(count !== undefined && { count }) });
    if (isRefused) this.learn();
  }

  /** True for a refusal by a learnt sign alone: one of an earlier command, which this one need not have. */
  private isMisread(command: Command, { status, body }: Answer): boolean {
    const kind = attempt(() => readAnswer(body, this.given, command))?.kind;
    return status < 300 && kind !== undefined && kind !== "error";
  }

  /** Answer to a change that a list has shown, and that the settings do not read as a success; `undefined` if they read all. */
  get misread(): Answer | undefined {
    return this.successes.find(({ command, answer }) => command !== "list" && answer.isRefusal)?.answer;
  }

  /**
   * Judges an answer to a change by its difference from those whose effect a list has shown. `unknown`: it is no known error,
   * and differs from all of these.
   */
  judge(command: Command, answer: Answer): "success" | "refused" | "unknown" {
    const known = this.successes.filter((one) => one.command === command).map((one) => one.answer);
    const isAlike = known.some((one) => isLike(one, answer, constants(known)));
    if (isAlike) return "success";
    return answer.isRefusal ? "refused" : "unknown";
  }

  /** The emulator's text of the answer to such a command; `undefined` if no list has shown the effect of one. */
  textOf(command: Exclude<Command, "list">): string | undefined {
    const known = this.successes.filter((one) => one.command === command && one.count !== undefined);
    return countedText(known.map(({ answer: { body }, count = 0 }) => ({ body, count })));
  }

  failed(answer: Answer): void {
    this.failures.push(answer);
  }

  /** Learns the setting with which a client recognises each answer as success or failure; empty if it needs none. */
  learn(): Pick<Answers, "success" | "failure"> {
    const found = this.unseenSuccess() ?? this.wordsOfSuccess() ?? this.unseenFailure() ?? {};
    this.learned.learn(found);
    return found;
  }

  /** The setting by which an answer is an empty list, if filled lists carry the same verdict and no failure does. */
  ofEmptyList({ errorBody }: Answer): Pick<Answers, "success"> | undefined {
    const lists = this.successes.filter(({ command }) => command === "list").map(({ answer }) => answer.errorBody);
    const failures = [...this.failures, ...(this.learned.unknown ? [this.learned.unknown] : [])];
    const verdict = sharedVerdict(
      [errorBody, ...lists],
      failures.map((answer) => answer.errorBody),
    );
    return verdict && lists.length > 0 ? { success: { list: verdict } } : undefined;
  }

  private unseenSuccess(): Pick<Answers, "success"> | undefined {
    const doubted = this.successes.flatMap(({ command, answer }) =>
      answer.doubt ? [{ command, doubt: answer.doubt }] : [],
    );
    if (doubted.length === 0) return undefined;
    const members = new Set(doubted.map(({ doubt }) => doubt.member));
    const all = this.successes.map(({ answer }) => answer.errorBody);
    const [first] = doubted;
    if (members.size === 1 && first) return { success: successAt(first.doubt, all) };
    return {
      success: Object.fromEntries(
        doubted.flatMap(({ command, doubt }) => {
          const own = this.successes.filter((one) => one.command === command).map(({ answer }) => answer.errorBody);
          const verdict = successAt(doubt, own);
          return verdict ? [[command, verdict]] : [];
        }),
      ),
    };
  }

  /** Words in all answers to changes that took effect, and in no known failure, if they are texts that the client misreads. */
  private wordsOfSuccess(): Pick<Answers, "success"> | undefined {
    const changes = this.successes.filter(({ command }) => command !== "list");
    const isUnseen = this.failures.some((answer) => !answer.isRefusal) || changes.some((one) => one.answer.isRefusal);
    if (!isUnseen || changes[0]?.answer.errorBody !== undefined) return undefined;
    const success = textSigns(
      changes.map(({ command, answer: { body, errorBody: json } }) => ({ name: command, body, json })),
      this.failures.map(({ body }) => body),
    );
    return success && { success };
  }

  private unseenFailure(): Pick<Answers, "success" | "failure"> | undefined {
    const unseen = this.failures.filter((answer) => !answer.isRefusal).map(({ errorBody }) => errorBody);
    if (unseen.length === 0) return undefined;
    const changes = this.successes.filter(({ command }) => command !== "list");
    return verdictOf(
      changes.map(({ answer }) => answer.errorBody),
      unseen,
    );
  }
}
