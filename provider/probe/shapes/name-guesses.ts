import type { Answers, Member } from "../../wire/answers";
import { markNames } from "../../wire/mark-names";
import { isAddressLike } from "../../wire/places";
import type { RawMark } from "./mark-keys";

type Names = Partial<Record<Member, string>>;

/**
 * Names for members of marks that no natural name fits, where only one thing can be meant: the only address of a table of
 * single addresses, and the only number where only the id or only the value is missing.
 */
export function guessMarkNames(records: readonly RawMark[], answers: Answers): Names {
  const names: Names = {};
  for (const { type, record } of records) {
    const { meet } = markNames(type, answers);
    const known = new Set(Object.keys(record).map((name) => meet(name)?.name));
    const unknown = Object.keys(record).filter((name) => meet(name) === null);
    const addresses = unknown.filter((name) => isAddressLike(String(record[name])));
    const numbers = unknown.filter((name) => Number.isInteger(record[name]));
    const [address, otherAddress] = addresses;
    const isSingle = type === "shost" || type === "dhost";
    if (isSingle && !known.has("address") && address !== undefined && otherAddress === undefined)
      names.address ??= address;
    const [number, otherNumber] = numbers;
    const missing = (["id", "value"] as const).filter((member) => !known.has(member));
    const [member] = missing;
    if (missing.length === 1 && member && number !== undefined && otherNumber === undefined) names[member] ??= number;
  }
  return names;
}

/** The name of the only whole number that every rule has, and that is another one in each. */
export function guessRuleId(rules: readonly Readonly<Record<string, unknown>>[]): string | undefined {
  const [first] = rules;
  const numbers = Object.keys(first ?? {}).filter((name) => rules.every((rule) => Number.isInteger(rule[name])));
  const [name, other] = numbers.filter((one) => new Set(rules.map((rule) => rule[one])).size === rules.length);
  return other === undefined ? name : undefined;
}
