import type { JsonObject } from "../../model/json";
import { type CanonicalPrefix, Prefix } from "../../model/prefix";
import { resourceIn } from "../../model/readable";
import { formatUrl, type PrefixSetUrl } from "../../model/resource-url";
import type { MarkRecords } from "../marks";
import type { RuleSpec } from "../rules/rule-schema";
import { PrefixSetStore, type StagedValue } from "./prefix-set-store";
import { type EmulatorState, type parseState, StateError } from "./state";

/** A profile of an arena (docs/contributing/contract.md#terms): bound prefixes, ordered rules, local sets, mark tables. */
export interface ProfileHoldings {
  readonly name: string;
  readonly prefixes: readonly Prefix[];
  readonly rules: readonly RuleSpec[];
  readonly sets: Map<string, PrefixSetStore>;
  /** The initial marks of the profile; the packet path has the present ones. */
  readonly marks: MarkRecords;
  readonly extra: JsonObject;
}

export interface ArenaHoldings {
  readonly name: string;
  readonly sets: Map<string, PrefixSetStore>;
  readonly profiles: Map<string, ProfileHoldings>;
}

/** The content of a node, by name. Sets and profiles exist from the start; the API only changes entries of sets. */
export class Holdings {
  readonly arenas = new Map<string, ArenaHoldings>();

  /** @throws {StateError} if parts of the state contradict each other. */
  constructor(state: ReturnType<typeof parseState>) {
    for (const [name, arena] of Object.entries(state.arenas ?? {})) {
      const profiles = new Map<string, ProfileHoldings>();
      for (const [profileName, profile] of Object.entries(arena.profiles ?? {})) {
        profiles.set(profileName, {
          name: profileName,
          prefixes: (profile.prefixes ?? []).map((text) => Prefix.parse(text)),
          rules: profile.rules ?? [],
          sets: stores(profile.sets, { arena: name, profile: profileName }),
          marks: profile.marks ?? {},
          extra: profile.extra ?? {},
        });
      }
      this.arenas.set(name, { name, sets: stores(arena.sets, { arena: name }), profiles });
    }
    for (const [url, changes] of Object.entries(state.staged ?? {})) {
      const set = this.setByUrl(url);
      const problem = (what: string) => new StateError(`The state is not valid: staged.${url}: ${what}.`);
      if (!set) throw problem("the set does not exist in the state");
      if (set.changes.size > 0) throw problem("changes of this set are under another spelling of its url, too");
      const staged = byPrefix(Object.entries(changes), (prefix) => problem(`${prefix} is there in two spellings`));
      for (const [prefix, value] of staged) set.stage(prefix, value);
    }
  }

  profile(arena: string, profile: string): ProfileHoldings | undefined {
    return this.arenas.get(arena)?.profiles.get(profile);
  }

  /** The set at an address: global, or local if the address names a profile. */
  set(url: PrefixSetUrl): PrefixSetStore | undefined {
    return this.setsAt(url)?.get(url.set);
  }

  /** The sets of an address's arena or profile, by name; `undefined` if that does not exist. */
  setsAt({ arena: name, profile }: PrefixSetUrl): Map<string, PrefixSetStore> | undefined {
    const arena = this.arenas.get(name);
    return (profile === undefined ? arena : arena?.profiles.get(profile))?.sets;
  }

  /** The set at a text address; `undefined` also for a text that is not the address of a set. */
  setByUrl(text: string): PrefixSetStore | undefined {
    const url = resourceIn(text);
    return url?.kind === "prefixset" ? this.set(url) : undefined;
  }

  /** Every set with its address. */
  *sets(): Generator<[url: string, set: PrefixSetStore], void> {
    for (const [arena, { sets, profiles }] of this.arenas) {
      for (const [set, store] of sets) yield [formatUrl({ kind: "prefixset", arena, set }), store];
      for (const [profile, local] of profiles) {
        for (const [set, store] of local.sets) yield [formatUrl({ kind: "prefixset", arena, profile, set }), store];
      }
    }
  }

  /** This part of a state, with the present marks of profiles, without signaling. */
  export(marksOf: (arena: string, profile: string) => MarkRecords): Pick<EmulatorState, "arenas" | "staged"> {
    const staged = [...this.sets()]
      .map(([url, set]) => [url, Object.fromEntries<StagedValue>(set.unapplied)] as const)
      .filter(([, changes]) => Object.keys(changes).length > 0);
    const arenas = [...this.arenas].map(([name, arena]) => [
      name,
      {
        sets: plain(arena.sets),
        profiles: Object.fromEntries(
          [...arena.profiles].map(([profile, it]) => [profile, exportProfile(it, marksOf(name, profile))]),
        ),
      },
    ]);
    return { arenas: Object.fromEntries(arenas), ...(staged.length > 0 && { staged: Object.fromEntries(staged) }) };
  }
}

function exportProfile({ prefixes, rules, sets, extra }: ProfileHoldings, marks: MarkRecords) {
  return {
    prefixes: prefixes.map(String),
    rules: [...rules],
    sets: plain(sets),
    marks,
    ...(Object.keys(extra).length > 0 && { extra }),
  };
}

function plain(sets: ReadonlyMap<string, PrefixSetStore>): Record<string, Record<string, number>> {
  return Object.fromEntries([...sets].map(([name, set]) => [name, Object.fromEntries(set.ordered)]));
}

function stores(
  sets: Record<string, Record<string, number>> = {},
  where: { arena: string; profile?: string },
): Map<string, PrefixSetStore> {
  return new Map(
    Object.entries(sets).map(([set, entries]) => {
      const url = formatUrl({ kind: "prefixset", ...where, set });
      const twice = (prefix: string) =>
        new StateError(`The state is not valid: ${url} holds ${prefix} in two spellings.`);
      return [set, new PrefixSetStore(byPrefix(Object.entries(entries), twice))];
    }),
  );
}

/** Values by canonical prefix. @throws what `twice` makes of a prefix that is there in two spellings. */
export function byPrefix<Value>(
  entries: Iterable<readonly [string, Value]>,
  twice: (prefix: CanonicalPrefix) => Error,
): Map<CanonicalPrefix, Value> {
  const map = new Map<CanonicalPrefix, Value>();
  for (const [text, value] of entries) {
    const prefix = Prefix.parse(text).toString();
    if (map.has(prefix)) throw twice(prefix);
    map.set(prefix, value);
  }
  return map;
}
