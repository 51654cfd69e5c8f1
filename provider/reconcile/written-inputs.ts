import { givenEntries } from "../model/given-entries";
import { isObject, type JsonObject, membersOf, sameJson, someMember, UNKNOWN, without } from "../model/json";
import type { CanonicalPrefix } from "../model/prefix";
import { prefixIn } from "../model/readable";
import { type NormalEntries, normaliseEntries } from "./entries";

/** The hidden output with arguments as the program wrote them, where the state has them in canonical form. */
export const GIVEN_KEY = "__given";

/**
 * Inputs in the state are what the program wrote, in its order and spelling, so that the engine's own rule for `ignoreChanges`
 * works with the paths of the program. Outputs and comparisons have the canonical form, and the hidden output
 * {@link GIVEN_KEY} keeps what was written where that differs: a refresh gets only outputs.
 */
const WRITTEN = ["entries", "nodes", "prefixes", "prefix", "expired"] as const;

/** Members that a check adds to the inputs. No program gives them; with `ignoreChanges` the engine passes those of the state. */
export const ADDED = ["differs", "expired", "put"] as const;

/** Addresses among the inputs of a dynamic resource, by the names of the outputs: a changed one is a line of its own in a preview. */
export const ADDRESSES = ["endpoint", "endpoints"] as const;

/** True for a state: an import and a lookup by id have the arguments alone. */
export function hasAddress(json: JsonObject): boolean {
  return ADDRESSES.some((name) => json[name] !== undefined);
}

/** The arguments without members of the state that the engine passes for `ignoreChanges: ["*"]`. */
export function withoutAdded(olds: JsonObject, news: JsonObject): JsonObject {
  const handed = ["expired", "put", ...ADDRESSES].filter(
    (key) => news[key] !== undefined && sameJson(olds[key], news[key]),
  );
  return handed.length > 0 ? without(news, handed) : news;
}

/**
 * Inputs for the state: the arguments, and what the check adds.
 *
 * @param args The arguments of the program.
 * @param inputs The canonical form that the check made of them.
 * @param now Milliseconds since 1970: the time of the check.
 */
export function inputsFor(args: JsonObject, inputs: JsonObject, now: number): JsonObject {
  const added = ADDED.flatMap((key) => (inputs[key] === undefined ? [] : [[key, inputs[key]] as const]));
  const over = expiries(args).filter((time) => time <= now).length;
  return { ...withoutSent(args, now), ...(over > 0 && { expired: over }), ...Object.fromEntries(added) };
}

/** Canonical inputs, with what was written where that differs. */
export function withWritten(canonical: JsonObject, written: JsonObject): JsonObject {
  const isOther = WRITTEN.some((key) => key !== "expired" && !sameJson(canonical[key], written[key]));
  return isOther ? { ...canonical, [GIVEN_KEY]: writtenIn(written) } : canonical;
}

/** The arguments of which the state has another form. */
export function writtenIn(inputs: JsonObject): JsonObject {
  return Object.fromEntries(WRITTEN.flatMap((key) => (inputs[key] === undefined ? [] : [[key, inputs[key]]])));
}

/**
 * Inputs as the program wrote them, by those of a refresh; entries that the refresh found are added in canonical form.
 *
 * @param normal Makes inputs canonical.
 */
export function asWritten(inputs: JsonObject, normal: (inputs: JsonObject) => JsonObject): JsonObject {
  const { [GIVEN_KEY]: kept, notes: _, ...rest } = inputs;
  if (!isObject(kept)) return rest;
  const written = { ...rest, ...kept };
  const known = normal(written);
  const more = Object.entries(membersOf(rest.entries)).filter(([prefix]) => !(prefix in membersOf(known.entries)));
  const prefixes = listOf(rest.prefixes).filter((prefix) => !listOf(known.prefixes).includes(prefix));
  return {
    ...written,
    ...(more.length > 0 && { entries: joined(written.entries, more) }),
    ...(prefixes.length > 0 && { prefixes: [...listOf(written.prefixes), ...prefixes] }),
  };
}

/** Milliseconds since 1970 until which the entries of these inputs have expired, by their own mark and no clock. */
export function expiredUntil(inputs: JsonObject): number {
  const { expired } = inputs;
  return typeof expired === "number" && expired > 0
    ? (expiries(inputs).sort((a, b) => a - b)[expired - 1] ?? Number.NEGATIVE_INFINITY)
    : Number.NEGATIVE_INFINITY;
}

/**
 * Inputs of any resource with entries as flat maps and prefixes in canonical form, for policies and reports. What cannot be read
 * stays as it is written.
 */
