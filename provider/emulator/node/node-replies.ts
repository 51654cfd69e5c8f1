import { jsonIn } from "../../model/readable";
import type { ResourceUrl } from "../../model/resource-url";
import type { Dialect } from "../behaviour/dialect";
import { VERDICTS } from "../behaviour/list-members";
import type { ListFormat } from "../behaviour/list-switches";
import { type ErrorForm, type RefusalKind, refusalStyle } from "../behaviour/refusal-switches";
import { headLine, type LineFormat, lineOf, lineType } from "../http/lines";
import { html, JSON_TYPE, json, type Reply, text } from "../http/reply";
import { fill } from "../http/template";

type Write<Choice extends string> = Record<Choice, (...args: never) => unknown>;

const SUCCESS = {
  status: () => json(200, VERDICTS.status()),
  empty: () => ({ status: 200, body: "" }),
  text: () => text(200, "ok"),
  count: (count: number) => json(200, VERDICTS.count(count)),
  ok: () => json(200, { ok: true }),
  code: () => json(200, VERDICTS.code()),
  "no-content": () => ({ status: 204, body: "" }),
  "code-1000": () => json(200, VERDICTS["code-1000"]()),
  "code-1": (count: number) => json(200, { code: 1, message: `${count} records` }),
  // Only for receivers.
  created: () => text(201, "created"),
  html: () => html(200, "ok"),
} satisfies Write<Dialect["success"] | Dialect["signalingSuccess"]>;

/** The answer to a successful insert, delete, commit, start or stop. @param own Text of that answer, if it is not empty. */
export function success(count: number, form: keyof typeof SUCCESS, own: string): Reply {
  if (own === "") return SUCCESS[form](count);
  const filled = fill(own, { count });
  const value = jsonIn(filled);
  return value !== undefined && typeof value === "object"
    ? { ...text(200, filled), type: JSON_TYPE }
    : text(200, filled);
}

const ERRORS = {
  json: (status: number, message: string) => json(status, { error: message }),
  "json-200": (_: number, message: string) => json(200, { error: message }),
  "status-200": (_: number, message: string) => json(200, { status: "error", message }),
  "success-200": (_: number, message: string) => json(200, { success: false, message }),
  "code-200": (_: number, message: string) => json(200, { code: 1, msg: message }),
  "code-in-body": (status: number, message: string) => json(200, { code: status, message }),
  text: (status: number, message: string) => text(status, message),
  "text-200": (_: number, message: string) => text(200, `error: ${message}`),
  html: (status: number, message: string) => html(status, message),
} satisfies Write<ErrorForm>;

/** The answer to a refused request: with a given status, or by the dialect's switches for that kind of refusal. */
export function failure(why: number | RefusalKind, message: string, dialect: Dialect): Reply {
  const style =
    typeof why === "number"
      ? { status: why, form: dialect.errorForm, text: dialect.errorText }
      : refusalStyle(why, dialect);
  const { status, form, text: own } = style;
  const reply = own === "" ? ERRORS[form](status, message) : text(status, fill(own, { message, status }));
  return { ...reply, refused: true };
}

/** Prefix of the list's own switches in a dialect; `undefined` if it has none. */
const OWN = { prefixset: undefined, arena: "profiles", profile: "rules", mark: "marks" } as const;

export function formatOf({ kind }: ResourceUrl, dialect: Dialect): ListFormat {
  const own = OWN[kind];
  const format = own === undefined ? "same" : dialect[`${own}Format`];
  return format === "same" ? dialect.listFormat : format;
}

/** A list of records in its envelope. Records without a prefix have no keyed form. */
export function list(records: readonly unknown[], dialect: Dialect, url: ResourceUrl): Reply {
  const names = envelopeOf(dialect, url);
  const content = records.length === 0 && dialect.emptyList === "null" && names.length > 0 ? null : records;
  return inEnvelope(content, names, records.length, dialect);
}

/** A list of rows in lines. @param names Names of the fields. */
export function listLines(rows: readonly unknown[], format: LineFormat, names: readonly string[]): Reply {
  const lines = rows.map((row) => lineOf(row, format));
  return { status: 200, type: lineType(format), body: headLine(format, names, rows.length) + lines.join("") };
}

/** The names of the envelope of a list, outermost first; none for a bare array. */
export function envelopeOf(dialect: Dialect, url: ResourceUrl): string[] {
  const own = OWN[url.kind];
  const place = own === undefined ? "same" : dialect[`${own}Envelope`];
  const name = place === "same" ? dialect.listEnvelope : place;
  if (name === "array") return [];
  const given: Partial<Record<string, string>> = { ...url };
  return (name === "keyed" ? "data" : name).split(".").flatMap((part) => {
    const of = /^\{(\w+)\}$/.exec(part)?.[1];
    return of === undefined ? [part] : (given[of] ?? []);
  });
}

/** A list of so many elements in the envelope of these names, outermost first. */
export function inEnvelope(content: unknown, names: readonly string[], count: number, dialect: Dialect): Reply {
  const [open, close] = envelope(names, count, dialect);
  return { ...json(200, ""), body: open + JSON.stringify(content) + close };
}

/** Text before and after a list of so many elements in the envelope of these names; `0` is an array. The outermost object has the verdict. */
export function envelope(names: readonly string[], count: number, { listVerdict }: Dialect) {
  const verdict = listVerdict === "none" ? "" : `${JSON.stringify(VERDICTS[listVerdict](count)).slice(1, -1)},`;
  const outermost = names.findIndex((name) => name !== "0");
  const begin = (name: string, at: number) =>
    name === "0" ? "[" : `{${at === outermost ? verdict : ""}${JSON.stringify(name)}:`;
  const end = (name: string) => (name === "0" ? "]" : "}");
  return [names.map(begin).join(""), names.toReversed().map(end).join("")] as const;
}

/** `192.0.2.1/32` without its length; other prefixes unchanged. */
export function bareAddress(text: string): string {
  return text.replace(text.includes(":") ? /\/128$/ : /\/32$/, "");
}
