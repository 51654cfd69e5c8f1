import { isObject, type JsonObject } from "../model/json";
import { count } from "../model/text";
import { contradiction } from "./announcements";
import type { Collector } from "./collector";
import { LISTS } from "./lists";
import { member, type RecordShape } from "./lists/list";
import { COLUMNS, type PrefixColumns, type PrefixFileOptions } from "./options";
import { type Part, type Place, shown } from "./problems";

/** Place of a member of a record, or of the record itself. */
export type WhereMember = (member?: string) => Place;

const PREFIX_NAMES = ["prefix", "cidr", "network", "subnet", "ip", "address", "ip_range", "range"];

/** Records of no published list, with members under usual names. */
const plainShape: RecordShape = {
  recognises: (members) => PREFIX_NAMES.some((name) => Object.hasOwn(members, name)),
  members: {
    prefix: PREFIX_NAMES,
    value: ["value"],
    reason: ["reason"],
    ticket: ["ticket"],
    expires: ["expires"],
    sent: ["sent"],
  },
};

const SHAPES = [...LISTS.flatMap(({ record }) => record ?? []), plainShape];

/** Turns records, things with named members, into entries. */
export class RecordReader {
  private readonly shapes: readonly RecordShape[];
  /** Shape of the record before, which is tried first: comparing with all shapes is slow. */
  private current: RecordShape | undefined;
  /** Records of lists whose closing record has not come. */
  private readonly open = new Map<RecordShape, Open>();

  constructor(
    private readonly collector: Collector,
    private readonly options: PrefixFileOptions,
  ) {
    this.shapes = options.columns ? [shapeOf(options.columns)] : SHAPES;
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
        this.options.columns
          ? `has no ${shown(this.options.columns.prefix)}, which \`columns\` names as the prefix; it has ${names || "no members"}.`
          : `has no member that is known to hold a prefix; it has ${names || "no members"}: name it with columns: { prefix: "…" }.`,
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
    const nameOf = (part: Part) => shape.members[part]?.find((name) => Object.hasOwn(record, name));
    const partOf = (part: Part) => {
      const name = nameOf(part);
      return name === undefined ? undefined : record[name];
    };
    this.collector.add(
      {
        prefix: partOf("prefix"),
        value: partOf("value"),
        reason: partOf("reason"),
        ticket: partOf("ticket"),
        expires: partOf("expires"),
        sent: partOf("sent"),
      },
      (part) => where(nameOf(part)),
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

/** Records of a list since its last closing record. */
interface Open {
  readonly records: number;
  readonly last: WhereMember;
}

/** The shape of the records that a user describes with `columns`. */
function shapeOf(columns: PrefixColumns): RecordShape {
  const members = Object.fromEntries(
    COLUMNS.map((part) => [part, columns[part] === undefined ? [] : [String(columns[part])]]),
  );
  return { recognises: (record) => Object.hasOwn(record, String(columns.prefix)), members };
}
