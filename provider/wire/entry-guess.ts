import type { JsonObject } from "../model/json";
import type { Answers, Columns } from "./answers";
import { IN_TEXT, lengthOf, naturalRole } from "./entry-members";
import { readNumber, ShapeError, short } from "./json";
import { addressText, forKind, isAddressLike } from "./places";
import { columnsSetting, namesSetting } from "./remedies";
import { columnOf } from "./rows";

type Named = readonly [name: string, content: unknown];

/** An error about one entry, with the names that would make sense of it, as far as they can be guessed from it. */
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
  const isKnown = Object.entries(guess).every(([role, name]) => answers?.names?.[role as Role] === name);
  if (isKnown) return new ShapeError(message);
  const otherwise =
    length === undefined ? "" : `; if no member is its length, set answers.names.prefixLength: "${IN_TEXT}"`;
  return new ShapeError(message, `If that is what they mean, set ${settingFor(answers, guess)}${otherwise}.`);
}

type Role = "prefix" | "prefixLength" | "value" | "rangeStart" | "rangeEnd";

/** The names of members; of fields of a row their numbers, beside those that are set already. */
function settingFor(answers: Answers | undefined, guess: Readonly<Partial<Record<Role, string>>>): string {
  const roles = Object.entries(guess) as [Role, string][];
  if (roles.every(([, name]) => columnOf(name) === undefined)) return namesSetting(answers, guess);
  const given = forKind<Columns>(answers?.columns, "prefixset");
  const numbers = roles.map(([role, name]) => [role, columnOf(name) ?? name]);
  return columnsSetting(answers, "prefixset", { ...given, ...Object.fromEntries(numbers) });
}

/** Two addresses under names that mean nothing by themselves: the first and the last of a range. */
function guessRange(members: readonly Named[]): { rangeStart: string; rangeEnd: string } | undefined {
  const [first, last, ...more] = members.filter(
    ([, content]) => typeof content === "string" && isAddressLike(content) && !content.includes("/"),
  );
  if (!first || !last || more.length > 0 || lengthOf(last[1]) !== undefined) return undefined;
  if ([first, last].some(([name]) => naturalRole(name) !== undefined)) return undefined;
  return { rangeStart: first[0], rangeEnd: last[0] };
}

/** An error about an entry of which other members than the one with a name for it may be the value. */
export function refuseValue(
  problem: string,
  record: JsonObject,
  names: readonly string[],
  answers: Answers | undefined,
) {
  const message = `${problem}, and ${names.slice(0, 2).map(short).join(" or ")} could be it`;
  const settings = names.slice(0, 2).map((value) => settingFor(answers, { value }));
  if (settings.length > 1) return new ShapeError(message, `Say which one is: ${settings.join(" or ")}.`);
  const own = Object.keys(record).find((name) => naturalRole(name) === "value");
  const otherwise = `${own === undefined ? "if all values are 1" : "if not"}, set ${namesSetting(answers, { value: own ?? "value" })}`;
  return new ShapeError(message, `If it is, set ${settings.join()}; ${otherwise}.`);
}

/** The member that tells the prefix in full; else one with a natural name; else any with an address. */
function guessPrefix(members: readonly Named[]): string | undefined {
  const texts = members.filter(([, content]) => isAddressLike(addressText(content) ?? ""));
  const [found] =
    texts.find(([, content]) => String(content).includes("/")) ??
    texts.find(([name]) => naturalRole(name) === "prefix") ??
    texts[0] ??
    [];
  return found;
}

/** The likeliest name of the length of entries, given without their addresses. */
export function guessLength(records: readonly JsonObject[]): string | undefined {
  // Beside the prefix another member with a name for prefixes may be its length, as in {"net":"192.0.2.0","prefix":24}.
  const mayBe = (name: string) => naturalRole(name) === undefined || naturalRole(name) === "prefix";
  const lengths = Object.keys(records[0] ?? {}).filter(
    (name) => mayBe(name) && records.every((record) => lengthOf(record[name]) !== undefined),
  );
  return lengths.find((name) => /len|mask|bit|size|prefix|cidr/i.test(name)) ?? lengths[0];
}

/** The first of two members that claim to be the value. */
function claimed(members: readonly Named[]): string | undefined {
  const [first, second] = members.filter(([name]) => naturalRole(name) === "value");
  return second && first?.[0];
}

/** The only whole number of entries that have no value under a natural name: read without it, each would have the value 1. */
export function guessValue(records: readonly JsonObject[]): string | undefined {
  const names = Object.keys(records[0] ?? {});
  if (names.some((name) => naturalRole(name) === "value")) return undefined;
  const isNumber = (name: string) => records.every((record) => readNumber(record[name]) !== undefined);
  const [name, other] = names.filter((one) => naturalRole(one) === undefined && isNumber(one));
  return other === undefined ? name : undefined;
}
