import { Skipped } from "../asking/outcome";
import { whereOf } from "../asking/records";
import { type Point, pointNeeding } from "../point";
import type { EntryShape } from "../shapes/entry-shape";
import { entrySwitches, formatSwitch, verdictSwitch } from "../shapes/list-dialect";
import type { ListPlace } from "../shapes/list-place";

const point = pointNeeding("lists");

const KINDS = ["profiles", "rules", "marks"] as const;

/** The shapes of lists, told by all lists before. */
export const listShapes: readonly Point[] = [
  /** Where lists stand in answers, and how entries of sets are written: what the lists so far have shown, together. */
  point({
    name: "envelope",
    title: "envelope of lists",
    assumes: "any natural shape",
    finds: [
      "listEnvelope",
      "listFormat",
      "listVerdict",
      ...KINDS.flatMap((kind) => [`${kind}Envelope`, `${kind}Format`]),
      ...["entryForm", "prefixKey", "valueKey", "valueForm", "lengthKey", "lengthForm", "addressForm"],
      ...["rangeStartKey", "rangeEndKey"],
    ],
    ask: async ({ learned }) => {
      const { filled, empty, places } = learned;
      const ofSet = filled?.place ?? (empty.set === "nothing" ? undefined : empty.set);
      const place = ofSet ?? KINDS.map((kind) => places[kind]).find((one) => one !== undefined);
      if (!place) throw new Skipped("no list was answered");
      const kinds = KINDS.flatMap((kind) => (places[kind] ? [[kind, places[kind]] as const] : []));
      const body = filled?.body ?? (ofSet ? learned.emptyBody : (kinds[0]?.[1].body ?? ""));
      return { place, entry: filled?.entry, kinds, body, answers: learned.answers, isSet: ofSet !== undefined };
    },
    judge: ({ place, entry, kinds }) => ({
      found: entry ? "observed" : "assumed",
      node: [
        `sets: ${whereOf(place.path)}; ${entry ? entryText(entry) : "no entry was seen"}`,
        ...kinds.filter(([, { path }]) => path !== place.path).map(([kind, { path }]) => `${kind}: ${whereOf(path)}`),
      ].join("; "),
    }),
    dialect: ({ place, entry, kinds, body, answers, isSet }) => {
      const listEnvelope = place.path === "" ? (place.kind === "array" ? "array" : "keyed") : place.path;
      // Records that are no prefixes are not keyed by one: the emulator writes them under `data` then.
      const usual = listEnvelope === "keyed" ? "data" : listEnvelope;
      const others = kinds.map(([kind, { path }]) => [
        `${kind}Envelope`,
        envelopeName(path) === usual ? "same" : envelopeName(path),
      ]);
      const listFormat = formatSwitch(body, answers, isSet ? "prefixset" : (kinds[0]?.[0] ?? "prefixset"));
      const formats = kinds.map(([kind, one]) => {
        const format = formatSwitch(one.body, answers, kind);
        return [`${kind}Format`, format === listFormat ? "same" : format];
      });
      return {
        listFormat,
        listVerdict: verdictSwitch([{ body, path: place.path }, ...kinds.map(([, one]) => one)]),
        listEnvelope,
        ...Object.fromEntries([...others, ...formats]),
        ...(entry && entrySwitches(entry, answers)),
      };
    },
  }),
  point({
    name: "empty-list",
    title: "an empty list",
    assumes: "an empty array, or null in an envelope; `{}` and no body only with `answers.empty`",
    finds: ["emptyList"],
    settles: ["answers.empty"],
    ask: async ({ learned }) => {
      const { set, records } = learned.empty;
      if (set === undefined && records === undefined) throw new Skipped("no list was empty");
      return { set, records, isKeyed: learned.filled?.place.kind === "keyed" };
    },
    judge: ({ set, records }) => ({
      node: [set && `of a set: ${placeText(set)}`, records && `of records: ${placeText(records)}`]
        .filter(Boolean)
        .join("; "),
    }),
    settings: ({ set, records }) => {
      if (set === "nothing" || records === "nothing") return { answers: { empty: "" } };
      return set?.kind === "hollow" || records?.kind === "hollow" ? { answers: { empty: "{}" } } : {};
    },
    dialect: ({ set, records, isKeyed }) => {
      const kinds = [set, records].map((place) => (place === "nothing" ? undefined : place?.kind));
      if (kinds.includes("null")) return { emptyList: "null" };
      return { emptyList: isKeyed && kinds[0] === "array" ? "array" : "own" };
    },
  }),
];

function envelopeName(path: ListPlace["path"]): string {
  return path === "" ? "array" : path;
}

function entryText({ form, prefix, value, length, end }: EntryShape): string {
  if (form === "keyed") return "keyed by prefix";
  if (form === "pair") return "pairs of prefix and value";
  const names = [prefix, end, length, value].filter((name) => name !== undefined).join(", ");
  return form === "string" ? `texts${names && `, and records with ${names}`}` : `records with ${names}`;
}

function placeText(place: ListPlace | "nothing"): string {
  if (place === "nothing") return "no body";
  const text = { array: "[]", hollow: "{}", null: "null", keyed: "{}" }[place.kind];
  return place.path === "" ? text : `${text} under ${place.path}`;
}
