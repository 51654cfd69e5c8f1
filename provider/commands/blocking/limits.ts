import type { CanonicalPrefix, Prefix } from "../../model/prefix";
import type { ListedMap } from "../../model/prefix-map";
import { some } from "../../model/text";
import type { PrefixEntries } from "../../prefixes";
import { isExpired } from "../../reconcile/entries";
import { type ContentLimits, contentProblems, entryProblems, wideProblems } from "../../reconcile/limits/content";
import type { ConfigKey } from "../../settings/config-keys";
import { UsageError } from "../cli-io";
import type { Project } from "../project";
import type { DesiredChange } from "./other-writers";

/** @throws {UsageError} for a default route, which no command blocks */
export function refuseDefaultRoute(prefixes: readonly Prefix[]): void {
  const routes = prefixes.filter(({ length }) => length === 0);
  if (routes.length === 0) return;
  throw new UsageError(`${some(routes)} covers all addresses, and no command blocks it. Nothing was changed.`);
}

/** The entries of a file that have not expired: `up` judges these alone. */
export function unexpired(entries: PrefixEntries, now: number): PrefixEntries {
  return Object.fromEntries(Object.entries(entries).filter(([, { expires }]) => !isExpired(expires, now)));
}

/** Refuses prefixes that no set of a stack may hold. */
export function refuseEntries(names: readonly CanonicalPrefix[], limits: ContentLimits, project: Project): void {
  refuse(entryProblems(names, limits), ["forbiddenPrefixes", "shortestPrefix"], project);
}

/** A file may not hold or cover more than a set that is read from it. */
export function refuseMore(
  before: PrefixEntries,
  names: readonly string[],
  limits: ContentLimits,
  project: Project,
): void {
  const earlier = Object.keys(before) as CanonicalPrefix[];
  const after = [...new Set([...earlier, ...(names as CanonicalPrefix[])])];
  if (after.length === earlier.length) return;
  // If the file covers so much already, the program that reads it allows that.
  const known = new Set(wideProblems(earlier, limits));
  const wide = wideProblems(after, limits).filter((problem) => !known.has(problem));
  const many = contentProblems(after, { required: [], maxEntries: limits.maxEntries });
  refuse([...many, ...wide], ["maxEntries", "shortestPrefix"], project);
}

function refuse(problems: readonly string[], limits: readonly ConfigKey[], { source }: Project): void {
  if (problems.length === 0) return;
  const files = limits.filter((key) => source(key) !== "the environment");
  const said = files.map((key) => `packetfilter:${key} in ${source(key)}`).join(", ");
  const where = said === "" ? "Commands take this limit from packetfilter:shortestPrefix." : `Limits: ${said}.`;
  throw new Error(`${problems.join(" ")} ${where} Nothing was changed.`);
}

/** Refuses a change that breaks a limit, or breaks it further. */
export function requireContent(
  label: string,
  observed: ListedMap,
  { put, remove }: Pick<DesiredChange, "put" | "remove">,
  limits: ContentLimits,
): void {
  const before = [...observed.keys()];
  const after = [...new Set([...before.filter((prefix) => !remove.has(prefix)), ...put.keys()])];
  const grows = after.length > before.length;
  const judged = { required: limits.required, maxEntries: grows ? limits.maxEntries : undefined };
  const earlier = new Set(contentProblems(before, { required: limits.required }));
  const problems = contentProblems(after, judged).filter((problem) => !earlier.has(problem));
  if (problems.length > 0) throw new Error(`Set ${label}: nothing was sent. ${problems.join(" ")}`);
}
