import { DEFAULTS } from "../../client/options";
import type { JsonObject } from "../../model/json";
import type { Mark, MarkType } from "../../model/mark";
import { formatUrl } from "../../model/resource-url";
import type { Answers, Columns } from "../../wire/answers";
import { USER_ARENA } from "../../wire/node-command";
import { forKind, formatFor, isAddressLike } from "../../wire/places";
import { fieldsOf, formatsOf } from "../../wire/text-lines";
import { type Answer, refusalSwitches } from "../asking/answer";
import type { Bench, Table } from "../asking/bench";
import { elementsIn, mayLackTable } from "../asking/listing";
import { Skipped, Unclear } from "../asking/outcome";
import { type Point, pointsNeeding, settlesLists } from "../point";
import { merged } from "../shapes/answers";
import { markKeys, meaningsIn } from "../shapes/names";
import { formatSwitch } from "./list-shapes";
import { hasNumbers, judgedRecords, understand } from "./records";

/** A name that no arena has. */
const WRONG = "pulumi-packetfilter-probe";

/** Meaning of the header User-Arena. */
const ARENA = {
  required: "must be the arena",
  present: "must be present, with any value",
  ignored: "not looked at",
} as const;

const listed = pointsNeeding("lists")(
  {
    name: "marks",
    title: "list of marks",
    assumes: "`id`; `v`, `value`; `t`, `ttl`, `lifetime`; addresses under usual names",
    settles: settlesLists(
      "marks",
      ...(["address", "id", "value", "lifetime", "age", "status", "source", "destination"] as const),
      ...(["sourcePort", "destinationPort", "protocol"] as const),
    ),
    ask: async (bench) => {
      const tables = await bench.tables();
      if (tables.length === 0) throw new Skipped("no profile is named, and none is listed");
      const answered = tables.filter(({ answer }) => !answer.isRefusal);
      if (answered.length === 0) {
        const evidence = tables.slice(0, 1).map(({ answer }) => answer);
        if (tables.some(({ url }) => bench.targets.isNamed(url))) throw new Unclear("every list is refused", evidence);
        throw new Skipped(`every list is refused: ${tables[0]?.answer.quote}`);
      }
      const rows = learnLines(bench, answered);
      if ("answer" in rows) {
        const node = `rows of ${rows.fields} fields, and nothing shows what each means`;
        const advice = "describe them by `answers.format` and `answers.columns`, or let the node write a head line";
        return {
          is: "rows",
          as: "dialect",
          node,
          advice,
          evidence: [rows.answer],
          dialect: { marksFormat: rows.marksFormat },
          unseen: true,
        };
      }
      const readAll = () => answered.map((one) => ({ type: one.table, answer: one.answer, ...understand(bench, one) }));
      let read = readAll();
      const raw = read.flatMap(({ type, first }) => (first ? [{ type, record: first }] : []));
      const address = addressNamed(read);
      if (address) {
        bench.learned.record(address);
        read = readAll();
      }
      const [chosen] = read.toSorted((a, b) => Number(b.list.length > 0) - Number(a.list.length > 0));
      if (!chosen) throw new Skipped("no table was answered");
      const count = read.reduce((sum, { list }) => sum + list.length, 0);
      const known = [rows, { known: address ?? {} }, ...read].reduce((all, one) => merged(all, one.known), {});
      const { first } = chosen;
      const [mark] = chosen.list;
      // Fields of rows have names only if a head line gives them.
      const isByColumn = forKind<Columns>(bench.learned.answers.columns, "marks") !== undefined;
      const names = `${count}${first ? `, with ${Object.keys(first).join(", ")}` : ""}`;
      const dialect = first &&
        mark && {
          markKeys: isByColumn ? undefined : markKeys(raw, bench.learned.answers),
          markAge: mark.age === undefined ? "hidden" : "shown",
          markAddress: isByColumn ? undefined : addressSwitch(Object.values(first)),
          markExpired: isByColumn ? undefined : mark.status === undefined ? "hidden" : "shown",
        };
      const isPart = read.some(({ list }) =>
        list.some((one) => (one.id === undefined || one.value === undefined) && hasNumbers(one)),
      );
      return judgedRecords({ ...chosen, known }, names, { ...dialect, ...givenSwitches(bench.node.answers) }, isPart);
    },
  },
  /**
   * Lists of different tables follow each other at once, as the contract allows. Lists of one table never do, so a node that
   * refuses those looks like one that does not.
   */
  {
    name: "mark-pace",
    title: "pace of lists of marks",
    assumes: "3 s from the end of one list of a table to the start of its next",
    settles: ["markPace", "markPauseMs"],
    ask: async (bench) => {
      const tables = await bench.tables();
      const isGood = (table: Table) => elementsIn(table, bench.learned.answers) !== undefined;
      const count = tables.filter(isGood).length;
      if (tables.length < 2) throw new Skipped("no profile is named, and none is listed");
      if (count < 2) throw new Skipped("fewer than two tables were listed");
      const { marksWait: waited } = bench;
      if (waited === 0)
        return {
          is: "none",
          as: "unknown",
          node: `${count} of ${tables.length} tables were listed one after the other, and none had to wait`,
        };
      const node = `lists of different tables are refused as well: it asked to wait ${waited} ms`;
      const settings = { markPace: "node", ...(waited > DEFAULTS.markPauseMs && { markPauseMs: waited }) } as const;
      return { is: "node", as: "setting", node, settings, dialect: { markPace: "node" } };
    },
  },
);

