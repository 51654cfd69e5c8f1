import type { MarkType } from "../../model/mark";
import type { Dialect } from "../behaviour/dialect";
import { type ErrorForm, type RefusalKind, refusalStyle } from "../behaviour/refusal-switches";
import { html, json, type Reply, text } from "../http/reply";
import { type MarkStore, readMarkKeys } from "../marks";

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

/** What a list is of, where that has an envelope of its own. */
export type OwnEnvelope = "profiles" | "rules" | "marks";

/** A list of records in its envelope; without `of` those of a set. Records that are no prefixes have no keyed form. */
export function list(records: readonly unknown[], dialect: Dialect, of?: OwnEnvelope): Reply {
  const names = envelopeOf(dialect, of);
  const content = records.length === 0 && dialect.emptyList === "null" && names.length > 0 ? null : records;
  return json(200, inEnvelope(content, names));
}

/** The names within which a list of records stands; none for a bare array. */
export function envelopeOf(dialect: Dialect, of?: OwnEnvelope): string[] {
  const own = of === undefined ? "same" : dialect[`${of}Envelope`];
  const name = own === "same" ? dialect.listEnvelope : own;
  if (name === "array") return [];
  return (name === "keyed" ? "data" : name).split(".");
}

/** A value within these names, the first outermost. */
export function inEnvelope(content: unknown, names: readonly string[]): unknown {
  return names.reduceRight((inner, name) => ({ [name]: inner }), content);
}

/** The list of a table of marks: encoded while it is sent, since it can be long. */
export function listMarks(marks: MarkStore, type: MarkType, dialect: Dialect): Reply {
  const names = envelopeOf(dialect, "marks");
  const { active, expired } = marks.count(type);
  const shown = active + (dialect.markExpired === "shown" ? expired : 0);
  if (shown === 0) return list([], dialect, "marks");
  const body = marks.list(type, {
    ...readMarkKeys(dialect.markKeys),
    age: dialect.markAge === "shown",
    expired: dialect.markExpired === "shown",
    cidr: dialect.markAddress === "cidr",
    envelope: [`${names.map((name) => `{"${name}":`).join("")}[`, `]${"}".repeat(names.length)}`],
  });
  return { status: 200, type: "application/json", body };
}

/** `192.0.2.1/32` without its length; other prefixes as they are. */
export function bareAddress(text: string): string {
  return text.replace(text.includes(":") ? /\/128$/ : /\/32$/, "");
}
