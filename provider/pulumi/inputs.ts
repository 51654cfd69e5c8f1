import * as pulumi from "@pulumi/pulumi";
import { sentIn } from "../model/entry";
import { isRecord, prefixText } from "../model/given-entries";
import { isObject, someMember } from "../model/json";
import { Prefix } from "../model/prefix";

/** True for a value that resolves later. */
export function isDeferred(value: unknown): boolean {
  return pulumi.Output.isInstance(value) || value instanceof Promise;
}

/** True when nothing in a value resolves later: it can be read at once, which saves an Output and its four promises. */
export function isPlain(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return true;
  if (isDeferred(value) || pulumi.Resource.isInstance(value)) return false;
  if (Array.isArray(value)) return value.every(isPlain);
  return !isObject(value) || !someMember(value, (member) => !isPlain(member));
}

/**
 * Arguments with texts in place of parsed prefixes, and with records and arrays in place of Maps and other iterables: the engine would
 * keep nothing of those.
 */
export function plainArguments<A extends object>(args: A): A {
  const plain = Object.entries(args).map(([name, value]) => [
    name,
    name === "nodes" ? plainNodes(value) : name === "entries" ? withSent(plainList(value)) : plainList(value),
  ]);
  return { ...Object.fromEntries(plain), ...memberSent(args) };
}

/** Entries of a prefix file say in a member where they were sent: the engine would keep nothing of what stands under a symbol. */
function withSent(entries: unknown): unknown {
  if (entries instanceof Promise) return entries.then(withSent);
  if (pulumi.Output.isInstance(entries)) return entries.apply(withSent);
  const told = (entry: unknown) =>
    sentIn(entry) === undefined ? entry : { ...(entry as object), ...memberSent(entry) };
  if (Array.isArray(entries)) return entries.map((one) => (isPair(one) ? [one[0], told(one[1])] : told(one)));
  if (!isRecord(entries) || !someMember(entries, (entry) => sentIn(entry) !== undefined)) return entries;
  return Object.fromEntries(Object.entries(entries).map(([prefix, entry]) => [prefix, told(entry)]));
}

function memberSent(entry: unknown): { readonly sent?: string } {
  const sent = sentIn(entry);
  return sent === undefined ? {} : { sent };
}

function isPair(one: unknown): one is readonly [unknown, unknown] {
  return Array.isArray(one) && one.length === 2;
}

/** The nodes of a group, each of which may have entries of its own. */
function plainNodes(nodes: unknown): unknown {
  if (!isRecord(nodes)) return nodes;
  return Object.fromEntries(
    Object.entries(nodes).map(([name, own]) => [name, isRecord(own) ? plainArguments(own) : own]),
  );
}

function plainList(given: unknown): unknown {
  if (given instanceof Promise) return given.then(plainList);
  if (given instanceof Map) return Object.fromEntries([...given].map(([key, content]) => [prefixText(key), content]));
  if (typeof given !== "object" || given === null || isDeferred(given)) return given;
  const isIterable = Symbol.iterator in given;
  if (!isIterable) return prefixText(given);
  const list: unknown[] = Array.isArray(given) ? given : Array.from(given as Iterable<unknown>);
  return list.some(holdsPrefix) ? list.map(plainElement) : list;
}

function holdsPrefix(element: unknown): boolean {
  if (element instanceof Prefix) return true;
  return isRecord(element) ? element.prefix instanceof Prefix : Array.isArray(element) && element[0] instanceof Prefix;
}

function plainElement(element: unknown): unknown {
  if (Array.isArray(element)) return [prefixText(element[0]), ...element.slice(1)];
  if (!isRecord(element)) return prefixText(element);
  const { spelling: _, ...entry } = element;
  return { ...entry, prefix: prefixText(entry.prefix) };
}

/** What becomes of a value that resolves later. */
export function later(value: unknown, change: (value: unknown) => unknown): pulumi.Output<unknown> {
  return pulumi.output(value as pulumi.Input<string>).apply(change);
}

/** A value once it has resolved. In a preview it may stay unknown. */
export type Settled<T> =
  | { readonly known: true; readonly value: T; readonly secret: boolean }
  | { readonly known: false; readonly secret: boolean };

/** Waits for a value and for everything in it; it is secret when a part of it is. */
export async function settled<T>(input: T): Promise<Settled<pulumi.Unwrap<T>>> {
  const output = pulumi.output(input);
  const secret = await pulumi.isSecret(output);
  // Not declared, but what copies of the SDK of different versions know of each other's Outputs.
  const { isKnown } = output as unknown as { readonly isKnown: Promise<boolean> };
  if (!(await isKnown)) return { known: false, secret };
  return new Promise((resolve) => {
    output.apply((value) => resolve({ known: true, value, secret }));
  });
}

/** Ends the program with a sentence. Without a stack: where an error comes in a later turn the SDK would print it below. */
export function runError(message: string): pulumi.RunError {
  const error = new pulumi.RunError(message);
  error.stack = "";
  return error;
}
