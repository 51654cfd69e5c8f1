import type { MarkType } from "../../model/mark";
import type { ResourceUrl } from "../../model/resource-url";
import type { Dialect } from "../behaviour/dialect";
import { IN_KEY } from "../behaviour/list-members";
import { headLine, type LineFormat, lineOf, lineType } from "../http/lines";
import { json, type Reply, text } from "../http/reply";
import { writeByTemplate } from "../http/template";
import type { MarkStore } from "../marks";
import { memberNames } from "../marks/mark-format";
import { readKey } from "../marks/mark-key";
import { type AddressForm, addressIn } from "../packet/address";
import { protocolNumber } from "../packet/packet";
import { envelope, envelopeOf, formatOf, list } from "./node-replies";

/** The fields of a mark that a template may name, and that a record may lack. */
const NO_FIELDS = Object.fromEntries(
  ["lifetime", "age", "status", ...IN_KEY.shost, ...IN_KEY.conn].map((name) => [name, undefined]),
);

/** A record by this package's member names. */
type Members = Readonly<Record<string, unknown>>;

/** The list of a mark table. */
export function listMarks(marks: MarkStore, url: ResourceUrl, type: MarkType, dialect: Dialect): Reply {
  const { now } = marks;
  const { active, expired } = marks.count(type, now);
  const count = active + (dialect.markExpired === "shown" ? expired : 0);
  const format = formatOf(url, dialect);
  if (dialect.marksTemplate === "" && format === "json" && count === 0) return list([], dialect, url);
  const names = memberNames(dialect.markKeys);
  const listed = records(marks, type, dialect, now);
  if (dialect.marksTemplate !== "")
    return text(
      200,
      writeByTemplate(
        dialect.marksTemplate,
        [...listed].map((record) => ({ ...NO_FIELDS, ...record })),
      ),
    );
  const renamed = (record: Members) => {
    const named: Record<string, unknown> = {};
    for (const member in record) named[names[member] ?? member] = record[member];
    return named;
  };
  if (format === "json") {
    const [open, close] = envelope(envelopeOf(dialect, url), count, dialect);
    const write = (record: Members) => JSON.stringify(renamed(record));
    return { ...json(200, ""), body: `${open}[${Array.from(listed, write).join(",")}]${close}` };
  }
  const columns = columnsOf(type, format, dialect);
  const head = columns.map((member) => names[member] ?? member);
  const write = (record: Members) =>
    lineOf(format === "ndjson" ? renamed(record) : columns.map((member) => record[member]), format);
  const lines = Array.from(listed, write).join("");
  return { status: 200, type: lineType(format), body: headLine(format, head, count) + lines };
}

function* records(marks: MarkStore, type: MarkType, dialect: Dialect, now: number): Generator<Members, void> {
  const { markAddress, markAge, markExpired, markKeys, markLifetimeUnit, markAgeUnit } = dialect;
  const left = markLifetimeUnit === "ms" ? msLeft : secondsLeft;
  const past = markAgeUnit === "ms" ? msPast : secondsPast;
  for (const { family, mark } of marks.held(type, now)) {
    const { key, id, value, created, expires } = mark;
    if (expires <= now && markExpired === "hidden") continue;
    const members = readKey(type, family, key, markAddress !== "cidr" ? "" : family === 4 ? "/32" : "/128");
    const { protocol } = members;
    const record = {
      ...members,
      ...(protocol !== undefined && markKeys !== "long" && { protocol: protocolNumber(protocol) }),
      id,
      value,
      ...(expires < Number.POSITIVE_INFINITY && { lifetime: left(expires - now) }),
      ...(markAge === "shown" && { age: past(now - created) }),
      ...(markExpired === "shown" && { status: expires > now ? "active" : "expired" }),
    };
    yield markAddress === "bare" || markAddress === "cidr" ? record : withAddresses(record, markAddress);
  }
}

function withAddresses(record: Members, form: AddressForm): Members {
  const written = ["address", "source", "destination"].flatMap((member) => {
    const text = record[member];
    return typeof text === "string" ? [[member, addressIn(form, text)] as const] : [];
  });
  return { ...record, ...Object.fromEntries(written) };
}

/** Whole seconds, rounded up, so that only an expired record has 0. */
const secondsLeft = (ms: number) => (ms > 0 ? Math.ceil(ms / 1000) : 0);
const secondsPast = (ms: number) => (ms > 0 ? Math.floor(ms / 1000) : 0);
const msLeft = (ms: number) => Math.max(0, Math.ceil(ms));
const msPast = (ms: number) => Math.max(0, Math.floor(ms));

/**
 * Members of a record in the order of its fields on a line. Without a header line, a field has the same position in all
 * tables: records of dhost have an empty source.
 */
function columnsOf(type: MarkType, format: LineFormat, { markAge, markExpired }: Dialect): string[] {
  const age = markAge === "shown" ? ["age"] : [];
  const status = markExpired === "shown" ? ["status"] : [];
  const source = type === "dhost" && format !== "csv-head" ? ["source"] : [];
  return ["id", "value", "lifetime", ...age, ...status, ...source, ...IN_KEY[type]];
}
