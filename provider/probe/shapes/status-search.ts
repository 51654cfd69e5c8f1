import { isObject } from "../../model/json";
import type { Prefix } from "../../model/prefix";
import { prefixIn } from "../../model/readable";
import type { ReceiverAnswers } from "../../wire/answers";
import { jsonOf } from "../../wire/json";
import { isAddressLike, listCandidate } from "../../wire/places";
import { formatsOf } from "../../wire/text-lines";

/** Place of the prefixes in a status: names from the root on, and whether it is a single text. */
export interface StatusPlace {
  readonly names: readonly string[];
  readonly isText: boolean;
}

/**
 * Finds the settings by which the client's own reader reads a status: none for natural shapes, else a format, or a place and
 * a name. `undefined` if no setting does.
 *
 * @param reads True if some settings find the prefixes that are known to be in the status.
 */
export function solveStatus(
  body: string,
  before: ReceiverAnswers,
  reads: (answers: ReceiverAnswers) => boolean,
): ReceiverAnswers | undefined {
  if (reads(before)) return before;
  const { name: _name, path: _path, ...rest } = before;
  return candidates(body)
    .map((found) => ({ ...rest, ...found }))
    .find(reads);
}

function candidates(body: string): ReceiverAnswers[] {
  const places = placesOfStatus(body).filter(({ names }) => names.length > 0);
  return [
    ...formatsOf(body).map((format) => ({ format })),
    ...places.flatMap(({ names }): ReceiverAnswers[] => {
      const path = names.slice(0, -1).join(".");
      const name = names.at(-1) ?? "";
      return [path === "" ? { name } : { path, name }, { path: names.join(".") }];
    }),
  ];
}

export function placesOfStatus(body: string): StatusPlace[] {
  return visit(jsonOf(body), []);
}

function visit(value: unknown, names: readonly string[]): StatusPlace[] {
  if (typeof value === "string") return isAddressLike(value) ? [{ names, isText: true }] : [];
  if (Array.isArray(value)) {
    if (value.some(tellsPrefix)) return [{ names, isText: false }];
    return value.flatMap((one, index) => (isObject(one) ? visit(one, [...names, String(index)]) : []));
  }
  if (!isObject(value)) return [];
  if (listCandidate(value)?.kind === "keyed") return [{ names, isText: false }];
  return Object.entries(value).flatMap(([name, one]) => visit(one, [...names, name]));
}

/** A prefix as a text, or as a member of a record. */
function tellsPrefix(element: unknown): boolean {
  const texts = isObject(element) ? Object.values(element) : [element];
  return texts.some((text) => typeof text === "string" && isAddressLike(text));
}

export function prefixesIn(body: string): Prefix[] {
  return wordsIn(body).flatMap((word) => prefixIn(word, { hostBits: "mask" }) ?? []);
}

/** All words of a text that look like addresses, without a colon or full stop behind them. */
export function wordsIn(body: string): string[] {
  const words = body.split(/[^\da-z.:/]+/i);
  const readable = (word: string) => prefixIn(word, { hostBits: "mask" }) !== undefined;
  return words.map((word) => (readable(word) ? word : word.replace(/[.:]$/, ""))).filter(isAddressLike);
}
