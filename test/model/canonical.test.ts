import fc from "fast-check";
import ipaddr from "ipaddr.js";
import { expect, test } from "vitest";
import { type CanonicalPrefix, canonicalV6, Prefix } from "../../provider/model/prefix";
import { isRare } from "./arbitraries";

const octets = fc.tuple(fc.nat(300), fc.nat(300), fc.nat(300), fc.nat(300)).map((parts) => parts.join("."));
const group = fc.oneof(
  fc.constantFrom("0", "0", "ffff", "db8", "00", "8000", "F", ""),
  fc.stringMatching(/^[0-9a-f]{1,5}$/),
);
const groups = fc.array(group, { minLength: 1, maxLength: 9 }).map((all) => all.join(":"));
const spelling = fc.oneof(
  fc.tuple(octets, fc.nat(40)).map(([address, length]) => `${address}/${length}`),
  fc.tuple(fc.nat(255), fc.nat(8)).map(([first, length]) => `${first}.0.0.0/${length}`),
  fc.string({ unit: fc.constantFrom("0", "1", "2", ".", "/", ":", "a"), maxLength: 18 }),
  fc
    .tuple(groups, fc.constantFrom("/", "/0", ""), fc.nat(130))
    .map(([address, slash, length]) => address + slash + length),
);

/** Result of a reader for a text: the canonical form and the number, or the reason against it. */
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

/** An IPv6 prefix by ipaddr.js alone: its canonical text, length and number; `undefined` for what is none. */
function byLibrary(text: string): { text: string; length: number; bits: bigint } | undefined {
  const [address = "", length = ""] = text.split("/");
  if (!/^\d{1,3}$/.test(length) || !ipaddr.IPv6.isValid(address) || Number(length) > 128) return undefined;
  const network = ipaddr.IPv6.networkAddressFromCIDR(`${address}/${Number(length)}`);
  const bits = network.parts.reduce((sum, part) => sum * 0x10000n + BigInt(part), 0n);
  return { text: `${network.toString()}/${Number(length)}`, length: Number(length), bits };
}

test("what is read as canonical IPv6 at a glance is what a library writes, with the same number", () => {
  fc.assert(
    fc.property(spelling, (text) => {
      const length = canonicalV6(text);
      if (length >= 0) expect({ text, length, bits: Prefix.parse(text).bits }).toEqual(byLibrary(text));
    }),
    { numRuns: 20_000 },
  );
});

test("at a glance canonical IPv6 is known but for addresses that begin with two colons or have two runs of zeros", () => {
  const parts = fc.array(fc.constantFrom(0, 1, 0xdb8, 0xffff, 0x8000), { minLength: 8, maxLength: 8 });
  fc.assert(
    fc.property(parts, fc.nat(128), (all, length) => {
      const text = byLibrary(`${all.map((part) => part.toString(16)).join(":")}/${length}`)?.text ?? "";
      expect([text, canonicalV6(text)]).toEqual([text, isRare(text) ? -1 : length]);
    }),
    { numRuns: 5_000 },
  );
});

test.each([
  "2001:DB8::/32",
  "2001:0db8::/32",
  "2001:db8::1/64",
  "2001:db8:0::/48",
  "2001:db8::0:1/128",
  "2001:db8:0:0:1::/80",
  "1:2:3:4:5:6:7::/112",
  "1:2:3:4:5:6:7/112",
  "1:2:3:4:5:6:7:8:9/128",
  "1::2::3/128",
  "1:::2/128",
  "1:2:3:4:5:6:7:/128",
  "2001:db8::",
  "2001:db8::/",
  "2001:db8::/032",
  "2001:db8::/129",
  "2001:db8::/3a",
  "2001:db8::%1/64",
  "64:ff9b::192.0.2.0/120",
  "1:00:3:4:5:6:7:8/128",
  "10000::/16",
  "::/0",
  "::ffff:c000:200/120",
  "",
])("%j is left to the parser", (text) => {
  expect(canonicalV6(text)).toBe(-1);
});
