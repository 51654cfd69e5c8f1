import { readRuleList } from "../../wire/record-lists";
import { askRecords, describeRecords } from "../asking/records";
import { point } from "../point";

/** How the rules of a profile are listed. */
export const rules = point({
  name: "rules",
  title: "list of rules",
  needs: "lists",
  assumes: "records with `id` and `name`, or lines of text, in any natural envelope",
  finds: [],
  ask: (bench) =>
    askRecords(bench, "rules", bench.targets.profiles[0], (json, answers) => readRuleList(json, { answers })),
  judge: (seen) => {
    const identified = seen.records.filter(({ id }) => id !== undefined).length;
    return describeRecords(seen, `${seen.records.length}, ${identified} with an id`);
  },
  settings: ({ settings }) => settings,
});
