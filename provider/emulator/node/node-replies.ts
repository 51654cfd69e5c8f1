import type { MarkType } from "../../model/mark";
import { type CanonicalPrefix, Prefix } from "../../model/prefix";
import type { PrefixMap } from "../../model/prefix-map";
import type { Dialect } from "../behaviour/dialect";
import { type ErrorForm, type RefusalKind, refusalStyle } from "../behaviour/refusal-switches";
import { html, json, type Reply, text } from "../http/reply";
import type { MarkStore } from "../marks";
import type { PrefixSetStore } from "../state/prefix-set-store";
import { mergeNested } from "./merge-nested";

type Write<Choice extends string> = Record<Choice, (...args: never) => unknown>;

const SUCCESS = {
  status: () => json(200, { status: "ok" }),
  empty: () => ({ status: 200, body: "" }),
  text: () => text(200, "ok"),
  count: (count: number) => json(200, { count }),
  ok: () => json(200, { ok: true }),
  code: () => json(200, { code: 0, msg: "ok" }),
  "no-content": () => ({ status: 204, body: "" }),
} satisfies Write<Dialect["success"]>;

/** The answer to an insert, delete or commit that was carried out. */
export function success(count: number, dialect: Dialect): Reply {
  return SUCCESS[dialect.success](count);
}

const ERRORS = {
  json: (status: number, message: string) => json(status, { error: message }),
  "json-200": (_: number, message: string) => json(200, { error: message }),
  "status-200": (_: number, message: string) => json(200, { status: "error", message }),
  "success-200": (_: number, message: string) => json(200, { success: false, message }),
  "code-200": (_: number, message: string) => json(200, { code: 1, msg: message }),
  text: (status: number, message: string) => text(status, message),
  "text-200": (_: number, message: string) => text(200, `error: ${message}`),
  html: (status: number, message: string) => html(status, message),
} satisfies Write<ErrorForm>;

/** The answer to a request that is refused: with a status, or as the dialect answers a refusal of that kind. */
export function failure(why: number | RefusalKind, message: string, dialect: Dialect): Reply {
  const { status, form } =
    typeof why === "number" ? { status: why, form: dialect.errorForm } : refusalStyle(why, dialect);
  return ERRORS[form](status, message);
}

/** A list of records in the envelope of the dialect. Records that are no prefixes have no keyed form. */
export function list(records: readonly unknown[], dialect: Dialect): Reply {
  const { listEnvelope } = dialect;
  const isBare = listEnvelope === "array";
  const content = records.length === 0 && dialect.emptyList === "null" && !isBare ? null : records;
  return json(200, isBare ? content : inEnvelope(content, membersOf(dialect)));
}

/** The names within which lists of records stand; none for a bare array. */
function membersOf({ listEnvelope }: Dialect): string[] {
  if (listEnvelope === "array") return [];
  return (listEnvelope === "keyed" ? "data" : listEnvelope).split(".");
}

function inEnvelope(content: unknown, names: readonly string[]): unknown {
  return names.reduceRight((inner, name) => ({ [name]: inner }), content);
}

/** The list of a prefix-set. `stale` shows it as it was before its last commit. */
export function listSet(set: PrefixSetStore, dialect: Dialect, stale: boolean): Reply {
  const shown = stale ? set.previous : dialect.listShows === "staged" ? set.staged : set.ordered;
  const entries = dialect.nested === "merged" ? mergeNested(shown) : shown;
  return dialect.listEnvelope === "keyed" || dialect.entryForm === "keyed"
    ? keyed(entries, set, dialect)
    : list(records(entries, set, dialect), dialect);
}

/** The list of a table of marks: encoded while it is sent, since it can be long. */
export function listMarks(marks: MarkStore, type: MarkType, dialect: Dialect): Reply {
  const names = membersOf(dialect);
  const { active, expired } = marks.count(type);
  const shown = active + (dialect.markExpired === "shown" ? expired : 0);
  if (shown === 0) return list([], dialect);
  const body = marks.list(type, {
    keys: dialect.markKeys,
    age: dialect.markAge === "shown",
    expired: dialect.markExpired === "shown",
    cidr: dialect.markAddress === "cidr",
    envelope: [`${names.map((name) => `{"${name}":`).join("")}[`, `]${"}".repeat(names.length)}`],
  });
  return { status: 200, type: "application/json", body };
}

function records(entries: PrefixMap, set: PrefixSetStore, dialect: Dialect): unknown[] {
  const { prefixKey, valueKey, lengthKey, entryForm } = dialect;
  const records: unknown[] = [];
  for (const [prefix, value] of entries) {
    const spelling = spell(prefix, set, dialect);
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
function keyed(entries: PrefixMap, set: PrefixSetStore, dialect: Dialect): Reply {
  const names = dialect.listEnvelope === "keyed" ? [] : membersOf(dialect);
  if (entries.size === 0 && (dialect.emptyList === "array" || (dialect.emptyList === "null" && names.length > 0))) {
    return json(200, inEnvelope(dialect.emptyList === "array" ? [] : null, names));
  }
  const members = [...entries].map(([prefix, value]) => [spell(prefix, set, dialect), value]);
  return json(200, inEnvelope(Object.fromEntries(members), names));
}

/** The length of a prefix as it stands beside its address. IPv6 has no netmasks. */
function lengthOf(text: CanonicalPrefix, { lengthForm }: Dialect): number | string {
  const { length, family } = Prefix.fromCanonical(text);
  if (lengthForm === "number" || family === 6) return length;
  const mask = length === 0 ? 0 : -1 << (32 - length);
  return [24, 16, 8, 0].map((shift) => (mask >>> shift) & 255).join(".");
}

function spell(prefix: CanonicalPrefix, set: PrefixSetStore, dialect: Dialect): string {
  const spelling = set.spelling(prefix);
  return dialect.singleAddress === "bare" ? bareAddress(spelling) : spelling;
}

/** `192.0.2.1/32` without its length; other prefixes as they are. */
export function bareAddress(text: string): string {
  return text.replace(text.includes(":") ? /\/128$/ : /\/32$/, "");
}
