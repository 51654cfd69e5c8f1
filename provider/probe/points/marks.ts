import { DEFAULTS } from "../../client/options";
import { formatUrl } from "../../model/resource-url";
import { readMarkList } from "../../wire/mark-list";
import { USER_ARENA } from "../../wire/node-command";
import { Skipped, Unclear } from "../asking/outcome";
import { describeRecords, understand } from "../asking/records";
import { refusalSwitches } from "../asking/refusal";
import { type Point, pointNeeding } from "../point";
import { merged } from "../shapes/answers";
import { markKeys } from "../shapes/mark-keys";
import { guessMarkNames } from "../shapes/name-guesses";

const point = pointNeeding("lists");

/** A name that no arena has. */
const WRONG = "pulumi-packetfilter-probe";

/** Lists of marks. */
export const marks: readonly Point[] = [
  point({
    name: "marks",
    title: "list of marks",
    assumes: "`id`; `v`, `value`; `t`, `ttl`, `lifetime`; addresses under usual names",
    finds: ["markKeys", "markAge", "markAddress", "markExpired"],
    ask: async (bench) => {
      const tables = await bench.tables.all();
      if (tables.length === 0) throw new Skipped("no profile is named, and none is listed");
      const answered = tables.filter(({ answer }) => !answer.isRefusal);
      if (answered.length === 0) {
        const evidence = tables.slice(0, 1).map(({ answer }) => answer.evidence);
        if (tables.some(({ url }) => bench.targets.isNamed(url))) throw new Unclear("every list is refused", evidence);
        throw new Skipped(`every list is refused: ${tables[0]?.answer.quote}`);
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
      return {
        ...chosen,
        settings: answers ? { answers } : {},
        raw,
        count,
        keys: markKeys(raw, bench.learned.answers),
      };
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
  }),
  /**
   * Between what the pace of lists of marks is kept. Lists of different tables follow each other at once, as the contract
   * lets them; lists of one table never do, so that a node which refuses those looks like one that does not mind.
   */
  point({
    name: "mark-pace",
    title: "pace of lists of marks",
    assumes: "3 s from the end of one list of a table to the start of its next",
    finds: ["markPace"],
    ask: async ({ tables }) => {
      const all = await tables.all();
      if (all.length < 2) throw new Skipped("no profile is named, and none is listed");
      return { waited: tables.waited, count: all.length };
    },
    judge: ({ waited, count }) =>
      waited > 0
        ? { node: `lists of different tables are refused, too: it asked to wait ${waited} ms` }
        : { found: "assumed", node: `${count} tables were listed one after the other, and none was refused` },
    settings: ({ waited }) =>
      waited > 0 ? { markPace: "node", ...(waited > DEFAULTS.markPauseMs && { markPauseMs: waited }) } : {},
    dialect: ({ waited }) => (waited > 0 ? { markPace: "node" } : {}),
  }),
  /** What a profile answers that has no table of a type. Which ones it has cannot be asked, so all are listed. */
  point({
    name: "missing-table",
    title: "marks of a type without a table",
    assumes: "`getMarks` fails; `capture` and `forward` go on with the other types",
    finds: ["missingTable"],
    ask: async (bench) => {
      const tables = await bench.tables.all();
      const known = new Set(tables.filter(({ answer }) => !answer.isRefusal).map(({ url }) => formatUrl(url)));
      // A profile whose every type is refused may be one that the node does not know.
      const listed = tables.filter(
        ({ url }) => known.has(formatUrl(url)) || bench.learned.profileIsListed(url.profile),
      );
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
  }),
  point({
    name: "user-arena",
    title: "the header User-Arena",
    assumes: "the arena of the url; `userArena` says otherwise",
    finds: ["userArena", "userArenaStatus", "userArenaForm"],
    ask: async (bench) => {
      const table = await bench.tables.shortest();
      if (!table) throw new Skipped("no list of marks was answered");
      const { url, type } = table;
      const none = await bench.list(url, { table: type, headers: {}, asked: "list of marks without User-Arena" });
      const headers = { [USER_ARENA]: WRONG };
      const wrong = await bench.list(url, { table: type, headers, asked: `list of marks with User-Arena: ${WRONG}` });
      return { none, wrong };
    },
    judge: ({ none, wrong }) => ({
      node: wrong.isRefusal ? "must be the arena" : none.isRefusal ? "must be there, with any value" : "not looked at",
      evidence: [none.evidence, wrong.evidence],
    }),
    dialect: ({ none, wrong }) => ({
      userArena: wrong.isRefusal ? "required" : none.isRefusal ? "present" : "ignored",
      ...(none.isRefusal && refusalSwitches("userArena", none)),
    }),
  }),
];
