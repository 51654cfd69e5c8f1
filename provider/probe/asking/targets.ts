import {
  type ArenaUrl,
  formatUrl,
  type MarkUrl,
  type PrefixSetUrl,
  type ProfileUrl,
  type ResourceUrl,
} from "../../model/resource-url";

/**
 * What is asked about: the urls that were named, the arenas and profiles that they lie in, and where no profile is named
 * the first one that the arena lists.
 */
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

  /** Any of them, for questions about the node as a whole. */
  get first(): ResourceUrl | undefined {
    return this.sets[0] ?? this.arenas[0];
  }

  /** True for a url that the user wrote; a refusal of any other is no failure. */
  isNamed(url: ResourceUrl): boolean {
    return this.named.has(formatUrl(url));
  }

  /** A profile that a list showed, where none was named. */
  offer(arena: string, profile: string): void {
    if (this.profilesOf.size === 0) this.profilesOf.set(`${arena}/${profile}`, { arena, profile });
  }
}
