import { lengthOf, naturalRole } from "../../wire/entry-members";
import { isRecord, readNumber } from "../../wire/json";
import { isAddressLike } from "../../wire/places";
import type { ListPlace } from "./list-place";

/** An entry that is known to be in a list. */
export interface KnownEntry {
  readonly address: string;
  readonly length: number;
  readonly value: number;
}

/** How entries of a set are written. */
export interface EntryShape {
  /** `string`: plain texts, at least where the value is 1. */
  readonly form: "object" | "string" | "pair" | "keyed";
  /** Names of the members of an entry, where it has names. */
  readonly prefix?: string;
  readonly value?: string;
  /** Where the length stands beside the address. */
  readonly length?: string;
  readonly lengthForm?: "number" | "netmask";
}

/**
 * Reads off a list how its entries are written. What is known to be in it decides what its members are, whatever their
 * names; without that the natural names do.
 *
 * @param known Entries whose lengths and values differ from each other, so that nothing is taken for something else.
 */
export function entryShape(place: ListPlace, known: readonly KnownEntry[] = []): EntryShape {
  if (place.kind === "keyed") return { form: "keyed" };
  if (place.elements.some(Array.isArray)) return { form: "pair" };
  const records = place.elements.filter(isRecord);
  const names = namesIn(records, known);
  return { form: place.elements.some((element) => typeof element === "string") ? "string" : "object", ...names };
}

type Json = Readonly<Record<string, unknown>>;

function namesIn(records: readonly Json[], known: readonly KnownEntry[]): Omit<EntryShape, "form"> {
  const described = records.map((record) => ({ record, entry: known.find((one) => mentions(record, one)) }));
  const told = described.filter(({ entry }) => known.length === 0 || entry !== undefined);
  const common = (fits: (name: string, content: unknown, entry: KnownEntry | undefined) => boolean) => {
    const [first, ...others] = told.map(({ record, entry }) =>
      Object.keys(record).filter((name) => fits(name, record[name], entry)),
    );
    return first?.filter((name) => others.every((names) => names.includes(name)))[0];
  };
  const prefix = common((_, content, entry) =>
    entry ? isAddress(content, entry) : typeof content === "string" && isAddressLike(content),
  );
  const isApart = told.some(({ record }) => prefix !== undefined && !String(record[prefix]).includes("/"));
  const length = isApart
    ? common((name, content, entry) =>
        name !== prefix && entry ? lengthOf(content) === entry.length : naturalRole(name) === "length",
      )
    : undefined;
  const value = common((name, content, entry) =>
    entry ? name !== prefix && readNumber(content)?.number === entry.value : naturalRole(name) === "value",
  );
  const isMask = told.some(({ record }) => length !== undefined && isAddressLike(String(record[length])));
  return {
    ...(prefix !== undefined && { prefix }),
    ...(value !== undefined && { value }),
    ...(length !== undefined && { length, lengthForm: isMask ? "netmask" : "number" }),
  };
}

function mentions(record: Json, entry: KnownEntry): boolean {
  return Object.values(record).some((content) => isAddress(content, entry));
}

function isAddress(content: unknown, { address }: KnownEntry): boolean {
  return typeof content === "string" && content.split("/")[0]?.toLowerCase() === address;
}
