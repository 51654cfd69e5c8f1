import { repeatedMember } from "../../model/repeated-member";
import { readDocument } from "../document";
import { offsetOf, placeOf, syntaxErrorAt } from "../json-text";
import { shown } from "../problems";
import { RecordReader } from "../records";
import { LONGEST_LINE, linesOf } from "../source";
import { type Format, firstLines } from "./format";

/** One JSON document: an object of prefixes, an array, or one of the published lists. */
export const json: Format = {
  extensions: [".json"],
  options: ["records"],
  // "[2001:db8::1]" is an address as urls write it.
  recognises: (head) => /^\s*[[{](?![0-9a-f]*:[0-9a-f:.]*\])/i.test(head),
  read(source, collector, options) {
    const text = [...source.chunks].join("");
    const place = (offset: number) => placeOf(text, offset);
    const root = parsed(text, ["the JSON", "correct it"], (offset, message) =>
      collector.problems.fail(place(offset), message),
    )?.value;
    readDocument(root, collector, options, {
      place: (path) => place(offsetOf(text, path)),
      repeated: () => {
        const found = repeatedMember(text, root);
        return found && { name: found.name, place: place(found.offset) };
      },
    });
  },
};

/** One JSON value on each line: an object with members, or a text with a prefix. */
export const ndjson: Format = {
  extensions: [".ndjson", ".jsonl"],
  recognises(head) {
    const [first = "", second] = firstLines(head, 2);
    return (
      second !== undefined && first.startsWith("{") && second.startsWith("{") && syntaxErrorAt(first) === undefined
    );
  },
  read(source, collector, options) {
    const reader = new RecordReader(collector, options);
    let line = 0;
    for (const text of linesOf(source.chunks)) {
      line++;
      if (text.length > LONGEST_LINE) {
        collector.problems.add({ line, column: 1 }, "is a line of more than a megabyte: write one record a line.");
      } else if (text.trim() !== "") {
        const at = line;
        const record = parsed(text, ["a record", "write one JSON object a line"], (offset, message) =>
          collector.problems.add({ line: at, column: offset + 1 }, message),
        );
        const again = record && repeatedMember(text, record.value);
        if (again) {
          const place = { line, column: again.offset + 1 };
          collector.problems.add(place, `${shown(again.name)} appears twice: keep one of them.`);
        } else if (record) {
          reader.add(record.value, (member) => ({
            line: at,
            column: offsetOf(text, member === undefined ? [] : [member]) + 1,
          }));
        }
      }
    }
    reader.end();
  },
};

/** Value of a JSON text. @param words Name of the text, and the remedy if it is not JSON. */
function parsed(
  text: string,
  [what, remedy]: readonly [string, string],
  problem: (offset: number, message: string) => void,
): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    const offset = syntaxErrorAt(text) ?? 0;
    const isCut = offset >= text.length;
    const incomplete = `ends in the middle of ${what}: the file is incomplete, fetch it again.`;
    problem(offset, isCut ? incomplete : `is not JSON from here on: ${remedy}.`);
    return undefined;
  }
}
