import { z } from "zod";
import { type CanonicalPrefix, Prefix, PrefixError } from "../../model/prefix";
import { sorted } from "../../model/prefix-map";
import { type ControlRoute, route } from "../control/route";
import { json } from "../http/reply";
import type { PrefixSetStore } from "../state/prefix-set-store";

const value = z.int().nullable();

/** A set as people look at it: both sides in one row, and only as many rows as somebody reads. */
export const setViewRoute: ControlRoute = route({
  method: "GET",
  path: "/page/prefix-set",
  summary: "Applied and staged entries of a set side by side, what a commit would change, and the first rows of them.",
  query: z.strictObject({
    url: z.string(),
    filter: z.string().optional().describe("A part of the prefix; or an address or prefix that overlaps it."),
    only: z.enum(["all", "changes"]).optional().describe("Default all."),
    limit: z.coerce.number().int().min(1).max(5_000).optional().describe("Most rows, default 200."),
  }),
  answer: z.object({
    applied: z.int(),
    staged: z.int(),
    inserted: z.int(),
    removed: z.int(),
    changed: z.int(),
    matching: z.int().describe("Rows that the filter lets pass."),
    rows: z.array(z.object({ prefix: z.string(), applied: value, staged: value })),
  }),
  run: ({ simulation, query: { url, filter = "", only = "all", limit = 200 } }) => {
    const set = simulation.contents.holdings.setByUrl(url);
    if (!set) return json(404, { error: `there is no prefix-set ${url}` });
    return json(200, view(set, { filter: filter.trim(), onlyChanges: only === "changes", limit }));
  },
});

function view(
  set: PrefixSetStore,
  { filter, onlyChanges, limit }: { filter: string; onlyChanges: boolean; limit: number },
) {
  const { ordered: applied, staged } = set;
  const both = staged === applied ? applied : sorted(new Map([...applied, ...staged]));
  const passes = rowFilter(filter);
  const counts = { inserted: 0, removed: 0, changed: 0, matching: 0 };
  const rows: { prefix: string; applied: number | null; staged: number | null }[] = [];
  for (const prefix of both.keys()) {
    const row = { prefix, applied: applied.get(prefix) ?? null, staged: staged.get(prefix) ?? null };
    if (row.applied === null) counts.inserted += 1;
    else if (row.staged === null) counts.removed += 1;
    else if (row.applied !== row.staged) counts.changed += 1;
    if ((onlyChanges && row.applied === row.staged) || !passes(prefix)) continue;
    counts.matching += 1;
    if (rows.length < limit) rows.push(row);
  }
  return { applied: applied.size, staged: staged.size, ...counts, rows };
}

/** An address finds the entries that cover it, a part of a text those that hold it. */
function rowFilter(filter: string): (prefix: CanonicalPrefix) => boolean {
  if (filter === "") return () => true;
  const wanted = prefixOf(filter);
  const part = filter.toLowerCase();
  if (!wanted) return (prefix) => prefix.includes(part);
  return (text) => {
    const prefix = Prefix.fromCanonical(text);
    return prefix.contains(wanted) || wanted.contains(prefix);
  };
}

function prefixOf(text: string): Prefix | undefined {
  try {
    return Prefix.parse(text);
  } catch (error) {
    if (error instanceof PrefixError) return undefined;
    throw error;
  }
}
