import fc from "fast-check";
import { expect, test } from "vitest";
import { organisationRails, prefixLength } from "../../policies/index";
import { Prefix } from "../../provider/model/prefix";
import { contentLimits, contentProblems, entryProblems } from "../../provider/reconcile/limits/content";
import { messagesOf, prefixSet } from "./support";

const NO_STACK = {
  forbiddenPrefixes: () => [],
  requiredPrefixes: () => [],
  shortestPrefix: () => ({}),
  maxEntries: () => undefined,
};

/** Prefixes that often meet: in few octets, some of IPv6 that stand for IPv4. */
const octet = fc.constantFrom(0, 1, 2, 64, 127, 128, 192, 255);
const ipv4 = fc
  .tuple(octet, octet, octet, fc.integer({ min: 0, max: 32 }))
  .map(([a, b, c, length]) => Prefix.parse(`${a}.${b}.${c}.0/${length}`, { hostBits: "mask" }).toString());
const ipv6 = fc
  .tuple(fc.constantFrom("64:ff9b::", "2001:db8::"), octet, octet, fc.integer({ min: 0, max: 32 }))
  .map(([head, a, b, length]) => Prefix.parse(`${head}${a}.${b}.0.0/${96 + length}`, { hostBits: "mask" }).toString());
const prefixes = (maxLength: number) => fc.uniqueArray(fc.oneof(ipv4, ipv4, ipv6), { maxLength });

/** Number of kinds of problems in a text. */
const says = (texts: readonly string[], ...words: readonly string[]) =>
  words.map((word) => texts.some((text) => text.includes(word)));

test("what an argument refuses of a set's content, the rails of an organisation report, and nothing else", () => {
  fc.assert(
    fc.property(prefixes(5), prefixes(2), prefixes(2), fc.nat(5), (entries, forbidden, required, maxEntries) => {
      const limits = { forbiddenPrefixes: forbidden, requiredPrefixes: required, maxEntries };
      const own = contentLimits(limits, NO_STACK);
      const refused = [...entryProblems(entries as never, own), ...contentProblems(entries as never, own)];
      const set = prefixSet({ entries: Object.fromEntries(entries.map((entry) => [entry, 1])), ...limits });
      const config = { rules: { "organisation-rails": { rails: [limits] } } };
      const reported = messagesOf(organisationRails, [set], { config });
      expect(
        says(reported, "overlap prefixes which the organisation forbids", "no entry covers", "entries, more than"),
      ).toEqual(says(refused, "forbiddenPrefixes", "requiredPrefixes", "maxEntries"));
    }),
  );
});

test("what a shortest length refuses, the rule prefix-length reports with the same length", () => {
  fc.assert(
    fc.property(prefixes(5), fc.integer({ min: 1, max: 24 }), fc.integer({ min: 1, max: 64 }), (entries, v4, v6) => {
      const own = contentLimits({ shortestPrefix: { ipv4: v4, ipv6: v6 } }, NO_STACK);
      const refused = entryProblems(entries as never, own);
      const set = prefixSet({ entries: Object.fromEntries(entries.map((entry) => [entry, 1])) });
      const config = { rules: { "prefix-length": { ipv4: { shortest: v4 }, ipv6: { shortest: v6 } } } };
      expect(messagesOf(prefixLength, [set], { config }).length > 0).toBe(refused.length > 0);
    }),
  );
});
