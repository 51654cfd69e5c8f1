import { describe, expect, it } from "vitest";
import type { CanonicalPrefix } from "../../provider/model/prefix";
import type { ListedMap } from "../../provider/model/prefix-map";
import { contentLimits } from "../../provider/reconcile/limits/content";
import { overIn, type RemovalArguments, removalLimits } from "../../provider/reconcile/limits/removals";
import { planEntry } from "../../provider/reconcile/set-plan";
import { InTheWay, type NewSet, planCreate, planLimitedUpdate } from "../../provider/resources/prefix-set/plan";

const URL = "prefixset://edge/blocked";
const LABEL = `Set ${URL} on fra1`;
const TODAY = Date.parse("2026-07-01T00:00:00Z");
const NOTHING_SENT = `${LABEL}: nothing was sent.`;

const P = (text: string) => text as CanonicalPrefix;
const [A, B, C, D] = [P("192.0.2.0/24"), P("198.51.100.0/24"), P("203.0.113.0/24"), P("2001:db8::/32")];
const map = (...entries: [CanonicalPrefix, number | string][]): ListedMap => new Map(entries);
/** Single addresses, in the given number and with the value. */
const many = (number: number, value = 1): ListedMap =>
  new Map(Array.from({ length: number }, (_, index) => [P(`192.0.2.${index}/32`), value]));
const part = (entries: ListedMap, from: number, to?: number): ListedMap => new Map([...entries].slice(from, to));

const stackContent = {
  forbiddenPrefixes: () => [],
  requiredPrefixes: () => [],
  shortestPrefix: () => ({}),
  maxEntries: () => undefined,
};
const content = (given: Parameters<typeof contentLimits>[0] = {}) => contentLimits(given, stackContent);

describe("the create of a set", () => {
  const plan = (observed: ListedMap, given: Partial<NewSet>) =>
    planCreate(observed, {
      label: LABEL,
      desired: map(),
      exclusive: true,
      onExisting: "fail",
      managed: new Set(),
      limits: content(),
      ...given,
    });

  it("is refused by entries that the program does not declare with this value, all of them named", () => {
    const ofOne =
      'Nothing was sent. Declare it as the node has it, or take it over with onExisting: "adopt" (it is not removed or changed before a preview has shown it)';
    const ofMore =
      'Nothing was sent. Declare them as the node has them, or take them over with onExisting: "adopt" (none of them is removed or changed before a preview has shown it)';
    const renamed = "If this resource was renamed, give it an alias or run with --refresh.";
    const refused = (observed: ListedMap, given: Partial<NewSet>, text: string) =>
      expect(() => plan(observed, given)).toThrow(new InTheWay(`${LABEL} already holds ${text}. ${renamed}`));
    refused(
      map([B, 1]),
      {},
      `1 entry not declared here: ${B}. ${ofOne}, or manage only your own entries with exclusive: false`,
    );
    const desired = map([A, 1]);
    for (const exclusive of [true, false])
      refused(map([A, 7]), { desired, exclusive }, `other values of ${A} (7). ${ofOne}`);
    const both = `2 entries not declared here: ${B}, ${C} and other values of ${A} (7)`;
    refused(map([A, 7], [B, 1], [C, 1]), { desired }, `${both}. ${ofMore}`);
  });

  it("keeps to the limits of its content, with what it takes over", () => {
    const adopt = { desired: map([A, 1]), onExisting: "adopt" } as const;
    const tooMany = `${NOTHING_SENT} 2 entries are more than maxEntries (1).`;
    expect(() => plan(map([B, 1]), { ...adopt, limits: content({ maxEntries: 1 }) })).toThrow(new Error(tooMany));
    expect(plan(map([A, 7]), { ...adopt, limits: content({ maxEntries: 1 }) }).left).toEqual(map([A, 7]));
    expect(plan(map([B, 1]), { ...adopt, limits: content({ requiredPrefixes: [B] }) }).left).toEqual(map([B, 1]));
    expect(() => plan(map(), { ...adopt, limits: content({ forbiddenPrefixes: [A], requiredPrefixes: [B] }) })).toThrow(
      new Error(
        `${NOTHING_SENT} entry ${A} is a forbidden prefix (forbiddenPrefixes): remove it. no entry covers ${B}, required by requiredPrefixes: add it.`,
      ),
    );
  });
});

