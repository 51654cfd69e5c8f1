import { type CanonicalPrefix, Prefix, PrefixError } from "../../model/prefix";
import type { OrderedPrefixes } from "../../model/prefix-map";
import type { Dialect } from "../behaviour/dialect";
import { beginning } from "../journal/journal";
import { Draft, type PrefixSetStore } from "../state/prefix-set-store";
import { type Refusal, shallow } from "./node-request";
import { listedAs } from "./set-list";

/**
 * Stages the items of an insert (`p` and `v`) or of a delete (`a`), see docs/contributing/contract.md#set-entries.
 *
 * @returns the reason of a refusal, and whether anything is staged: some of a refused request may be.
 */
export function stage(
  cmd: "insert" | "delete",
  set: PrefixSetStore,
  data: readonly unknown[],
  dialect: Dialect,
): { refusal?: Refusal | undefined; isStaged: boolean } {
  const deletes = dialect.deleteCovers === "covered" ? deleteCovered : deleteItem;
  const stageItem = cmd === "insert" ? insertItem : deletes;
  const most = dialect.maxEntriesPerRequest;
  if (most > 0 && data.length > most) {
    const message = `too many entries: ${data.length}, at most ${most} in one request`;
    return { refusal: { why: "tooLarge", message }, isStaged: false };
  }
  const draft = new Draft(set);
  let refusal: Refusal | undefined;
  for (let at = 0; at < data.length; at += 1) {
    const problem = stageItem(data[at], draft, dialect);
    if (problem) refusal ??= { why: problem.why, message: `entry ${at}: ${problem.message}` };
    if (problem && dialect.refusedEntry === "before") break;
  }
  const isStaged = draft.changes.size > 0 && (!refusal || dialect.refusedEntry !== "nothing");
  if (isStaged) set.keep(draft);
  return { refusal, isStaged };
}

/** Stages one data item, or returns the reason of its refusal. Sees the entries staged by earlier items of the request. */
function insertItem(item: unknown, draft: Draft, dialect: Dialect): Refusal | undefined {
  if (!isInsert(item)) return bad(`an insert needs exactly "p" (a string) and "v" (a number), this is ${show(item)}`);
  const { p, v } = item;
  if (!Number.isInteger(v) || v < 0 || v > dialect.maxValue)
    return bad(`"v" must be an integer from 0 to ${dialect.maxValue}, it is ${v}`);
  const prefix = read(p, dialect);
  if (typeof prefix !== "string") return prefix;
  const isRepeated = draft.changes.has(prefix) || draft.ignored.has(prefix);
  if (isRepeated && dialect.repeatedEntry === "error") return bad(`${prefix} appears twice in this insert`);
  if (isRepeated && dialect.repeatedEntry === "first") return undefined;
  const { insertExisting } = dialect;
  if (insertExisting !== "overwrite" && draft.set.stagedValue(prefix) !== undefined) {
    if (insertExisting === "error") return { why: "exists", message: `exists: ${prefix}` };
    draft.ignored.add(prefix);
    return undefined;
  }
  if (dialect.setCapacity > 0 && draft.value(prefix) === undefined && draft.size >= dialect.setCapacity) {
    return { why: 507, message: `the set is full: ${dialect.setCapacity} entries` };
  }
  draft.stage(prefix, v, spellingOf(p, prefix, dialect));
  return undefined;
}

function deleteItem(item: unknown, draft: Draft, dialect: Dialect): Refusal | undefined {
  const target = readDelete(item, dialect);
  if ("message" in target) return target;
  const { prefix, text } = target;
  const isThere = isOwn(text, prefix, draft, dialect) && draft.value(prefix) !== undefined;
  if (isThere) draft.stage(prefix, null);
  return isThere || dialect.deleteAbsent === "success" ? undefined : notFound(text);
}

/** True if a delete with this text finds the entry of its prefix. */
function isOwn(text: string, prefix: CanonicalPrefix, draft: Draft, dialect: Dialect): boolean {
  const spelling = draft.spelling(prefix);
  if (dialect.deleteSpelling === "listed") return text === listedAs(spelling, dialect);
  return dialect.hostBits !== "keep" || (spellingOf(text, prefix, dialect) ?? prefix) === spelling;
}

function deleteCovered(item: unknown, draft: Draft, dialect: Dialect): Refusal | undefined {
  const target = readDelete(item, dialect);
  if ("message" in target) return target;
  const covered = within(target.prefix, draft.set.staged).filter((key) => draft.value(key) !== undefined);
  for (const prefix of covered) draft.stage(prefix, null);
  return covered.length > 0 || dialect.deleteAbsent === "success" ? undefined : notFound(target.text);
}

/** The prefixes that a prefix covers: they follow one another in the order of prefixes. */
function within(text: CanonicalPrefix, entries: OrderedPrefixes): CanonicalPrefix[] {
  const covering = Prefix.fromCanonical(text);
  const at = (place: number) => Prefix.fromCanonical((entries[place] as OrderedPrefixes[number])[0]);
  let [first, end] = [0, entries.length];
  while (first < end) {
    const middle = (first + end) >>> 1;
    if (Prefix.compare(at(middle), covering) < 0) first = middle + 1;
    else end = middle;
  }
  while (end < entries.length && covering.contains(at(end))) end += 1;
  return entries.slice(first, end).map(([prefix]) => prefix);
}

// Checked by hand: zod would take a quarter of the time of a large request.
function isInsert(item: unknown): item is { p: string; v: number } {
  return hasMembers(item, 2) && "p" in item && typeof item.p === "string" && "v" in item && typeof item.v === "number";
}

function isDelete(item: unknown): item is { a: string } {
  return hasMembers(item, 1) && "a" in item && typeof item.a === "string";
}

function hasMembers(item: unknown, count: number): item is object {
  return typeof item === "object" && item !== null && Object.keys(item).length === count;
}

function readDelete(item: unknown, dialect: Dialect): { prefix: CanonicalPrefix; text: string } | Refusal {
  if (!isDelete(item)) return bad(`a delete needs exactly "a" (a string), this is ${show(item)}`);
  const prefix = read(item.a, dialect);
  return typeof prefix === "string" ? { prefix, text: item.a } : prefix;
}

function read(text: string, dialect: Dialect): CanonicalPrefix | Refusal {
  try {
    const prefix = Prefix.canonical(text, { hostBits: dialect.hostBits === "error" ? "reject" : "mask" });
    return dialect.ipv6 === "error" && prefix.includes(":") ? bad(`${text}: IPv6 is not supported`) : prefix;
  } catch (error) {
    if (error instanceof PrefixError) return bad(error.message);
    throw error;
  }
}

/** With `hostBits: "keep"`, the sent text if it has host bits. */
function spellingOf(text: string, prefix: CanonicalPrefix, dialect: Dialect): string | undefined {
  if (dialect.hostBits !== "keep") return undefined;
  const address = text.split("/")[0] ?? text;
  return Prefix.parse(address).bits === Prefix.fromCanonical(prefix).bits ? undefined : text;
}

function bad(message: string): Refusal {
  return { why: "refusedEntry", message };
}

function notFound(text: string): Refusal {
  return { why: "absent", message: `not found: ${text}` };
}

function show(item: unknown): string {
  return beginning(JSON.stringify(shallow(item)));
}
