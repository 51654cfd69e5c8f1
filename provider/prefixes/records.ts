import { DoubtfulMembers } from "../model/doubtful-members";
import { isObject, type JsonObject } from "../model/json";
import type { HostBits } from "../model/prefix";
import { count } from "../model/text";
import { contradiction } from "./announcements";
import type { Collector } from "./collector";
import { LISTS } from "./lists";
import { member, type RecordShape } from "./lists/list";
import { COLUMNS, type PrefixColumns, type PrefixFileOptions } from "./options";
import { type Part, type Place, shown } from "./problems";
import { PrefixFinder } from "./record-prefix";
import { unreadWithin } from "./unread";

/** Place of a member of a record, or of the record itself. */
export type WhereMember = (member?: string) => Place;

/** Records of no published list, with members under usual names in any case. */
function plainShape(hostBits?: HostBits): RecordShape {
  const spelled = (name: string) => [name, `${name.charAt(0).toUpperCase()}${name.slice(1)}`, name.toUpperCase()];
  const members = Object.fromEntries(PARTS.map((part) => [part, spelled(part)]));
  return shapeBy(new PrefixFinder(undefined, hostBits), members);
}

const PARTS = ["value", "reason", "ticket", "expires", "sent"] as const;

/** True for the names in a head line or of members by which a record is read without columns. */
export function hasUsualNames(names: readonly string[]): boolean {
  const members = Object.fromEntries(names.map((name) => [name, ""]));
  return shapes().some((shape) => shape.recognises(members));
}

const shapes = (hostBits?: HostBits): RecordShape[] => [
  ...LISTS.flatMap(({ record }) => record ?? []),
  plainShape(hostBits),
];

/** Turns records, things with named members, into entries. */
export class RecordReader {
  private readonly shapes: readonly RecordShape[];
  /** Shape of the record before, which is tried first: comparing with all shapes is slow. */
  private current: RecordShape | undefined;
  /** Records of lists whose closing record has not come. */
  private readonly open = new Map<RecordShape, Open>();

  private readonly doubtful = new DoubtfulMembers(true);
  /** Columns that no record had yet. */
  private readonly unmet = new Map<Part, string>();
  private first: WhereMember | undefined;

  constructor(
    private readonly collector: Collector,
    private readonly options: PrefixFileOptions,
  ) {
    for (const part of PARTS) {
      const column = part === "sent" ? undefined : options.columns?.[part];
      if (column !== undefined) this.unmet.set(part, String(column));
    }
    const { columns, hostBits } = options;
    this.shapes = columns ? [shapeOf(columns, hostBits)] : shapes(hostBits);
  }

  /** A record: a text with a prefix, or an object with members. */
  add(record: unknown, where: WhereMember): void {
    if (typeof record === "string") {
      if (this.collector.takes({ prefix: record })) this.collector.add({ prefix: record }, () => where());
      return;
    }
    if (!isObject(record)) {
      this.collector.problems.add(where(), `${shown(record)} is neither a text with a prefix nor an object.`);
      return;
    }
    if (!this.current?.recognises(record)) {
      const closed = this.shapes.find(({ closing }) => closing?.recognises(record));
      if (closed) {
        this.close(closed, record, where);
        return;
      }
      this.current = this.shapes.find((shape) => shape.recognises(record)) ?? this.current;
    }
    this.read(record, this.current, where);
  }

  /** Ends the file: a list that has a closing record is incomplete without it. */
  end(): void {
    if (this.first)
      for (const [part, column] of this.unmet) {
        this.collector.problems.add(this.first(), `no record has ${shown(column)}, which \`columns.${part}\` names.`);
      }
    if (this.options.allowEmpty) return;
    for (const { last } of this.open.values()) {
      this.collector.problems.add(
        last(),
        "is the last record, and the one that closes the list is missing: it is incomplete, fetch it again (or set allowEmpty: true).",
      );
    }
  }

