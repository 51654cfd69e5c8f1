import type { Rule } from "../../model/mark";
import { readRuleList } from "../../wire/record-lists";
import { askRecords, describeRecords, nameOf } from "../asking/records";
import { point } from "../point";
import { merged } from "../shapes/answers";
import { guessRuleId } from "../shapes/name-guesses";

/** How the rules of a profile are listed. */
export const rules = point({
  name: "rules",
  title: "list of rules",
  needs: "lists",
  assumes: "records with `id` and `name`, or lines of text, in any natural envelope",
  finds: ["idKey"],
  ask: async (bench) => {
    const [url] = bench.targets.profiles;
    const seen = await askRecords(bench, "rules", url, (json, answers) => readRuleList(json, { answers }));
    const id = seen.records.every((rule) => rule.id === undefined) ? guessRuleId(elementsOf(seen.records)) : undefined;
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
});

/** Members that the reader did not know, which is where an id under another name is. */
function elementsOf(rules: readonly Rule[]): Readonly<Record<string, unknown>>[] {
  return rules.map(({ extra = {} }) => extra);
}
