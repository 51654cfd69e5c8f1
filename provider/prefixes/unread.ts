import { isObject } from "../model/json";
import { prefixIn } from "../model/readable";
import type { Path } from "./lists/list";
import { type Place, type Problems, shown } from "./problems";
import { looksLikeAddress, rangeEnds } from "./range";

/**
 * Adds a problem for each member of a document that holds prefixes of which no element is read: a second list, or one of
 * another form.
 *
 * @param paths Of the elements that are read; an empty one is the document itself as one record, whose own texts are read.
 */
export function refuseUnread(root: unknown, paths: readonly Path[], problems: Problems, place: (path: Path) => Place) {
  const read = new Set(paths.map(key));
  const around = new Set(paths.flatMap((path) => path.map((_, end) => key(path.slice(0, end)))));
  const isOne = read.has("");
  visit(root, []);

  function visit(value: unknown, path: Path): void {
    if (!isOne && read.has(key(path))) return;
    if (Array.isArray(value)) for (const [index, element] of value.entries()) visit(element, [...path, index]);
    else if (isObject(value)) {
      for (const [name, content] of Object.entries(value)) {
        const own = [...path, name];
        if (!isOne && (around.has(key(own)) || read.has(key(own)))) visit(content, own);
        else if (!(isOne && typeof content === "string") && holdsPrefix(content))
          problems.add(place(own), unread(name));
      }
    }
  }
}

const key = (path: Path) => path.join("\0");

const unread = (name: string) =>
  `${shown(name)} holds prefixes that are not read: set records: "…" to read an array alone, or columns: { prefix: "…" } to read a record without it.`;

function holdsPrefix(value: unknown): boolean {
  if (typeof value === "string") return isPrefix(value.trim());
  if (Array.isArray(value)) return value.some(holdsPrefix);
  return isObject(value) && Object.entries(value).some(([name, content]) => isPrefix(name) || holdsPrefix(content));
}

function isPrefix(text: string): boolean {
  return (
    rangeEnds(text) !== undefined || (looksLikeAddress(text) && prefixIn(text, { hostBits: "mask" }) !== undefined)
  );
}
