import { Skipped } from "../asking/outcome";
import { point } from "../point";
import type { ListPlace } from "../shapes/list-place";

/** How an empty list is written. */
export const emptyList = point({
  name: "empty-list",
  title: "an empty list",
  needs: "lists",
  assumes: "an empty array, or null in an envelope; `{}` and no body only with `answers.empty`",
  finds: ["emptyList"],
  ask: async ({ learned }) => {
    const { set, records } = learned.empty;
    if (set === undefined && records === undefined) throw new Skipped("no list was empty");
    return { set, records, isKeyed: learned.filled?.place.kind === "keyed" };
  },
  judge: ({ set, records }) => ({
    node: [set && `of a set: ${words(set)}`, records && `of records: ${words(records)}`].filter(Boolean).join("; "),
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
});

function words(place: ListPlace | "nothing"): string {
  if (place === "nothing") return "no body";
  const text = { array: "[]", hollow: "{}", null: "null", keyed: "{}" }[place.kind];
  return place.path === "" ? text : `${text} under ${place.path}`;
}
