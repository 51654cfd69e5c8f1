import { NotConfigured } from "../not-configured";
import { binds, bindsSet } from "../pattern";
import { PrefixBuckets } from "../prefix-buckets";
import type { PolicyConfig } from "./schema";

/** Meaning of a match in a set for a packet. */
export type Role = "block" | "allow";

/** Which of a packet's addresses is looked up in a set. */
export type Direction = "source" | "destination";

/**
 * Meaning of sets, prefixes and stacks in the shared configuration.
 *
 * @example
 * ```ts
 * const isAllowed = (resource: SetResource, meaning: Meaning) => meaning.roleIfAny(resource.url) === "allow";
 * ```
 */
export class Meaning {
  private readonly owned;
  private readonly management;

  constructor(
    private readonly config: Pick<
      PolicyConfig,
      "sets" | "ownedPrefixes" | "managementPrefixes" | "productionStacks" | "exceptions"
    >,
  ) {
    this.owned = PrefixBuckets.of(config.ownedPrefixes);
    this.management = PrefixBuckets.of(config.managementPrefixes);
  }

  /**
   * Effect of a match in the set on a packet.
   *
   * @throws {NotConfigured} when no pattern matches the set.
   */
  role(set: string): Role {
    const role = this.roleIfAny(set);
    if (role === undefined) throw new NotConfigured("role", set);
    return role;
  }

  /** Role of the set, if a pattern gives one. */
  roleIfAny(set: string): Role | undefined {
    return this.find(set)?.role;
  }

  /**
   * The address of a packet that is looked up in the set.
   *
   * @throws {NotConfigured} when no pattern matches the set, or the pattern has no direction.
   */
  direction(set: string): Direction {
    this.role(set);
    const direction = this.find(set)?.direction;
    if (direction === undefined) throw new NotConfigured("direction", set);
    return direction;
  }

  /**
   * The owned prefixes.
   *
   * @throws {NotConfigured} when there are none.
   */
  get ownedPrefixes(): PrefixBuckets<PolicyConfig["ownedPrefixes"][number]> {
    if (this.owned.isEmpty) throw new NotConfigured("ownedPrefixes");
    return this.owned;
  }

  /** Owned prefixes as a list, which may be empty. */
  get ownedPrefixList(): PolicyConfig["ownedPrefixes"] {
    return this.config.ownedPrefixes;
  }

  /** Owned prefixes, or an empty table. */
  get ownedIfAny(): PrefixBuckets<PolicyConfig["ownedPrefixes"][number]> {
    return this.owned;
  }

  /** Management prefixes, or an empty table. */
  get managementIfAny(): PrefixBuckets<PolicyConfig["managementPrefixes"][number]> {
    return this.management;
  }

  /** Exceptions from rules, as the configuration lists them. */
  get exceptions(): PolicyConfig["exceptions"] {
    return this.config.exceptions;
  }

  /** True when one of the patterns of `productionStacks` matches the name of the stack. */
  isProduction(stack: string): boolean {
    return this.config.productionStacks.some((pattern) => binds(pattern, stack));
  }

  /** Line of the configuration for a set: the first one that matches it. */
  private find(set: string): PolicyConfig["sets"][number] | undefined {
    const known = this.found.get(set);
    if (known !== undefined) return known ?? undefined;
    const found = this.config.sets.find(({ pattern }) => bindsSet(pattern, set));
    this.found.set(set, found ?? null);
    return found;
  }
  private readonly found = new Map<string, PolicyConfig["sets"][number] | null>();
}
