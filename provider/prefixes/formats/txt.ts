import { prefixIn } from "../../model/readable";
import type { Collector } from "../collector";
import { doubtfulValue, isBareAddress, mayBeLength } from "../lengths";
import { LISTS } from "../lists";
import type { TextShape } from "../lists/list";
import type { RawEntry, Where } from "../problems";
import { LONGEST_LINE, linesOf } from "../source";
import type { Format } from "./format";
import { type LineResult, readKnownLine } from "./line-kinds";

const SHAPES: readonly TextShape[] = LISTS.flatMap(({ text }) => text ?? []);

/** One prefix on each line, with an optional value after it; `#` and `;` begin comments. */
export const txt: Format = {
  extensions: [".txt", ".list", ".netset", ".ipset"],
  recognises: () => true,
  read(source, collector, { columns }) {
    if (columns)
      throw new TypeError("The option `columns` needs a format that has columns: csv, json, ndjson or yaml.");
    let line = 0;
    let table: TextShape | undefined;
    const filled = new Set<string>();
    for (const text of linesOf(source.chunks)) {
      line++;
      if (text.length > LONGEST_LINE) {
        collector.problems.add({ line, column: 1 }, "is a line of more than a megabyte: write one prefix a line.");
        continue;
      }
      if (!table && collector.takesPlain(text, line)) continue;
      if (collector.refusesLineEnd(text, line)) continue;
      const known = readKnownLine(text, filled);
      if (known !== undefined) {
        takeKnown(known, text, line, collector);
        continue;
      }
      const comment = text.search(/[#;]/);
      const said = comment < 0 ? text : text.slice(0, comment);
      if (said.trim() === "") {
        if (text.charAt(comment) === ";" && isRow(text.slice(comment + 1)))
          collector.problems.add({ line, column: comment + 1 }, AFTER_SEMICOLON);
        else if (comment >= 0) collector.comment(text.slice(comment), { line, column: comment + 1 });
        continue;
      }
      const head = said.includes("\t") ? SHAPES.find((shape) => shape.head?.test(said)) : undefined;
      if (head) table = head;
      else if (collector.takes(NO_MEMBERS)) {
        if (table?.prefix) {
          const prefix = table.prefix(said.split("\t"));
          if (prefix !== undefined) readPrefix(prefix, line, collector);
          else
            collector.problems.add({ line, column: 1 }, "has fewer fields than its head line: fetch the file again.");
        } else if (comment < 0 && !/[\s-]/.test(said)) readPrefix(said, line, collector);
        else
          readEntry(
            said,
            { sign: text.charAt(comment), text: comment < 0 ? "" : text.slice(comment + 1), column: comment + 1 },
            line,
            collector,
          );
      }
    }
  },
};

const NO_MEMBERS = {};

/** Takes a line of another program, whose lists have names: entries of several lists are selected by it. */
function takeKnown(known: LineResult, text: string, line: number, collector: Collector): void {
  if (known === "nothing") return;
  if ("problem" in known) {
    collector.problems.add({ line, column: Math.max(0, text.indexOf(known.at ?? "")) + 1 }, known.problem);
  } else if (collector.takesFrom(known.list, { line, column: 1 })) {
    const column = Math.max(0, text.lastIndexOf(String(known.entry.prefix))) + 1;
    collector.add(known.entry, () => ({ line, column }));
  }
}

interface Comment {
  readonly sign: string;
  readonly text: string;
  readonly column: number;
}

function readEntry(said: string, comment: Comment, line: number, collector: Collector): void {
  const words = [...said.matchAll(/\S+/g)].map(({ 0: word, index }) => ({ word, index }));
  const [first, ...others] = words.slice(wordsOfRange(words.map(({ word }) => word)) - 1);
  const [start, end] = [words[0]?.index ?? 0, (first?.index ?? 0) + (first?.word.length ?? 0)];
  const [value, rest] = others;
  if (rest !== undefined) {
    collector.problems.add(
      { line, column: rest.index + 1 },
      `${JSON.stringify(said.slice(rest.index).trimEnd().slice(0, 40))} follows the value: write one prefix a line, and comments after "#".`,
    );
    return;
  }
  if (comment.sign === ";" && isField(said.slice(start, end), comment.text)) {
    collector.problems.add({ line, column: comment.column }, AFTER_SEMICOLON);
    return;
  }
  const doubt = value && doubtfulValue(said.slice(start, end), value.word);
  if (doubt) {
    collector.problems.add({ line, column: value.index + 1 }, doubt);
    return;
  }
  const where: Where = (part) => ({ line, column: (part === "value" ? (value?.index ?? end) : start) + 1 });
  collector.add({ prefix: said.slice(start, end), value: value?.word, ...reasonOf(comment.text) }, where);
}

const AFTER_SEMICOLON =
  'looks like a field after a semicolon, which begins comments here: set format: "csv", or write comments after "#".';

/** True for a comment that may be fields of a row: "192.0.2.0;24" is one, and "192.0.2.0/24 ; SBL1" has a comment. */
function isField(prefix: string, comment: string): boolean {
  const fields = comment.split(";").map((field) => field.trim());
  if (/^\d+$/.test(fields[0] ?? "") || fields.some((field) => prefixIn(field) !== undefined)) return true;
  return isBareAddress(prefix) && fields.some((field) => mayBeLength(prefix, field));
}

/** True for a row whose first field is empty: ";192.0.2.0/24;4". */
function isRow(comment: string): boolean {
  const [field = "", ...others] = comment.split(";");
  return others.length > 0 && prefixIn(field.trim()) !== undefined;
}

/** Number of words of a prefix or range at the beginning of a line: three in `a - b`, two in `a- b` and `a -b`. */
function wordsOfRange([first = "", second = "", third = ""]: readonly string[]): number {
  const dash = first.lastIndexOf("-");
  if (dash > 0 && dash < first.length - 1) return 1;
  const isEnd = (word: string) => word !== "" && !word.includes("-");
  if (second === "-" && isEnd(third)) return 3;
  const isJoined = second.startsWith("-") ? isEnd(second.slice(1)) : dash > 0 && isEnd(second);
  return isJoined ? 2 : 1;
}

/** A prefix or a range alone. */
function readPrefix(prefix: string, line: number, collector: Collector): void {
  collector.add({ prefix }, () => ({ line, column: 1 }));
}

function reasonOf(comment: string): Pick<RawEntry, "reason"> {
  const text = comment.trim();
  return text !== "" && SHAPES.some((shape) => shape.reason?.test(text)) ? { reason: text } : {};
}
