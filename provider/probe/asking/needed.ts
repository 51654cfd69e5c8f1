import { isDeepStrictEqual } from "node:util";
import { attempt } from "../../model/errors";
import { isObject } from "../../model/json";
import type { MarkType } from "../../model/mark";
import { formatUrl, type ResourceUrl } from "../../model/resource-url";
import type { Answers } from "../../wire/answers";
import { readMarkList } from "../../wire/mark-list";
import { readAnswer } from "../../wire/node-answer";
import type { Command } from "../../wire/node-command";
import { follow, isSign } from "../../wire/places";
import { readPrefixSetList } from "../../wire/prefix-set-list";
import { readProfileList, readRuleList } from "../../wire/record-lists";
import type { Answer } from "./answer";
import { type ReadsList, readListed } from "./listing";

/** An answer with its request. */
export interface Seen {
  readonly url: ResourceUrl;
  readonly command: Command;
  readonly table: MarkType | undefined;
  readonly answer: Answer;
}

type Path = readonly string[];

/** Settings that stay: one answer alone shows `absent`, and the other two come from the user. */
const KEPT = ["absent", "more", "read", "units", "markTypes"];

/**
 * Removes learnt settings without which all answers are read in the same way.
 *
 * @param given Settings of the user, which stay.
 * @param read Reads all answers by some settings.
 */
export function needed<T extends object>(settings: T, given: T, read: (settings: T) => unknown): T {
  const whole = read(settings);
  return leavesOf(settings)
    .filter((path) => !KEPT.includes(path[0] ?? "") && at(given, path) === undefined)
    .reduce((left, path) => {
      const less = removed(left, path) as T;
      return isDeepStrictEqual(read(less), whole) ? less : left;
    }, settings);
}

/**
 * Names of `answers.ignore` that are proved: members that had one value in lists of one resource of different lengths.
 *
 * @param seen All answers with their requests.
 * @param lengthOf Number of elements by the settings; `undefined` if they do not read the list.
 */
export function constantWhileGrowing(
  ignore: readonly string[],
  seen: Iterable<Seen>,
  lengthOf: (seen: Seen) => number | undefined,
): string[] {
  const lists = [...seen].flatMap((one) => {
    const length = one.command === "list" ? lengthOf(one) : undefined;
    return length === undefined ? [] : [{ at: `${formatUrl(one.url)} ${one.table}`, length, one }];
  });
  return ignore.filter((name) => {
    const met = lists.flatMap(({ at, length, one: { answer } }) => {
      const found = follow(answer.json, name) ?? { value: answer.http.header(name.toLowerCase()) };
      return found.value === undefined ? [] : [{ at, length, value: JSON.stringify(found.value) }];
    });
    const isConstant = met.every((one) => one.value === met[0]?.value);
    return isConstant && met.some((one) => met.some((other) => other.at === one.at && other.length !== one.length));
  });
}

/** The settings that `others` have as well. A sign counts as a whole: one for all commands may later become one for each. */
export function within<T extends object>(settings: T, others: object): T {
  const gone = leavesOf(settings).filter((path) => at(others, upToSign(path)) === undefined);
  return gone.reduce((left, path) => removed(left, path) as T, settings);
}

function upToSign(path: Path): Path {
  const sign = path.findIndex((name) => name === "success" || name === "failure");
  return sign < 0 ? path : path.slice(0, sign + 1);
}

/** Reads an answer as a client does; of a change only whether it was refused. */
export function readingOf({ url, command, table, answer }: Seen, answers: Answers): unknown {
  if (command === "list") {
    const reading = readListed<unknown>(answer, url, readerOf(url, table), answers);
    return reading.kind === "done" ? reading.value : reading.kind;
  }
  const content = attempt(() => readAnswer(answer.body, answers, command))?.kind;
  return content === "error" || content === "html";
}

/** The client's reader for the lists of a url. */
export function readerOf({ kind }: ResourceUrl, table: MarkType = "shost"): ReadsList<unknown> {
  if (kind === "mark") return (json, habits) => readMarkList(json, table, habits);
  return { prefixset: readPrefixSetList, arena: readProfileList, profile: readRuleList }[kind];
}

/** Paths of the single settings. */
function leavesOf(settings: unknown, path: Path = []): Path[] {
  if (!isObject(settings) || isSign(settings)) return [path];
  return Object.entries(settings).flatMap(([name, value]) => leavesOf(value, [...path, name]));
}

function at(settings: unknown, path: Path): unknown {
  return path.reduce((value, name) => (isObject(value) ? value[name] : undefined), settings);
}

/** Settings without one of them, and without objects that are empty then. */
function removed(settings: unknown, [name = "", ...rest]: Path): unknown {
  if (!isObject(settings)) return settings;
  const { [name]: one, ...others } = settings;
  const left = rest.length > 0 ? removed(one, rest) : undefined;
  return isObject(left) && Object.keys(left).length > 0 ? { ...others, [name]: left } : others;
}
