import { given } from "../../client/options";
import { isObject, type JsonObject } from "../../model/json";
import { Prefix } from "../../model/prefix";
import type { Member } from "../../wire/answers";
import { lengthOf, naturalRole } from "../../wire/entry-members";
import { readNumber } from "../../wire/json";
import { addressText, isAddressLike } from "../../wire/places";
import type { ListPlace } from "./list-place";

export interface KnownEntry {
  readonly address: string;
  readonly length: number;
  readonly value: number;
}

export interface EntryShape {
  /** `string`: plain texts, at least for the value 1. */
  readonly form: "object" | "string" | "pair" | "keyed";
  /** Names of the members of an entry; of a row the numbers of its fields. */
  readonly names: Partial<Record<Member, string>>;
  readonly lengthForm?: "number" | "netmask";
  /** Default: a text. */
  readonly addressForm?: "integer" | "hex" | "octets" | "range";
  /** Default: a number. */
  readonly valueForm?: "text" | "hex";
}

/**
 * Derives the form of entries from a list: from known entries whatever the names, else from natural names.
 *
 * @param known Entries whose lengths and values all differ, so that no member is mistaken for another.
 */
export function entryShape(place: ListPlace, known: readonly KnownEntry[] = []): EntryShape {
  if (place.kind === "keyed") return { form: "keyed", names: {}, ...formOf(Object.values(place.members)[0]) };
  const isText = place.elements.some((element) => typeof element === "string");
  const pair = place.elements.find((element) => Array.isArray(element));
  if (pair !== undefined && !isText) return { form: "pair", names: {}, ...formOf(pair[1]) };
  return { form: isText ? "string" : "object", ...membersOf(place.elements.filter(isObject), known) };
}

/** The same for records, or for rows by the numbers of their fields. */
export function membersOf(records: readonly JsonObject[], known: readonly KnownEntry[]): Omit<EntryShape, "form"> {
  const described = records.map((record) => ({ record, entry: known.find((one) => mentions(record, one)) }));
  const matched = described.filter(({ entry }) => known.length === 0 || entry !== undefined);
  const common = (fits: (name: string, content: unknown, entry: KnownEntry | undefined) => boolean) => {
    const [first, ...others] = matched.map(({ record, entry }) =>
      Object.keys(record).filter((name) => fits(name, record[name], entry)),
    );
    return first?.filter((name) => others.every((names) => names.includes(name)))[0];
  };
  const prefix = common((_, content, entry) =>
    entry ? isAddress(content, entry) : isAddressLike(addressText(content) ?? ""),
  );
  const isSeparate = matched.some(({ record }) => prefix !== undefined && !/[/-]/.test(String(record[prefix])));
  const length = isSeparate
    ? common((name, content, entry) =>
        name !== prefix && entry ? lengthOf(content) === entry.length : naturalRole(name) === "length",
      )
    : undefined;
  const isRange = isSeparate && length === undefined;
  const end = isRange
    ? common((name, content, entry) =>
        entry ? name !== prefix && addressText(content) === lastOf(entry) : naturalRole(name) === "end",
      )
    : undefined;
  const value = common((name, content, entry) =>
    entry
      ? name !== prefix && name !== end && readNumber(content)?.number === entry.value
      : naturalRole(name) === "value",
  );
  const isMask = matched.some(({ record }) => length !== undefined && isAddressLike(String(record[length])));
  const [example] = matched;
  const ofPrefix = end === undefined ? { prefix } : { rangeStart: prefix, rangeEnd: end };
  return {
    names: given({ ...ofPrefix, prefixLength: length, value }) as EntryShape["names"],
    ...(prefix !== undefined && addressFormOf(example?.record[prefix], end)),
    ...(value !== undefined && formOf(example?.record[value])),
    ...(length !== undefined && { lengthForm: isMask ? "netmask" : "number" }),
  };
}

function addressFormOf(content: unknown, end: string | undefined): Pick<EntryShape, "addressForm"> {
  if (end !== undefined) return { addressForm: "range" };
  if (typeof content === "number") return { addressForm: "integer" };
  if (Array.isArray(content)) return { addressForm: "octets" };
  return typeof content === "string" && /^0x/i.test(content) ? { addressForm: "hex" } : {};
}

function formOf(value: unknown): Pick<EntryShape, "valueForm"> {
  if (typeof value !== "string") return {};
  return { valueForm: /^0x/i.test(value) ? "hex" : "text" };
}

function mentions(record: JsonObject, entry: KnownEntry): boolean {
  return Object.values(record).some((content) => isAddress(content, entry));
}

/** True for the address of an entry in any form, with or without a length. */
function isAddress(content: unknown, { address }: KnownEntry): boolean {
  return addressText(content)?.split(/[/-]/)[0]?.toLowerCase() === address;
}

function lastOf({ address, length }: KnownEntry): string {
  const { bits } = Prefix.parse(`${address}/${length}`);
  return addressText(Number(bits + (1n << BigInt(32 - length)) - 1n)) ?? address;
}

/** Describes the form of entries for people. */
export function membersText({ form, names, lengthForm }: EntryShape): string {
  if (form === "keyed") return "keyed by prefix";
  if (form === "pair") return "pairs of prefix and value";
  const { prefix, rangeStart, rangeEnd, prefixLength: length, value } = names;
  const texts = [
    prefix && `prefix ${prefix}`,
    rangeStart && `first address ${rangeStart}`,
    rangeEnd && `last address ${rangeEnd}`,
    length && `length ${length}${lengthForm === "netmask" ? " (a netmask)" : ""}`,
    value && `value ${value}`,
  ].filter(Boolean);
  return form === "string" ? `texts where the value is 1, else ${texts.join(", ")}` : texts.join(", ");
}
