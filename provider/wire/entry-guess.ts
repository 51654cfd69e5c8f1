import { type Answers, namesSetting } from "./answers";
import { IN_TEXT, lengthOf, naturalRole } from "./entry-members";
import { ShapeError } from "./json";
import { isAddressLike } from "./places";

type Json = Readonly<Record<string, unknown>>;
type Named = readonly [name: string, content: unknown];

/** An error about one entry, with the names that would make sense of it, as far as they can be guessed from it. */
export function refuseEntry(message: string, record: Json, answers: Answers | undefined): ShapeError {
  const members: Named[] = Object.entries(record);
  const prefix = guessPrefix(members);
  if (prefix === undefined) return new ShapeError(message);
  const others = members.filter(([name]) => name !== prefix && naturalRole(name) !== "known");
  const hasLength = String(record[prefix]).includes("/") || others.some(([name]) => naturalRole(name) === "length");
  const length = hasLength ? undefined : guessLength(others);
  const value = guessValue(others.filter(([name]) => name !== length));
  const isTold = members.filter(([name]) => naturalRole(name) === "prefix").length === 1 && isNatural(prefix, "prefix");
  const guess = {
    ...(!isTold && { prefix }),
    ...(length !== undefined && { prefixLength: length }),
    ...(value !== undefined && { value }),
  };
  if (Object.keys(guess).length === 0) return new ShapeError(message);
  const otherwise =
    length === undefined ? "" : `; if no member is its length, set answers.names.prefixLength: "${IN_TEXT}"`;
  return new ShapeError(message, `If that is what they mean, set ${namesSetting(answers, guess)}${otherwise}.`);
}

/** The member that tells the prefix in full; else one with a natural name; else any with an address. */
function guessPrefix(members: readonly Named[]): string | undefined {
  const texts = members.filter(([, content]) => typeof content === "string" && isAddressLike(content));
  const [found] =
    texts.find(([, content]) => String(content).includes("/")) ??
    texts.find(([name]) => isNatural(name, "prefix")) ??
    texts[0] ??
    [];
  return found;
}

function guessLength(members: readonly Named[]): string | undefined {
  // Beside the prefix another member with a name for prefixes may be its length, as in {"net":"192.0.2.0","prefix":24}.
  const mayBe = (name: string) => naturalRole(name) === undefined || naturalRole(name) === "prefix";
  const lengths = members.filter(([name, content]) => mayBe(name) && lengthOf(content) !== undefined);
  const [found] = lengths.find(([name]) => /len|mask|bit|size|prefix|cidr/i.test(name)) ?? lengths[0] ?? [];
  return found;
}

/** Where two members claim to be the value, the first; where none does, the only number. */
function guessValue(members: readonly Named[]): string | undefined {
  const values = members.filter(([name]) => isNatural(name, "value"));
  if (values.length > 0) return values.length > 1 ? values[0]?.[0] : undefined;
  const numbers = members.filter(([name, content]) => !naturalRole(name) && Number.isInteger(content));
  return numbers.length === 1 ? numbers[0]?.[0] : undefined;
}

function isNatural(name: string, role: "prefix" | "value"): boolean {
  return naturalRole(name) === role;
}
