import * as pulumi from "@pulumi/pulumi";
import { systemClock } from "../client/clock";
import { membersOf } from "../model/json";
import type { CanonicalPrefix, HostBits } from "../model/prefix";
import { prefixIn } from "../model/readable";
import { formatUrl, type PrefixSetUrl, setUrl } from "../model/resource-url";
import { normaliseEntries } from "../resources/entries";
import { typeToken } from "../resources/provider-text";
import { HOLDING_PREFIXES } from "../resources/secret-names";
import { type Declaration, mergedEntries, record } from "./conflicts";
import type { Ignored } from "./ignored";
import { isPlain, runError, type Settled, settled } from "./inputs";
import { inspect } from "./inspection";
import type { Declarer } from "./preview/obstacles";
import { type Run, theRun } from "./run";

type Options = pulumi.CustomResourceOptions | undefined;

/** What a resource declares about a set, once that is known. */
interface Content {
  readonly entries: unknown;
  readonly exclusive?: boolean | undefined;
  readonly hostBits?: HostBits | undefined;
  readonly onExisting?: "fail" | "adopt" | undefined;
  /** What of the entries is secret; absent where they were given as plain values. */
  readonly parts?: readonly string[] | undefined;
}

/** Who declares something, beside what it is. */
interface Subject extends Pick<Declaration, "type" | "name" | "at">, Pick<Declarer, "isLater" | "made"> {
  readonly ignored: Ignored | undefined;
}

/**
 * Records what a `PrefixSet`, `PrefixSetEntry` or `PrefixSetGroup` declares, a group on each of its nodes; ends the program
 * where another resource declares the same. A preview inspects its sets.
 *
 * @param args as they were given; what is missing among them, or not valid, is reported by others
 * @throws {pulumi.RunError} with both names; in a later turn where arguments resolve later
 */
