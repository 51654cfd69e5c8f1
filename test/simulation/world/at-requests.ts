import type { Disturbance, RequestKind } from "../scenario";

/** A disturbance at a request of a run. */
export type Timed = Exclude<Disturbance, { readonly kind: "fault" }>;

/** The disturbances of a run, each at its request. */
export class AtRequests {
  private readonly counts = { any: 0, commit: 0, check: 0 };

  constructor(private readonly meanwhile: readonly Disturbance[]) {}

  /** Counts a request. @returns what happens at it */
  next(kinds: readonly ("any" | RequestKind)[]): readonly Timed[] {
    for (const kind of kinds) this.counts[kind] += 1;
    return this.meanwhile.filter((it): it is Timed => {
      if (it.kind === "fault") return false;
      const of = it.kind === "act" ? "any" : (it.of ?? "any");
      return kinds.includes(of) && it.request === this.counts[of];
    });
  }
}

/** Kinds of a request with this body to a node or receiver. */
export function kindsOf(body: Buffer): ("any" | RequestKind)[] {
  return body.includes('"commit"') ? ["any", "commit"] : ["any"];
}
