import type { MarkStore } from "../marks/mark-store";
import type { PacketPrefixTable } from "./packet-prefix-table";
import type { SetReference } from "./rule-schema";

/** What the rules of a profile work with. */
export interface RuleEnvironment {
  /** The marks of the profile. */
  readonly marks: MarkStore;
  /** Finds a set as the profile sees it; `undefined` when there is none. Asked once, when the rules are compiled. */
  readonly sets: (set: SetReference) => PacketPrefixTable | undefined;
}
