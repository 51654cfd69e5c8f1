import { messageOf } from "../../model/errors";
import { dataOf, PARSING, repeatedKeys, yamlMessage } from "../../model/yaml";
import { readDocument } from "../document";
import type { Path } from "../lists/list";
import { shown } from "../problems";
import type { Format } from "./format";
import { firstLines } from "./format";

/** One YAML document of the shapes that JSON documents have. */
export const yaml: Format = {
  extensions: [".yaml", ".yml"],
  options: ["records"],
  recognises(head) {
    const [first = ""] = firstLines(head, 1);
    // "2001:db8::" at the end of a line is an address; as a key it needs its length, quotes or the extension.
    return /^(?:---|%YAML|- |(?:[0-9a-f.:]+\/\d+|[0-9.]+|"[^"]+"|'[^']+'):(?:\s|$))/i.test(first);
  },
  read(source, collector, options) {
    // Loaded here, since most programs read no YAML.
    const { isMap, isNode, isSeq, Lexer, LineCounter, parseDocument } = require("yaml") as typeof import("yaml");
    // The parser takes CR alone for a character of its line.
    const text = [...source.chunks].join("").replace(/\r(?!\n)/g, "\n");
    const lines = new LineCounter();
    const place = (offset: number) => {
      const { line, col } = lines.linePos(offset);
      return { line: Math.max(1, line), column: Math.max(1, col) };
    };
    const fail = (offset: number, message: string) => collector.problems.fail(place(offset), message);
    const attempt = <T>(work: () => T): T => {
      try {
        return work();
      } catch (error) {
        return fail(0, `cannot be read as YAML (${messageOf(error)}).`);
      }
    };
    if (isDeep(text, () => new Lexer().lex(text))) fail(0, "is nested too deeply for a list of prefixes.");
    const document = attempt(() => parseDocument(text, { ...PARSING, lineCounter: lines, prettyErrors: false }));
    for (const error of document.errors)
      collector.problems.add(place(error.pos[0]), yamlMessage(error).replace(/\.?$/, "."));
    for (const { name, offset } of repeatedKeys(document))
      collector.problems.add(place(offset), `${shown(name)} appears twice: keep one of them.`);
    collector.problems.throwIfAny();
    const root: unknown = attempt(() => dataOf(document, text));
    const [begin, , end] = document.contents?.range ?? [0, 0, 0];
    takeComments(0, begin);
    readDocument(root, collector, options, {
      place: (path) => place(offset(document.contents, path)),
      // Reported above, for all maps.
      repeated: () => undefined,
    });
    takeComments(end, text.length);

    /** Takes the comment lines of a part of the text. */
    function takeComments(from: number, to: number): void {
      for (const { 0: comment, index } of text.slice(from, to).matchAll(/^#.*/gm))
        collector.comment(comment, place(from + index));
    }

    function start(node: unknown): number | undefined {
      return isNode(node) ? node.range?.[0] : undefined;
    }

    /** Offset of the node at `path`: the key of a map, the element of a sequence. */
    function offset(node: unknown, path: Path): number {
      let found = start(node) ?? 0;
      let current = node;
      for (const step of path) {
        if (isMap(current)) {
          const pair = current.items.find(({ key }) => String(key) === String(step));
          found = start(pair?.key) ?? found;
          current = pair?.value;
        } else if (isSeq(current)) {
          current = current.items[Number(step)];
          found = start(current) ?? found;
        } else break;
      }
      return found;
    }
  },
};

const DEEPEST = 100;

/** True for text that is nested too deeply: the parser is recursive, and a full stack can end Node. */
function isDeep(text: string, tokens: () => Iterable<string>): boolean {
  // A level on its own line takes at least a column, others need an indicator or a bracket.
  if (/^(?: {200}| *(?:[-?:] +){50})/m.test(text)) return true;
  if ((text.match(/[[{]/g)?.length ?? 0) <= DEEPEST) return false;
  let depth = 0;
  for (const token of tokens()) {
    if (token === "[" || token === "{") depth++;
    else if (token === "]" || token === "}") depth--;
    if (depth > DEEPEST) return true;
  }
  return false;
}
