import fc from "fast-check";
import { expect, test } from "vitest";
import { formatAddress, maskWord, parseAddress, prefixWords, type Words } from "../../provider/emulator/packet/address";
import { Prefix } from "../../provider/model/prefix";

/** Addresses of both families, with runs of zeros, which IPv6 writes in a way of its own. */
const word = fc.oneof(fc.constantFrom(0, 1, 0xffff, 0x10000, 0xffffffff), fc.nat(0xffffffff));
const address = fc.tuple(fc.constantFrom(4 as const, 6 as const), word, word, word, word).map(([family, ...given]) => ({
  family,
  words: given.map((each, at) => (family === 4 && at > 0 ? 0 : each | 0)) as Words,
}));

test("an address is written as a prefix writes it, and read back", () => {
  fc.assert(
    fc.property(address, ({ family, words }) => {
      const text = formatAddress(family, words);
      fc.pre(!text.startsWith("::ffff:"));
      expect(parseAddress(text)).toEqual({ family, words });
      expect(Prefix.parse(text).address).toBe(text);
    }),
    { seed: 3, numRuns: 2000 },
  );
});

test("what is no address is refused as a prefix would refuse it", () => {
  for (const text of [
    "192.0.2",
    "192.0.2.1.1",
    "192.0.2.256",
    "192.0.2.01",
    "192.0.2.",
    "",
    "2001:db8::g",
    "192.0.2.1 ",
  ]) {
    expect(() => parseAddress(text), text).toThrow();
  }
  expect(() => parseAddress("2001:db8::/32")).toThrow("write one address");
  expect(parseAddress("192.0.2.1/32")).toEqual(parseAddress("192.0.2.1"));
});

test("masking the words of an address gives the words of the covering prefix", () => {
  fc.assert(
    fc.property(address, fc.nat(128), ({ family, words }, cut) => {
      const length = family === 4 ? Math.min(cut, 32) : cut;
      const text = formatAddress(family, words);
      fc.pre(!text.startsWith("::ffff:"));
      const covering = prefixWords(Prefix.parse(text).truncate(length));
      expect(covering).toEqual({
        family,
        words: words.map((word, at) => maskWord(word, 32 * at, length)),
        length,
      });
    }),
    { seed: 4, numRuns: 1000 },
  );
});
