import { isDeepStrictEqual } from "node:util";
import { attempt } from "../../model/errors";
import { isObject } from "../../model/json";
import { formatUrl, type ResourceUrl } from "../../model/resource-url";
import type { Answers } from "../../wire/answers";
import { readAnswer } from "../../wire/node-answer";
import type { Command } from "../../wire/node-command";
import { follow, isSign } from "../../wire/places";
import { type Listing, readListed } from "./listing";

/** An answer with its request. */
export interface Exchange extends Listing {
  readonly command: Command;
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
 * @param exchanges All answers with their requests.
 */
export function constantWhileGrowing({ ignore = [], ...answers }: Answers, exchanges: Iterable<Exchange>): string[] {
  const lists = [...exchanges].flatMap((one) => {
    const list = readingOf(one, { ...answers, ignore });
    return Array.isArray(list) ? [{ at: `${formatUrl(one.url)} ${one.table}`, length: list.length, one }] : [];
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
export function readingOf({ url, command, table, answer }: Exchange, answers: Answers): unknown {
  if (command === "list") {
    const reading = readListed<ResourceUrl>({ answer, url, table }, answers);
    return reading.kind === "done" ? reading.value : reading.kind;
  }
  const content = attempt(() => readAnswer(answer.body, answers, command))?.kind;
  return content === "error" || content === "html";
}

/** Paths of the single settings. The signs of all commands are one: without that of a command that was never refused, its failures would pass. */
function leavesOf(settings: unknown, path: Path = []): Path[] {
  if (!isObject(settings) || isSign(settings) || ["success", "failure"].includes(path.at(-1) ?? "")) return [path];
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
