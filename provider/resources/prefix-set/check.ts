import { parseNote } from "../../model/entry-note";
import { type CanonicalPrefix, Prefix } from "../../model/prefix";
import { difference, isEmpty, summary } from "../../model/prefix-map";
import { formatUrl } from "../../model/resource-url";
import { grouped } from "../../model/text";
import { judge, setUrl } from "../arguments";
import { ArgumentProblem, isExpired, normaliseEntries, parseAt } from "../entries";
import type { Properties } from "../handler";
import { contentProblems, entryProblems, type Rails, removalProblems } from "../rails";
import type { Runtime } from "../runtime";
import type { Settings } from "../settings";
import { hasUnknown, UNKNOWN } from "../unknown";
import { entriesOf, type PrefixSetArguments, prefixSetSchema } from "./arguments";

/** `check` of a `PrefixSet`: everything that can be told without a request. */
export function checkPrefixSet(runtime: Runtime, olds: Properties, news: Properties) {
  const { args, problems } = judge(prefixSetSchema, news);
  if (!args) return { inputs: news, problems };
  const node = hasUnknown(news.node) ? undefined : runtime.node(args.node);
  const now = runtime.surroundings.now();
  const normal = normaliseEntries(news.entries, { hostBits: args.hostBits, now });
  if (!normal) return { inputs: { ...news, entries: UNKNOWN }, problems: [] };
  const notes = Object.keys(normal.notes).length > 0 ? { notes: normal.notes } : {};
  const inputs: Properties = { ...news, entries: normal.entries, ...notes };
  const entries = entriesOf(inputs);
  const address = setUrl(news);
  const url = address && formatUrl(address);
  const found = [...normal.problems, ...judgeContent([...entries.keys()], args, runtime.settings)];
  const before = isSameSet(olds, news) ? entriesOf(olds) : new Map<CanonicalPrefix, number>();
  if (url) found.push(...judgeRemovals(url, runtime, args, olds, before, entries));
  if (found.length > 0) {
    const where = url ? `${url}: ` : "";
    return { inputs: news, problems: found.map((problem) => `${where}${problem}`) };
  }
  for (const warning of normal.warnings) runtime.warn(`${url ?? "PrefixSet"}: ${warning}`);
  if (url && node) {
    runtime.wanted.add(node, url, entries.keys());
    const delta = difference(before, entries);
    if (!isEmpty(delta)) runtime.say(`${node.label} ${url}: ${summary(delta)}, ${grouped(entries.size)} after`);
  }
  return { inputs, problems: [] };
}

/** The arguments that limit a set; an entry has some of them. */
type RailArguments = Pick<
  PrefixSetArguments,
  "forbiddenPrefixes" | "requiredPrefixes" | "shortestPrefix" | "maxEntries" | "maxRemovals" | "allowEmpty"
>;

/** The limits of a set: its arguments, united with what the stack's configuration forbids and requires. */
export function railsOf(args: RailArguments, settings: Settings, url: string): Rails {
  const list = (key: "forbiddenPrefixes" | "requiredPrefixes") =>
    (args[key] ?? [])
      .map((spelling, index) => ({ spelling, path: `${key}[${index}]` }))
      .filter(({ spelling }) => spelling !== UNKNOWN)
      .map(({ spelling, path }) => Prefix.fromCanonical(parseAt(path, spelling)));
  const { ipv4 = 1, ipv6 = 1 } = args.shortestPrefix ?? {};
  return {
    forbidden: [...list("forbiddenPrefixes"), ...settings.forbiddenPrefixes()],
    required: [...list("requiredPrefixes"), ...settings.requiredPrefixes()],
    shortest: { ipv4, ipv6 },
    maxEntries: args.maxEntries,
    maxRemovals: args.maxRemovals ?? "50%",
    allowEmpty: args.allowEmpty ?? false,
    removalsLifted: settings.liftsRemovals(url),
  };
}

/** How many of these entries go although their time has not come: those are what the limits count. */
export function unexpiredRemovals(removed: Iterable<CanonicalPrefix>, notes: unknown, now: number): number {
  const texts = typeof notes === "object" && notes !== null ? (notes as Record<string, string>) : {};
  return [...removed].filter((prefix) => !isExpired(parseNote(texts[prefix]).expires, now)).length;
}

function judgeContent(entries: CanonicalPrefix[], args: PrefixSetArguments, settings: Settings): string[] {
  try {
    const rails = railsOf(args, settings, "");
    return [...entryProblems(entries, rails), ...contentProblems(entries, rails)];
  } catch (error) {
    if (error instanceof ArgumentProblem) return [error.message];
    throw error;
  }
}

function judgeRemovals(
  url: string,
  runtime: Runtime,
  args: PrefixSetArguments,
  olds: Properties,
  before: ReadonlyMap<CanonicalPrefix, number>,
  entries: ReadonlyMap<CanonicalPrefix, number>,
): string[] {
  const removed = [...before.keys()].filter((prefix) => !entries.has(prefix));
  const removals = unexpiredRemovals(removed, olds.notes, runtime.surroundings.now());
  const rails = railsOf({ ...args, forbiddenPrefixes: [], requiredPrefixes: [] }, runtime.settings, url);
  return removalProblems(url, { size: before.size, removals, left: entries.size }, rails);
}

function isSameSet(olds: Properties, news: Properties): boolean {
  const nodeChanged = typeof olds.node === "string" && typeof news.node === "string" && olds.node !== news.node;
  return !nodeChanged && ["arena", "profile", "set"].every((key) => olds[key] === news[key]);
}
