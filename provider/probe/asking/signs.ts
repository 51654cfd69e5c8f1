import { isObject } from "../../model/json";
import type { Sign, Verdict } from "../../wire/answers";
import { doubtIn, markerIn } from "../../wire/error-marker";
import { follow, isSign } from "../../wire/places";
import { type EachSign, mergedSigns, type SignSettings } from "../shapes/answers";
import { countedText } from "../shapes/template";
import type { Answer } from "./answer";

/** An answer to a command or operation. */
export interface Answered<Name extends string> {
  readonly name: Name;
  readonly answer: Answer;
  /** Number of entries of a change. */
  readonly count?: number;
}

/**
 * Answers to requests that are known to have been carried out or not, and the settings by which a client distinguishes them. Only
 * words and members that successes share, and no failure has, become a sign.
 */
export class KnownAnswers<Name extends string> {
  protected readonly successes: Answered<Name>[] = [];
  protected readonly failures: Answered<Name>[] = [];

  /**
   * @param names All commands or operations. Words are no sign of the first one, which reads.
   * @param given Settings that stay.
   * @param reads True if a client takes an answer for a success by such settings.
   */
  constructor(
    private readonly names: readonly Name[],
    private readonly given: () => SignSettings<Name>,
    private readonly reads: (answered: Answered<Name>, signs: SignSettings<Name>) => boolean,
  ) {}

  /** @param answer Answer to a request whose effect was shown. @param count Number of its entries. */
  succeeded(name: Name, answer: Answer, count?: number): void {
    this.successes.push({ name, answer, ...(count !== undefined && { count }) });
  }

  failed(name: Name, answer: Answer): void {
    this.failures.push({ name, answer });
  }

  /**
   * The settings by which most successes and failures are read as such, the simplest first, alone and with those that stay; empty
   * if the latter suffice. They are proved once two successes of each command have the sign: what one alone has may be its time or number.
   */
  signs(): { readonly signs: SignSettings<Name>; readonly all: SignSettings<Name>; readonly isProved: boolean } {
    const { successes, failures } = this;
    let best: { readonly signs: SignSettings<Name>; readonly right: number } = { signs: {}, right: -1 };
    for (const signs of this.candidates()) {
      const all = this.with(signs);
      const good = successes.filter((one) => this.reads(one, all)).length;
      const right = good * (failures.length + 1) + failures.filter((one) => !this.reads(one, all)).length;
      if (right > best.right) best = { signs, right };
    }
    return { signs: best.signs, all: this.with(best.signs), isProved: this.isProved(best.signs) };
  }

  /** Answer to a change that took effect, and that no setting reads as a success; `undefined` if they read all. */
  get misread(): Answer | undefined {
    const { all } = this.signs();
    return this.changed.find((one) => !this.reads(one, all))?.answer;
  }

  /**
   * The emulator's text of the answer to such a command; `undefined` if none has shown its effect.
   *
   * @param other That of another command, which holds here, too, where it gives the same answers: one of them alone may not show a count.
   */
  textOf(name: Name, other?: string): string | undefined {
    const known = this.successes.filter((one) => one.name === name && one.count !== undefined);
    if (
      other !== undefined &&
      known.every(({ answer: { body }, count }) => body === other.replaceAll("{count}", `${count}`))
    )
      return other;
    return countedText(known.map(({ answer: { body }, count = 0 }) => ({ body, count })));
  }

  private get changed(): readonly Answered<Name>[] {
    return this.successes.filter(({ name }) => name !== this.names[0]);
  }

  private with({ success, failure }: SignSettings<Name>): SignSettings<Name> {
    const given = this.given();
    return {
      success: mergedSigns(given.success, success, this.names),
      failure: mergedSigns(given.failure, failure, this.names),
    };
  }

  private *candidates(): Generator<SignSettings<Name>> {
    yield {};
    const { failures, changed: successes } = this;
    const given = this.given();
    const shared = [...signsOf(successes, failures)];
    for (const sign of shared.filter(isConstant)) yield { success: sign };
    const own = this.names.flatMap((name) => {
      const some = successes.filter((one) => one.name === name);
      const isRead = some.every((one) => this.reads(one, given));
      return [...signsOf(some, failures)].slice(0, 1).map((sign) => ({ name, sign, isRead }));
    });
    for (const some of [own.filter(({ isRead }) => !isRead), own])
      yield { success: Object.fromEntries(some.map(({ name, sign }) => [name, sign])) as EachSign<Name> };
    for (const sign of shared.filter((one) => !isConstant(one))) yield { success: sign };
    for (const member of membersOf(failures)) {
      const values = valuesAt(failures, member);
      if (!valuesAt(successes, member).some((value) => values.includes(value))) yield { failure: { member, values } };
    }
  }

