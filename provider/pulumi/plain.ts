import * as pulumi from "@pulumi/pulumi";
import { sentIn } from "../model/entry";
import { givenEntries, isRecord, prefixText, withSentMembers } from "../model/given-entries";
import { isObject, membersOf } from "../model/json";
import { isDeferred, later, runError } from "./inputs";

/** Arguments that hold prefixes: other Outputs need no wait. */
const WITH_PREFIXES: readonly string[] = ["entries", "prefix", "prefixes", "forbiddenPrefixes", "requiredPrefixes"];

/**
 * Arguments with texts for parsed prefixes, and records and arrays for Maps and other iterables, of which the engine would
 * keep nothing. An Output has already lost the content of a Map or a Set.
 *
 * @param label Name of the resource or provider in messages.
 * @returns the arguments; entries in an Output of an empty record, without a resource, reject with a {@link pulumi.RunError},
 * unless `allowEmpty` is set
 */
export function plainArguments<A extends object>(args: A, label: string): A {
  const { allowEmpty = false } = membersOf(args);
  const entriesIn = (given: unknown) => withSent(allowEmpty === false ? notLost(given, label) : plainList(given));
  const plain = Object.entries(args).map(([name, value]) => {
    if (name === "entries") return [name, entriesIn(value)];
    if (name === "nodes") return [name, plainNodes(value, entriesIn)];
    return [name, WITH_PREFIXES.includes(name) ? plainList(value) : value];
  });
  const sent = sentIn(args);
  return { ...Object.fromEntries(plain), ...(sent !== undefined && { sent }) };
}

/** Entries in a list as a record by prefix, as the program spells it; a list that holds a prefix twice is left to the check. */
export function withEntriesByPrefix<A extends object>(args: A): A {
  const { entries, nodes } = membersOf(args);
  const ofNodes = (given: unknown): unknown => {
    if (isDeferred(given)) return later(given, ofNodes);
    return isRecord(given)
      ? Object.fromEntries(Object.entries(given).map(([name, own]) => [name, ofNode(own)]))
      : given;
  };
  const ofNode = (own: unknown): unknown => {
    if (isDeferred(own)) return later(own, ofNode);
    return isRecord(own) && own.entries !== undefined ? { ...own, entries: byPrefix(own.entries) } : own;
  };
  return {
    ...args,
    ...(entries !== undefined && { entries: byPrefix(entries) }),
    ...(nodes !== undefined && { nodes: ofNodes(nodes) }),
  };
}

function byPrefix(entries: unknown): unknown {
  if (isDeferred(entries)) return later(entries, byPrefix);
  if (!Array.isArray(entries) || entries.length === 0 || entries.some(isDeferred)) return entries;
  const given = givenEntries(entries);
  const record: Record<string, unknown> = {};
  for (const [index, spelling] of given?.spellings.entries() ?? []) {
    const content = given?.content(index);
    if (typeof spelling !== "string" || spelling in record || content === undefined || content === null) return entries;
    record[spelling] = content;
  }
  return record;
}

/** Refuses entries that resolve to an empty record without `allowEmpty`: a new set would be empty without a warning. */
function notLost(given: unknown, label: string): unknown {
  if (!pulumi.Output.isInstance(given)) return plainList(given);
  return plainList(given).apply(async (entries) => {
    const isEmpty = isRecord(entries) && Object.keys(entries).length === 0;
    // Outputs of a resource come from the engine, which loses nothing.
    if (!isEmpty || (await resourcesOf(given)) > 0) return entries;
    throw runError(
      `${label}: entries is an Output of an empty object: an Output keeps nothing of a Map or a Set. Give the Map itself to "entries", or make an object of it before it becomes an Output or a secret; write [] or allowEmpty: true for a set without entries.`,
    );
  });
}

async function resourcesOf(output: pulumi.Output<unknown>): Promise<number> {
  // Not declared, but copies of the SDK in different versions share it.
  const { allResources } = output as { readonly allResources?: () => Promise<ReadonlySet<unknown>> };
  return (await allResources?.call(output))?.size ?? 0;
}

/** {@link withSentMembers}, also of entries that resolve later: an Output made of a promise has lost what is under a symbol. */
function withSent(entries: unknown): unknown {
  if (entries instanceof Promise) return entries.then(withSent);
  return pulumi.Output.isInstance(entries) ? entries.apply(withSent) : withSentMembers(entries);
}

/** The nodes of a group, each of which may have entries of its own. */
function plainNodes(nodes: unknown, entriesIn: (given: unknown) => unknown): unknown {
  const plainNode = (own: unknown): unknown => {
    if (isDeferred(own)) return later(own, plainNode);
    return isRecord(own) && own.entries !== undefined ? { ...own, entries: entriesIn(own.entries) } : own;
  };
  if (isDeferred(nodes)) return later(nodes, (known) => plainNodes(known, entriesIn));
  if (!isRecord(nodes)) return nodes;
  return Object.fromEntries(Object.entries(nodes).map(([name, own]) => [name, plainNode(own)]));
}

/** A prefix, a list of them, or entries, as texts, arrays and records. */
function plainList(given: pulumi.Output<unknown>): pulumi.Output<unknown>;
function plainList(given: unknown): unknown;
function plainList(given: unknown): unknown {
  if (given instanceof Promise) return given.then(plainList);
  if (pulumi.Output.isInstance(given)) return given.apply(plainList);
  if (given instanceof Map) return Object.fromEntries([...given].map(([key, content]) => [plainPrefix(key), content]));
  if (typeof given !== "object" || given === null) return given;
  if (!(Symbol.iterator in given)) return plainPrefix(given);
  const list: unknown[] = Array.isArray(given) ? given : Array.from(given as Iterable<unknown>);
  return list.every((element) => typeof element === "string") ? list : list.map(plainElement);
}

function plainElement(element: unknown): unknown {
  if (isDeferred(element)) return later(element, plainElement);
  if (Array.isArray(element)) return [plainPrefix(element[0]), ...element.slice(1)];
  const prefix = plainPrefix(element);
  if (!isRecord(prefix)) return prefix;
  const { spelling: _, ...entry } = prefix;
  return "prefix" in entry ? { ...entry, prefix: plainPrefix(entry.prefix) } : entry;
}

/** The text of a parsed prefix, also of one whose members alone came through an Output or from another copy of the package. */
function plainPrefix(given: unknown): unknown {
  if (!isObject(given) || Object.keys(given).length !== PARSED.length) return prefixText(given);
  return PARSED.every((name) => Object.hasOwn(given, name)) ? given.text : prefixText(given);
}

/** Members of a {@link Prefix} that an Output keeps. */
const PARSED = ["family", "length", "text"];
