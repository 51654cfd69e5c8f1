// Made from the schemas beside it by `npx vitest run test/types/schema-types.test.ts -u`.
import type { MarkRecords } from "../marks";
import type { RuleSpec } from "../rules/rule-schema";

/** State of a pulumi-packetfilter emulator. */
export interface EmulatorState {
  /** For editors; ignored. */
  readonly $schema?: string;
  /** Arenas by name. */
  readonly arenas?: {
    readonly [name: string]: {
      /** Global prefix-sets. */
      readonly sets?: { readonly [name: string]: { readonly [name: string]: number } };
      /** Profiles by name. */
      readonly profiles?: {
        readonly [name: string]: {
          /** Recipient prefixes that are bound to the profile. */
          readonly prefixes?: readonly string[];
          /** Rules in their order. */
          readonly rules?: readonly RuleSpec[];
          /** Local prefix-sets. */
          readonly sets?: { readonly [name: string]: { readonly [name: string]: number } };
          /** Marks that rules have made. */
          readonly marks?: MarkRecords;
          /** Further members of the profile's record in the list of its arena. */
          readonly extra?: { readonly [name: string]: unknown };
        };
      };
    };
  };
  /** Signaling clients and their active prefixes. */
  readonly signaling?: {
    /** The clients of the receiver. */
    readonly clients?: readonly {
      /** Id of the client. */
      readonly clientId: string;
      /** Secret of the client. */
      readonly secretKey: string;
      /** Prefixes that the client may signal, including longer ones within them. */
      readonly prefixes: readonly string[];
      /** Arena whose bindings signaling changes; without it a signaling is recorded without effect. */
      readonly arena?: string;
      /** The profile of prefixes without active signaling. */
      readonly idleProfile?: string;
      /** The profile of prefixes with active signaling. */
      readonly activeProfile?: string;
      /** Prefixes whose signaling is active. */
      readonly active?: readonly string[];
    }[];
    /** The two clients of the test deployment. */
    readonly testClients?: readonly {
      /** Id of the client. */
      readonly clientId: string;
      /** Secret of the client. */
      readonly secretKey: string;
      /** Prefixes that the client may signal, including longer ones within them. */
      readonly prefixes: readonly string[];
      /** Arena whose bindings signaling changes; without it a signaling is recorded without effect. */
      readonly arena?: string;
      /** The profile of prefixes without active signaling. */
      readonly idleProfile?: string;
      /** The profile of prefixes with active signaling. */
      readonly activeProfile?: string;
      /** Prefixes whose signaling is active. */
      readonly active?: readonly string[];
    }[];
  };
  /** Staged changes that wait for a commit, by the url of the set: prefix to new value, null to remove it. */
  readonly staged?: { readonly [name: string]: { readonly [name: string]: number | null } };
}