export function flatInputs(inputs: JsonObject): JsonObject {
  const { entries, nodes, prefix, prefixes, hostBits, expired, ...rest } = inputs;
  const bits = hostBits === "mask" ? hostBits : undefined;
  const canonical = (spelling: unknown) => prefixIn(spelling, bits ? { hostBits: bits } : {})?.toString() ?? spelling;
  const now = expiredUntil(inputs);
  const flat = (given: unknown, noted: unknown) => {
    const normal = normaliseEntries(given, { hostBits: bits, now, held: "any" });
    if (!normal) return { entries: UNKNOWN };
    const notes = { ...membersOf(noted), ...Object.fromEntries(normal.notes) };
    return {
      entries: normal.problems.length > 0 ? unread(given, normal, canonical) : Object.fromEntries(normal.entries),
      ...(Object.keys(notes).length > 0 && { notes }),
    };
  };
  const ofNode = (own: unknown) =>
    isObject(own) && own.entries !== undefined ? { ...own, ...flat(own.entries, own.notes) } : own;
  return {
    ...rest,
    ...(hostBits !== undefined && { hostBits }),
    ...(typeof expired === "boolean" && { expired }),
    ...(entries !== undefined && flat(entries, rest.notes)),
    ...(prefix !== undefined && { prefix: canonical(prefix) }),
    ...(prefixes !== undefined && { prefixes: Array.isArray(prefixes) ? prefixes.map(canonical) : prefixes }),
    ...(nodes !== undefined && {
      nodes: isObject(nodes)
        ? Object.fromEntries(Object.entries(nodes).map(([name, own]) => [name, ofNode(own)]))
        : isNames(nodes)
          ? Object.fromEntries(nodes.map((name) => [name, {}]))
          : nodes,
    }),
  };
}

/** True for a list of nodes, each of which is known. */
function isNames(nodes: unknown): nodes is readonly string[] {
  return Array.isArray(nodes) && nodes.every((name) => typeof name === "string" && name !== UNKNOWN);
}

/** Entries with those that cannot be read, as they are. */
function unread(
  given: unknown,
  { entries, expired }: NormalEntries,
  canonical: (spelling: unknown) => unknown,
): unknown {
  const list = givenEntries(given);
  if (!list) return given;
  const all: Record<string, unknown> = Object.fromEntries(entries);
  for (const [index, spelling] of list.spellings.entries()) {
    const prefix = canonical(spelling) as CanonicalPrefix;
    if (entries.has(prefix) || expired.has(prefix)) continue;
    const content = list.content(index);
    all[String(spelling)] = isObject(content) ? (content.value ?? 1) : content;
  }
  return all;
}

/** Times of the entries of a set or of the nodes of a group, in no order. */
function expiries({ entries, nodes }: JsonObject): number[] {
  const own = Object.values(membersOf(nodes)).map((node) => membersOf(node).entries);
  return [entries, ...own].flatMap((given) => {
    const list = givenEntries(given);
    const found: number[] = [];
    list?.spellings.forEach((_, index) => {
      const content = list.content(index);
      if (typeof content !== "object") return;
      const time = Date.parse(String(membersOf(content).expires));
      if (!Number.isNaN(time)) found.push(time);
    });
    return found;
  });
}

/** The arguments without the places where `block --now` put entries that have not expired: no state keeps them. */
function withoutSent({ sent: _, entries, nodes, ...args }: JsonObject, now: number): JsonObject {
  const clean = (given: unknown) => cleaned(given, now);
  const ofNode = (own: unknown) =>
    membersOf(own).entries === undefined ? own : { ...membersOf(own), entries: clean(membersOf(own).entries) };
  return {
    ...args,
    ...(entries !== undefined && { entries: clean(entries) }),
    ...(nodes !== undefined && {
      nodes: isObject(nodes)
        ? Object.fromEntries(Object.entries(nodes).map(([name, own]) => [name, ofNode(own)]))
        : nodes,
    }),
  };
}

function cleaned(given: unknown, now: number): unknown {
  const one = (content: unknown): unknown => {
    if (Array.isArray(content)) return content.map(one);
    if (!isObject(content) || content.sent === undefined) return content;
    return Date.parse(String(content.expires)) <= now ? content : without(content, ["sent"]);
  };
  if (Array.isArray(given)) return given.some((content) => typeof content === "object") ? given.map(one) : given;
  if (!isObject(given)) return given;
  const isNoted = someMember(given, (content) => isObject(content) && content.sent !== undefined);
  return isNoted ? Object.fromEntries(Object.entries(given).map(([key, content]) => [key, one(content)])) : given;
}

/** Entries in the form of the others, with more of them. */
function joined(entries: unknown, more: readonly (readonly [string, unknown])[]): unknown {
  if (!Array.isArray(entries)) return { ...membersOf(entries), ...Object.fromEntries(more) };
  return [...entries, ...more.map(([prefix, value]) => (value === 1 ? prefix : { prefix, value }))];
}

function listOf(list: unknown): readonly CanonicalPrefix[] {
  return Array.isArray(list) ? list : [];
}
