import fc from "fast-check";
import { expect, test } from "vitest";
import { type CanonicalPrefix, Prefix } from "../../provider/model/prefix";

const octets = fc.tuple(fc.nat(300), fc.nat(300), fc.nat(300), fc.nat(300)).map((parts) => parts.join("."));
const spelling = fc.oneof(
  fc.tuple(octets, fc.nat(40)).map(([address, length]) => `${address}/${length}`),
  fc.tuple(fc.nat(255), fc.nat(8)).map(([first, length]) => `${first}.0.0.0/${length}`),
  fc.string({ unit: fc.constantFrom("0", "1", "2", ".", "/", ":", "a"), maxLength: 18 }),
);

/** What a reader makes of a text: the canonical form and the number, or the reason against it. */
function outcome(read: () => Prefix): unknown {
  try {
    const prefix = read();
    return [prefix.toString(), prefix.family, prefix.bits, prefix.length];
  } catch (error) {
    return (error as Error).message;
  }
}

test("the short way to read canonical text finds in any text what the long way finds", () => {
  fc.assert(
    fc.property(spelling, (text) => {
      expect(outcome(() => Prefix.fromCanonical(text as CanonicalPrefix))).toEqual(outcome(() => Prefix.parse(text)));
    }),
    { numRuns: 5_000 },
  );
});
