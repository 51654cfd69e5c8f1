import { readMarkList } from "../../wire/mark-list";
import { isRecord } from "../../wire/shape";
import { Skipped, Unclear } from "../asking/outcome";
import { describeRecords, understand } from "../asking/records";
import { point } from "../point";
import { placeOfList } from "../shapes/list-place";

/** How marks are listed. */
export const marks = point({
  name: "marks",
  title: "list of marks",
  needs: "lists",
  assumes: "`id`; `v`, `value`; `t`, `ttl`, `lifetime`; addresses under usual names",
  finds: ["markKeys", "markAge", "markAddress", "markExpired"],
  ask: async (bench) => {
    const tables = await bench.tables.all();
    const answered = tables.filter(({ answer }) => !answer.isRefusal);
    if (tables.length === 0) throw new Skipped("no profile is named, and none is listed");
    const [fallback] = answered;
    if (!fallback) {
      const evidence = tables.slice(0, 1).map(({ answer }) => answer.evidence);
      if (tables.some(({ url }) => bench.targets.isNamed(url))) throw new Unclear("every list is refused", evidence);
      throw new Skipped(`every list is refused: ${tables[0]?.answer.words}`);
    }
    const read = answered.map(({ answer, type }) => ({
      type,
      answer,
      ...understand(bench, "marks", answer, (json, answers) => readMarkList(json, type, { answers })),
    }));
    const full = read.find(({ records }) => records.length > 0);
    const chosen = full ?? read[0];
    if (!chosen) throw new Skipped("no table was answered");
    const place = placeOfList(chosen.answer.json, "marks", bench.learned.answers);
    const record = place?.elements.find(isRecord);
    const settings = read.find((one) => one.settings.answers)?.settings ?? {};
    return { ...chosen, settings, record, count: read.reduce((sum, { records }) => sum + records.length, 0) };
  },
  judge: ({ record, count, ...seen }) => ({
    ...describeRecords(
      seen,
      record ? `${count}, with ${Object.keys(record).join(", ")}` : "none: their names were not seen",
    ),
    found: record ? "observed" : "assumed",
  }),
  settings: ({ settings }) => settings,
  dialect: ({ record, records: [mark] }) => {
    if (!record || !mark) return {};
    const names = new Set(Object.keys(record));
    const texts = Object.values(record).filter((content) => typeof content === "string");
    return {
      markKeys: ["address", "source", "value", "lifetime"].some((name) => names.has(name)) ? "long" : "short",
      markAge: mark.age === undefined ? "hidden" : "shown",
      markAddress: texts.some((text) => /\/(32|128)$/.test(text)) ? "cidr" : "bare",
      markExpired: mark.status === undefined ? "hidden" : "shown",
    };
  },
});
