import type { Answers, Columns, ListFormat, ListKind } from "../../wire/answers";
import { isRecord, parseJson } from "../../wire/json";
import { forKind } from "../../wire/places";
import type { EntryShape } from "./entry-shape";
import { fieldsOf, formatFor } from "./rows";

/** The switch with which the emulator writes a list in the same format. */
export function formatSwitch(body: string, answers: Answers, kind: ListKind): string {
  const format = formatFor(answers, kind);
  if (format === "lines") return /^\s*\+?ok\s+\d/i.test(body) ? "ok-lines" : "lines";
  return format === "csv" && hasHead(body, format) ? "csv-head" : format;
}

function hasHead(body: string, format: ListFormat): boolean {
  const [first = []] = fieldsOf(body, format);
  return first.length > 0 && first.every((field) => /^[a-z_][\w -]*$/i.test(field));
}

/** What stands beside lists in their outermost objects, as a switch of the emulator; `none` where it writes nothing such. */
export function verdictSwitch(lists: readonly { readonly body: string; readonly path: string }[]): string {
  return lists.map(verdictIn).find((verdict) => verdict !== "none") ?? "none";
}

function verdictIn({ body, path }: { readonly body: string; readonly path: string }): string {
  const json = jsonOf(body);
  const [first = ""] = path.split(".");
  if (!isRecord(json) || first === "" || first === "0") return "none";
  const beside = Object.keys(json).filter((name) => name !== first && typeof json[name] !== "object");
  const names = beside.join(",");
  if (names === "status" || names === "count") return names;
  if (names === "code,msg" && json.code === 0) return "code";
  return names === "code,message" && json.code === 1000 ? "code-1000" : "none";
}

/** The switches with which the emulator writes entries in the same way. */
export function entrySwitches(entry: EntryShape, answers: Answers): Record<string, string | undefined> {
  const columns = forKind<Columns>(answers.columns, "prefixset") ?? {};
  // A reader gives columns the names of what they mean: the head line has the node's own.
  const own = (name: string | undefined, member: keyof Columns) => {
    const column = columns[member];
    return typeof column === "string" ? column : name;
  };
  const { form, prefix, value, length, lengthForm, end, addressForm, valueForm } = entry;
  const isRange = addressForm === "range";
  return {
    entryForm: form,
    ...(!isRange && { prefixKey: own(prefix, "prefix") }),
    ...(isRange && { rangeStartKey: own(prefix, "rangeStart"), rangeEndKey: own(end, "rangeEnd") }),
    valueKey: own(value, "value"),
    lengthKey: own(length, "prefixLength") ?? "none",
    lengthForm,
    addressForm: addressForm ?? "text",
    valueForm: valueForm ?? "number",
  };
}

function jsonOf(body: string): unknown {
  try {
    return parseJson(body.replace(/^\uFEFF/, "").trim());
  } catch {
    return undefined;
  }
}
