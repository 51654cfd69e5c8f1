import { delimiterOf, splitRecord } from "../../model/delimited";
import { count } from "../../model/text";
import type { Collector } from "../collector";
import { RecordReader } from "../records";
import { LONGEST_LINE, linesOf, type TextSource } from "../source";
import { type Head, headOf } from "./csv-head";
import { type Format, firstLines } from "./format";
import { readKnownLine } from "./line-kinds";

/** Rows may begin with a semicolon, which begins comments in other formats. */
const COMMENT = /^\s*(?:#.*)?$/s;

/**
 * Fields separated by commas, semicolons or tabs, quoted as in RFC 4180; lines that begin with `#` are comments. Fields are
 * split by own code: the libraries for it report the line of a record, but not the column of a field, and read a million
 * lines into memory or through a stream, which a synchronous reader cannot use.
 */
export const csv: Format = {
  extensions: [".csv", ".tsv"],
  options: ["header"],
  recognises(head) {
    const [first = ""] = firstLines(head, 1);
    return (
      first.replace(/[#;].*/, "").includes(",") &&
      !/^\s*[[{]/.test(first) &&
      readKnownLine(first, new Set()) === undefined
    );
  },
  read(source, collector, options) {
    const [first = ""] = firstLines(source.head, 1, COMMENT);
    const delimiter = delimiterOf(first);
    let head: Head | undefined;
    let reader: RecordReader | undefined;
    for (const row of rows(source, delimiter, collector)) {
      const texts = row.fields.map(({ text }) => text);
      if (head === undefined || reader === undefined) {
        head = headOf(texts, options, (message) => collector.problems.fail(row.place(0), message));
        reader = new RecordReader(collector, { ...options, columns: head.columns });
        if (head.isRow) continue;
      }
      const { names } = head;
      if (texts.length !== names.length) {
        collector.problems.add(
          row.place(0),
          `has ${count(texts.length, "field")}, and the first row ${names.length}: quote texts that hold the separator, and write empty fields out.`,
        );
        continue;
      }
      const record: Record<string, string> = Object.create(null);
      for (let index = 0; index < texts.length; index++) record[names[index] as string] = texts[index] as string;
      reader.add(record, (member) => {
        const index = member === undefined ? 0 : Math.max(0, names.indexOf(member));
        return row.place(row.fields[index]?.offset ?? 0);
      });
    }
    reader?.end();
  },
};

/** Most lines of one quoted text: a missing quote must not make a record of the rest of the file. */
const LONGEST_TEXT = 100;

function* rows(source: TextSource, delimiter: string, collector: Collector) {
  let line = 0;
  let begun = "";
  let from = 1;
  for (const text of linesOf(source.chunks)) {
    line++;
    if (begun === "") {
      from = line;
      // A row of fields with semicolons between them may begin with an empty one.
      if (text.trim() === "" || COMMENT.test(text) || (delimiter !== ";" && /^\s*;/.test(text))) {
        if (!collector.refusesLineEnd(text, line)) collector.comment(text, { line, column: 1 });
        continue;
      }
    }
    const record = begun === "" ? text : `${begun}\n${text}`;
    begun = "";
    if (line - from > LONGEST_TEXT || record.length > LONGEST_LINE) {
      collector.problems.fail(
        { line: from, column: 1 },
        'begins a record of more than 100 lines or a megabyte: is a quote (") missing?',
      );
    }
    const start = from;
    const place = (offset: number) => {
      const before = record.slice(0, offset).split("\n");
      return { line: start + before.length - 1, column: (before.at(-1) ?? "").length + 1 };
    };
    const fields = splitRecord(record, delimiter);
    if (fields === "open") begun = record;
    else if ("offset" in fields) collector.problems.add(place(fields.offset), fields.message);
    else yield { fields, place };
  }
  if (begun !== "")
    collector.problems.add({ line: from, column: 1 }, 'begins a quoted text that never ends: is a quote (") missing?');
}
