import { describe, expect, it } from "vitest";
import type { CanonicalPrefix } from "../../provider/model/prefix";
import type { ListedMap } from "../../provider/model/prefix-map";
import { restoresText } from "../../provider/reconcile/drift";
import { planNew } from "../../provider/reconcile/set-plan";
import { planSignaling, stoppable } from "../../provider/resources/cloud-signaling/plan";
import type { CloudSignalingInputs, CloudSignalingState } from "../../provider/resources/cloud-signaling/state";

const P = (text: string) => text as CanonicalPrefix;
const [A, B, C, D] = [P("192.0.2.0/24"), P("198.51.100.0/24"), P("203.0.113.0/24"), P("2001:db8::/32")];
const map = (...entries: [CanonicalPrefix, number | string][]): ListedMap => new Map(entries);

it("ten thousand entries that are restored are their count and the first of them", () => {
  const missing = Array.from({ length: 10_000 }, (_, index) => P(`198.18.${index >> 8}.${index & 255}/32`));
  expect(restoresText({ missing, different: map([A, 5]) }, map([A, 7]))).toBe(
    `10 000 missing entries: ${missing.slice(0, 5).join(", ")} and 9995 more; 1 other value: ${A} has the value 5, not 7`,
  );
});

it("new sets of many nodes that hold the same are compared with the program once", () => {
  let comparisons = 0;
  class Counted extends Map<CanonicalPrefix, number> {
    override forEach(...visit: Parameters<Map<CanonicalPrefix, number>["forEach"]>) {
      comparisons += 1;
      super.forEach(...visit);
    }
  }
  const [observed, desired] = [map([A, 1]), new Counted([[B, 1]])];
  const plans = Array.from({ length: 5 }, () => planNew(observed, { desired, exclusive: true, managed: new Set() }));
  expect(plans.map(({ undeclared }) => [...undeclared])).toEqual(plans.map(() => [[A, 1]]));
  expect(comparisons).toBe(1);
});

describe("the plan of a signaling", () => {
  const state = (
    before: readonly CanonicalPrefix[],
    started: readonly CanonicalPrefix[],
    unsettled = [] as typeof started,
  ) => ({ prefixes: before, started, unsettled }) as CloudSignalingState;
  const inputs = (...prefixes: CanonicalPrefix[]) => ({ prefixes }) as unknown as CloudSignalingInputs;

  it("starts what is new, keeps what is ours, and tells of what leaves which part this resource started", () => {
    expect(planSignaling(state([A, B, C], [A, B]), inputs(A, D))).toEqual({
      added: [D],
      kept: [A],
      removed: [B, C],
      leaving: [B],
      mayBeOurs: new Set([A, B]),
    });
  });

  it("starts everything again at another address, or after a write without a known result", () => {
    const moved = planSignaling(state([], []), inputs(A, B), [A]);
    expect(moved).toMatchObject({ added: [A, B], kept: [], removed: [] });
    expect(planSignaling(state([A], [A], [C]), inputs(A))).toEqual({
      added: [A],
      kept: [],
      removed: [C],
      leaving: [C],
      mayBeOurs: new Set([A, C]),
    });
  });

  it("stops by its argument what it started, everything, or nothing", () => {
    expect(stoppable("started", [A, B], [B, C])).toEqual([B]);
    expect(stoppable("all", [A, B], [B])).toEqual([A, B]);
    expect(stoppable("none", [A, B], [B])).toEqual([]);
  });
});
