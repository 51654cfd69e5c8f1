import type { MarkType } from "../../model/mark";
import type { CanonicalPrefix } from "../../model/prefix";
import type { PrefixMap } from "../../model/prefix-map";
import type { Dialect } from "../behaviour/dialect";
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
  text: (status: number, message: string) => text(status, message),
  html: (status: number, message: string) => html(status, message),
} satisfies Write<Dialect["errorForm"]>;

/** The answer to a request that is refused. */
export function failure(status: number, message: string, dialect: Dialect): Reply {
  return ERRORS[dialect.errorForm](status, message);
}

/** A list of records in the envelope of the dialect. Records that are no prefixes have no keyed form. */
export function list(records: readonly unknown[], dialect: Dialect): Reply {
  const { listEnvelope } = dialect;
  if (listEnvelope === "array") return json(200, records);
  const content = records.length === 0 && dialect.emptyList === "null" ? null : records;
  return json(200, { [listEnvelope === "keyed" ? "data" : listEnvelope]: content });
}

/** The list of a prefix-set. `stale` shows it as it was before its last commit. */
export function listSet(set: PrefixSetStore, dialect: Dialect, stale: boolean): Reply {
  const shown = stale ? set.previous : dialect.listShows === "staged" ? set.staged : set.ordered;
  const entries = dialect.nested === "merged" ? mergeNested(shown) : shown;
  return dialect.listEnvelope === "keyed"
    ? keyed(entries, set, dialect)
    : list(records(entries, set, dialect), dialect);
}

/** The list of a table of marks: encoded while it is sent, since it can be long. */
export function listMarks(marks: MarkStore, type: MarkType, dialect: Dialect): Reply {
  const { active, expired } = marks.count(type);
  const shown = active + (dialect.markExpired === "shown" ? expired : 0);
  if (shown === 0) return list([], dialect);
  const member = dialect.listEnvelope === "keyed" ? "data" : dialect.listEnvelope;
  const body = marks.list(type, {
    keys: dialect.markKeys,
    age: dialect.markAge === "shown",
    expired: dialect.markExpired === "shown",
    envelope: member === "array" ? ["[", "]"] : [`{"${member}":[`, "]}"],
  });
  return { status: 200, type: "application/json", body };
}

function records(entries: PrefixMap, set: PrefixSetStore, dialect: Dialect): unknown[] {
  const { prefixKey, valueKey, entryForm } = dialect;
  const records: unknown[] = [];
  for (const [prefix, value] of entries) {
    const spelling = spell(prefix, set, dialect);
    records.push(entryForm === "string" && value === 1 ? spelling : { [prefixKey]: spelling, [valueKey]: value });
  }
  return records;
}

/** An object keyed by prefix. An empty one is `[]`, as languages write it whose arrays and objects are one type. */
function keyed(entries: PrefixMap, set: PrefixSetStore, dialect: Dialect): Reply {
  if (entries.size === 0) return json(200, []);
  const members = [...entries].map(([prefix, value]) => [spell(prefix, set, dialect), value]);
  return json(200, Object.fromEntries(members));
}

function spell(prefix: CanonicalPrefix, set: PrefixSetStore, dialect: Dialect): string {
  const spelling = set.spelling(prefix);
  return dialect.singleAddress === "bare" ? bareAddress(spelling) : spelling;
}

/** `192.0.2.1/32` without its length; other prefixes as they are. */
export function bareAddress(text: string): string {
  return text.replace(text.includes(":") ? /\/128$/ : /\/32$/, "");
}
