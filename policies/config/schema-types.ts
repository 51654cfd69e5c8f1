// Made from the schemas beside it by `npx vitest run test/types/schema-types.test.ts -u`.
import type { Prefix } from "../../provider/model/prefix";
import type { RuleSettings } from "./rule-settings";
import type { Until } from "./values";

/** A configuration as it was read. */
export interface PolicyConfig {
  /** For editors; ignored. */
  readonly $schema?: string;
  /** Purpose of sets. The first pattern that matches counts. */
  readonly sets: readonly {
    /** Which sets: `*` stands for anything within one name, `**` for anything. */
    readonly pattern: string;
    /** Meaning of a match in the set for a packet. */
    readonly role: "block" | "allow";
    /** Which address of a packet is looked up in the set. */
    readonly direction?: "source" | "destination";
  }[];
  /** Treatment of a set for which no pattern gives a role: a notice that rules say nothing about it, or a failure. */
  readonly unknownSets: "advisory" | "mandatory";
  /** The address blocks that are yours: what you protect. */
  readonly ownedPrefixes: readonly Prefix[];
  /** From where nodes, routers and people are reached. */
  readonly managementPrefixes: readonly Prefix[];
  /** Stacks that are in production, by pattern. */
  readonly productionStacks: readonly string[];
  /** Findings that a rule must not report for a while. */
  readonly exceptions: readonly {
    /** The rule that is set aside. */
    readonly rule: string;
    /** For this prefix and those within it. */
    readonly prefix?: Prefix;
    /** For sets that match. */
    readonly set?: string;
    /** Its last day, or its last moment. */
    readonly until: Until;
    /** Why, for those who read it later. */
    readonly reason: string;
  }[];
  /**
   * Level of a mandatory finding whose exception has ended: a warning (so that no nightly preview fails because
   * midnight passed), or a failure again.
   */
  readonly expiredExceptions: "advisory" | "mandatory";
  /** The name of an incident. While it stands, mandatory rules only warn, and every message names it. */
  readonly emergency?: string;
  /** Level and settings of single rules. */
  readonly rules: RuleSettings;
}
