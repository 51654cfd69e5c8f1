import { Skipped } from "../asking/outcome";
import { whereOf } from "../asking/records";
import { point } from "../point";
import type { EntryShape } from "../shapes/entry-shape";
import type { ListPlace } from "../shapes/list-place";

const KINDS = ["profiles", "rules", "marks"] as const;

/** Where lists stand in answers, and how entries of sets are written: what the lists so far have shown, together. */
export const envelope = point({
  name: "envelope",
  title: "envelope of lists",
  needs: "lists",
  assumes: "any natural shape",
  finds: [
    "listEnvelope",
    ...KINDS.map((kind) => `${kind}Envelope`),
    "entryForm",
    "prefixKey",
    "valueKey",
    "lengthKey",
    "lengthForm",
  ],
  ask: async ({ learned: { filled, empty, places } }) => {
    const ofSet = filled?.place ?? (empty.set === "nothing" ? undefined : empty.set);
    const place = ofSet ?? KINDS.map((kind) => places[kind]).find((one) => one !== undefined);
    if (!place) throw new Skipped("no list was answered");
    const kinds = KINDS.flatMap((kind) => (places[kind] ? [[kind, places[kind]] as const] : []));
    return { place, entry: filled?.entry, kinds };
  },
  judge: ({ place, entry, kinds }) => ({
    found: entry ? "observed" : "assumed",
    node: [
      `sets: ${whereOf(place.path)}; ${entry ? words(entry) : "no entry was seen"}`,
      ...kinds.filter(([, { path }]) => path !== place.path).map(([kind, { path }]) => `${kind}: ${whereOf(path)}`),
    ].join("; "),
  }),
  dialect: ({ place, entry, kinds }) => {
    const listEnvelope = place.path === "" ? (place.kind === "array" ? "array" : "keyed") : place.path;
    // Records that are no prefixes are not keyed by one: the emulator writes them under `data` then.
    const usual = listEnvelope === "keyed" ? "data" : listEnvelope;
    const others = kinds.map(([kind, { path }]) => [`${kind}Envelope`, nameOf(path) === usual ? "same" : nameOf(path)]);
    return { listEnvelope, ...Object.fromEntries(others), ...(entry && switchesOf(entry)) };
  },
});

function nameOf(path: ListPlace["path"]): string {
  return path === "" ? "array" : path;
}

function switchesOf({ form, prefix, value, length, lengthForm }: EntryShape) {
  return { entryForm: form, prefixKey: prefix, valueKey: value, lengthKey: length ?? "none", lengthForm };
}

function words({ form, prefix, value, length }: EntryShape): string {
  if (form === "keyed") return "keyed by prefix";
  if (form === "pair") return "pairs of prefix and value";
  const names = [prefix, length, value].filter((name) => name !== undefined).join(", ");
  return form === "string" ? `texts${names && `, and records with ${names}`}` : `records with ${names}`;
}
