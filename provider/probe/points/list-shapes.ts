import { given } from "../../client/options";
import { isObject } from "../../model/json";
import type { Answers, Columns, ListFormat, ListKind } from "../../wire/answers";
import { jsonOf } from "../../wire/json";
import { forKind, formatFor } from "../../wire/places";
import { fieldsOf } from "../../wire/text-lines";
import { Moot, Skipped } from "../asking/outcome";
import { MEASURED, measured, type Point, pointNeeding } from "../point";
import { type EntryShape, membersText } from "../shapes/entry-shape";
import { type ListPlace, placeOfList } from "../shapes/list-place";
import { settingsOf, whereOf } from "./records";

const point = pointNeeding("lists");

const KINDS = ["profiles", "rules", "marks"] as const;

/** Switches for the places of lists, and for the form of entries. */
const LISTS = [
  ...["listEnvelope", "listFormat", "listVerdict"],
  ...KINDS.flatMap((kind) => [`${kind}Envelope`, `${kind}Format`]),
];
const ENTRY = [
  ...["entryForm", "prefixKey", "valueKey", "valueForm", "lengthKey", "lengthForm", "addressForm"],
  ...["rangeStartKey", "rangeEndKey"],
];

/** Shapes of lists, from all earlier lists. */
export const listShapes: readonly Point[] = [
  point({
    name: "envelope",
    title: "envelope of lists",
    assumes: "any natural shape",
    outcomes: {
      entries: {
        as: "dialect",
        node: "places of all lists, and members of an entry",
        dialect: measured([...ENTRY, ...LISTS]),
      },
      others: { as: "dialect", node: "places of lists; no entry was seen", unseen: true, dialect: measured(LISTS) },
    },
    ask: async ({ learned }) => {
      const { filled, places } = learned;
      const ofSet = filled?.place;
      const place = ofSet ?? KINDS.map((kind) => places[kind]).find((one) => one !== undefined);
      if (!place) throw new Skipped("no list held anything");
      const kinds = KINDS.flatMap((kind) => (places[kind] ? [[kind, places[kind]] as const] : []));
      const body = filled?.body ?? kinds[0]?.[1].body ?? "";
      const { answers } = learned;
      const entry = filled?.entry;
      const listEnvelope = place.path === "" ? (place.kind === "array" ? "array" : "keyed") : place.path;
      // Records without prefixes cannot be keyed by prefix: the emulator writes them under `data` then.
      const usual = listEnvelope === "keyed" ? "data" : listEnvelope;
      const others = kinds.map(([kind, { path }]) => [
        `${kind}Envelope`,
        envelopeName(path) === usual ? "same" : envelopeName(path),
      ]);
      const listFormat = formatSwitch(body, answers, ofSet ? "prefixset" : (kinds[0]?.[0] ?? "prefixset"));
      const formats = kinds.map(([kind, one]) => {
        const format = formatSwitch(one.body, answers, kind);
        return [`${kind}Format`, format === listFormat ? "same" : format];
      });
      const verdicts = [{ body, path: place.path }, ...kinds.map(([, one]) => one)].map(verdictIn);
      return {
        is: entry ? "entries" : "others",
        node: [
          `sets: ${whereOf(place.path)}; ${entry ? membersText(entry) : "no entry was seen"}`,
          ...kinds.filter(([, { path }]) => path !== place.path).map(([kind, { path }]) => `${kind}: ${whereOf(path)}`),
        ].join("; "),
        dialect: {
          listFormat,
          listVerdict: verdicts.find((verdict) => verdict !== "none") ?? "none",
          listEnvelope,
          ...Object.fromEntries([...others, ...formats]),
          ...(entry && entrySwitches(entry, answers)),
        },
      };
    },
  }),
  point({
    name: "empty-list",
    title: "an empty list",
    assumes: "an empty array, or null in an envelope; `{}` and no body only with `answers.empty`",
    outcomes: {
      own: {
        as: "setting",
        node: "an empty list",
        settings: measured(["answers.empty"]),
        dialect: { emptyList: MEASURED },
      },
      unread: { as: "beyond", node: "an answer that no setting reads as an empty list" },
    },
    ask: async ({ learned, work }) => {
      const { cleared, filled, answers, emptyRecords } = learned;
      const isNull = emptyRecords?.kind === "null";
      if (!cleared || !work) throw new Skipped("only with --write: an empty list is known by what was in it before");
      if (cleared.isRefusal) throw new Moot("an emptied set vanishes");
      const place = cleared.isEmpty ? "nothing" : placeOfList(cleared.json, "prefixset", answers, work.url);
      const kind = place === "nothing" ? place : place?.kind;
      const own = filled?.place.kind === "keyed" && kind === "array" ? "array" : "own";
      if (!place) return { is: "unread", node: cleared.quote };
      const empty = { nothing: "", hollow: "{}", array: undefined, null: undefined, keyed: undefined } as const;
      const settings = settingsOf(given({ empty: kind && empty[kind] }));
      return {
        is: "own",
        node: placeText(place),
        settings,
        dialect: { emptyList: kind === "null" || isNull ? "null" : own },
      };
    },
  }),
];

function envelopeName(path: ListPlace["path"]): string {
  return path === "" ? "array" : path;
}

function placeText(place: ListPlace | "nothing"): string {
  if (place === "nothing") return "no body";
  const text = { array: "[]", hollow: "{}", null: "null", keyed: "{}" }[place.kind];
  return place.path === "" ? text : `${text} under ${place.path}`;
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
  const beside = Object.keys(json).filter((name) => name !== first && typeof json[name] !== "object");
  const names = beside.join(",");
  if (names === "status" || names === "count") return names;
  if (names === "code,msg" && json.code === 0) return "code";
  return names === "code,message" && json.code === 1000 ? "code-1000" : "none";
}

/** The emulator's switches for the form of entries. */
function entrySwitches(entry: EntryShape, answers: Answers): Record<string, string | undefined> {
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
