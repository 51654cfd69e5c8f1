import { isObject } from "../../model/json";
import type { Sign, Verdict } from "../../wire/answers";
import { doubtIn, markerIn } from "../../wire/error-marker";
import { follow } from "../../wire/places";
import type { Told } from "../../wire/remedies";

type Value = Verdict["values"][number];

/** One of the two settings that distinguish success from failure. */
export interface VerdictSettings {
  readonly success?: Verdict;
  readonly failure?: Verdict;
}

/** Deeper members belong to the listed records. */
const MAX_DEPTH = 3;
/** Longer texts, and those with blanks, are sentences, which differ from answer to answer. */
const WORD = /^\S{1,30}$/;
/** More values than these are counts, and no verdict. */
const MOST_VALUES = 2;

/**
 * The member by which known successes differ from known failures.
 *
 * @param mostValues If successes have more values than these, the verdict is that of failures.
 */
export function verdictOf(
  successes: readonly unknown[],
  failures: readonly unknown[],
  mostValues = MOST_VALUES,
): VerdictSettings | undefined {
  const [failure] = failures;
  for (const { member } of membersOf(failure, [])) {
    const good = valuesAt(successes, member);
    const bad = valuesAt(failures, member);
    if (good === undefined || bad === undefined || good.some((value) => bad.includes(value))) continue;
    return good.length <= mostValues ? { success: { member, values: good } } : { failure: { member, values: bad } };
  }
  return undefined;
}

/** A verdict that all successes share, and no failure. */
export function sharedVerdict(successes: readonly unknown[], failures: readonly unknown[]): Verdict | undefined {
  const told = isObject(successes[0]) ? doubtIn([successes[0]], "") : undefined;
  const values = told && valuesAt(successes, told.member);
  if (told === undefined || values?.length !== 1) return undefined;
  const isShared = failures.some((json) => values.some((value) => value === follow(json, told.member)?.value));
  return isShared ? undefined : { member: told.member, values };
}

/** The verdict by which answers with this member are successes. */
export function successAt({ member }: Told, successes: readonly unknown[]): Verdict | undefined {
  const values = valuesAt(
    successes.filter((json) => isValue(follow(json, member)?.value)),
    member,
  );
  return values && { member, values };
}

/** A confirmed operation: the text of its answer, and its JSON if it is one. */
interface Success<Name extends string> {
  readonly name: Name;
  readonly body: string;
  readonly json: unknown;
}

/** One setting for all operations, or one for each that has some sign. */
type Signs<Name extends string> = Sign | Partial<Record<Name, Sign>>;

/**
 * The setting by which the answers to confirmed operations are successes, by the form of the last one: words of a text, or a
 * member. `undefined` if there is none.
 */
export function signsOf<Name extends string>(
  successes: readonly Success<Name>[],
  failures: readonly string[],
): Signs<Name> | undefined {
  const last = successes.at(-1);
  return last && (last.json === undefined ? textSigns(successes, failures) : memberSigns(last, successes));
}

/** The verdict of an answer, for its operation alone if the others lack the member. */
function memberSigns<Name extends string>(
  { name, json }: Success<Name>,
  successes: readonly Success<Name>[],
): Signs<Name> | undefined {
  const bodies = successes.map((one) => one.json);
  const told = [markerIn(json)?.code, isObject(json) ? doubtIn([json], "") : undefined, ...membersOf(json, [])];
  const verdict = told
    .flatMap((one) => (one && successAt(one, bodies)) ?? [])
    .find(({ values }) => values.length <= MOST_VALUES);
  if (!verdict) return undefined;
  const isEverywhere = bodies.every((body) => follow(body, verdict.member) !== undefined);
  return isEverywhere ? verdict : ({ [name]: verdict } as Partial<Record<Name, Verdict>>);
}

/** Words that all answers share, else those of each operation that has some. */
export function textSigns<Name extends string>(
  successes: readonly Success<Name>[],
  failures: readonly string[],
): Signs<Name> | undefined {
  const words = (some: typeof successes) => {
    const isText = some.every(({ json }) => json === undefined);
    const bodies = some.map(({ body }) => body);
    return isText ? wordsOf(bodies, failures) : undefined;
  };
  const shared = words(successes);
  if (shared !== undefined) return { text: shared };
  const names = [...new Set(successes.map(({ name }) => name))];
  const each = names.flatMap((name) => {
    const text = words(successes.filter((one) => one.name === name));
    return text === undefined ? [] : [[name, { text }] as const];
  });
  return each.length > 0 ? (Object.fromEntries(each) as Partial<Record<Name, Sign>>) : undefined;
}

/** The member that has one value in all successes, and in no failure. */
export function constantOf(successes: readonly unknown[], failures: readonly unknown[]): Verdict | undefined {
  for (const { member, value } of membersOf(successes[0], [])) {
    const values = valuesAt(successes, member);
    const isFailure = failures.some((json) => follow(json, member)?.value === value);
    if (values?.length === 1 && !isFailure) return { member, values };
  }
  return undefined;
}

/** An address, a date or a time: words with one differ from answer to answer. */
const CHANGING = /\d\.\d+\.\d+\.\d|[\da-f]:[\da-f]*:|\d{4}-\d\d-\d\d/i;

/** Words in all successes, and in no failure: an element of XML, or the whole text. */
function wordsOf([first = "", ...others]: readonly string[], failures: readonly string[]): string | undefined {
  const parts = [...(first.match(/<(\w+)>[^<>]{1,40}<\/\1>/g) ?? []), first.trim()];
  const isIn = (body: string, part: string) => body.toLowerCase().includes(part.toLowerCase());
  return parts
    .filter((part) => part !== "" && !CHANGING.test(part))
    .find((part) => others.every((body) => isIn(body, part)) && !failures.some((body) => isIn(body, part)));
}

/** The different values of a member; `undefined` if an answer has none. */
function valuesAt(answers: readonly unknown[], member: string): Value[] | undefined {
  const values = new Set<Value>();
  for (const json of answers) {
    const value = follow(json, member)?.value;
    if (!isValue(value)) return undefined;
    values.add(value);
  }
  return values.size === 0 ? undefined : [...values];
}

function isValue(value: unknown): value is Value {
  return typeof value === "number" || typeof value === "boolean" || (typeof value === "string" && WORD.test(value));
}

function membersOf(json: unknown, path: readonly string[]): Told[] {
  if (!isObject(json)) return [];
  const own = Object.entries(json).flatMap(([name, value]) =>
    isValue(value) ? [{ member: [...path, name].join("."), value }] : [],
  );
  if (path.length >= MAX_DEPTH) return own;
  return [...own, ...Object.entries(json).flatMap(([name, value]) => membersOf(value, [...path, name]))];
}
