import { Skipped } from "../asking/outcome";
import { whereOf } from "../asking/records";
import { point } from "../point";
import type { EntryShape } from "../shapes/entry-shape";
import type { ListPlace } from "../shapes/list-place";

/** Where lists stand in answers, and how entries of sets are written: what the lists so far have shown, together. */
export const envelope = point({
  name: "envelope",
  title: "envelope and names of lists",
  needs: "lists",
  assumes: "any natural shape",
  finds: ["listEnvelope", "entryForm", "prefixKey", "valueKey", "lengthKey", "lengthForm"],
  ask: async ({ learned }) => {
    const { filled, records } = learned;
    const empty = [learned.empty.set, learned.empty.records].find(
      (one): one is ListPlace => one !== undefined && one !== "nothing",
    );
    const place = filled?.place ?? records ?? empty;
    if (!place) throw new Skipped("no list was answered");
    const isKeyedRoot = filled?.place.kind === "keyed" && filled.place.path === "";
    // An object keyed by prefix is the whole answer also where other lists are bare arrays: then those tell.
    const envelope = isKeyedRoot && records?.path !== "" ? "keyed" : place.path === "" ? "array" : place.path;
    return { place, entry: filled?.entry, envelope };
  },
  judge: ({ place, entry }) => ({
    found: entry ? "observed" : "assumed",
    node: `${whereOf(place.path)}; ${entry ? words(entry) : "no entry was seen"}`,
  }),
  dialect: ({ entry, envelope }) => ({
    listEnvelope: envelope,
    ...(entry && {
      entryForm: entry.form,
      ...(entry.prefix !== undefined && { prefixKey: entry.prefix }),
      ...(entry.value !== undefined && { valueKey: entry.value }),
      lengthKey: entry.length ?? "none",
      ...(entry.lengthForm && { lengthForm: entry.lengthForm }),
    }),
  }),
});

function words({ form, prefix, value, length }: EntryShape): string {
  if (form === "keyed") return "keyed by prefix";
  if (form === "pair") return "pairs of prefix and value";
  const names = [prefix, length, value].filter((name) => name !== undefined).join(", ");
  return form === "string" ? `texts${names && `, and records with ${names}`}` : `records with ${names}`;
}
