import { type CanonicalPrefix, Prefix } from "../../model/prefix";
import type { Holdings } from "./holdings";
import type { SignalingDeployment } from "./signaling-deployment";

/** A recipient prefix and its profile. */
export interface Binding {
  readonly prefix: Prefix;
  readonly arena: string;
  readonly profile: string;
}

/**
 * Bindings of recipient prefixes to profiles: the longest bound prefix wins (our choice; the contract does not say). An
 * active signaling binds its prefix to the client's active profile until it is stopped.
 */
export class Bindings {
  constructor(
    private readonly holdings: Holdings,
    private readonly signaling: SignalingDeployment,
  ) {}

  /** Version, which grows with every change. */
  get revision(): number {
    return this.signaling.revision;
  }

  /** The binding of an address or prefix; `undefined` if no bound prefix covers it. */
  of(address: Prefix): Binding | undefined {
    const covering = this.all().filter(({ prefix }) => prefix.contains(address));
    return covering.sort((a, b) => b.prefix.length - a.prefix.length)[0];
  }

  /** Every bound prefix, once. */
  all(): Binding[] {
    const bound = new Map<CanonicalPrefix, Binding>();
    const bind = (prefix: Prefix, arena: string, profile: string) => {
      if (this.holdings.profile(arena, profile)) bound.set(prefix.toString(), { prefix, arena, profile });
    };
    const clients = [...this.signaling.clients.values()];
    for (const { prefixes, state } of clients) {
      if (state.arena && state.idleProfile) for (const prefix of prefixes) bind(prefix, state.arena, state.idleProfile);
    }
    for (const arena of this.holdings.arenas.values()) {
      for (const profile of arena.profiles.values()) {
        for (const prefix of profile.prefixes) bind(prefix, arena.name, profile.name);
      }
    }
    for (const client of clients) {
      const { arena, activeProfile } = client.state;
      if (!arena || !activeProfile) continue;
      for (const prefix of client.active()) bind(Prefix.fromCanonical(prefix), arena, activeProfile);
    }
    return [...bound.values()];
  }
}
