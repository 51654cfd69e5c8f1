import * as pulumi from "@pulumi/pulumi";
import { membersOf } from "../model/json";
import type { HostBits } from "../model/prefix";
import { nativeToken, typeToken } from "../model/resource-kind";
import { formatUrl, type PrefixSetUrl, setUrl } from "../model/resource-url";
import { type Declaration, record } from "../resources/conflicts";
import { normaliseEntries } from "../resources/entries";
import { HOLDING_PREFIXES } from "../resources/secret-names";
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

/** Who declares something, beside what it is. */
interface Subject extends Pick<Declaration, "type" | "name" | "at"> {
  /** The provider resource that manages it, where that is not the default one. */
  readonly instance: object | undefined;
}

/**
 * Records what a `PrefixSet`, `PrefixSetEntry` or `PrefixSetGroup` declares, a group on each of its nodes; ends the program
 * where another resource declares the same.
 *
 * @param args as they were given; what is missing among them, or not valid, is reported by others
 * @throws {pulumi.RunError} with both names; in a later turn where arguments resolve later
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
  // A member that is missing is reported where the arguments are made.
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

/** One entry, as a set that declares nothing else. */
function entryOf({ prefix, value, expires, hostBits }: pulumi.Unwrap<pulumi.Inputs>): Content {
  const entries = { [String(prefix)]: expires === undefined ? (value ?? 1) : { value, expires } };
  return { entries, exclusive: false, hostBits };
}

/** Overrides of each node of a group. A name that comes twice is reported by the group's own check. */
function overridesOf(nodes: unknown): (readonly [node: unknown, own: Partial<Content>])[] {
  if (Array.isArray(nodes)) return [...new Set<unknown>(nodes)].map((node) => [node, {}]);
  return Object.entries(membersOf(nodes)).map(([node, own]) => [node, membersOf(own)]);
}

/** Entries as they are read, each object once: the nodes of a group have the same. */
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

/** Goes on at once where nothing resolves later. What is declared where is needed, what is declared may be unknown. */
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
  // Whatever else waits for it, an error ends the program.
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

/** Records what is declared of a set, once all of it is known. */
function enterKnown(
  run: Run,
  { instance, ...resource }: Subject,
  { url, node }: { readonly url: PrefixSetUrl; readonly node: unknown },
  content: Content & { readonly secret: boolean },
  read: typeof normaliseEntries,
): void {
  const { entries, exclusive = true, hostBits, parts = [], secret } = content;
  const normal = read(entries, { hostBits, now: Number.NEGATIVE_INFINITY });
  // What is not valid is reported by the resource's own check, with its position.
  if (!normal || normal.problems.length > 0) return;
  const found = run.set(url, node, instance);
  if (!found) return;
  const isSecret = parts.some((part) => HOLDING_PREFIXES.includes(part));
  const conflict = record(found, { ...resource, exclusive, entries: normal.entries, secret, isSecret });
  if (conflict !== undefined) throw runError(`${formatUrl(url)}: ${conflict}`);
}
