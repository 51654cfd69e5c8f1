import { delimiterOf, splitRecord } from "../../model/delimited";
import type { Collector } from "../collector";
import type { PrefixColumns, PrefixFileOptions } from "../options";
import { looksLikeAddress } from "../range";
import { RecordReader } from "../records";
import { LONGEST_LINE, linesOf, type TextSource } from "../source";
import { type Format, firstLines } from "./format";

/**
 * Fields separated by commas, semicolons or tabs, quoted as in RFC 4180; lines that begin with `#` are comments. Fields are
 * split by own code: the libraries for it report the line of a record, but not the column of a field, and read a million
 * lines into memory or through a stream, which a synchronous reader cannot use.
 */
export const csv: Format = {
  extensions: [".csv", ".tsv"],
  recognises(head) {
    const [first = ""] = firstLines(head, 1);
    return first.replace(/[#;].*/, "").includes(",") && !/^\s*[[{]/.test(first);
  },
  read(source, collector, options) {
    const [first = ""] = firstLines(source.head, 1);
    const delimiter = delimiterOf(first);
    let names: readonly string[] | undefined;
    let reader: RecordReader | undefined;
    for (const row of rows(source, delimiter, collector)) {
      const texts = row.fields.map(({ text }) => text);
      if (names === undefined || reader === undefined) {
        const hasHead = isHead(texts, options.columns);
        const byNumber = !hasHead || typeof options.columns?.prefix === "number";
        names = byNumber ? texts.map((_, index) => String(index)) : texts.map((text) => text.trim());
        reader = new RecordReader(collector, {
          ...options,
          columns: options.columns ?? (hasHead ? undefined : headless(texts)),
        });
        if (hasHead) continue;
      }
      const record: Record<string, string> = Object.create(null);
      for (let index = 0; index < texts.length; index++) record[names[index] ?? String(index)] = texts[index] as string;
      reader.add(record, (member) => {
        const index = member === undefined ? 0 : Math.max(0, names?.indexOf(member) ?? 0);
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
      if (text.trim() === "" || /^\s*#/.test(text) || (delimiter !== ";" && /^\s*;/.test(text))) {
        collector.comment(text, { line, column: 1 });
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

/** True for a first line if columns have names, or if no field of it looks like a prefix. */
function isHead(texts: readonly string[], columns: PrefixColumns | undefined): boolean {
  if (typeof columns?.prefix === "string") return true;
  if (columns) return !looksLikeAddress(texts[columns.prefix as number] ?? "");
  return !texts.some((text) => looksLikeAddress(text));
}

/** Without a head line: the prefix first, then the value, as in text files. */
function headless(texts: readonly string[]): PrefixFileOptions["columns"] {
  return texts.length > 1 ? { prefix: 0, value: 1 } : { prefix: 0 };
}
