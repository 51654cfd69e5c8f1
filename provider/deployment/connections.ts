import type { AuditRecord } from "../apply/audit-log";
import type { InFlight } from "../apply/in-flight";
import type { FlushOptions } from "../apply/set-flush";
import type { Writes } from "../apply/shared-reads";
import type { World } from "../client/world";
import type { SecretObjects } from "../engine/secret-arguments";
import type { Reporter } from "../messages/events";
import type { CanonicalPrefix } from "../model/prefix";
import type { ListedMap } from "../model/prefix-map";
import type { KeyRegistry, Place } from "../reconcile/desired";
import type { RemovalArguments, RemovalBudget } from "../reconcile/limits/removals";
import type { SharedCoverage } from "../reconcile/limits/shared-coverage";
import type { Declarations } from "./conflicts";
import type { SameMachine } from "./same-machine";
import type { SentNotes, SentRun } from "./sent-before";

/** Facts about a set at one address that its connections share. */
export interface KnownSet extends Pick<FlushOptions, "leftovers"> {
  /** Prefixes that states of this deployment have, and that were there before: also a successor has not inserted them. */
  readonly existed: Set<CanonicalPrefix>;
  /** Entries on which program and state agree, and that a killed run may have left staged otherwise. */
  readonly staged: Set<CanonicalPrefix>;
  readonly writes: Writes;
  /** The sets and groups that a check of this run found here: what a deleted resource leaves is theirs. */
  readonly declaring: Declaring[];
  /** Declared entries that `block --now` inserted here, with its values. */
  readonly blocked: Map<CanonicalPrefix, number>;
  /** Addresses that all resources cover in this set. */
  readonly coverage: SharedCoverage;
}

/** Declaration of a set by a `PrefixSet`, or by a group at one node, with the arguments that limit removals. */
export interface Declaring {
  readonly entries: Pick<ListedMap, "has">;
  readonly limits: RemovalArguments;
}

/** Registries that all connections of a deployment share. */
export interface Shared {
  readonly world: World;
  readonly notices: Reporter;
  /** Takes each mutation, for the audit log; without one the record is not made. */
  readonly audit: (make: () => AuditRecord | undefined) => void;
  readonly inFlight: InFlight;
  /** Keys that some resource of this deployment wants: they may not be removed. */
  readonly desired: KeyRegistry;
  /** Entries that new resources adopted in this run: no delete removes what no preview has shown. */
  readonly adopted: KeyRegistry;
  /** Keys that the state of some resource of this deployment holds. */
  readonly managed: KeyRegistry;
  /** Sets by address and url, whichever names and credentials lead there. */
  readonly sets: Map<string, KnownSet>;
  /** Sets that one commit applies, by url, for each address and url of a commit. */
  readonly commits: Map<string, Map<string, FlushOptions>>;
  readonly declared: Declarations;
  /** Notes of sent keys, for the next run. */
  readonly notes: SentNotes;
  readonly run: SentRun;
  readonly sameMachine: SameMachine;
  /** Sets and signalings of which no prefix may be named. */
  readonly secretObjects: SecretObjects;
  /** Reads messages of other provider processes. Returns the reason if that fails: then nothing is removed. */
  readonly sync: () => string | undefined;
  /** Limits what this deployment removes from a set. */
  readonly removals: (url: string, label: string, endpoint: string) => RemovalBudget;
}

/** A node or receiver in use: where it is, and how it was found. */
export interface Connection extends Place {
  /** Name in messages: its name, else its address. */
  readonly label: string;
  /** True when the address comes from the environment, which no diff may show. */
  readonly fromEnvironment: boolean;
  /** Remedy if it does not serve a resource whose state names it, and the configuration does not. */
  readonly remedy: string | undefined;
}
