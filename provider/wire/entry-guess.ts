import type { JsonObject } from "../model/json";
import type { Answers, Columns } from "./answers";
import { IN_TEXT, lengthOf, naturalRole } from "./entry-members";
import { readNumber, ShapeError, short } from "./json";
import { addressText, forKind, isAddressLike, namesFor } from "./places";
import { columnsSetting, namesSetting } from "./remedies";
import { columnOf } from "./rows";

type Named = readonly [name: string, content: unknown];

/** Error about one entry, with the setting that would read it, as far as it can be guessed. */
export function refuseEntry(message: string, record: JsonObject, answers: Answers | undefined): ShapeError {
  const members: Named[] = Object.entries(record);
  const range = guessRange(members);
  if (range) return new ShapeError(message, `If that is what they mean, set ${settingFor(answers, range)}.`);
  const prefix = guessPrefix(members);
  if (prefix === undefined) return new ShapeError(message);
  const others = members.filter(([name]) => name !== prefix && naturalRole(name) !== "known");
  const hasLength = String(record[prefix]).includes("/") || others.some(([name]) => naturalRole(name) === "length");
  const length = hasLength ? undefined : guessLength([Object.fromEntries(others)]);
  const value = claimed(others) ?? guessValue([Object.fromEntries(others.filter(([name]) => name !== length))]);
  const isTold =
    members.filter(([name]) => naturalRole(name) === "prefix").length === 1 && naturalRole(prefix) === "prefix";
  const guess = {
    ...(!isTold && { prefix }),
    ...(length !== undefined && { prefixLength: length }),
    ...(value !== undefined && { value }),
  };
  const isKnown = Object.entries(guess).every(
    ([role, name]) => namesFor(answers ?? {}, "prefixset")[role as Role] === name,
  );
  if (isKnown) return new ShapeError(message);
  const otherwise =
    length === undefined ? "" : `; if no member is its length, set answers.names.prefixLength: "${IN_TEXT}"`;
  return new ShapeError(message, `If that is what they mean, set ${settingFor(answers, guess)}${otherwise}.`);
}

type Role = "prefix" | "prefixLength" | "value" | "rangeStart" | "rangeEnd";

/** The setting for names of members; for fields of a row, their numbers beside those that are set already. */
function settingFor(answers: Answers | undefined, guess: Readonly<Partial<Record<Role, string>>>): string {
  const roles = Object.entries(guess) as [Role, string][];
  if (roles.every(([, name]) => columnOf(name) === undefined)) return namesSetting(answers, guess);
  const given = forKind<Columns>(answers?.columns, "prefixset");
  const numbers = roles.map(([role, name]) => [role, columnOf(name) ?? name]);
  return columnsSetting(answers, "prefixset", { ...given, ...Object.fromEntries(numbers) });
}

/** Two addresses under unknown names: the first and the last of a range. */
function guessRange(members: readonly Named[]): { rangeStart: string; rangeEnd: string } | undefined {
  const [first, last, ...more] = members.filter(
    ([, content]) => typeof content === "string" && isAddressLike(content) && !content.includes("/"),
  );
  if (!first || !last || more.length > 0 || lengthOf(last[1]) !== undefined) return undefined;
  if ([first, last].some(([name]) => naturalRole(name) !== undefined)) return undefined;
  return { rangeStart: first[0], rangeEnd: last[0] };
}

/** Error about an entry in which a member of an unknown name may be the value. */
export function refuseValue(
  problem: string,
  record: JsonObject,
  names: readonly string[],
  answers: Answers | undefined,
) {
  const message = `${problem}, and ${names.slice(0, 2).map(short).join(" or ")} could be it`;
  const settings = names.slice(0, 2).map((value) => settingFor(answers, { value }));
  if (settings.length > 1) return new ShapeError(message, `Name the right one: ${settings.join(" or ")}.`);
  const own = Object.keys(record).find((name) => naturalRole(name) === "value");
  const otherwise = `${own === undefined ? "if all values are 1" : "if not"}, set ${namesSetting(answers, { value: own ?? "value" })}`;
  return new ShapeError(message, `If it is, set ${settings.join()}; ${otherwise}.`);
}

/** A member with a whole prefix; else one with a natural name; else any with an address. */
function guessPrefix(members: readonly Named[]): string | undefined {
  const texts = members.filter(([, content]) => isAddressLike(addressText(content) ?? ""));
  const [found] =
    texts.find(([, content]) => String(content).includes("/")) ??
    texts.find(([name]) => naturalRole(name) === "prefix") ??
    texts[0] ??
    [];
  return found;
}

/** Likeliest name of the length of entries, which are given without their addresses. */
function guessLength(records: readonly JsonObject[]): string | undefined {
  // A second member named as a prefix may be the length, as in {"net":"192.0.2.0","prefix":24}.
  const mayBe = (name: string) => naturalRole(name) === undefined || naturalRole(name) === "prefix";
  const lengths = Object.keys(records[0] ?? {}).filter(
    (name) => mayBe(name) && records.every((record) => lengthOf(record[name]) !== undefined),
  );
  return lengths.find((name) => /len|mask|bit|size|prefix|cidr/i.test(name)) ?? lengths[0];
}

/** The first of two members that are named as the value. */
function claimed(members: readonly Named[]): string | undefined {
  const [first, second] = members.filter(([name]) => naturalRole(name) === "value");
  return second && first?.[0];
}

/** The only number in entries that have no value under a natural name: without it, each would have the value 1. */
function guessValue(records: readonly JsonObject[]): string | undefined {
  const names = Object.keys(records[0] ?? {});
  if (names.some((name) => naturalRole(name) === "value")) return undefined;
  const isNumber = (name: string) => records.every((record) => readNumber(record[name]) !== undefined);
  const [name, other] = names.filter((one) => naturalRole(one) === undefined && isNumber(one));
  return other === undefined ? name : undefined;
}