  private read(record: JsonObject, shape: RecordShape | undefined, where: WhereMember): void {
    const { problems } = this.collector;
    if (!shape?.recognises(record)) {
      const names = Object.keys(record).slice(0, 10).join(", ");
      problems.add(
        where(),
        this.options.columns?.prefix !== undefined
          ? `has no ${shown(this.options.columns.prefix)}, which \`columns\` names as the prefix; it has ${names || "no members"}.`
          : `has no member that is known to hold a prefix; it has ${names || "no members"}: ${placeOfRecords(record) ?? 'name it with columns: { prefix: "…" }'}.`,
      );
      return;
    }
    if (shape.closing) this.open.set(shape, { records: (this.open.get(shape)?.records ?? 0) + 1, last: where });
    if (!this.collector.takes(record) || this.collector.omits(record, shape)) return;
    const refused = shape.refuses?.(record);
    if (refused !== undefined) {
      if (shape.members.prefix === undefined) problems.fail(where(), refused);
      problems.add(where(), refused);
      return;
    }
    // Columns that the user names are those that count.
    const isKnown = (name: string) =>
      this.collector.selects(name) ||
      shape.ignores?.includes(name) ||
      Object.values(shape.members).some((names) => names.includes(name));
    const doubt = this.options.columns ? undefined : this.doubtful.find(record, isKnown);
    if (doubt) {
      problems.add(where(doubt.name), doubtful(record, doubt));
      return;
    }
    const nameOf = (part: Part) => shape.members[part]?.find((name) => Object.hasOwn(record, name));
    const partOf = (part: Part) => {
      const name = nameOf(part);
      return name === undefined ? undefined : record[name];
    };
    this.first ??= where;
    for (const [part, column] of this.unmet) if (Object.hasOwn(record, column)) this.unmet.delete(part);
    const found = shape.find?.(record) ?? { prefix: partOf("prefix"), name: nameOf("prefix") };
    if (found.problem !== undefined) {
      problems.add(where(found.name), found.problem);
      return;
    }
    for (const name in record) {
      const unread =
        this.options.columns || name === found.name || isKnown(name)
          ? undefined
          : unreadWithin(name, record[name], found.prefix);
      if (unread !== undefined) problems.add(where(name), unread);
    }
    this.collector.add(
      {
        prefix: found.prefix,
        value: partOf("value"),
        reason: partOf("reason"),
        ticket: partOf("ticket"),
        expires: partOf("expires"),
        sent: partOf("sent"),
      },
      (part) => where(part === "prefix" ? found.name : nameOf(part)),
    );
  }

  private close(shape: RecordShape, record: JsonObject, where: WhereMember): void {
    const name = shape.closing?.records ?? "";
    const announced = member(record, name);
    const { records = 0 } = this.open.get(shape) ?? {};
    this.open.delete(shape);
    if (this.options.allowEmpty || announced === records) return;
    this.collector.problems.add(
      where(name),
      typeof announced === "number"
        ? `announces ${count(announced, "record")}, ${contradiction(announced, records, true)}`
        : `closes a list, and has no number ${shown(name)} of its records: fetch it again (or set allowEmpty: true).`,
    );
  }
}

/** The setting for records below a member of a document. */
function placeOfRecords(record: JsonObject): string | undefined {
  const name = Object.keys(record).find(
    (one) => Array.isArray(record[one]) && (record[one] as unknown[]).some(isObject),
  );
  return name === undefined ? undefined : `if records are in ${shown(name)}, set records: ${shown(name)}`;
}

/** The problem of a member that may change what its record means. */
function doubtful(record: JsonObject, { name, isEnd }: { readonly name: string; readonly isEnd: boolean }): string {
  return isEnd
    ? `${shown(name)} may end the entry: name it, for example columns: { prefix: "…", expires: ${shown(name)} }, or name the other columns alone.`
    : `${shown(name)} is ${shown(record[name])}, which may change the meaning of the record: choose by it with select, or name the columns that count, for example columns: { prefix: "…" }.`;
}

/** Records of a list since its last closing record. */
interface Open {
  readonly records: number;
  readonly last: WhereMember;
}

/** The shape of the records that a user describes with `columns`. */
function shapeOf(columns: PrefixColumns, hostBits?: HostBits): RecordShape {
  const members = Object.fromEntries(
    COLUMNS.map((part) => [part, columns[part] === undefined ? [] : [String(columns[part])]]),
  );
  return shapeBy(new PrefixFinder(columns, hostBits), members);
}

function shapeBy(finder: PrefixFinder, members: RecordShape["members"]): RecordShape {
  return { recognises: (record) => finder.recognises(record), find: (record) => finder.find(record), members };
}
