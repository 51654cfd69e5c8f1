import * as pulumi from "@pulumi/pulumi";
import { type Declaration, record } from "../deployment/conflicts";
import { HOLDING_PREFIXES } from "../engine/secret-names";
import { membersOf } from "../model/json";
import type { HostBits } from "../model/prefix";
import { nativeToken, typeToken } from "../model/resource-kind";
import { formatUrl, type PrefixSetUrl, setUrl } from "../model/resource-url";
import { normaliseEntries } from "../reconcile/entries";
import { isPlain, runError, type Settled, settled } from "./inputs";
import { inspect } from "./inspection";
import { mergedEntries } from "./merged-entries";
import { type Run, theRun } from "./run";

type Options = pulumi.CustomResourceOptions | undefined;

/** Declarations of a resource about a set, once they are known. */
interface Content {
  readonly entries: unknown;
  readonly exclusive?: boolean | undefined;
  readonly hostBits?: HostBits | undefined;
  /** Secret parts of the entries; absent for plain values. */
  readonly parts?: readonly string[] | undefined;
}

/** The declaring resource. */
interface Subject extends Pick<Declaration, "type" | "name" | "at"> {
  /** Its provider resource, if that is not the default one. */
  readonly instance: object | undefined;
}

/**
 * Records the declarations of a resource, for a group on each of its nodes; ends the program if another one declares the same.
 *
 * @param args The arguments, unchecked: missing and invalid ones are reported elsewhere.
 * @throws {pulumi.RunError} with both names; in a later turn if arguments resolve later
 */
export function declareSet(
  { type, name }: Pick<Subject, "type" | "name">,
  args: pulumi.Inputs,
  options: Options,
): void {
  const { arena, profile, set, node, nodes, entries, prefix, value, expires, exclusive, hostBits } = args;
  const run = theRun();
  const ofParents = [nativeToken, typeToken].map((tokenOf) => options?.parent?.getProvider(tokenOf(type)));
  const instance = options?.provider ?? ofParents.find((provider) => provider !== undefined);
  const subject: Subject = { type, name, instance };
  // Missing members are reported with the properties.
  const parts = type === "PrefixSetEntry" ? undefined : inspect(name, "entries", entries, true)?.catch(() => []);
  const content = { entries, prefix, value, expires, exclusive, hostBits, parts };
  whenSettled({ arena, profile, set, node, nodes }, content, ({ nodes: known, ...place }, given, isSecret) => {
    const all = given.known && type === "PrefixSetEntry" ? { ...given, value: entryOf(given.value) } : given;
    if (type !== "PrefixSetGroup") return enter(run, subject, place, all);
    const read = remembered();
    for (const [node, { entries: own, ...overrides }] of overridesOf(known)) {
      const merged = (common: Content) => ({
        ...common,
        ...overrides,
        entries: mergedEntries(common.entries, own, common.hostBits),
        ...(isSecret && { parts: ["nodes"] }),
      });
      const held = all.known ? { ...all, value: merged(all.value) } : all;
      enter(run, { ...subject, at: node }, { ...place, node }, held, read);
    }
  });
}

/** A single entry as a set with nothing else. */
function entryOf({ prefix, value, expires, hostBits }: pulumi.Unwrap<pulumi.Inputs>): Content {
  const entries = { [String(prefix)]: expires === undefined ? (value ?? 1) : { value, expires } };
  return { entries, exclusive: false, hostBits };
}

/** Overrides of each node of a group. The group's own check reports repeated names. */
function overridesOf(nodes: unknown): (readonly [node: unknown, own: Partial<Content>])[] {
  if (Array.isArray(nodes)) return [...new Set<unknown>(nodes)].map((node) => [node, {}]);
  return Object.entries(membersOf(nodes)).map(([node, own]) => [node, membersOf(own)]);
}

/** Reads each object of entries once: the nodes of a group share one. */
function remembered(): typeof normaliseEntries {
  const read = new Map<unknown, ReturnType<typeof normaliseEntries>>();
  return (entries, options) => {
    if (!read.has(entries)) read.set(entries, normaliseEntries(entries, options));
    return read.get(entries);
  };
}

/** True where a resource depends on others than those of this package. */
export function waitsForOthers(options: Options): boolean {
  const all: unknown[] = options?.dependsOn === undefined ? [] : [options.dependsOn].flat();
  const isOurs = (one: unknown) => {
    const type = pulumi.CustomResource.isInstance(one) ? String(Reflect.get(one, "__pulumiType")) : "";
    return [nativeToken, typeToken].some((tokenOf) => type.startsWith(tokenOf("")));
  };
  return !all.every(isOurs);
}

/** Continues at once if nothing resolves later. The place must be known; the content may be unknown. */
function whenSettled<P extends object, C extends object>(
  place: P,
  content: C,
  then: (place: pulumi.Unwrap<P>, content: Settled<pulumi.Unwrap<C>>, isPlaceSecret: boolean) => void,
): void {
  if (isPlain(place) && isPlain(content)) {
    then(place as pulumi.Unwrap<P>, { known: true, value: content as pulumi.Unwrap<C>, secret: false }, false);
    return;
  }
  const entered = Promise.all([settled(place), settled(content)]).then(([where, what]) => {
    if (where.known) then(where.value, what, where.secret);
  });
  // An unhandled rejection ends the program.
  entered.catch((error) => Promise.reject(error));
}

function enter(
  run: Run,
  subject: Subject,
  place: { readonly arena: unknown; readonly profile?: unknown; readonly set: unknown; readonly node?: unknown },
  content: Settled<Content>,
  read: typeof normaliseEntries = normaliseEntries,
): void {
  const url = setUrl(place);
  if (!url) return;
  if (!content.known) return;
  const { value, secret } = content;
  const declare = () => enterKnown(run, subject, { url, node: place.node }, { ...value, secret }, read);
  const found = run.set(url, place.node, subject.instance);
  if (!found) return;
  const { waiting } = found;
  found.waiting = waiting ? [] : [declare];
  if (waiting) for (const each of [...waiting, declare]) each();
}

/** Records the declarations of a set with known content. */
function enterKnown(
  run: Run,
  { instance, ...resource }: Subject,
  { url, node }: { readonly url: PrefixSetUrl; readonly node: unknown },
  content: Content & { readonly secret: boolean },
  read: typeof normaliseEntries,
): void {
  const { entries, exclusive = true, hostBits, parts = [], secret } = content;
  const normal = read(entries, { hostBits, now: Number.NEGATIVE_INFINITY });
  // The resource's own check reports invalid entries with their positions.
  if (!normal || normal.problems.length > 0) return;
  const found = run.set(url, node, instance);
  if (!found) return;
  const isSecret = parts.some((part) => HOLDING_PREFIXES.includes(part));
  const conflict = record(found, { ...resource, exclusive, entries: normal.entries, secret, isSecret });
  if (conflict !== undefined) throw runError(`${formatUrl(url)}: ${conflict}`);
}
