import { isObject } from "../../model/json";
import { type Answers, type Columns, LIST_KINDS, type ListFormat, type ListKind } from "../../wire/answers";
import { jsonOf } from "../../wire/json";
import { forKind, formatFor } from "../../wire/places";
import { fieldsOf } from "../../wire/text-lines";
import { Skipped } from "../asking/outcome";
import { type Point, pointsNeeding, type Switches } from "../point";
import { type EntryShape, membersText } from "../shapes/entry-shape";
import type { ListPlace } from "../shapes/list-place";
import { whereOf } from "./records";

export const listShapes: readonly Point[] = pointsNeeding("lists")({
  name: "envelope",
  title: "envelope of lists",
  assumes: "any natural shape",
  ask: async ({ learned: { places, answers } }) => {
    const all = LIST_KINDS.flatMap((of) => {
      const place = places[of];
      return place ? [{ of, ...place, format: formatSwitch(place.body, answers, of) }] : [];
    });
    const [first] = all;
    if (!first) throw new Skipped("no list held anything");
    const { path, format: listFormat } = first;
    const entry = places.prefixset?.entry;
    const listEnvelope = path === "" && first.kind !== "array" ? "keyed" : envelopeName(path);
    // Records without prefixes cannot be keyed by prefix: the emulator writes them under `data` then.
    const usual = listEnvelope === "keyed" ? "data" : listEnvelope;
    const others = all.filter(({ of }) => of !== "prefixset");
    const switches = others.flatMap(({ of, path: own, format }) => [
      [`${of}Envelope`, envelopeName(own) === usual ? "same" : envelopeName(own)],
      [`${of}Format`, format === listFormat ? "same" : format],
    ]);
    const common = {
      as: "dialect",
      node: [
        `sets: ${whereOf(path)}; ${entry ? membersText(entry) : "no entry was seen"}`,
        ...others.filter((one) => one.path !== path).map(({ of, path: own }) => `${of}: ${whereOf(own)}`),
      ].join("; "),
      dialect: {
        listFormat,
        listVerdict: all.map(verdictIn).find((verdict) => verdict !== "none") ?? "none",
        listEnvelope,
        ...Object.fromEntries(switches),
        ...(entry && entrySwitches(entry, answers)),
      },
    } as const;
    return entry ? { is: "entries", ...common } : { is: "others", ...common, unseen: true };
  },
});

function envelopeName(path: ListPlace["path"]): string {
  return path === "" ? "array" : path;
}

/** The emulator's switch for the format of a list. */
export function formatSwitch(body: string, answers: Answers, kind: ListKind): string {
  const format = formatFor(answers, kind);
  if (format === "lines") return /^\s*\+?ok\s+\d/i.test(body) ? "ok-lines" : "lines";
  return format === "csv" && hasHead(body, format) ? "csv-head" : format;
}

function hasHead(body: string, format: ListFormat): boolean {
  const [first = []] = fieldsOf(body, format);
  return first.length > 0 && first.every((field) => /^[a-z_][\w -]*$/i.test(field));
}

/** The emulator's switch for the members beside a list in its outermost object. */
function verdictIn({ body, path }: { readonly body: string; readonly path: string }): string {
  const json = jsonOf(body);
  const [first = ""] = path.split(".");
  if (!isObject(json) || first === "" || first === "0") return "none";
  const names = Object.keys(json).filter((name) => name !== first && typeof json[name] !== "object");
  const { status, code } = json;
  if (names.join() === "count") return "count";
  if (names.join() === "status" && status === "ok") return "status";
  if (names.join() === "code,message" && code === 1000) return "code-1000";
  return names.join() === "code,msg" && code === 0 ? "code" : "none";
}

/** The emulator's switches for the form of entries. */
function entrySwitches(entry: EntryShape, answers: Answers): Switches {
  const columns = forKind<Columns>(answers.columns, "prefixset") ?? {};
  // The reader names columns by their meaning; the head line has the node's own names.
  const own = (member: keyof Columns) => {
    const column = columns[member];
    return typeof column === "string" ? column : entry.names[member];
  };
  const { form, lengthForm, addressForm, valueForm } = entry;
  return {
    entryForm: form,
    prefixKey: own("prefix"),
    rangeStartKey: own("rangeStart"),
    rangeEndKey: own("rangeEnd"),
    valueKey: own("value"),
    lengthKey: own("prefixLength") ?? "none",
    lengthForm,
    addressForm: addressForm ?? "text",
    valueForm: valueForm ?? "number",
  };
}
