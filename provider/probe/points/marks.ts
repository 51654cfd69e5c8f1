import { readMarkList } from "../../wire/mark-list";
import { Skipped, Unclear } from "../asking/outcome";
import { describeRecords, understand } from "../asking/records";
import { point } from "../point";
import { merged } from "../shapes/answers";
import { markKeys } from "../shapes/mark-keys";
import { guessMarkNames } from "../shapes/name-guesses";

/** How marks are listed. */
export const marks = point({
  name: "marks",
  title: "list of marks",
  needs: "lists",
  assumes: "`id`; `v`, `value`; `t`, `ttl`, `lifetime`; addresses under usual names",
  finds: ["markKeys", "markAge", "markAddress", "markExpired"],
  ask: async (bench) => {
    const tables = await bench.tables.all();
    if (tables.length === 0) throw new Skipped("no profile is named, and none is listed");
    const answered = tables.filter(({ answer }) => !answer.isRefusal);
    if (answered.length === 0) {
      const evidence = tables.slice(0, 1).map(({ answer }) => answer.evidence);
      if (tables.some(({ url }) => bench.targets.isNamed(url))) throw new Unclear("every list is refused", evidence);
      throw new Skipped(`every list is refused: ${tables[0]?.answer.words}`);
    }
    const readAll = () =>
      answered.map(({ answer, type }) => ({
        type,
        answer,
        ...understand(bench, "marks", answer, (json, answers) => readMarkList(json, type, { answers })),
      }));
    let read = readAll();
    const raw = read.flatMap(({ type, first }) => (first ? [{ type, record: first }] : []));
    const before = bench.learned.answers;
    const names = guessMarkNames(raw, before);
    if (Object.keys(names).length > 0) {
      bench.learned.answers = merged(before, { names });
      read = readAll();
    }
    const [chosen] = read.toSorted((a, b) => Number(b.records.length > 0) - Number(a.records.length > 0));
    if (!chosen) throw new Skipped("no table was answered");
    const told = read.map(({ settings }) => settings.answers).findLast((one) => one !== undefined);
    const answers = bench.learned.answers === before ? told : bench.learned.answers;
    const count = read.reduce((sum, { records }) => sum + records.length, 0);
    return { ...chosen, settings: answers ? { answers } : {}, raw, count, keys: markKeys(raw, bench.learned.answers) };
  },
  judge: ({ first, count, ...seen }) => ({
    ...describeRecords(
      seen,
      first ? `${count}, with ${Object.keys(first).join(", ")}` : "none, so that their names were not seen",
    ),
    found: first ? "observed" : "assumed",
  }),
  settings: ({ settings }) => settings,
  dialect: ({ first, keys, records: [mark] }) => {
    if (!first || !mark) return {};
    const texts = Object.values(first).filter((content) => typeof content === "string");
    return {
      markKeys: keys,
      markAge: mark.age === undefined ? "hidden" : "shown",
      markAddress: texts.some((text) => /\/(32|128)$/.test(text)) ? "cidr" : "bare",
      markExpired: mark.status === undefined ? "hidden" : "shown",
    };
  },
});
