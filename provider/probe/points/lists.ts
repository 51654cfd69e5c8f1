import type { Rule } from "../../model/mark";
import { formatUrl } from "../../model/resource-url";
import { sketch } from "../../wire/json";
import { readPrefixSetList } from "../../wire/prefix-set-list";
import { readProfileList, readRuleList } from "../../wire/record-lists";
import { Skipped, Unclear } from "../asking/outcome";
import { askRecords, describeRecords, nameOf, whereOf } from "../asking/records";
import { refusalSwitches } from "../asking/refusal";
import { type Point, pointNeeding } from "../point";
import { merged, settingsFor } from "../shapes/answers";
import { entryShape } from "../shapes/entry-shape";
import { placeOfList, showsNoAddress } from "../shapes/list-place";
import { guessRuleId } from "../shapes/name-guesses";

const point = pointNeeding("lists");

/** A name that no set has. */
const NAME = "pulumi-packetfilter-probe-absent";

/** Lists of sets, profiles and rules. */
export const lists: readonly Point[] = [
  point({
    name: "unknown",
    title: "list of an unknown set",
    assumes: 'an error; with `absentSet: "empty"` a 404 is an empty set',
    finds: ["errorForm", "unknownStatus", "unknownForm"],
    ask: async (bench) => {
      const like = bench.first;
      const profile = like.kind === "prefixset" && like.profile !== undefined ? { profile: like.profile } : {};
      const url = { kind: "prefixset", arena: like.arena, ...profile, set: NAME } as const;
      const answer = await bench.list(url, { asked: `list ${formatUrl(url)}` });
      bench.learned.unknown = answer;
      return answer;
    },
    judge: (answer) => ({
      node: answer.isRefusal
        ? `an error with status ${answer.status}`
        : "no error: an unknown set looks like one that is there",
      evidence: [answer.evidence],
      ...(!answer.isRefusal && { advice: "check the spelling of sets yourself: a misspelt one is not noticed" }),
    }),
    // Errors that are not seen are taken to look like this one.
    dialect: (answer) =>
      answer.isRefusal ? { errorForm: answer.errorForm, ...refusalSwitches("unknown", answer) } : {},
  }),
  /** How the first named set is listed as it stands. What an entry looks like is only seen where it holds some. */
  point({
    name: "set-list",
    title: "list of a set",
    assumes: "entries under usual names, texts, pairs or keyed by prefix, in any natural envelope",
    ask: async (bench) => {
      const { learned, targets } = bench;
      const [url] = targets.sets;
      if (!url) throw new Skipped("no set is named");
      const answer = await bench.list(url, { asked: `list ${formatUrl(url)}` });
      if (answer.isRefusal) {
        if (bench.mayWrite) throw new Skipped(`${formatUrl(url)} is refused: ${answer.quote}`);
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
  }),
  point({
    name: "profiles",
    title: "list of profiles",
    assumes: "names under `name` or `profile`, or plain texts, in any natural envelope",
    finds: ["nameKey"],
    ask: async (bench) => {
      const [url] = bench.targets.arenas;
      const seen = await askRecords(bench, "profiles", url, (json, answers) => readProfileList(json, { answers }));
      const [first] = seen.records;
      if (url && first) bench.targets.offer(url.arena, first.name);
      const names = seen.records.map(({ name }) => name);
      bench.learned.profiles = names;
      return { ...seen, names };
    },
    judge: ({ names, ...seen }) => describeRecords(seen, `${names.length} (${names.slice(0, 3).join(", ")})`),
    settings: ({ settings }) => settings,
    dialect: ({ first, names }) => ({ nameKey: nameOf(first, names[0]) }),
  }),
  point({
    name: "rules",
    title: "list of rules",
    assumes: "records with `id` and `name`, or lines of text, in any natural envelope",
    finds: ["idKey"],
    ask: async (bench) => {
      const [url] = bench.targets.profiles;
      const seen = await askRecords(bench, "rules", url, (json, answers) => readRuleList(json, { answers }));
      const id = seen.records.every((rule) => rule.id === undefined)
        ? guessRuleId(elementsOf(seen.records))
        : undefined;
      if (id === undefined) return seen;
      bench.learned.answers = merged(bench.learned.answers, { names: { id } });
      const records = readRuleList(seen.answer.json, { answers: bench.learned.answers });
      return { ...seen, records, settings: { answers: bench.learned.answers } };
    },
    judge: (seen) => {
      const identified = seen.records.filter(({ id }) => id !== undefined).length;
      return describeRecords(seen, `${seen.records.length}, ${identified} with an id`);
    },
    settings: ({ settings }) => settings,
    dialect: ({ first, records: [rule] }) => ({ idKey: nameOf(first, rule?.exact?.id ?? rule?.id) }),
  }),
];

/** Members that the reader did not know, which is where an id under another name is. */
function elementsOf(rules: readonly Rule[]): Readonly<Record<string, unknown>>[] {
  return rules.map(({ extra = {} }) => extra);
}
