import { groupBy } from "../../model/group";
import { type CanonicalPrefix, Prefix } from "../../model/prefix";
import { PrefixIndex } from "../../model/prefix-index";
import { type OrderedPrefixes, sorted } from "../../model/prefix-map";
import type { PrefixSetUrl } from "../../model/resource-url";
import type { Dialect } from "../behaviour/dialect";
import { entryMembers, lengthName } from "../behaviour/list-members";
import { encode, type Reply, text } from "../http/reply";
import { type TemplateFields, writeByTemplate } from "../http/template";
import { addressIn } from "../packet/address";
import type { Spellings } from "../state/commit-record";
import { bareAddress, envelopeOf, formatOf, inEnvelope, list, listLines } from "./node-replies";

/** The last list of each content in use, in its form, which many callers share. */
const encoded = new WeakMap<OrderedPrefixes, Encoded>();

interface Encoded {
  readonly dialect: Dialect;
  readonly spellings: Spellings;
  /** Names of the envelope, since sets with different names may share their content. */
  readonly names: string;
  readonly reply: Reply;
}

/** The list of a prefix-set. Entries and spellings are never changed. */
export function listSet(listed: OrderedPrefixes, spellings: Spellings, url: PrefixSetUrl, dialect: Dialect): Reply {
  const last = encoded.get(listed);
  const names = dialect.listEnvelope === "keyed" ? [] : envelopeOf(dialect, url);
  const joined = names.join(".");
  if (last?.dialect === dialect && last.spellings === spellings && last.names === joined) return last.reply;
  const entries = dialect.nested === "merged" ? mergeNested(listed) : listed;
  const written = write(entries, spellings, url, names, dialect);
  const reply = { ...written, body: encode(written) };
  encoded.set(listed, { dialect, spellings, names: joined, reply });
  return reply;
}

function write(
  entries: OrderedPrefixes,
  spellings: Spellings,
  url: PrefixSetUrl,
  names: readonly string[],
  dialect: Dialect,
): Reply {
  if (dialect.setTemplate !== "")
    return text(
      200,
      writeByTemplate(
        dialect.setTemplate,
        entries.map((entry) => fieldsOf(entry, spellings, dialect)),
      ),
    );
  const format = formatOf(url, dialect);
  if (format !== "json") return listLines(records(entries, spellings, dialect), format, entryMembers(dialect));
  const isKeyed = dialect.listEnvelope === "keyed" || dialect.entryForm === "keyed";
  if (!isKeyed) return list(records(entries, spellings, dialect), dialect, url);
  return inEnvelope(keyed(entries, spellings, names, dialect), names, entries.length, dialect);
}

/** The fields of an entry that a template may name. */
function fieldsOf([prefix, value]: OrderedPrefixes[number], spellings: Spellings, dialect: Dialect): TemplateFields {
  const spelling = spell(prefix, spellings, dialect);
  const [address = spelling] = spelling.split("/");
  const { family, bits, size, length } = Prefix.fromCanonical(prefix);
  const last = Prefix.formatAddress(family, bits + size - 1n);
  const isPlain = family === 4;
  return {
    prefix: spelling,
    address,
    length,
    netmask: isPlain ? lengthOf(prefix, { ...dialect, lengthForm: "netmask" }) : undefined,
    last,
    padded: isPlain ? padded(address) : undefined,
    lastPadded: isPlain ? padded(last) : undefined,
    integer: isPlain ? bits : undefined,
    value,
  };
}

function padded(address: string): string {
  return address.replace(/\d+/g, (octet) => octet.padStart(3, "0"));
}

function records(entries: OrderedPrefixes, spellings: Spellings, dialect: Dialect): unknown[] {
  const { prefixKey, valueKey, lengthKey, addressForm, entryForm } = dialect;
  const isPlain = addressForm === "text" && lengthKey === "none";
  const records: unknown[] = [];
  for (const [prefix, number] of entries) {
    const spelling = spell(prefix, spellings, dialect);
    const value = valueIn(dialect, number);
    if (entryForm === "pair") records.push([spelling, value]);
    else if (entryForm === "string" && number === 1) records.push(spelling);
    else if (isPlain) records.push({ [prefixKey]: spelling, [valueKey]: value });
    else records.push({ ...addressMembers(prefix, spelling, dialect), [valueKey]: value });
  }
  return records;
}

