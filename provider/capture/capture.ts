import { NodeClient, type NodeOptions } from "../client";
import { isRefusal } from "../client/errors";
import type { EmulatorState } from "../emulator/state/state";
import { isEntryValue } from "../model/entry";
import { messageOf } from "../model/errors";
import type { Rule } from "../model/mark";
import { formatUrl, type PrefixSetUrl, parseUrl } from "../model/resource-url";
import { captureMarks } from "./marks";
import { captureRules, setsNamedIn } from "./rules";

/** The part of `NodeClient` that {@link capture} uses. */
export type CaptureSource = Pick<NodeClient, "listPrefixSet" | "listProfiles" | "listRules" | "listMarks">;

/** Urls and receivers to capture. */
export interface CaptureOptions {
  /** Urls of arenas (`arena://edge`, or the bare name) and of prefix-sets. The API cannot list either. */
  readonly resources: readonly string[];
  /** Whether mark tables are captured; default `all`. Each is read once. */
  readonly marks?: "all" | "none";
  /** Called with one sentence for each part that could not be captured unchanged. */
  readonly warn?: (message: string) => void;
  /** Ends it early. */
  readonly signal?: AbortSignal;
}

/** An arena while it is captured. */
interface ArenaDraft {
  sets: Record<string, Record<string, number>>;
  profiles: Record<string, ProfileDraft>;
}
type ArenaState = NonNullable<EmulatorState["arenas"]>[string];
type ProfileState = NonNullable<ArenaState["profiles"]>[string];
type ProfileDraft = Omit<{ -readonly [Name in keyof ProfileState]: ProfileState[Name] }, "sets"> & {
  sets: Record<string, Record<string, number>>;
};

/**
 * Reads profiles, rules, marks and prefix-sets of a node as a state from which an emulator starts that answers every list
 * with the same content. The sets are the named ones, and those whose url is in a rule. Content that the API does not show is
 * missing: bound prefixes, staged entries, signaling clients.
 *
 * @throws {TypeError} when a resource is neither an arena nor a prefix-set; what the client throws when a list fails. A refused
 *   table of marks may be missing, and is left out with a warning, but not if the node refuses every list of marks.
 * @example
 * ```ts
 * const state = await capture(new NodeClient({ endpoint: "http://192.0.2.10" }), { resources: ["arena://edge"] });
 * await using copy = await startEmulator({ state });
 * ```
 */
export async function capture(source: CaptureSource, options: CaptureOptions): Promise<EmulatorState> {
  const warn = options.warn ?? (() => {});
  const { arenas, sets } = readResources(options.resources);
  const drafts = new Map<string, ArenaDraft>();
  const draft = (arena: string) => {
    const made = drafts.get(arena) ?? { sets: {}, profiles: {} };
    drafts.set(arena, made);
    return made;
  };
  const selected = new Map(sets.map((url) => [formatUrl(url), { url, named: true }]));
  const captured = new Set<string>();
  const found: { arena: string; profile: string; rules: Rule[] }[] = [];

  for (const arena of arenas) {
    for (const { name, extra } of await source.listProfiles(arena)) {
      // Some nodes list a profile twice.
      if (Object.hasOwn(draft(arena).profiles, name)) continue;
      const rules = await source.listRules(arena, name);
      // A record of the client as plain JSON.
      draft(arena).profiles[name] = { sets: {}, ...(extra && { extra: JSON.parse(JSON.stringify(extra)) }) };
      found.push({ arena, profile: name, rules });
      for (const url of setsNamedIn(rules, { arena, profile: name })) {
        const key = formatUrl(url);
        if (!selected.has(key)) selected.set(key, { url, named: false });
      }
    }
  }
  for (const { url, named } of selected.values()) {
    const entries = await readSet(source, { url, named }, warn);
    if (!entries) continue;
    captured.add(formatUrl(url));
    const arena = draft(url.arena);
    if (url.profile === undefined) arena.sets[url.set] = entries;
    else {
      const profile = arena.profiles[url.profile] ?? { sets: {} };
      profile.sets[url.set] = entries;
      arena.profiles[url.profile] = profile;
    }
  }
  let refusal: unknown;
  let isAnswered = false;
  const listMarks = async (...table: Parameters<CaptureSource["listMarks"]>) => {
    try {
      const marks = await source.listMarks(...table);
      isAnswered = true;
      return marks;
    } catch (error) {
      refusal ??= error;
      throw error;
    }
  };
  for (const { arena, profile, rules } of found) {
    const target = draft(arena).profiles[profile];
    if (!target) continue;
    target.rules = captureRules(rules, { arena, profile }, (url) => captured.has(formatUrl(url)));
    if (options.marks === "none") continue;
    target.marks = await captureMarks((type) => listMarks(arena, profile, type), `${arena}/${profile}`, warn);
  }
  // Without an answered list, nothing shows that the tables are missing and the requests are right.
  if (refusal !== undefined && !isAnswered)
    throw new Error(`${messageOf(refusal)} Every list of marks is refused: capture without marks (marks: "none").`);
  return { arenas: Object.fromEntries(drafts) };
}

/** {@link capture} from a node that is reached with these options. */
export async function captureNode(node: NodeOptions, options: CaptureOptions): Promise<EmulatorState> {
  const client = new NodeClient(node, options.signal && { stop: options.signal });
  try {
    return await capture(client, options);
  } finally {
    await client.close();
  }
}

function readResources(resources: readonly string[]): { arenas: string[]; sets: PrefixSetUrl[] } {
  const arenas = new Set<string>();
  const sets: PrefixSetUrl[] = [];
  for (const text of resources) {
    const url = parseUrl(text.includes("://") ? text : `arena://${text}`);
    if (url.kind === "arena") arenas.add(url.arena);
    else if (url.kind === "prefixset") sets.push(url);
    else throw new TypeError(`${text} cannot be captured by itself: name its arena, arena://${url.arena}.`);
  }
  return { arenas: [...arenas], sets };
}

/** The entries of a set; `undefined` for one that only a rule seems to name and that the node does not have. */
async function readSet(
  source: CaptureSource,
  { url, named }: { url: PrefixSetUrl; named: boolean },
  warn: (message: string) => void,
): Promise<Record<string, number> | undefined> {
  try {
    const entries: Record<string, number> = {};
    for (const { prefix, value } of await source.listPrefixSet(url)) {
      const earlier = entries[prefix.toString()];
      if (earlier !== undefined && isEntryValue(value) && earlier !== value)
        warn(
          `Set ${formatUrl(url)}: ${prefix} is listed twice, with the values ${earlier} and ${value}. The later one is kept.`,
        );
      if (isEntryValue(value)) entries[prefix.toString()] = value;
      else warn(`Set ${formatUrl(url)}: left out ${prefix}, whose value ${JSON.stringify(value)} no emulator holds.`);
    }
    return entries;
  } catch (error) {
    if (!named && isRefusal(error)) return undefined;
    throw error;
  }
}
