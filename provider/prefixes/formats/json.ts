import { readDocument } from "../document";
import { offsetOf, placeOf, repeatedMember, syntaxErrorAt } from "../json-text";
import type { Format } from "./format";

/** One JSON document: an object of prefixes, an array, or one of the published lists. */
export const json: Format = {
  extensions: [".json"],
  recognises: (head) => /^\s*[[{]/.test(head),
  read(source, collector, options) {
    const text = [...source.chunks].join("");
    const place = (offset: number) => placeOf(text, offset);
    let root: unknown;
    try {
      root = JSON.parse(text);
    } catch {
      const offset = syntaxErrorAt(text) ?? 0;
      collector.problems.fail(
        place(offset),
        offset >= text.length
          ? "ends in the middle of the JSON: the file is incomplete, fetch it again."
          : "is no JSON from here on: correct it.",
      );
    }
    readDocument(root, collector, options, {
      place: (path) => place(offsetOf(text, path)),
      repeated: () => {
        const found = repeatedMember(text);
        return found && { name: found.name, place: place(found.offset) };
      },
    });
  },
};
