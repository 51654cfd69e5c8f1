import { describe, expect, test } from "vitest";
import { Prefix } from "../../provider/model/prefix";
import { embeddedIpv4, protectedOverlaps } from "../../provider/model/prefix-embedded";

const embedded = (text: string) => embeddedIpv4(Prefix.parse(text)).map(String);

describe("an IPv6 prefix stands for IPv4 prefixes", () => {
  test.each([
    // RFC 6052, the well-known prefix.
    ["64:ff9b::c000:200/120", ["192.0.2.0/24"]],
    ["64:ff9b::c000:201/128", ["192.0.2.1/32"]],
    ["64:ff9b::/96", ["0.0.0.0/0"]],
    // RFC 3056: the IPv4 address stands behind the first 16 bits.
    ["2002:c000:200::/40", ["192.0.2.0/24"]],
    ["2002:c000:201::/48", ["192.0.2.1/32"]],
    ["2002:c000:201:7::/64", ["192.0.2.1/32"]],
    ["2002::/16", ["0.0.0.0/0"]],
    // RFC 4291 section 2.5.5.1.
    ["::c000:200/120", ["192.0.2.0/24"]],
    // A wider one holds one of these ranges whole.
    ["::/64", ["0.0.0.0/0"]],
    // The shortest with all IPv4-mapped addresses.
    ["::fffe:0:0/95", ["0.0.0.0/0"]],
    ["64::/16", ["0.0.0.0/0"]],
    ["::/0", ["0.0.0.0/0"]],
  ])("%s: %j", (text, expected) => expect(embedded(text)).toEqual(expected));

  // RFC 6052 section 2.2 has an example of each length of a translation prefix; RFC 8215 leaves the choice to the operator.
  test.each([
    ["64:ff9b:1:c000:2:2100::/128", "192.0.2.33/32"],
    ["64:ff9b:1:c0:0:221::/128", "192.0.2.33/32"],
    ["64:ff9b:1:0:c0:2:2100:0/128", "192.0.2.33/32"],
    ["64:ff9b:1::c000:221/128", "192.0.2.33/32"],
    ["64:ff9b:1:c000::/64", "192.0.0.0/16"],
    ["64:ff9b:1::/48", "0.0.0.0/0"],
  ])("%s may be %s, by one of the lengths that an operator may have chosen", (text, expected) =>
    expect(embedded(text)).toContain(expected),
  );

  test.each([
    ["192.0.2.0/24"],
    ["2001:db8::/32"],
    ["64:ff9b:2::/48"],
    ["2003::/16"],
    ["::1:0:0/96"],
    ["::fffe:0:0/96"],
  ])("%s stands for itself only", (text) => expect(embedded(text)).toEqual([]));
});

test("overlaps are found through what an IPv6 prefix stands for, in either direction", () => {
  const entries = ["64:ff9b::c000:200/120", "2002:c000:205::/48", "::/96", "2001:db8::/32", "192.0.2.0/24"];
  const others = ["192.0.2.4/30", "2001:db8:51::/48"];
  const pairs = protectedOverlaps(
    entries.map((text) => Prefix.parse(text)),
    others.map((text) => Prefix.parse(text)),
  );
  expect(new Set(pairs.map(([entry, other]) => `${entry} ${other}`))).toEqual(
    new Set([
      "64:ff9b::c000:200/120 192.0.2.4/30",
      "2002:c000:205::/48 192.0.2.4/30",
      "::/96 192.0.2.4/30",
      "192.0.2.0/24 192.0.2.4/30",
      "2001:db8::/32 2001:db8:51::/48",
    ]),
  );
  expect(pairs).toHaveLength(5);
});
