import { type CanonicalPrefix, Prefix } from "../../model/prefix";
import type { OrderedPrefixes } from "../../model/prefix-map";
import type { Dialect } from "../behaviour/dialect";
import { encode, json, type Reply } from "../http/reply";
import { mergeNested } from "./merge-nested";
import { bareAddress, envelopeOf, inEnvelope, list } from "./node-replies";

/** How the entries of a set are spelled that a node lists in their own way. */
type Spellings = ReadonlyMap<CanonicalPrefix, string>;

/** The list of each content that is still in use, in the form in which it was last asked for: many callers share it. */
const encoded = new WeakMap<OrderedPrefixes, Encoded>();

interface Encoded {
  readonly dialect: Dialect;
  readonly spellings: Spellings;
  readonly reply: Reply;
}

/** The list of a prefix-set. Entries and spellings are never changed. */
export function listSet(listed: OrderedPrefixes, spellings: Spellings, dialect: Dialect): Reply {
  const last = encoded.get(listed);
  if (last?.dialect === dialect && last.spellings === spellings) return last.reply;
  const entries = dialect.nested === "merged" ? mergeNested(listed) : listed;
  const isKeyed = dialect.listEnvelope === "keyed" || dialect.entryForm === "keyed";
  const { body, ...head } = isKeyed
    ? keyed(entries, spellings, dialect)
    : list(records(entries, spellings, dialect), dialect);
  const reply = { ...head, body: encode(body) };
  encoded.set(listed, { dialect, spellings, reply });
  return reply;
}

function records(entries: OrderedPrefixes, spellings: Spellings, dialect: Dialect): unknown[] {
  const { prefixKey, valueKey, lengthKey, entryForm } = dialect;
  const records: unknown[] = [];
  for (const [prefix, value] of entries) {
    const spelling = spell(prefix, spellings, dialect);
    if (entryForm === "pair") records.push([spelling, value]);
    else if (entryForm === "string" && value === 1) records.push(spelling);
    else if (lengthKey === "none") records.push({ [prefixKey]: spelling, [valueKey]: value });
    else {
      const [address] = spelling.split("/");
      records.push({ [prefixKey]: address, [lengthKey]: lengthOf(prefix, dialect), [valueKey]: value });
    }
  }
  return records;
}

/**
 * An object keyed by prefix, alone or in the envelope. With `emptyList: "array"` an empty one is `[]`, as languages write
 * it whose arrays and objects are one type.
 */
function keyed(entries: OrderedPrefixes, spellings: Spellings, dialect: Dialect): Reply {
  const names = dialect.listEnvelope === "keyed" ? [] : envelopeOf(dialect);
  if (entries.length === 0 && (dialect.emptyList === "array" || (dialect.emptyList === "null" && names.length > 0))) {
    return json(200, inEnvelope(dialect.emptyList === "array" ? [] : null, names));
  }
  return json(200, inEnvelope(members(entries, spellings, dialect), names));
}

function members(entries: OrderedPrefixes, spellings: Spellings, dialect: Dialect): Record<string, number> {
  return Object.fromEntries(entries.map(([prefix, value]) => [spell(prefix, spellings, dialect), value]));
}

/** The length of a prefix as it stands beside its address. IPv6 has no netmasks. */
function lengthOf(text: CanonicalPrefix, { lengthForm }: Dialect): number | string {
  const { length, family } = Prefix.fromCanonical(text);
  if (lengthForm === "number" || family === 6) return length;
  const mask = length === 0 ? 0 : -1 << (32 - length);
  return [24, 16, 8, 0].map((shift) => (mask >>> shift) & 255).join(".");
}

function spell(prefix: CanonicalPrefix, spellings: Spellings, dialect: Dialect): string {
  return listedAs(spellings.size === 0 ? prefix : (spellings.get(prefix) ?? prefix), dialect);
}

/** How a list writes an entry that the set holds in this spelling. */
export function listedAs(spelling: string, { singleAddress }: Dialect): string {
  return singleAddress === "bare" ? bareAddress(spelling) : spelling;
}
