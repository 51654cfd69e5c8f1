import type { CanonicalPrefix } from "../../model/prefix";
import type { StagedValue } from "./commit-record";

/** What has changed, for what keeps it. */
export type Change =
  /** Changes were staged in a set. */
  | {
      readonly kind: "staged";
      readonly url: string;
      readonly changes: ReadonlyMap<CanonicalPrefix, StagedValue>;
    }
  /** What was staged in a set was applied. */
  | { readonly kind: "committed"; readonly url: string }
  /** What was staged in a set is not staged any more, whatever becomes of it. */
  | { readonly kind: "taken"; readonly url: string }
  /** Entries of a set were changed past staging. */
  | {
      readonly kind: "applied";
      readonly url: string;
      readonly changes: ReadonlyMap<CanonicalPrefix, StagedValue>;
    }
  /** Signalings were started or stopped. */
  | { readonly kind: "signaling" }
  /** Packets left marks: often, and without an answer that promises anything. */
  | { readonly kind: "marks" }
  /** Everything may have changed. */
  | { readonly kind: "everything" };
