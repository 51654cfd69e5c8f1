import { given } from "../../client/options";
import { isObject } from "../../model/json";
import { type Answers, COMMANDS, type Sign } from "../../wire/answers";
import { doubtIn, markerIn } from "../../wire/error-marker";
import type { Command } from "../../wire/node-command";
import type { SignSettings } from "../shapes/answers";
import type { Answer } from "./answer";
import type { Learned } from "./learned";
import { isIn, KnownAnswers, signsOf } from "./signs";

/** Answers of a node to commands that are known to have been carried out or not. */
export class Verdicts extends KnownAnswers<Command> {
  constructor(private readonly learned: Learned) {
    const reads = ({ answer }: { readonly answer: Answer }, signs: SignSettings<Command>) =>
      answer.status < 300 && !["error", "html"].includes(answer.contentBy({ ...learned.answers, ...signs }).kind);
    super(COMMANDS, () => learned.base, reads);
  }

  /** Leaves out an answer that no sign makes a success: a node may carry out a part of a request, and refuse it for the other part. */
  override succeeded(command: Command, answer: Answer, count?: number): void {
    const isCertain =
      answer.status >= 300 ||
      (answer.contentBy(this.learned.base).kind === "error" && !markerIn(answer.errorBody)?.code);
    if (!isCertain) super.succeeded(command, answer, count);
  }

  /**
   * Judges an answer to a change by its difference from those whose effect a list has shown. `unknown`: it is no known error,
   * and differs from all of these.
   */
  judge(command: Command, answer: Answer): "success" | "refused" | "unknown" {
    const known = this.successes.filter(({ name }) => name === command).map((one) => one.answer);
    if (known.some((one) => isLike(one, answer, constants(known)))) return "success";
    return answer.isRefusal ? "refused" : "unknown";
  }

  /** The setting by which an answer is an empty list: a member with a value that filled lists have, too, and no failure. */
  ofEmptyList(answer: Answer): Pick<Answers, "success"> | undefined {
    const { errorBody } = answer;
    const lists = [{ name: "list", answer }, ...this.successes.filter(({ name }) => name === "list")] as const;
    const doubt = isObject(errorBody) ? doubtIn([errorBody], "") : undefined;
    const { unknown } = this.learned;
    const failures = [...this.failures, ...(unknown ? [{ name: "list", answer: unknown }] : [])];
    if (doubt === undefined || lists.length === 1) return undefined;
    const isShared = (sign: Sign) =>
      "values" in sign && sign.values.length === 1 && lists.every((one) => isIn(sign, one));
    const [list] = [...signsOf(lists, failures)].filter((sign) => "member" in sign && sign.member === doubt.member);
    return list && isShared(list) ? { success: { list } } : undefined;
  }

  /** Learns the setting with which a client recognises each answer as success or failure; empty if it needs none. */
  recordSigns(): Pick<Answers, "success" | "failure"> {
    const { signs } = this.signs();
    this.learned.signs = signs;
    return given(signs) as Pick<Answers, "success" | "failure">;
  }
}

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