  private isProved({ success }: SignSettings<Name>): boolean {
    if (success === undefined) return true;
    const isObserved = (sign: Sign, some: readonly Answered<Name>[]) =>
      some.filter((one) => isIn(sign, one)).length >= 2 * ("values" in sign ? sign.values.length : 1);
    if (isSign(success)) return isObserved(success, this.successes);
    return Object.entries(success).every(([name, sign]) =>
      isObserved(
        sign as Sign,
        this.successes.filter((one) => one.name === name),
      ),
    );
  }
}

function isConstant(sign: Sign): boolean {
  return "text" in sign || sign.values.length === 1;
}

export function isIn(sign: Sign, { answer }: Answered<string>): boolean {
  if ("text" in sign) return answer.body.toLowerCase().includes(sign.text.toLowerCase());
  return sign.values.some((value) => value === follow(answer.errorBody, sign.member)?.value);
}

/** Signs that these answers share, and that no failure has: a member, or words where none is JSON. */
export function* signsOf(some: readonly Answered<string>[], failures: readonly Answered<string>[]): Generator<Sign> {
  if (some.length > 0 && some.every(({ answer }) => answer.errorBody === undefined)) {
    const text = wordsOf(some, failures);
    if (text !== undefined) yield { text };
    return;
  }
  for (const member of membersOf(some)) {
    const values = valuesAt(some, member);
    const isBad = valuesAt(failures, member).some((value) => values.includes(value));
    if (values.length <= MOST_VALUES && !isBad && !isCount(some, member)) yield { member, values };
  }
}

/** More values than these are numbers of the request, and no sign. */
const MOST_VALUES = 2;

/** True for a number of changes. */
function isCount(some: readonly Answered<string>[], member: string): boolean {
  const counted = some.flatMap(({ answer, count }) => {
    const value = follow(answer.errorBody, member)?.value;
    return value === undefined || count === undefined ? [] : [{ value, count }];
  });
  return counted.some(({ count }) => count > 1) && counted.every(({ value, count }) => value === count);
}

/** The members of some answers that may be a sign, those first by which a client tells success from failure. */
function membersOf(some: readonly Answered<string>[]): ReadonlySet<string> {
  const bodies = some.map(({ answer }) => answer.errorBody);
  const marked = bodies.flatMap((json) => [markerIn(json)?.code, isObject(json) ? doubtIn([json], "") : undefined]);
  const named = marked.flatMap((one) => (one && isValue(one.value) ? [one.member] : []));
  return new Set([...named, ...bodies.flatMap((json) => membersIn(json, []))]);
}

/** Deeper members belong to the listed records. */
const MAX_DEPTH = 3;

function membersIn(json: unknown, path: readonly string[]): string[] {
  if (!isObject(json) || path.length > MAX_DEPTH) return [];
  const own = Object.keys(json).filter((name) => isValue(json[name]));
  const inner = Object.entries(json).flatMap(([name, value]) => membersIn(value, [...path, name]));
  return [...own.map((name) => [...path, name].join(".")), ...inner];
}

/** The different values of a member. */
function valuesAt(some: readonly Answered<string>[], member: string): Verdict["values"] {
  const values = some.map(({ answer }) => follow(answer.errorBody, member)?.value);
  return [...new Set(values.filter(isValue))];
}

/** Longer texts, and those with blanks, are sentences, which differ from answer to answer. */
function isValue(value: unknown): value is Verdict["values"][number] {
  return (
    typeof value === "number" || typeof value === "boolean" || (typeof value === "string" && /^\S{1,30}$/.test(value))
  );
}

/** An address, a date or a time: words with one differ from answer to answer. */
const CHANGING = /\d\.\d+\.\d+\.\d|[\da-f]:[\da-f]*:|\d{4}-\d\d-\d\d/i;

/** Words in all these answers, and in no failure: an element of XML, or the whole text. */
function wordsOf(some: readonly Answered<string>[], failures: readonly Answered<string>[]): string | undefined {
  const first = some[0]?.answer.body ?? "";
  const parts = [...(first.match(/<(\w+)>[^<>]{1,40}<\/\1>/g) ?? []), first.trim()];
  return parts
    .filter((part) => part !== "" && !CHANGING.test(part))
    .find((text) => some.every((one) => isIn({ text }, one)) && !failures.some((one) => isIn({ text }, one)));
}