export function declareSet(
  { type, name, ignored, made }: Pick<Subject, "type" | "name" | "ignored" | "made">,
  args: pulumi.Inputs,
  options: Options,
): void {
  const { arena, profile, set, node, nodes, entries, prefix, value, expires, exclusive, hostBits, onExisting } = args;
  const run = theRun();
  const subject: Subject = { type, name, ignored, made, isLater: waitsForOthers(options) };
  // A member that is missing is reported where the arguments are made.
  const parts = type === "PrefixSetEntry" ? undefined : inspect(name, "entries", entries, true)?.catch(() => []);
  const content = { entries, prefix, value, expires, exclusive, hostBits, onExisting, parts };
  whenSettled(run, { arena, profile, set, node, nodes }, content, ({ nodes: known, ...place }, given, isSecret) => {
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
function entryOf({ prefix, value, expires, hostBits, onExisting }: pulumi.Unwrap<pulumi.Inputs>): Content {
  const entries = { [String(prefix)]: expires === undefined ? (value ?? 1) : { value, expires } };
  return { entries, exclusive: false, hostBits, onExisting };
}

/** What each node of a group says of itself. A name that comes twice is reported by the group's own check. */
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
function waitsForOthers(options: Options): boolean {
  const all: unknown[] = options?.dependsOn === undefined ? [] : [options.dependsOn].flat();
  const isOurs = (one: unknown) =>
    pulumi.CustomResource.isInstance(one) &&
    String((one as { __pulumiType?: unknown }).__pulumiType).startsWith(typeToken(""));
  return !all.every(isOurs);
}

/** Lets a preview inspect the receiver of a `CloudSignaling`. */
export function declareSignaling({ receiver, prefixes, hostBits }: pulumi.Inputs): void {
  const run = theRun();
  if (!run.rounds) return;
  whenSettled(run, { receiver }, { prefixes, hostBits }, (place, content) => {
    if (!content.known || !Array.isArray(content.value.prefixes)) return;
    const { prefixes, hostBits } = content.value;
    const found = run.receiver(place.receiver);
    if (!found) return;
    found.isSecret ||= content.secret;
    for (const spelling of prefixes) {
      const prefix = canonical(spelling, hostBits);
      if (prefix !== undefined) found.prefixes.add(prefix);
    }
  });
}

/** Goes on at once where nothing resolves later. What is declared where is needed, what is declared may be unknown. */
function whenSettled<P extends object, C extends object>(
  run: Run,
  place: P,
  content: C,
  then: (place: pulumi.Unwrap<P>, content: Settled<pulumi.Unwrap<C>>, isPlaceSecret: boolean) => void,
): void {
  if (isPlain(place) && isPlain(content)) {
    then(place as pulumi.Unwrap<P>, { known: true, value: content as pulumi.Unwrap<C>, secret: false }, false);
    run.rounds?.add(undefined);
    return;
  }
  const entered = Promise.all([settled(place), settled(content)]).then(([where, what]) => {
    if (where.known) then(where.value, what, where.secret);
  });
  run.rounds?.add(entered);
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
  if (!content.known) {
    const { ignored: _, made, isLater, ...resource } = subject;
    const found = run.set(url, place.node);
    if (found) {
      found.toInspect.incomplete = true;
      found.toInspect.isSecret ||= content.secret;
      found.toInspect.declarers.push({ ...resource, prefixes: [], isStrict: false, exclusive: false, isLater, made });
    }
    return;
  }
  const { value, secret } = content;
  const declare = () => enterKnown(run, subject, { url, node: place.node }, { ...value, secret }, read);
  // A preview inspects each set that `run.set` names: one of which nothing valid is declared is not among them.
  if (run.rounds) {
    declare();
    return;
  }
  const found = run.set(url, place.node);
  if (!found) return;
  const { waiting } = found;
  found.waiting = waiting ? [] : [declare];
  if (waiting) for (const each of [...waiting, declare]) each();
}

/** Records what is declared of a set, once all of it is known. */
function enterKnown(
  run: Run,
  { ignored, made, isLater, ...resource }: Subject,
  { url, node }: { readonly url: PrefixSetUrl; readonly node: unknown },
  content: Content & { readonly secret: boolean },
  read: typeof normaliseEntries,
): void {
  const { entries, exclusive = true, hostBits, onExisting = "fail", parts = [], secret } = content;
  const normal = read(entries, { hostBits, now: Number.NEGATIVE_INFINITY });
  // What is not valid is reported by the resource's own check, with its position.
  if (!normal || normal.problems.length > 0) return;
  const found = run.set(url, node);
  if (!found) return;
  const isSecret = parts.some((part) => HOLDING_PREFIXES.includes(part));
  const conflict = record(found, { ...resource, exclusive, entries: normal.entries, secret, isSecret });
  if (conflict !== undefined) throw runError(`${formatUrl(url)}: ${conflict}`);
  if (!run.rounds) return;
  const { toInspect } = found;
  const prefixes = [...normal.entries.keys()];
  toInspect.declarers.push({ ...resource, prefixes, isStrict: onExisting === "fail", exclusive, isLater, made });
  toInspect.exclusive ||= exclusive;
  toInspect.isSecret ||= isSecret;
  toInspect.isIgnored ||= ignored?.all === true && resource.type !== "PrefixSetEntry";
  const isOne = ignored?.all === true && resource.type === "PrefixSetEntry";
  for (const prefix of isOne ? prefixes : (ignored?.prefixes ?? [])) toInspect.ignored.add(prefix);
  // Only a note has a time at which its entry expires.
  const current = normal.notes.size === 0 ? normal : normaliseEntries(entries, { hostBits, now: systemClock.wall() });
  for (const [prefix, value] of current?.entries ?? []) {
    toInspect.entries.set(prefix, typeof value === "number" ? value : undefined);
    if (secret) toInspect.secret.add(prefix);
  }
}

function canonical(spelling: unknown, hostBits: HostBits | undefined): CanonicalPrefix | undefined {
  return prefixIn(String(spelling), hostBits && { hostBits })?.toString();
}
