import { attempt } from "../../model/errors";
import { isObject, type JsonObject } from "../../model/json";
import { withoutEnding } from "../../model/resource-url";
import { isAbsent } from "../record-prefix";
import { type Edit, type EntryChange, edited, notEditable } from "./edit";

/** A text, which may lack its end, or a number of JSON. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?$)|-?\d[\d.eE+-]*/gs;

/**
 * The text of a JSON prefix file after an edit, with its own indentation, line ends and byte order mark.
 * @throws {Error} for a number of any entry that would be written as another one
 */
export function editJson(text: string, changes: Edit): string {
  const mark = text.startsWith("\ufeff") ? "\ufeff" : "";
  const body = text.slice(mark.length);
  // Records a line are not one document.
  const root: unknown = body.trim() === "" ? {} : attempt(() => JSON.parse(body) as unknown);
  for (const [token] of body.matchAll(TOKEN)) {
    if (token.startsWith('"')) continue;
    const written = JSON.stringify(Number(token));
    if (decimal(written) !== decimal(token))
      throw new Error(
        `the number ${token} would be written as ${written}. Nothing was changed: write it as a text in quotes, or edit the file by hand.`,
      );
  }
  const after = JSON.stringify(editRoot(root, changes), null, indentationOf(body));
  const isNew = body.trim() === "";
  const written = `${mark}${after}${isNew || body.endsWith("\n") ? "\n" : ""}`;
  return body.includes("\r\n") ? written.replaceAll("\n", "\r\n") : written;
}

/** A number in the one form that it shares with its other spellings; undefined for no number. */
function decimal(token: string): string | undefined {
  const [, sign, whole = "", part = "", power = 0] = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(token) ?? [];
  if (whole === "") return undefined;
  const digits = `${whole}${part}`.replace(/^0+/, "");
  const short = withoutEnding(digits, "0");
  return short && `${sign}${short}e${Number(power) - part.length + digits.length - short.length}`;
}

/** Indentation of the first indented line; none for a file of one line. */
function indentationOf(text: string): string {
  const [, indentation] = /\n([ \t]+)\S/.exec(text) ?? [];
  if (indentation !== undefined) return indentation;
  const isWritten = text.trim().length > 2;
  return isWritten && !text.trim().includes("\n") ? "" : "  ";
}

function editRoot(root: unknown, changes: Edit): unknown {
  if (Array.isArray(root)) return editArray(root, changes);
  if (!isObject(root) || Object.keys(root).some((key) => !/[.:]/.test(key))) throw notEditable();
  return editMap(root, changes);
}

function editMap(map: JsonObject, changes: Edit): JsonObject {
  const after = edited<[string, unknown]>(Object.entries(map), changes, {
    prefixOf: ([spelling]) => spelling,
    changed: ([spelling, content], change) => [spelling, contentAfter(content, change)],
    added: (prefix, change) => [prefix, contentAfter({ value: 1 }, change)],
  });
  return Object.fromEntries(after);
}

function editArray(array: readonly unknown[], changes: Edit): unknown[] {
  return edited<unknown>(array, changes, {
    prefixOf: (element) => (isObject(element) ? element.prefix : element),
    changed: (element, change) =>
      isObject(element) ? contentAfter(element, change) : { prefix: element, ...contentAfter(undefined, change) },
    added: (prefix, change) => ({ prefix, ...contentAfter({ value: 1 }, change) }),
  });
}

/** Members of an entry after a change; a number or text is the value alone. */
function contentAfter(content: unknown, change: EntryChange): JsonObject {
  const before: JsonObject = isObject(content) ? content : isAbsent(content) ? {} : { value: Number(content) };
  const merged = { ...before, ...Object.fromEntries(Object.entries(change).filter(([, part]) => part !== undefined)) };
  return Object.fromEntries(Object.entries(merged).filter(([, part]) => part !== null));
}
