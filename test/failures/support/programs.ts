import fc from "fast-check";
import type { Declared } from "./engine";

/** Prefixes that do not contain one another; so the same program means the same on every node. */
const PREFIXES = [0, 32, 64, 96, 128, 160].map((start) => `192.0.2.${start}/27`);
const ADDRESSES = [1, 2, 3, 4, 5].map((host) => `198.51.100.${host}/32`);

const entries = fc.dictionary(fc.constantFrom(...PREFIXES), fc.integer({ min: 0, max: 3 }), { maxKeys: 5 });

const set = fc.record({ name: fc.constantFrom("blocked", "renamed"), entries }).map(
  ({ name, entries: given }): Declared => ({
    type: "PrefixSet",
    name,
    // A set that is renamed and shortened at once takes over what the old one held.
    args: { arena: "edge", set: "blocked", entries: given, allowEmpty: true, maxRemovals: "100%", onExisting: "adopt" },
  }),
);

/** Entries whose prefixes may move from one name to another between programs, with another value at the same time. */
const singles = fc
  .shuffledSubarray(PREFIXES, { maxLength: 5 })
  .chain((prefixes) =>
    fc.tuple(fc.constant(prefixes), fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 5, maxLength: 5 })),
  )
  .map(([prefixes, values]) =>
    prefixes.map(
      (prefix, index): Declared => ({
        type: "PrefixSetEntry",
        name: `entry-${index}`,
        args: { arena: "edge", set: "partners", prefix, value: values[index] ?? 1, onExisting: "adopt" },
      }),
    ),
  );

/** Two signalings, each with prefixes of its own: what moves from one to the other may be stopped before it is wanted. */
const signaling = (name: string, addresses: readonly string[]) =>
  fc.option(
    fc
      .shuffledSubarray([...addresses], { minLength: 1 })
      .map((prefixes): Declared => ({ type: "CloudSignaling", name, args: { prefixes, stops: "all" } })),
    { nil: undefined },
  );

/** Any program with at most one set, some entries and some signalings. */
export const anyProgram: fc.Arbitrary<readonly Declared[]> = fc
  .tuple(
    fc.option(set, { nil: undefined }),
    singles,
    signaling("attack", ADDRESSES.slice(0, 3)),
    signaling("other", ADDRESSES.slice(3)),
  )
  .map(([whole, some, ...active]) => [whole, ...some, ...active].filter((it) => it !== undefined));
