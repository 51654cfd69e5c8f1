import { isObject, type JsonObject, membersOf } from "../model/json";
import { likelyMeant } from "../model/nearest";
import type { Collector } from "./collector";
import { doubtfulValue } from "./lengths";
import { LISTS } from "./lists";
import { type Element, elements, type Path } from "./lists/list";
import type { PrefixFileOptions } from "./options";
import { type Place, shown } from "./problems";
import { looksLikeAddress } from "./range";
import { RecordReader } from "./records";

/** Positions in the text of a document. */
export interface DocumentText {
  /** Place of a member's name, or of an element of an array. */
  place(path: Path): Place;
  /** The first member that the outermost object has twice: parsers keep the last one without an error. */
  repeated(): { readonly name: string; readonly place: Place } | undefined;
}

const PARTS = new Set(["value", "reason", "ticket", "expires", "sent"]);
/** Number of members that decide whether an object has prefixes as keys. */
const SAMPLE = 20;

/** Reads the entries of a JSON or YAML document, whatever its shape. */
export function readDocument(
  root: unknown,
  collector: Collector,
  options: PrefixFileOptions,
  text: DocumentText,
): void {
  const { problems } = collector;
  const list = options.columns ? undefined : published(root);
  if (typeof list === "string") problems.fail(text.place([]), list);
  else if (list) readRecords(list);
  else if (Array.isArray(root)) readRecords(elements(root));
  else if (isObject(root)) {
    if (isMap(root)) readMap(root);
    // A file of one record.
    else readRecords([{ path: [], record: root }]);
  } else if (root !== null && root !== undefined) {
    problems.fail(text.place([]), `${shown(root)} is neither an array nor an object.`);
  }

  function readRecords(found: Iterable<Element>): void {
    const reader = new RecordReader(collector, options);
    for (const { path, record } of found) {
      reader.add(record, (member) => text.place(member === undefined ? path : [...path, member]));
    }
    reader.end();
  }

  function readMap(map: JsonObject): void {
    const again = text.repeated();
    if (again) problems.add(again.place, `${shown(again.name)} appears twice: keep one of them.`);
    for (const prefix of Object.keys(map)) {
      const content = map[prefix];
      const where = (part: string) => text.place(isObject(content) && part !== "prefix" ? [prefix, part] : [prefix]);
      if (!collector.takes(membersOf(content))) continue;
      if (!isObject(content)) {
        const doubt = doubtfulValue(prefix, content);
        if (doubt) problems.add(where("value"), doubt);
        else collector.add({ prefix, value: content }, where);
      } else {
        const unknown = Object.keys(content).find((name) => !PARTS.has(name));
        if (unknown !== undefined) {
          problems.add(
            text.place([prefix, unknown]),
            `${shown(unknown)} is not a member of an entry: the members are value, reason, ticket, expires and sent.${likelyMeant(unknown, [...PARTS])}`,
          );
        }
        collector.add({ ...content, prefix }, where);
      }
    }
  }
}

/** The elements of the first published list whose shape the document has, or the reason why it cannot be used. */
function published(root: unknown): Iterable<Element> | string | undefined {
  for (const list of LISTS) {
    const found = list.find?.(root);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** True for an object with prefixes as keys, even if some keys are wrong. */
function isMap(root: JsonObject): boolean {
  const keys: string[] = [];
  for (const key in root) if (keys.push(key) === SAMPLE) break;
  return keys.length === 0 || keys.some((key) => looksLikeAddress(key) || looksLikeRange(key));
}

function looksLikeRange(key: string): boolean {
  const [first = "", last = ""] = key.split("-", 2);
  return looksLikeAddress(first.trim()) && looksLikeAddress(last.trim());
}
