import {
  type ArenaUrl,
  formatUrl,
  type MarkUrl,
  type PrefixSetUrl,
  type ProfileUrl,
  type ResourceUrl,
} from "../../model/resource-url";

/** Resources to ask about: the named urls, their arenas and profiles, or else the first profile that an arena lists. */
export class Targets {
  readonly sets: readonly PrefixSetUrl[];
  readonly arenas: readonly ArenaUrl[];
  private readonly named: ReadonlySet<string>;
  private readonly profilesOf: Map<string, { readonly arena: string; readonly profile: string }>;

  constructor(urls: readonly ResourceUrl[]) {
    this.named = new Set(urls.map(formatUrl));
    this.sets = urls.filter((url) => url.kind === "prefixset");
    const arenas = new Map(urls.map(({ arena }) => [arena, { kind: "arena", arena } as const]));
    this.arenas = [...arenas.values()];
    const within = urls.flatMap((url) =>
      url.kind === "arena" || url.profile === undefined ? [] : [{ arena: url.arena, profile: url.profile }],
    );
    this.profilesOf = new Map(within.map((one) => [`${one.arena}/${one.profile}`, one]));
  }

  get profiles(): readonly ProfileUrl[] {
    return [...this.profilesOf.values()].map((one) => ({ kind: "profile", ...one }));
  }

  get marks(): readonly MarkUrl[] {
    return [...this.profilesOf.values()].map((one) => ({ kind: "mark", ...one }));
  }

  get first(): ResourceUrl | undefined {
    return this.sets[0] ?? this.arenas[0];
  }

  /** True for a url of the user; a refusal of any other one is not a failure. */
  isNamed(url: ResourceUrl): boolean {
    return this.named.has(formatUrl(url));
  }

  /** Takes a listed profile, if the user named none. */
  offer(arena: string, profile: string): void {
    if (this.profilesOf.size === 0) this.profilesOf.set(`${arena}/${profile}`, { arena, profile });
  }
}