const further = pointsNeeding("lists", "marks")(
  /** A node cannot be asked for the tables that it has, so all are listed. */
  {
    name: "missing-table",
    title: "marks of a type without a table",
    assumes: "`getMarks` fails; `capture` and `forward` continue with the other types",
    ask: async (bench) => {
      const tables = await bench.tables();
      const answered = new Set(tables.filter(({ answer }) => !answer.isRefusal).map(({ url }) => formatUrl(url)));
      // If every type is refused, the node may not know the profile.
      const listed = tables.filter(
        ({ url }) => answered.has(formatUrl(url)) || bench.learned.profiles.includes(url.profile),
      );
      const refused = listed.find(({ answer }) => mayLackTable(answer));
      const empty = listed.find(
        (table) => !table.answer.isRefusal && elementsIn(table, bench.learned.answers)?.length === 0,
      );
      if (!refused && !empty) throw new Skipped("no table was empty, and none was refused");
      const evidence = [(refused ?? empty)?.answer];
      if (refused)
        return { is: "error", as: "dialect", node: "an error", evidence, dialect: { missingTable: "error" } };
      return { is: "empty", as: "unknown", node: "an empty list, or the profile has all four", evidence };
    },
  },
  {
    name: "user-arena",
    title: "the header User-Arena",
    assumes: "the arena of the url, unless `userArena` is set",
    ask: async (bench) => {
      // An empty table cannot be distinguished from a refusal.
      const filled = (await bench.tables()).filter((one) => (elementsIn(one, bench.learned.answers)?.length ?? 0) > 0);
      const [chosen] = filled.toSorted((a, b) => a.answer.body.length - b.answer.body.length);
      if (!chosen) throw new Skipped("no table holds a mark");
      const { url, table } = chosen;
      const none = await bench.list(url, { table, headers: {}, asked: "list of marks without User-Arena" });
      const headers = { [USER_ARENA]: WRONG };
      const wrong = await bench.list(url, { table, headers, asked: `list of marks with User-Arena: ${WRONG}` });
      const isRefused = none.isRefusal || wrong.isRefusal;
      // The node may refuse everything meanwhile.
      const after = isRefused ? await bench.list(url, { table, headers: bench.userArena(url) }) : chosen.answer;
      return () => {
        const isListed = (answer: Answer) =>
          (elementsIn({ url, table, answer }, bench.learned.answers)?.length ?? 0) > 0;
        const evidence = [none, wrong];
        if (!isListed(after)) {
          const node = "the list is refused with the header as well";
          return { is: "always", as: "unknown", node, evidence: [after] };
        }
        if (evidence.some((answer) => !answer.isRefusal && !isListed(answer)))
          return {
            is: "unlike",
            as: "unknown",
            node: "an answer that is neither the table nor a known error",
            evidence,
          };
        if (wrong.isRefusal && !none.isRefusal) {
          const node = "may be left out, and must be the arena where it is sent";
          return { is: "optional", as: "beyond", node, evidence };
        }
        const is = wrong.isRefusal ? "required" : none.isRefusal ? "present" : "ignored";
        const dialect = { userArena: is, ...(none.isRefusal && refusalSwitches("userArena", none)) };
        return { is, as: "dialect", node: ARENA[is], evidence, dialect };
      };
    },
  },
);

export const marks: readonly Point[] = [...listed, ...further];

/** The name of the only address in tables of single addresses that are read without one. */
function addressNamed(
  read: readonly {
    readonly type: MarkType;
    readonly first: JsonObject | undefined;
    readonly list: readonly Mark[];
  }[],
): Answers | undefined {
  const unread = read.filter(
    ({ type, list }) => SINGLE.includes(type) && list.some((one) => one.address === undefined),
  );
  const records = unread.flatMap(({ first }) => (first ? [first] : []));
  return meaningsIn({ kind: "array", elements: records, members: {} }, "marks", {})[0];
}

const SINGLE: readonly MarkType[] = ["shost", "dhost"];

/** The emulator's switches for settings that only the user can know. */
function givenSwitches({ markTypes = {}, units = {} }: Answers = {}) {
  const words = Object.entries(markTypes).map(([type, word]) => `${type}=${word}`);
  return {
    markTypes: words.length > 0 ? words.join(",") : undefined,
    markLifetimeUnit: units.lifetime,
    markAgeUnit: units.age,
  };
}

/** The emulator's switch for the form of addresses. */
function addressSwitch(contents: readonly unknown[]): string {
  if (contents.some((content) => Array.isArray(content))) return "octets";
  if (contents.some((content) => typeof content === "string" && /^0x[\da-f]{7,8}$/i.test(content))) return "hex";
  const texts = contents.filter((content) => typeof content === "string");
  if (texts.some((text) => /\/(32|128)$/.test(text))) return "cidr";
  return texts.some(isAddressLike) || !contents.some((content) => Number(content) >= 2 ** 24) ? "bare" : "integer";
}

/** Learns the format of tables in lines, which all tables share; else returns the first. No order of numbers shows what they mean. */
function learnLines({ learned }: Bench, tables: readonly Table[]) {
  const isJson = formatFor(learned.answers, "marks") === "json";
  const filled = tables.filter(({ answer }) => isJson && fieldsOf(answer.body, "lines").length > 0);
  const [format] = filled.flatMap(({ answer }) => formatsOf(answer.body));
  const [first] = filled;
  if (format === undefined || first === undefined) return { known: {} };
  const known = { format: { marks: format } };
  const reads = (answers: Answers) => filled.every((table) => elementsIn(table, merged(learned.answers, answers)));
  if (reads(known)) {
    learned.record(known);
    return { known };
  }
  const { answer } = first;
  const fields = fieldsOf(answer.body, format).at(-1)?.length ?? 0;
  return { answer, fields, marksFormat: formatSwitch(answer.body, known, "marks") };
}
