import { formatUrl } from "../../model/resource-url";
import { readPrefixSetList } from "../../wire/prefix-set-list";
import { sketch } from "../../wire/shape";
import { Skipped, Unclear } from "../asking/outcome";
import { whereOf } from "../asking/records";
import { point } from "../point";
import { settingsFor } from "../shapes/answers";
import { entryShape } from "../shapes/entry-shape";
import { placeOfList, showsNoAddress } from "../shapes/list-place";

/** How the first named set is listed as it stands. What an entry looks like is only seen where it holds some. */
export const setList = point({
  name: "set-list",
  title: "list of a set",
  needs: "lists",
  assumes: "entries under usual names, texts, pairs or keyed by prefix, in any natural envelope",
  finds: [],
  ask: async (bench) => {
    const { learned, targets } = bench;
    const [url] = targets.sets;
    if (!url) throw new Skipped("no set is named");
    const answer = await bench.list(url, { asked: `list ${formatUrl(url)}` });
    learned.setAnswer = answer;
    if (answer.isRefusal) {
      if (bench.mayWrite) throw new Skipped(`${formatUrl(url)} is refused: ${answer.words}`);
      throw new Unclear(`${formatUrl(url)} is refused`, [answer.evidence]);
    }
    if (answer.isEmpty || showsNoAddress(answer.json)) {
      const place = answer.isEmpty ? "nothing" : placeOfList(answer.json, "prefixset");
      learned.empty.set = place;
      return { answer, entries: 0, where: place && place !== "nothing" ? whereOf(place.path) : "", settings: {} };
    }
    let entries = 0;
    const before = learned.answers;
    const found = settingsFor(
      answer.json,
      "prefixset",
      (answers) => {
        entries = readPrefixSetList(answer.json, { answers }).length;
        return true;
      },
      before,
    );
    if (!found) throw new Unclear(`its shape ${sketch(answer.json)} is not understood`, [answer.evidence]);
    learned.answers = found;
    const place = placeOfList(answer.json, "prefixset", found);
    if (place) learned.filled = { place, entry: entryShape(place) };
    const settings = found === before ? {} : { answers: found };
    return { answer, entries, where: place ? whereOf(place.path) : "", settings };
  },
  judge: ({ answer, entries, where }) => ({
    found: entries === 0 ? "assumed" : "observed",
    node:
      entries === 0
        ? `nothing is in it, so its entries were not seen${where && `; ${where}`}`
        : `${entries} entries, ${where}`,
    evidence: [answer.evidence],
  }),
  settings: ({ settings }) => settings,
});
