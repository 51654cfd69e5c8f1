import fc from "fast-check";
import { expect, test } from "vitest";
import { Prefix } from "../../provider/model/prefix";
import { wordsOf } from "../../provider/model/prefix-text";
import { formatPrefix, readCanonical } from "../../provider/prefixes/address";
import { PrefixTable } from "../../provider/prefixes/algebra/table";
import { isRare, prefix } from "../model/arbitraries";
import { spellings } from "../model/spellings";

const words = new Uint32Array(4);

test("a canonical prefix is read into a table and written as the model does", () => {
  fc.assert(
    fc.property(prefix, (one) => {
      const [ofV4, ofV6] = PrefixTable.of({ [one.toString()]: 1 });
      const { address, length } = one.family === 4 ? ofV4 : ofV6;
      const expected = wordsOf(one.family, one.bits);
      expect([...length]).toEqual([one.length]);
      expect([...address]).toEqual(expected);
      expect(formatPrefix(expected, one.length)).toBe(one.toString());
      expect(readCanonical(one.toString(), words)).toBe(isRare(one.toString()) ? -1 : one.length);
    }),
    { numRuns: 1_000 },
  );
});

test("any other text is left to the model, and so is what is rare", () => {
  const canonical = (text: string) => {
    try {
      return Prefix.parse(text).toString() === text;
    } catch {
      return false;
    }
  };
  const mangled = fc
    .tuple(prefix, fc.nat(45), fc.constantFrom("", ":", "::", ".", "/", "0", "f", "F", " ", "-", "ffff:", "256", "1"))
    .map(([one, at, what]) => `${one.toString().slice(0, at)}${what}${one.toString().slice(at)}`);
  fc.assert(
    fc.property(fc.oneof(fc.constantFrom(...spellings.map((row) => row.spelling)), mangled, fc.string()), (text) => {
      expect(readCanonical(text, words) >= 0).toBe(canonical(text) && !isRare(text));
    }),
    { numRuns: 3_000 },
  );
});
