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
    /** Pattern of sets: `*` stands for anything within one name, `**` for anything. */
    readonly pattern: string;
    /** Meaning of a match in the set for a packet. */
    readonly role: "block" | "allow";
    /** Which address of a packet is looked up in the set. */
    readonly direction?: "source" | "destination";
  }[];
  /** Treatment of a set for which no pattern gives a role: a notice that rules say nothing about it, or a failure. */
  readonly unknownSets: "advisory" | "mandatory";
  /** Your own address blocks, which you protect. */
  readonly ownedPrefixes: readonly Prefix[];
  /** Networks from which nodes and routers are managed. */
  readonly managementPrefixes: readonly Prefix[];
  /** Stacks that are in production, by pattern. */
  readonly productionStacks: readonly string[];
  /** Findings that a rule must not report for a while. */
  readonly exceptions: readonly {
    /** The rule that does not apply. */
    readonly rule: string;
    /** The exception is for this prefix and prefixes within it. */
    readonly prefix?: Prefix;
    /** The exception is for sets that match. */
    readonly set?: string;
    /** Last day (UTC) or last moment of the exception. */
    readonly until: Until;
    /** Reason, for later readers. */
    readonly reason: string;
  }[];
  /**
   * Level of a mandatory finding whose exception has ended: a warning, so that no nightly preview fails at
   * midnight, or a failure.
   */
  readonly expiredExceptions: "advisory" | "mandatory";
  /** The name of an incident. While it is set, mandatory rules only warn, and every message names it. */
  readonly emergency?: string;
  /** Level and settings of single rules. */
  readonly rules: RuleSettings;
}
