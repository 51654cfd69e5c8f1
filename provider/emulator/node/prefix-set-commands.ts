import { z } from "zod";
import { type CanonicalPrefix, Prefix, PrefixError } from "../../model/prefix";
import type { Dialect } from "../behaviour/dialect";
import type { RefusalKind } from "../behaviour/refusal-switches";
import { type Batch, Draft, type PrefixSetStore, type StagedValue } from "../state/prefix-set-store";
import { shallow } from "./node-request";

/** Why a command was refused. */
export interface Refusal {
  /** A kind whose status and form the dialect says, or a status. */
  readonly why: RefusalKind | number;
  readonly message: string;
}

/** A change that is ready to be staged. */
interface Change {
  readonly prefix: CanonicalPrefix;
  readonly value: StagedValue;
  readonly spelling?: string;
}

/** Turns one data item into the changes that it means, or says why not. Sees what earlier items of the request staged. */
type Interpreter = (item: unknown, draft: Draft, dialect: Dialect) => readonly Change[] | Refusal;

const insertItem = z.strictObject({ p: z.string(), v: z.number() });
const deleteItem = z.strictObject({ a: z.string() });

/** What became of an insert or delete. */
export interface StageResult {
  /** Why it was refused, if it was. */
  readonly refusal: Refusal | undefined;
  /** What of it was staged, if anything. */
  readonly staged: Batch | undefined;
}

/** Stages the items of an insert (docs/contract.md#set-entries: `p` and `v`). */
export function stageInsert(set: PrefixSetStore, data: readonly unknown[], dialect: Dialect): StageResult {
  return stageAll(set, data, dialect, interpretInsert);
}

/** Stages the items of a delete (docs/contract.md#set-entries: `a`). */
export function stageDelete(set: PrefixSetStore, data: readonly unknown[], dialect: Dialect): StageResult {
  if (dialect.deleteCovers !== "covered") return stageAll(set, data, dialect, interpretDelete);
  return stageAll(set, data, dialect, (item, draft) => interpretCoveringDelete(item, set, draft, dialect));
}

function stageAll(
  set: PrefixSetStore,
  data: readonly unknown[],
  dialect: Dialect,
  interpret: Interpreter,
): StageResult {
  const most = dialect.maxEntriesPerRequest;
  if (most > 0 && data.length > most) {
    const message = `too many entries: ${data.length}, at most ${most} in one request`;
    return { refusal: { why: "tooLarge", message }, staged: undefined };
  }
  const draft = new Draft(set);
  let refusal: Refusal | undefined;
  for (const [at, item] of data.entries()) {
    const changes = interpret(item, draft, dialect);
    if ("message" in changes) refusal ??= { why: changes.why, message: `entry ${at}: ${changes.message}` };
    else for (const { prefix, value, spelling } of changes) draft.stage(prefix, value, spelling);
  }
  if (refusal && dialect.refusedEntry === "nothing") return { refusal, staged: undefined };
  set.keep(draft);
  return { refusal, staged: draft.changes };
}

function interpretInsert(item: unknown, draft: Draft, dialect: Dialect): readonly Change[] | Refusal {
  const parsed = insertItem.safeParse(item);
  if (!parsed.success) return bad(`an insert needs exactly "p" (a string) and "v" (a number), this is ${show(item)}`);
  const { p, v } = parsed.data;
  if (!Number.isInteger(v) || v < 0 || v > dialect.maxValue)
    return bad(`"v" must be an integer from 0 to ${dialect.maxValue}, it is ${v}`);
  const prefix = read(p, dialect);
  if (typeof prefix !== "string") return prefix;
  const isNew = () => draft.value(prefix) === undefined;
  if (dialect.insertExisting === "error" && !isNew()) return { why: "exists", message: `exists: ${prefix}` };
  if (dialect.repeatedEntry === "error" && draft.changes.has(prefix)) {
    return bad(`${prefix} stands in this insert already`);
  }
  if (dialect.setCapacity > 0 && isNew() && draft.size >= dialect.setCapacity) {
    return { why: 507, message: `the set is full: ${dialect.setCapacity} entries` };
  }
  return [{ prefix, value: v, spelling: spellingOf(p, prefix, dialect) }];
}

function interpretDelete(item: unknown, draft: Draft, dialect: Dialect): readonly Change[] | Refusal {
  const wanted = readDelete(item, dialect);
  if ("message" in wanted) return wanted;
  const { prefix, text } = wanted;
  const isOwn = dialect.hostBits !== "keep" || (spellingOf(text, prefix, dialect) ?? prefix) === draft.spelling(prefix);
  if (isOwn && draft.value(prefix) !== undefined) return [{ prefix, value: null }];
  return dialect.deleteAbsent === "error" ? notFound(text) : [];
}

/** Looks at every entry of the set for each item. */
function interpretCoveringDelete(
  item: unknown,
  set: PrefixSetStore,
  draft: Draft,
  dialect: Dialect,
): readonly Change[] | Refusal {
  const wanted = readDelete(item, dialect);
  if ("message" in wanted) return wanted;
  const covering = Prefix.fromCanonical(wanted.prefix);
  const covered = new Set<CanonicalPrefix>();
  for (const key of [...set.mentioned(), ...draft.changes.keys()]) {
    if (covering.contains(Prefix.fromCanonical(key)) && draft.value(key) !== undefined) covered.add(key);
  }
  if (covered.size === 0 && dialect.deleteAbsent === "error") return notFound(wanted.text);
  return [...covered].map((prefix) => ({ prefix, value: null }));
}

function readDelete(item: unknown, dialect: Dialect): { prefix: CanonicalPrefix; text: string } | Refusal {
  const parsed = deleteItem.safeParse(item);
  if (!parsed.success) return bad(`a delete needs exactly "a" (a string), this is ${show(item)}`);
  const prefix = read(parsed.data.a, dialect);
  return typeof prefix === "string" ? { prefix, text: parsed.data.a } : prefix;
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

/** With `hostBits: "keep"` the text as it was sent, when it has host bits. */
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
  const source = JSON.stringify(shallow(item));
  return source.length > 100 ? `${source.slice(0, 100)}…` : source;
}
