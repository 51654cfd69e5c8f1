import type { Collector } from "../collector";
import { LONGEST_LINE, linesOf } from "../lines";
import { LISTS } from "../lists";
import type { TextShape } from "../lists/list";
import type { RawEntry, Where } from "../raw-entry";
import type { Format } from "./format";

const SHAPES: readonly TextShape[] = LISTS.flatMap(({ text }) => text ?? []);

/** A prefix, an address or a range, a value where there is one, and what should not be there. */
const ENTRY = /^(\s*)(\S+?(?:\s*-\s*[^\s-]+)?)(?:(\s+)(\S+)(?:(\s+)(\S.*))?)?\s*$/;

/** One prefix a line, an optional value behind it; `#` and `;` begin comments. */
export const txt: Format = {
  extensions: [".txt", ".list", ".netset", ".ipset"],
  recognises: () => true,
  read(source, collector, { columns }) {
    if (columns)
      throw new TypeError("The option `columns` needs a format that has columns: csv, json, ndjson or yaml.");
    let line = 0;
    let table: TextShape | undefined;
    for (const text of linesOf(source.chunks)) {
      line++;
      if (text.length > LONGEST_LINE) {
        collector.problems.add({ line, column: 1 }, "is a line of more than a megabyte: write one prefix a line.");
        continue;
      }
      const comment = text.search(/[#;]/);
      const said = comment < 0 ? text : text.slice(0, comment);
      if (said.trim() === "") {
        if (comment >= 0) readComment(text.slice(comment), { line, column: comment + 1 }, collector);
        continue;
      }
      const head = said.includes("\t") ? SHAPES.find((shape) => shape.head?.test(said)) : undefined;
      if (head) table = head;
      else if (collector.takes(NO_MEMBERS)) {
        if (table?.prefix) readPrefix(table.prefix(said.split("\t")), line, collector);
        else if (comment < 0 && !/[\s-]/.test(said)) readPrefix(said, line, collector);
        else readEntry(said, comment < 0 ? "" : text.slice(comment + 1), line, collector);
      }
    }
  },
};

const NO_MEMBERS = {};

function readEntry(said: string, comment: string, line: number, collector: Collector): void {
  const [, indent = "", prefix = "", gap = "", value, secondGap = "", rest] = ENTRY.exec(said) ?? [];
  const column = indent.length + 1;
  const valueColumn = column + prefix.length + gap.length;
  if (value !== undefined && rest !== undefined) {
    collector.problems.add(
      { line, column: valueColumn + value.length + secondGap.length },
      `${JSON.stringify(rest.trimEnd().slice(0, 40))} stands behind the value: write one prefix a line, and comments behind "#".`,
    );
    return;
  }
  const where: Where = (part) => ({ line, column: part === "value" ? valueColumn : column });
  collector.add({ prefix, value, ...reasonOf(comment) }, where);
}

/** A prefix or a range alone. */
function readPrefix(prefix: string, line: number, collector: Collector): void {
  collector.add({ prefix }, () => ({ line, column: 1 }));
}

function reasonOf(comment: string): Pick<RawEntry, "reason"> {
  const text = comment.trim();
  return text !== "" && SHAPES.some((shape) => shape.reason?.test(text)) ? { reason: text } : {};
}

function readComment(comment: string, place: { line: number; column: number }, collector: Collector): void {
  for (const shape of SHAPES) {
    const { records, noun = "records" } = shape.announcement?.exec(comment)?.groups ?? {};
    if (records !== undefined) collector.announce(Number(records.replaceAll(",", "")), noun, place);
  }
}