/** Members of an entry for its address, if that is not one text. */
function addressMembers(prefix: CanonicalPrefix, spelling: string, dialect: Dialect): Record<string, unknown> {
  const { prefixKey, lengthKey, addressForm, rangeStartKey, rangeEndKey } = dialect;
  const [address = spelling] = spelling.split("/");
  if (addressForm !== "range") {
    return { [prefixKey]: addressIn(addressForm, address), [lengthName(lengthKey)]: lengthOf(prefix, dialect) };
  }
  const { family, bits, size } = Prefix.fromCanonical(prefix);
  return { [rangeStartKey]: address, [rangeEndKey]: Prefix.formatAddress(family, bits + size - 1n) };
}

function valueIn({ valueForm }: Dialect, value: number): number | string {
  if (valueForm === "number") return value;
  return valueForm === "text" ? String(value) : `0x${value.toString(16)}`;
}

/**
 * An object keyed by prefix. With `emptyList: "array"` an empty one is `[]`, as in languages with one type for arrays and
 * objects.
 */
function keyed(entries: OrderedPrefixes, spellings: Spellings, names: readonly string[], dialect: Dialect): unknown {
  const { emptyList } = dialect;
  if (entries.length === 0 && emptyList === "array") return [];
  if (entries.length === 0 && emptyList === "null" && names.length > 0) return null;
  return Object.fromEntries(
    entries.map(([prefix, value]) => [spell(prefix, spellings, dialect), valueIn(dialect, value)]),
  );
}

/** The length of a prefix beside its address. IPv6 has no netmasks. */
function lengthOf(text: CanonicalPrefix, { lengthForm }: Dialect): number | string {
  const { length, family } = Prefix.fromCanonical(text);
  if (lengthForm === "number" || family === 6) return length;
  const mask = length === 0 ? 0 : -1 << (32 - length);
  return [24, 16, 8, 0].map((shift) => (mask >>> shift) & 255).join(".");
}

function spell(prefix: CanonicalPrefix, spellings: Spellings, dialect: Dialect): string {
  return listedAs(spellings.size === 0 ? prefix : (spellings.get(prefix) ?? prefix), dialect);
}

/** Writes an entry in this spelling. */
export function listedAs(spelling: string, { singleAddress }: Dialect): string {
  return singleAddress === "bare" ? bareAddress(spelling) : spelling;
}

/**
 * The list of a node without nested prefixes: a prefix covered by one of equal value is left out, and two halves of equal
 * value become one prefix. Look-ups give the same result.
 */
function mergeNested(entries: OrderedPrefixes): OrderedPrefixes {
  const result = withoutCovered(entries);
  for (let length = 128; length > 0; length -= 1) {
    const children = [...result.keys()].map((text) => Prefix.fromCanonical(text)).filter((it) => it.length === length);
    for (const [parent, pair] of groupBy(children, parentOf)) {
      const [first, second] = pair.map((prefix) => prefix.toString());
      const value = first && result.get(first);
      if (!first || !second || value === undefined || result.has(parent) || result.get(second) !== value) continue;
      result.delete(first);
      result.delete(second);
      result.set(parent, value);
    }
  }
  return sorted(withoutCovered(result));
}

function parentOf(prefix: Prefix): CanonicalPrefix {
  return prefix.truncate(prefix.length - 1).toString();
}

function withoutCovered(entries: Iterable<OrderedPrefixes[number]>): Map<CanonicalPrefix, number> {
  const index = new PrefixIndex<{ prefix: Prefix; value: number }>();
  const parsed = [...entries].map(([text, value]) => ({ prefix: Prefix.fromCanonical(text), value }));
  for (const entry of parsed) index.set(entry.prefix, entry);
  const kept = parsed.filter(({ prefix, value }) => {
    const [, cover] = [...index.covering(prefix)];
    return cover?.value !== value;
  });
  return new Map(kept.map(({ prefix, value }) => [prefix.toString(), value]));
}
