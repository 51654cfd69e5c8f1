import { type CanonicalPrefix, Prefix } from "../../model/prefix";
import type { PrefixMap } from "../../model/prefix-map";
import type { Dialect } from "../behaviour/dialect";
import { json, type LongBody, type Reply } from "../http/reply";
import { mergeNested } from "./merge-nested";
import { bareAddress, envelopeOf, inEnvelope, list } from "./node-replies";

/** How the entries of a set are spelled that a node lists in their own way. */
type Spellings = ReadonlyMap<CanonicalPrefix, string>;
type Entries = readonly (readonly [CanonicalPrefix, number])[];

/** Entries that are encoded in one go: two milliseconds of them. */
const CHUNK = 2_000;

/** Lists up to this many entries are encoded once for all who ask for them while the set stays the same: some 12 MB. */
const SHARED = 300_000;

/** The encoded list of each content that is still in use, in the form in which it was last asked for. */
const encoded = new WeakMap<PrefixMap, { readonly form: string; readonly body: LongBody }>();

/**
 * The list of a prefix-set, whose entries are never changed. One that fits into a chunk is encoded whole, a longer one while
 * it is sent.
 */
export function listSet(listed: PrefixMap, spellings: Spellings, dialect: Dialect): Reply {
  const entries = dialect.nested === "merged" ? mergeNested(listed) : listed;
  const isKeyed = dialect.listEnvelope === "keyed" || dialect.entryForm === "keyed";
  if (entries.size <= CHUNK) {
    return isKeyed ? keyed([...entries], spellings, dialect) : list(records([...entries], spellings, dialect), dialect);
  }
  return { status: 200, type: "application/json", body: longBody(entries, spellings, dialect, isKeyed) };
}

function longBody(entries: PrefixMap, spellings: Spellings, dialect: Dialect, isKeyed: boolean): LongBody {
  const { listEnvelope, prefixKey, valueKey, lengthKey, lengthForm, entryForm, singleAddress } = dialect;
  const form = JSON.stringify([listEnvelope, prefixKey, valueKey, lengthKey, lengthForm, entryForm, singleAddress]);
  const known = spellings.size === 0 ? encoded.get(entries) : undefined;
  if (known?.form === form) return known.body;
  const names = listEnvelope === "keyed" ? [] : envelopeOf(dialect);
  const [open, close] = isKeyed ? ["{", "}"] : ["[", "]"];
  const text = {
    open: `${names.map((name) => `{"${name}":`).join("")}${open}`,
    close: `${close}${"}".repeat(names.length)}`,
    of: (part: Entries) =>
      JSON.stringify(isKeyed ? members(part, spellings, dialect) : records(part, spellings, dialect)).slice(1, -1),
  };
  const body = new SetList(entries, text);
  if (spellings.size === 0 && entries.size <= SHARED) encoded.set(entries, { form, body });
  return body;
}

/** The text of a list: what stands before the entries, what behind them, and what some of them are. */
interface ListText {
  readonly open: string;
  readonly close: string;
  of(part: Entries): string;
}

/** A list that is encoded chunk by chunk, each when the first of its readers comes to it. */
class SetList implements LongBody {
  private readonly chunks: Buffer[] = [];
  private bytes = 0;
  private readonly source: Iterator<Buffer, void>;
  private isWhole = false;

  constructor(
    private readonly entries: PrefixMap,
    private readonly text: ListText,
  ) {
    this.source = this.encode();
  }

  get byteLength(): number | undefined {
    return this.isWhole ? this.bytes : undefined;
  }

  *[Symbol.iterator](): Generator<Buffer, void> {
    if (this.entries.size > SHARED) return yield* this.encode();
    for (let at = 0; ; at += 1) {
      if (at === this.chunks.length && !this.isWhole) this.encodeNext();
      const chunk = this.chunks[at];
      if (!chunk) return;
      yield chunk;
    }
  }

  private encodeNext(): void {
    const { done, value } = this.source.next();
    this.isWhole = done === true;
    if (!value) return;
    this.chunks.push(value);
    this.bytes += value.length;
  }

  private *encode(): Generator<Buffer, void> {
    const { text } = this;
    let before = text.open;
    let part: [CanonicalPrefix, number][] = [];
    for (const entry of this.entries) {
      part.push(entry);
      if (part.length < CHUNK) continue;
      yield Buffer.from(before + text.of(part));
      before = ",";
      part = [];
    }
    yield Buffer.from((part.length > 0 ? before + text.of(part) : "") + text.close);
  }
}

function records(entries: Entries, spellings: Spellings, dialect: Dialect): unknown[] {
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
function keyed(entries: Entries, spellings: Spellings, dialect: Dialect): Reply {
  const names = dialect.listEnvelope === "keyed" ? [] : envelopeOf(dialect);
  if (entries.length === 0 && (dialect.emptyList === "array" || (dialect.emptyList === "null" && names.length > 0))) {
    return json(200, inEnvelope(dialect.emptyList === "array" ? [] : null, names));
  }
  return json(200, inEnvelope(members(entries, spellings, dialect), names));
}

function members(entries: Entries, spellings: Spellings, dialect: Dialect): Record<string, number> {
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
  const spelling = spellings.get(prefix) ?? prefix;
  return dialect.singleAddress === "bare" ? bareAddress(spelling) : spelling;
}
