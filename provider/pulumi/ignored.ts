import * as pulumi from "@pulumi/pulumi";
import { caught } from "../model/errors";
import { givenEntries } from "../model/given-entries";
import { type CanonicalPrefix, Prefix, PrefixError } from "../model/prefix";
import { isDeferred, later } from "./inputs";

/** Arguments and entries that the option `ignoreChanges` of a resource leaves unchanged. */
export interface Ignored {
  /** The option as the engine needs it. */
  readonly paths: string[];
  /** Entries of a set that are ignored one by one. */
  readonly prefixes: ReadonlySet<CanonicalPrefix>;
  /** True if all entries or prefixes of the resource are ignored. */
  readonly all: boolean;
}

/** Name and type of the resource. */
interface Subject {
  /** Name in messages: `PrefixSet "blocked"`. */
  readonly label: string;
  /** Names of its arguments. */
  readonly args: readonly string[];
  readonly hostBits?: unknown;
}

/**
 * Reads `ignoreChanges`. The engine compares with the keys of its state, which are canonical prefixes: an entry with another
 * spelling would look new, be left out, and be removed.
 *
 * @throws {pulumi.RunError} for a path without a meaning for this resource
 */
export function ignoredChanges(subject: Subject, paths: readonly string[] | undefined): Ignored | undefined {
  if (paths === undefined || paths.length === 0) return undefined;
  const kept = new Set<string>();
  const prefixes = new Set<CanonicalPrefix>();
  let all = false;
  for (const path of paths) {
    const [name, ...inside] = read(subject, path);
    if (name === "*" && inside.length === 0) all = true;
    else if (!subject.args.includes(String(name))) throw refusal(subject, path, `there is no argument "${name}"`);
    else if (name === "value" || name === "prefix" || name === "prefixes") all = true;
    if (name === "prefixes" && inside.length > 0)
      throw refusal(subject, path, "the state has them sorted: write prefixes");
    if (name !== "entries") kept.add(path);
    else if (inside.length === 0 || (inside.length === 1 && inside[0] === "*")) {
      all = true;
      // The check makes `notes` of the entries: reason and time stay with the entry.
      for (const whole of ["entries", "notes"]) kept.add(whole);
    } else {
      const prefix = prefixOf(subject, path, inside);
      prefixes.add(prefix);
      const canonical = `entries["${prefix}"]`;
      kept.add(canonical);
      if (inside[0] !== prefix)
        void pulumi.log.info(`${subject.label}: ignoreChanges ${path} is ${canonical}, as the state has it.`);
    }
  }
  return { paths: [...kept], prefixes, all };
}

/** Entries as an object with canonical keys, for paths of `ignoreChanges`. Invalid and repeated prefixes are left to the check. */
export function withCanonicalKeys(entries: unknown, hostBits: unknown): unknown {
  if (isDeferred(entries) || (Array.isArray(entries) && entries.some(isDeferred)))
    return later(entries, (known) => withCanonicalKeys(known, hostBits));
  const given = givenEntries(entries);
  if (!given) return entries;
  const found: Record<string, unknown> = {};
  const spellings = new Set(given.spellings);
  for (const [index, spelling] of given.spellings.entries()) {
    if (typeof spelling !== "string") return entries;
    const canonical = prefixIn(spelling, hostBits);
    const isFree = typeof canonical === "string" && !(canonical in found) && !spellings.has(canonical);
    found[isFree ? canonical : spelling] = given.content(index);
  }
  return found;
}

function prefixOf(subject: Subject, path: string, inside: readonly (string | number)[]): CanonicalPrefix {
  const [key, ...deeper] = inside;
  if (typeof key !== "string")
    throw refusal(subject, path, 'the state has no positions of entries: write the prefix, entries["203.0.113.7/32"]');
  const prefix = prefixIn(key, subject.hostBits);
  if (typeof prefix !== "string") {
    const hint = deeper.length > 0 ? ' (a prefix stands in brackets: entries["203.0.113.7/32"])' : "";
    throw refusal(subject, path, `${prefix.message.replace(/\.$/, "")}${hint}`);
  }
  if (deeper.length > 0) throw refusal(subject, path, `an entry is ignored as a whole: write entries["${prefix}"]`);
  return prefix;
}

function prefixIn(spelling: string, hostBits: unknown): CanonicalPrefix | PrefixError {
  const options = hostBits === "mask" ? { hostBits: "mask" as const } : {};
  return caught(
    () => Prefix.canonical(spelling, options),
    PrefixError,
    (error) => error,
  );
}

/** A step of a path: a name, a quoted name, a position or all. */
const STEP = /\.?([^.[\]"]+)|\[(?:"((?:[^"\\]|\\.)+)"|(\d+)|(\*))\]/y;

/** The steps of a property path, by the engine's grammar. */
function read(subject: Subject, path: string): (string | number)[] {
  const steps: (string | number)[] = [];
  STEP.lastIndex = 0;
  while (STEP.lastIndex < path.length) {
    const found = STEP.exec(path);
    if (!found) throw refusal(subject, path, "it is not a property path");
    const [, name, quoted, position, every] = found;
    steps.push(position === undefined ? (name ?? quoted?.replaceAll('\\"', '"') ?? every ?? "") : Number(position));
  }
  return steps;
}

function refusal({ label }: Subject, path: string, why: string): pulumi.RunError {
  return new pulumi.RunError(`${label}: ignoreChanges ${path}: ${why}. Nothing was sent.`);
}
