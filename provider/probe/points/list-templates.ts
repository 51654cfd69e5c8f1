import { isObject } from "../../model/json";
import { MARK_TYPES, type MarkType } from "../../model/mark";
import { Prefix } from "../../model/prefix";
import { LINE_END } from "../../model/text";
import { LIST_KINDS, type ListKind } from "../../wire/answers";
import { addressText, formatFor } from "../../wire/places";
import { KIND_OF } from "../asking/listing";
import { type Exchange, readingOf } from "../asking/needed";
import { Moot } from "../asking/outcome";
import { type Point, pointsNeeding } from "../point";
import { type Fields, templateOf } from "../shapes/template";

const SWITCH = {
  prefixset: "setTemplate",
  profiles: "profilesTemplate",
  rules: "rulesTemplate",
  marks: "marksTemplate",
} as const satisfies Record<ListKind, string>;

/** Texts of lists that no switch describes, so that an emulator answers with them: those that only a module of the user's own reads, and those with comments. */
export const listTemplates: readonly Point[] = pointsNeeding("lists")({
  name: "list-templates",
  title: "text of lists",
  assumes: "a form that the emulator has a switch for",
  ask: async ({ learned, exchanges }) => {
    const listsOf = (kind: ListKind) =>
      [...exchanges.values()].flatMap((one) => listOf(one, kind, readingOf(one, learned.answers)));
    const hasComments = (kind: ListKind) =>
      formatFor(learned.answers, kind) !== "json" &&
      listsOf(kind).some(({ body }) => body.split(LINE_END).some(isComment));
    const kinds = LIST_KINDS.filter((kind) => learned.answers.read !== undefined || hasComments(kind));
    if (kinds.length === 0) throw new Moot("not needed: a switch of the emulator expresses it");
    return () => {
      const found = kinds.flatMap((kind) => {
        const read = listsOf(kind);
        const [longest] = read.toSorted((a, b) => b.records.length - a.records.length);
        const empty = read.find(({ records }) => records.length === 0)?.body;
        const template = longest && templateOf(longest.body, longest.records, empty);
        return longest && longest.records.length > 0 ? [{ kind, template }] : [];
      });
      const missing = found.filter(({ template }) => template === undefined).map(({ kind }) => kind);
      const dialect = Object.fromEntries(found.map(({ kind, template }) => [SWITCH[kind], template]));
      if (found.length === 0)
        return { is: "empty", as: "unknown", node: "none is recorded, since no list held anything" };
      if (missing.length === 0)
        return {
          is: "recorded",
          as: "dialect",
          node: `recorded for ${found.map(({ kind }) => kind).join(", ")}`,
          dialect,
        };
      const node = `lists of ${missing.join(", ")} have a text that no template repeats: the emulator answers other ones`;
      return { is: "unlike", as: "beyond", node, dialect };
    };
  },
});

const isComment = (line: string) => /^\s*(?:#|;|\/\/|!)/.test(line);

/** The text of a list of this kind, with the fields of its records. */
function listOf({ url, command, table, answer }: Exchange, kind: ListKind, reading: unknown) {
  if (command !== "list" || KIND_OF[url.kind] !== kind || !Array.isArray(reading)) return [];
  const isSingle = table === undefined || SINGLE.includes(table);
  if (kind === "marks" && !isSingle) return [];
  return [{ body: answer.body, records: reading.filter(isObject).map((record) => fieldsOf(record)) }];
}

/** Tables whose marks have one address. */
const SINGLE: readonly MarkType[] = MARK_TYPES.filter((type) => type === "shost" || type === "dhost");

function fieldsOf({ prefix, spelling, ...record }: Readonly<Record<string, unknown>>): Fields {
  const texts = Object.entries(record).flatMap(([name, value]) =>
    typeof value === "object" || value === undefined ? [] : [[name, String(value)]],
  );
  return { ...(prefix instanceof Prefix && entryFields(prefix, String(spelling))), ...Object.fromEntries(texts) };
}

/** The fields of an entry, in the spellings that lists have. */
function entryFields({ address, family, bits, size, length }: Prefix, spelling: string): Fields {
  const last = Prefix.formatAddress(family, bits + size - 1n);
  const isPlain = family === 4;
  return {
    prefix: spelling,
    address,
    length: String(length),
    last,
    ...(isPlain && {
      padded: padded(address),
      lastPadded: padded(last),
      integer: String(bits),
      netmask: addressText(Number((0xffffffffn << BigInt(32 - length)) & 0xffffffffn)) ?? "",
    }),
  };
}

function padded(address: string): string {
  return address.replace(/\d+/g, (octet) => octet.padStart(3, "0"));
}
