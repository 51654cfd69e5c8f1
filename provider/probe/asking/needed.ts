import { isDeepStrictEqual } from "node:util";
import { attempt } from "../../model/errors";
import { isObject } from "../../model/json";
import type { MarkType } from "../../model/mark";
import type { ResourceUrl } from "../../model/resource-url";
import type { Answers } from "../../wire/answers";
import { readMarkList } from "../../wire/mark-list";
import { readAnswer } from "../../wire/node-answer";
import type { Command } from "../../wire/node-command";
import { readPrefixSetList } from "../../wire/prefix-set-list";
import { readProfileList, readRuleList } from "../../wire/record-lists";
import type { Answer } from "./answer";
import { type ReadsList, readListed } from "./listing";

/** An answer, and what had been asked. */
export interface Seen {
  readonly url: ResourceUrl;
  readonly command: Command;
  readonly table: MarkType | undefined;
  readonly answer: Answer;
}

type Path = readonly string[];

/** How a node says that a set is gone is told by one answer only, and what the user sets stays. */
const KEPT = ["absent", "more", "read"];

/**
 * The settings that some answer needs: without the others all are read as they are with them.
 *
 * @param settings What was learnt.
 * @param given What the user had set, which stays.
 * @param read What a client makes of all answers by some settings.
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

/** Settings of which only those are left that others have, too. */
export function within<T extends object>(settings: T, others: object): T {
  const gone = leavesOf(settings).filter((path) => at(others, path) === undefined);
  return gone.reduce((left, path) => removed(left, path) as T, settings);
}

/** What a client makes of an answer; for a change only whether it was refused. */
export function readingOf({ url, command, table, answer }: Seen, answers: Answers): unknown {
  if (command === "list") {
    const reading = readListed<unknown>(answer, url, readerOf(url, table), answers);
    return reading.kind === "done" ? reading.value : reading.kind;
  }
  const content = attempt(() => readAnswer(answer.body, answers, command))?.kind;
  return content === "error" || content === "html";
}

/** Reads the lists of a url as a client does. */
export function readerOf({ kind }: ResourceUrl, table: MarkType = "shost"): ReadsList<unknown> {
  if (kind === "mark") return (json, habits) => readMarkList(json, table, habits);
  return { prefixset: readPrefixSetList, arena: readProfileList, profile: readRuleList }[kind];
}

/** Each setting that may be left out by itself. */
function leavesOf(settings: unknown, path: Path = []): Path[] {
  if (!isObject(settings) || "member" in settings) return [path];
  return Object.entries(settings).flatMap(([name, value]) => leavesOf(value, [...path, name]));
}

function at(settings: unknown, path: Path): unknown {
  return path.reduce((value, name) => (isObject(value) ? value[name] : undefined), settings);
}

/** Without a setting, and without what holds nothing then. */
function removed(settings: unknown, [name = "", ...rest]: Path): unknown {
  if (!isObject(settings)) return settings;
  const { [name]: one, ...others } = settings;
  const left = rest.length > 0 ? removed(one, rest) : undefined;
  return isObject(left) && Object.keys(left).length > 0 ? { ...others, [name]: left } : others;
}
