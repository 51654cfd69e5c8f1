import { readProfileList } from "../../wire/record-lists";
import { askRecords, describeRecords, nameOf } from "../asking/records";
import { point } from "../point";

/** How the profiles of an arena are listed. */
export const profiles = point({
  name: "profiles",
  title: "list of profiles",
  needs: "lists",
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
});
