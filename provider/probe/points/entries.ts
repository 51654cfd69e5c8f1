import { whereOf } from "../asking/records";
import { point } from "../point";
import type { EntryShape } from "../shapes/entry-shape";

/** How entries of a set are written, told by entries that are known to be in it. */
export const entries = point({
  name: "entries",
  title: "entries of a set",
  needs: "set",
  assumes: "usual names, texts, pairs, or keyed by prefix",
  finds: [],
  ask: (bench) => bench.sample(),
  judge: ({ place, entry, list }) => ({
    node: `${whereOf(place.path)}; ${wordsOf(entry)}`,
    evidence: [list.evidence],
  }),
  settings: ({ answers }) => (answers ? { answers } : {}),
});

function wordsOf({ form, prefix, value, length, lengthForm }: EntryShape): string {
  if (form === "keyed") return "keyed by prefix";
  if (form === "pair") return "pairs of prefix and value";
  const names = [
    prefix && `prefix ${prefix}`,
    length && `length ${length}${lengthForm === "netmask" ? " (a netmask)" : ""}`,
    value && `value ${value}`,
  ].filter(Boolean);
  return form === "string" ? `texts where the value is 1, else ${names.join(", ")}` : names.join(", ");
}
