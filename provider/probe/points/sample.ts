import { Skipped } from "../asking/outcome";
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
    node: `${whereOf(place.path)}; ${membersText(entry)}`,
    evidence: [list.evidence],
  }),
  settings: ({ answers }) => (answers ? { answers } : {}),
});

function membersText({ form, prefix, value, length, lengthForm }: EntryShape): string {
  if (form === "keyed") return "keyed by prefix";
  if (form === "pair") return "pairs of prefix and value";
  const names = [
    prefix && `prefix ${prefix}`,
    length && `length ${length}${lengthForm === "netmask" ? " (a netmask)" : ""}`,
    value && `value ${value}`,
  ].filter(Boolean);
  return form === "string" ? `texts where the value is 1, else ${names.join(", ")}` : names.join(", ");
}

/** How a set lists a single address. */
export const singleAddress = point({
  name: "single-address",
  title: "a single address in a set",
  needs: "set",
  assumes: "sent with /32; understood with and without",
  finds: ["singleAddress"],
  ask: async (bench) => {
    const { single, list } = await bench.sample();
    if (single === undefined) throw new Skipped("the length stands beside the address");
    return { single, list };
  },
  judge: ({ single, list }) => ({
    node: single === "bare" ? "listed without a length" : "listed with /32",
    evidence: [list.evidence],
  }),
  dialect: ({ single }) => ({ singleAddress: single }),
});

/** Whether a list shows what waits for a commit. */
export const listShows = point({
  name: "list-shows",
  title: "a list before the commit",
  needs: "set",
  assumes: "either; what counts is the list after the commit",
  finds: ["listShows"],
  ask: (bench) => bench.sample(),
  judge: ({ listShows, before }) => ({
    node: listShows === "staged" ? "shows what waits" : "shows applied entries only",
    evidence: [before.evidence],
    ...(listShows === "staged" && {
      advice: "`foreignStaged` can look for what others have staged before each commit",
    }),
  }),
  dialect: ({ listShows }) => ({ listShows }),
});

/** How long after its answer a commit shows. */
export const commitDelay = point({
  name: "commit-delay",
  title: "delay of a commit",
  needs: "set",
  assumes: "lists until the result shows, up to `deadlineMs`",
  finds: ["commitDelay"],
  ask: (bench) => bench.sample(),
  judge: ({ listShows, delayMs }) =>
    listShows === "staged"
      ? { found: "assumed", node: "cannot be seen, since lists show what waits" }
      : { node: delayMs === 0 ? "the next list shows it" : `shown after ${Math.round(delayMs)} ms` },
  dialect: ({ listShows, delayMs }) => (listShows === "staged" ? {} : { commitDelay: Math.round(delayMs) }),
});

/** What is answered to a change that was carried out. */
export const success = point({
  name: "success",
  title: "answer to a success",
  needs: "set",
  assumes: "any 2xx without an error in its body",
  finds: ["success"],
  ask: (bench) => bench.sample(),
  judge: ({ insert, commit }) => ({
    found: insert.successForm === undefined ? "assumed" : "observed",
    node: insert.successForm === undefined ? "a form of its own, which is read as a success" : insert.quote,
    evidence: [insert.evidence, commit.evidence],
  }),
  dialect: ({ insert }) => ({ success: insert.successForm }),
});
