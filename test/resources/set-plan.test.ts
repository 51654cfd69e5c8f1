import { describe, expect, it } from "vitest";
import type { CanonicalPrefix } from "../../provider/model/prefix";
import type { ListedMap } from "../../provider/model/prefix-map";
import { restoresText } from "../../provider/reconcile/drift";
import { type Intent, planUpdate } from "../../provider/reconcile/set-plan";
import { planUpdate as planSignaling, stoppable } from "../../provider/resources/cloud-signaling/plan";
import type { CloudSignalingInputs, CloudSignalingState } from "../../provider/resources/cloud-signaling/state";

const P = (text: string) => text as CanonicalPrefix;
const [A, B, C, D] = [P("192.0.2.0/24"), P("198.51.100.0/24"), P("203.0.113.0/24"), P("2001:db8::/32")];
const map = (...entries: [CanonicalPrefix, number | string][]): ListedMap => new Map(entries);

describe("the plan of an update", () => {
  const plan = (observed: ListedMap, intent: Partial<Intent>) => {
    const { desired = map() } = intent;
    const none = { unsettled: new Set<CanonicalPrefix>(), withdrawn: map(), moved: false };
    return planUpdate(observed, { known: map(), desired, declared: desired, ...none, ...intent });
  };
  const nothing = { remove: new Set(), unsettled: new Set(), listed: new Set() };

  it("puts in all that is declared, and removes what the state knows and the program does not want", () => {
    const desired = map([A, 1], [B, 2]);
    expect(plan(map([A, 1], [C, 1], [D, 1]), { known: map([A, 1], [C, 1]), desired })).toEqual({
      ...nothing,
      put: desired,
      remove: new Set([C]),
    });
  });

  it("leaves what another resource wants, and sends the removal also of what the list lacks", () => {
    const known = map([A, 1], [B, 1]);
    const declared = new Set([A]);
    expect(plan(map([A, 1], [B, 1]), { known, declared }).remove).toEqual(new Set([B]));
    expect(plan(map([A, 1]), { known, declared })).toMatchObject({ remove: new Set([B]), listed: new Set() });
  });

  it("leaves another writer's value, unless the program changes it, the node moved, or it is unsettled", () => {
    const [known, observed] = [map([A, 1], [B, 1]), map([A, 7], [B, 1])];
    expect(plan(observed, { known, desired: known }).put).toEqual(map([B, 1]));
    const desired = map([A, 2], [B, 1]);
    expect(plan(observed, { known, desired }).put).toEqual(desired);
    expect(plan(observed, { known, desired: known, moved: true }).put).toEqual(known);
    const unsettled = new Set([A]);
    const restored = unsettled;
    expect(plan(observed, { known, desired: known, unsettled })).toEqual({
      ...nothing,
      put: known,
      unsettled,
      restored,
    });
  });

  it("restores what the look saw, and no other value that the program ignores", () => {
    const known = map([A, 1], [B, 1], [C, 1]);
    const observed = map([A, 7], [B, 1]);
    const seen = { known, desired: known, observed };
    expect(plan(observed, seen)).toEqual({ ...nothing, put: known, restored: new Set([A]) });
    // Another writer came between the look and the write.
    expect(plan(map([A, 8], [B, 1]), seen).put).toEqual(map([B, 1], [C, 1]));
    const ignores = (prefix: typeof A) => prefix !== B;
    expect(plan(observed, { ...seen, ignores }).put).toEqual(map([B, 1], [C, 1]));
  });

  it("commits what the list shows as declared, and no run is known to have put there", () => {
    const desired = map([A, 1], [B, 1], [C, 1]);
    const made = plan(map([A, 1], [B, 1]), { known: map([A, 1], [B, 2]), desired });
    expect(made).toEqual({ ...nothing, put: desired, listed: new Set([B]) });
  });

  it("removes what is unsettled and not declared, and what a command put there and left", () => {
    const unsettled = new Set([A, B]);
    expect(plan(map([A, 1], [B, 1]), { desired: map([A, 1]), unsettled }).remove).toEqual(new Set([B]));
    const withdrawn = map([A, 1], [B, 1], [C, 1], [D, 1]);
    const observed = map([A, 1], [B, 7], [D, 1]);
    expect(plan(observed, { withdrawn, declared: new Set([D]) })).toEqual({
      ...nothing,
      put: map(),
      remove: new Set([A]),
      expired: new Set([A]),
    });
  });
});

it("ten thousand entries that are restored are their count and the first of them", () => {
  const missing = Array.from({ length: 10_000 }, (_, index) => P(`198.18.${index >> 8}.${index & 255}/32`));
  expect(restoresText({ missing, different: map([A, 5]) }, map([A, 7]))).toBe(
    `10 000 missing entries: ${missing.slice(0, 5).join(", ")} and 9995 more; 1 other value: ${A} has the value 5, not 7`,
  );
});

describe("the plan of a signaling", () => {
  const state = (
    before: readonly CanonicalPrefix[],
    started: readonly CanonicalPrefix[],
    unsettled = [] as typeof started,
  ) => ({ prefixes: before, started, unsettled }) as CloudSignalingState;
  const inputs = (...prefixes: CanonicalPrefix[]) => ({ prefixes }) as unknown as CloudSignalingInputs;

  it("starts what is new, keeps what is ours, and tells of what leaves which part this resource started", () => {
    expect(planSignaling(state([A, B, C], [A, B]), inputs(A, D), false)).toEqual({
      added: [D],
      kept: [A],
      removed: [B, C],
      leaving: [B],
      mayBeOurs: new Set([A, B]),
    });
  });

  it("starts everything again at another address, or after a write without a known result", () => {
    expect(planSignaling(state([A], [A]), inputs(A, B), true)).toMatchObject({ added: [A, B], kept: [], removed: [] });
    expect(planSignaling(state([A], [A], [C]), inputs(A), false)).toEqual({
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
