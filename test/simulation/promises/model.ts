import type { JournalEntry } from "../../../provider/emulator/journal/entry";
import { attempt } from "../../../provider/model/errors";
import { Prefix } from "../../../provider/model/prefix";
import type { Kept } from "../engine/state";
import type { Declared, Entries, Run, RunOptions } from "../scenario";
import type { CommandRecord, World } from "../simulation";
import { START } from "../world/machines";

/** Declaration of one resource of a program at one place. */
export type Claim =
  | {
      readonly kind: "set";
      readonly resource: Declared;
      readonly node: string;
      readonly url: string;
      readonly entries: Entries;
      readonly exclusive: boolean;
    }
  | {
      readonly kind: "signal";
      readonly resource: Declared;
      readonly receiver: string;
      readonly prefixes: readonly string[];
    };

/**
 * Declarations of a program, place by place, of the resources that a command includes. They say nothing of the way there.
 *
 * @param now Milliseconds of virtual time, at which some entries are over.
 */
export function claimsOf(program: readonly Declared[], { targets, excludes }: RunOptions = {}, now = 0): Claim[] {
  return program.flatMap((resource): Claim[] => {
    if (targets?.includes(resource.name) === false || excludes?.includes(resource.name)) return [];
    const { type, args } = resource;
    if (type === "CloudSignaling") {
      const prefixes = [args.prefixes].flat().flatMap((one) => canonical(one) ?? []);
      return [{ kind: "signal", resource, receiver: String(args.receiver), prefixes }];
    }
    const url = ["prefixset:/", args.arena, args.profile, args.set].filter((it) => it !== undefined).join("/");
    if (type === "PrefixSetEntry") {
      const prefix = canonical(args.prefix);
      const entries = prefix === undefined || isOver(args, now) ? {} : { [prefix]: Number(args.value ?? 1) };
      return [{ kind: "set", resource, node: String(args.node), url, entries, exclusive: false }];
    }
    const exclusive = args.exclusive !== false;
    const nodes = type === "PrefixSet" ? [String(args.node)] : nodesOf(args);
    return nodes.map((node) => ({ kind: "set", resource, node, url, entries: entriesAt(node, args, now), exclusive }));
  });
}

/** Entries that the arguments of a set declare for a node: of a group those of the node, and the common ones that it does not name. */
function entriesAt(node: string, { entries, nodes }: Declared["args"], now: number): Record<string, number> {
  const { entries: own = {}, notes = {} } = Object(Array.isArray(nodes) ? {} : nodes)[node] ?? {};
  const named = Object.keys({ ...own, ...notes }).map(canonical);
  const common = Object.entries(canonicalEntries(entries as Entries, now)).filter(
    ([prefix]) => !named.includes(prefix),
  );
  return { ...Object.fromEntries(common), ...canonicalEntries(own, now) };
}

/** Nodes of a group: a program writes a list, and the state has an object. */
export function nodesOf({ nodes }: Readonly<Record<string, unknown>>): string[] {
  return Array.isArray(nodes) ? nodes.map(String) : Object.keys((nodes ?? {}) as object);
}

/** True where the option `ignoreChanges` leaves a prefix to whatever the state has. */
export function isIgnored({ resource }: Claim, prefix: string): boolean {
  const paths = resource.options?.ignoreChanges ?? [];
  return paths.some((path) => path === "entries" || canonical(path.replace(/^entries\["|"\]$/g, "")) === prefix);
}

/** The value that a program declares for a prefix at a node; `undefined` for none. */
export function declaredAt(
  claims: readonly Claim[],
  world: World,
  machine: string,
  url: string,
): Record<string, number> {
  const found: Record<string, number> = {};
  for (const claim of claims) {
    if (claim.kind !== "set" || claim.url !== url || world.nodes.get(claim.node)?.name !== machine) continue;
    Object.assign(found, claim.entries);
  }
  return found;
}