describe("the update of a set", () => {
  const lifts = { lifts: () => false };
  const none = { maxRemovals: undefined, maxChanges: undefined, ...lifts };
  const update = (
    observed: ListedMap,
    desired: ListedMap,
    {
      known = observed,
      limits = {},
      stack = {},
      notes = new Map(),
      withdrawn = map(),
    }: {
      known?: ListedMap;
      limits?: RemovalArguments;
      stack?: Partial<Parameters<typeof removalLimits>[1]>;
      notes?: ReadonlyMap<CanonicalPrefix, string>;
      withdrawn?: ListedMap;
    } = {},
  ) =>
    planLimitedUpdate(
      observed,
      {
        ...{
          known,
          desired,
          unsettled: new Set<CanonicalPrefix>(),
          declared: desired,
          managed: new Set(),
          moved: false,
          withdrawn,
        },
        isOver: overIn(notes, TODAY),
      },
      {
        label: LABEL,
        url: URL,
        removals: removalLimits(limits, { ...none, ...stack }, URL),
        ...{ onExisting: "fail", exclusive: true },
      },
    ).plan;
  const all = many(60);

  it("counts a value where it changes, and not where an entry is new", () => {
    const desired = new Map([...many(60, 2), [C, 2] as const]);
    expect(update(all, desired, { limits: { maxChanges: "100%" } }).put.size).toBe(61);
    expect(update(all, new Map([...all, [C, 2] as const]), { limits: { maxChanges: 0 } }).put.size).toBe(61);
  });

  it("removes half of a set and no more, unless it is told so", () => {
    expect(update(all, part(all, 30)).remove.size).toBe(30);
    const refusal = `${NOTHING_SENT} 31 of 60 entries would be removed, more than maxRemovals (50%, here 30). If that is intended, raise maxRemovals or run once with PACKETFILTER_ALLOW=${URL}.`;
    expect(() => update(all, part(all, 31))).toThrow(new Error(refusal));
    expect(update(all, part(all, 31), { limits: { maxRemovals: 31 } }).remove.size).toBe(31);
    expect(update(all, part(all, 31), { stack: { lifts: (url) => url === URL } }).remove.size).toBe(31);
    // Twenty always go.
    expect(update(many(25), part(many(25), 20)).remove.size).toBe(20);
    expect(() => update(many(25), part(many(25), 21), { limits: { maxRemovals: 0 } })).toThrow("here 20");
  });

  it("counts no removal of what has expired, was put there by a command, or is gone already", () => {
    const gone = [...all.keys()].slice(0, 31);
    const expired = JSON.stringify({ expires: "2026-06-30T00:00:00Z" });
    const lasting = JSON.stringify({ expires: "2026-07-02T00:00:00Z" });
    const desired = part(all, 31);
    const [first] = gone as [CanonicalPrefix];
    expect(update(all, desired, { notes: new Map([[first, expired]]) })).toMatchObject({ uncounted: new Set([first]) });
    expect(() => update(all, desired, { notes: new Map([[first, lasting]]) })).toThrow("31 of 60");
    expect(update(all, desired, { withdrawn: part(all, 0, 1) }).uncounted).toEqual(new Set([first]));
    const observed = part(all, 1);
    expect(update(observed, desired, { known: all, limits: { maxRemovals: 30 } }).remove).toEqual(new Set(gone));
  });

  it("empties no set that had entries, unless that is allowed", () => {
    const refusal = `${NOTHING_SENT} all 3 entries would be removed: if the set is to be empty, set allowEmpty: true.`;
    expect(() => update(many(3), map())).toThrow(new Error(refusal));
    expect(() => update(map([A, 1]), map())).toThrow("the only entry would be removed");
    expect(update(many(3), map(), { limits: { allowEmpty: true } }).remove.size).toBe(3);
    expect(update(map([A, 1]), map([B, 1])).remove).toEqual(new Set([A]));
  });
});

describe("the create of an entry", () => {
  const entry = { label: LABEL, prefix: A, value: 1, onExisting: "fail", managed: new Set<CanonicalPrefix>() } as const;
  const put = { put: map([A, 1]), remove: new Set(), uncounted: new Set(), listed: new Set() };

  it("puts it in where it is not there, or is there for a resource of the stack", () => {
    expect(planEntry(map([D, 1]), entry)).toEqual({ plan: put });
    expect(planEntry(map([A, 7]), { ...entry, managed: new Set([A]) })).toEqual({ plan: put });
  });

  it("commits what is there with the value, and takes another value over only where it adopts", () => {
    expect(planEntry(map([A, 1]), entry)).toEqual({ plan: { ...put, listed: new Set([A]) }, found: 1 });
    expect(planEntry(map([A, 7]), { ...entry, onExisting: "adopt" })).toEqual({
      plan: { ...put, put: map() },
      found: 7,
    });
    expect(() => planEntry(map([A, 7]), entry)).toThrow(
      new Error(
        `${LABEL} already holds ${A} with the value 7, not 1. Nothing was sent. Give the entry that value, or take it over with onExisting: "adopt".`,
      ),
    );
  });
});
