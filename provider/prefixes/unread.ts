import { isObject } from "../model/json";
import { prefixIn } from "../model/readable";
import type { Path } from "./lists/list";
import { type Place, type Problems, shown } from "./problems";
import { looksLikeAddress, rangeEnds } from "./range";
import { isPrefixName } from "./record-prefix";

/**
 * Adds a problem for each member of a document that holds prefixes of which no element is read: a second list, or one of
 * another form.
 *
 * @param paths Of the elements that are read.
 */
export function refuseUnread(root: unknown, paths: readonly Path[], problems: Problems, place: (path: Path) => Place) {
  // Of elements of an array, the array: there may be many.
  const lists = paths.map((path) => (typeof path.at(-1) === "number" ? path.slice(0, -1) : path));
  const own = new Map(lists.map((path) => [key(path), path]));
  const read = new Set(own.keys());
  const around = new Set([...own.values()].flatMap((path) => path.map((_, end) => key(path.slice(0, end)))));
  visit(root, []);

  function visit(value: unknown, path: Path): void {
    if (read.has(key(path))) return;
    if (Array.isArray(value)) for (const [index, element] of value.entries()) visit(element, [...path, index]);
    else if (isObject(value)) {
      for (const [name, content] of Object.entries(value)) {
        const own = [...path, name];
        if (around.has(key(own)) || read.has(key(own))) visit(content, own);
        else if (holdsPrefix(content))
          problems.add(place(own), `${unread(name)}: set records: "…" to read one array alone.`);
      }
    }
  }
}

const key = (path: Path) => path.join("\0");

/**
 * The problem of a member of a record that holds a list of prefixes of its own; `undefined` for one without any. A prefix alone
 * may be a fact about that of the record, such as its route, and so is one around it under a usual name.
 *
 * @param prefix Of the record.
 */
export function unreadWithin(name: string, content: unknown, prefix: unknown): string | undefined {
  if (!holdsList(content, prefix)) return undefined;
  return `${unread(name)}: set columns: { prefix: "…" } to read the record without it.`;
}

function unread(name: string): string {
  return `${shown(name)} holds prefixes that are not read`;
}

/** True for an array with prefixes, an object with prefixes as keys, another entry, and an object with such a member. */
function holdsList(value: unknown, prefix: unknown): boolean {
  if (Array.isArray(value)) return holdsPrefix(value);
  const isHeld = ([name, content]: [string, unknown]) =>
    isPrefix(name) ||
    (isPrefixName(name) && holdsPrefix(content) && !isAround(content, prefix)) ||
    holdsList(content, prefix);
  return isObject(value) && Object.entries(value).some(isHeld);
}

function isAround(content: unknown, prefix: unknown): boolean {
  const [outer, inner] = [content, prefix].map((one) => prefixIn(one, { hostBits: "mask" }));
  return inner !== undefined && outer?.contains(inner) === true;
}

/** True for a list with prefixes. An address alone may be that of a sender. */
function holdsPrefix(value: unknown, isElement = false): boolean {
  if (typeof value === "string") return (isElement || /[/-]/.test(value)) && isPrefix(value.trim());
  if (Array.isArray(value)) return value.some((element) => holdsPrefix(element, true));
  return (
    isObject(value) &&
    Object.entries(value).some(([name, content]) => isPrefix(name) || holdsPrefix(content, isElement))
  );
}

function isPrefix(text: string): boolean {
  return (
    rangeEnds(text) !== undefined || (looksLikeAddress(text) && prefixIn(text, { hostBits: "mask" }) !== undefined)
  );
}