/** Prefixes that a resource of a state has adopted at one place: it has an array, or of a group one for each node. */
export function adoptedAt({ inputs, outputs: { url, adopted } }: Kept, at: { node: string; url: string }): string[] {
  if (url !== at.url) return [];
  return Array.isArray(adopted) ? (inputs.node === at.node ? adopted : []) : (Object(adopted)[at.node] ?? []);
}

/** The prefixes that a program keeps active at a receiver. */
export function signaledAt(claims: readonly Claim[], receiver: string): string[] {
  return claims.flatMap((claim) => (claim.kind === "signal" && claim.receiver === receiver ? claim.prefixes : []));
}

/** Requests of a command at one machine. */
export function requestsOf(world: World, record: CommandRecord, machine: string): JournalEntry[] {
  const { journal } = world.machines.get(machine) ?? { journal: [] };
  return journal.slice(record.from[machine], record.to[machine]).filter(({ label }) => label === record.label);
}

/** The last insert of a prefix before a request. */
export function lastInsert(
  journal: readonly JournalEntry[],
  url: string,
  prefix: string,
  before = Number.POSITIVE_INFINITY,
): JournalEntry | undefined {
  return journal.findLast(
    (entry) =>
      entry.cmd === "insert" &&
      entry.url === url &&
      entry.index < before &&
      entry.data?.some((item) => canonical((item as { p?: unknown }).p) === prefix),
  );
}

/** True for a request that may change something. */
export function isMutating({ cmd, op }: JournalEntry): boolean {
  return cmd === "insert" || cmd === "delete" || cmd === "commit" || op === "start" || op === "stop";
}

/** Spellings that were read, since the judges ask for the same ones again and again. */
const read = new Map<string, string | undefined>();
/** Most spellings that are kept. */
const MOST_READ = 50_000;

export function canonical(spelling: unknown): string | undefined {
  const text = String(spelling);
  if (read.has(text)) return read.get(text);
  if (read.size >= MOST_READ) read.clear();
  const prefix = attempt(() => Prefix.parse(text).toString());
  read.set(text, prefix);
  return prefix;
}

/** Entries as a program writes them, without those whose time is over. */
export function canonicalEntries(entries: Readonly<Record<string, Written>>, now = 0): Record<string, number> {
  const found = Object.entries(entries).flatMap(([spelling, content]) => {
    const prefix = canonical(spelling);
    const { value, ...note } = typeof content === "number" ? { value: content } : content;
    return prefix === undefined || isOver(note, now) ? [] : [[prefix, value] as const];
  });
  return Object.fromEntries(found);
}

/** An entry as a program writes it: its value, or that and a note. */
type Written = number | { readonly value: number; readonly expires?: string };

function isOver({ expires }: { readonly expires?: unknown }, now: number): boolean {
  return expires !== undefined && Date.parse(String(expires)) <= START + now;
}

/** True if a run says that a node does not answer: one of the real engine may be late on a busy machine. */
export function isSaidSilent({ printed }: Pick<CommandRecord, "printed">, node: string): boolean {
  return printed.some((line) => line.includes("does not answer") && new RegExp(`\\b${node}\\b`).test(line));
}

/** True for a run that asks no node before it writes. */
export function isBlind(
  { scenario }: World,
  { stack, settings, options }: Pick<Run, "stack" | "settings" | "options">,
): boolean {
  const { detectDrift } = { ...scenario.stacks[stack]?.settings, ...settings };
  return detectDrift === "off" && !options.refresh;
}

/** The last request of any writer about a prefix of a set that a commit would apply. */
export function lastChange(journal: readonly JournalEntry[], url: string, prefix: string, before = Infinity) {
  const isAbout = (item: unknown) => {
    const { p, a } = Object(item) as { p?: unknown; a?: unknown };
    return canonical(p ?? a) === prefix;
  };
  return journal.findLast(
    (it) =>
      (it.cmd === "insert" || it.cmd === "delete") && it.url === url && it.index < before && it.data?.some(isAbout),
  );
}
