import { isObject, type JsonObject, membersOf } from "../model/json";
import { likelyMeant } from "../model/nearest";
import { type Around, signsOfPart } from "../wire/partial-list";
import type { Collector } from "./collector";
import { foreignDocument } from "./foreign-files";
import { doubtfulValue } from "./lengths";
import { LISTS } from "./lists";
import { type Element, elements, member, type Path } from "./lists/list";
import type { PrefixFileOptions } from "./options";
import { type Place, shown } from "./problems";
import { looksLikeAddress } from "./range";
import { RecordReader } from "./records";
import { refuseUnread } from "./unread";

/** Positions in the text of a document. */
export interface DocumentText {
  /** Place of a member's name, or of an element of an array. */
  place(path: Path): Place;
  /** The first member that an object has twice: parsers keep the last one without an error. */
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
  const again = text.repeated();
  if (again) problems.add(again.place, `${shown(again.name)} appears twice: keep one of them.`);
  const foreign = foreignDocument(root);
  const list = options.columns || foreign !== undefined ? undefined : published(root);
  if (options.records !== undefined) readRecords(recordsAt(root, options.records));
  else if (foreign !== undefined) problems.fail(text.place([]), foreign);
  else if (typeof list === "string") problems.fail(text.place([]), list);
  else if (list) {
    const found = [...list];
    // An array of alerts has addresses beside the decisions of each.
    const paths = found.map(({ path }) => path);
    if (isObject(root)) refuseUnread(root, paths, problems, text.place);
    refusePart({ within: [membersOf(root)], list: undefined, length: found.length });
    readRecords(found);
  } else if (Array.isArray(root)) readRecords(elements(root));
  else if (isObject(root)) {
    if (isMap(root)) readMap(root);
    // A file of one record.
    else readRecords([{ path: [], record: root }]);
  } else if (root !== null && root !== undefined) {
    problems.fail(text.place([]), `${shown(root)} is neither an array nor an object.`);
  }

  function recordsAt(value: unknown, records: string): Element[] {
    let [current, path]: [unknown, string[]] = [value, []];
    const within: JsonObject[] = [];
    for (const name of records.split(".")) {
      if (isObject(current)) within.push(current);
      const inner: unknown = Array.isArray(current) ? current[Number(name)] : member(current, name);
      path = [...path, name];
      if (inner === undefined)
        problems.fail(
          text.place(path.slice(0, -1)),
          `has no ${shown(name)}, which \`records\` names; it has ${Object.keys(membersOf(current)).slice(0, 10).join(", ") || "no members"}.`,
        );
      current = inner;
    }
    if (!Array.isArray(current)) problems.fail(text.place(path), `${shown(current)} is not an array of records.`);
    const all = elements(value, ...path);
    refusePart({ within, list: current, length: all.length, isNamed: true });
    return all;
  }

  /** Refuses records beside a member that says that they are a part. */
  function refusePart(around: Around): void {
    for (const { path, what } of options.allowEmpty ? [] : signsOfPart(around)) {
      const problem = `${shown(path.at(-1))} ${what}: the records are only a part, fetch all (or set allowEmpty: true).`;
      problems.add(text.place(path), problem);
    }
  }

  function readRecords(found: Iterable<Element>): void {
    const reader = new RecordReader(collector, options);
    for (const { path, record } of found) {
      reader.add(record, (member) => text.place(member === undefined ? path : [...path, member]));
    }
    reader.end();
  }

  function readMap(map: JsonObject): void {
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
