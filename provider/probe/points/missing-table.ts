import { formatUrl } from "../../model/resource-url";
import { Skipped } from "../asking/outcome";
import { point } from "../point";

/** What a profile answers that has no table of a type. Which ones it has nobody can ask, so all are listed. */
export const missingTable = point({
  name: "missing-table",
  title: "marks of a type without a table",
  needs: "lists",
  assumes: "`getMarks` fails; `capture` and `forward` go on with the other types",
  finds: ["missingTable"],
  ask: async (bench) => {
    const tables = await bench.tables.all();
    const known = new Set(tables.filter(({ answer }) => !answer.isRefusal).map(({ url }) => formatUrl(url)));
    // A profile whose every type is refused may be one that the node does not know.
    const listed = tables.filter(({ url }) => known.has(formatUrl(url)) || bench.learned.profileIsListed(url.profile));
    const refused = listed.find(({ answer }) => answer.isRefusal);
    const empty = listed.find(({ answer }) => !answer.isRefusal && bench.isEmptyList(answer, "marks"));
    if (!refused && !empty) throw new Skipped("no table was empty, and none was refused");
    return { refused, empty };
  },
  judge: ({ refused, empty }) => ({
    found: refused ? "observed" : "assumed",
    node: refused ? "an error" : "an empty list, or the profile has all four",
    evidence: [refused ?? empty].flatMap((table) => (table ? [table.answer.evidence] : [])),
  }),
  dialect: ({ refused }) => ({ missingTable: refused ? "error" : "empty" }),
});
