import { describe, expect, test } from "vitest";
import { Prefix, PrefixError } from "../../provider/model/prefix";
import { spellings } from "./spellings";

/** Result of `Prefix.parse` for a text, in the words of the table. */
function outcome(spelling: string, hostBits: "reject" | "mask" = "reject") {
  try {
    return { spelling, canonical: String(Prefix.parse(spelling, { hostBits })) };
  } catch (error) {
    if (!(error instanceof PrefixError)) throw error;
    return { spelling, problem: error.problem, corrected: error.corrected };
  }
}

describe("the table of spellings", () => {
  test("has at least 200 of them, each once", () => {
    expect(spellings.length).toBeGreaterThanOrEqual(200);
    expect(new Set(spellings.map(({ spelling }) => spelling)).size).toBe(spellings.length);
  });

  test.each(spellings)("$spelling", (row) => {
    expect(outcome(row.spelling)).toEqual(row);
  });

  test.each(spellings)("$spelling with host bits masked", (row) => {
    const corrected = "problem" in row && row.problem === "host-bits" ? row.corrected : undefined;
    expect(outcome(row.spelling, "mask")).toEqual(corrected ? { spelling: row.spelling, canonical: corrected } : row);
  });

  test("every correction is itself canonical", () => {
    const corrections = spellings.flatMap((row) => ("corrected" in row && row.corrected ? [row.corrected] : []));
    expect(corrections.map((text) => outcome(text))).toEqual(
      corrections.map((text) => ({ spelling: text, canonical: text })),
    );
  });
});

describe("a refusal", () => {
  const messageOf = (spelling: string) => {
    try {
      return Prefix.parse(spelling).toString();
    } catch (error) {
      return error instanceof PrefixError ? error.message : String(error);
    }
  };

  test.each(spellings.filter((row) => "problem" in row))(
    "of $spelling is a sentence that quotes it",
    ({ spelling }) => {
      expect(messageOf(spelling).startsWith(JSON.stringify(spelling).slice(0, 60))).toBe(true);
      expect(messageOf(spelling)).toMatch(/[a-z].*\.$/);
      expect(messageOf(spelling).length).toBeLessThan(220);
    },
  );

  test("of host bits offers the prefix and the address", () => {
    expect(messageOf("192.0.2.1/24")).toBe(
      '"192.0.2.1/24" has host bits set: write "192.0.2.0/24" for the whole prefix, or "192.0.2.1/32" for the one address.',
    );
  });

  test("of a mapped prefix offers the IPv4 prefix, length included", () => {
    expect(messageOf("::ffff:192.0.2.0/120")).toBe(
      '"::ffff:192.0.2.0/120" is an IPv4-mapped IPv6 prefix, which no packet has: write "192.0.2.0/24".',
    );
  });

  test.each([
    ["::ffff:203.0.113.7/24", "203.0.113.0/24"],
    ["::ffff:203.0.113.7/64", undefined],
    ["::ffff:203.0.113.7/95", undefined],
  ])(
    "of a mapped prefix with the length of an IPv4 prefix, %s, offers that one, and makes none of another",
    (spelling, corrected) => {
      expect(outcome(spelling, "mask")).toEqual({ spelling, problem: "mapped", corrected });
      expect(messageOf(spelling)).toContain(
        corrected === undefined ? "write the IPv4 prefix." : `write "${corrected}".`,
      );
    },
  );

  test("of a host name with a dash does not call it a range", () => {
    expect(messageOf("node-1.example")).toBe(
      '"node-1.example" is not an IP address or prefix: write for example 192.0.2.0/24 or 2001:db8::/32.',
    );
  });

  test("of a negative length does not call it a range", () => {
    expect(messageOf("192.0.2.0/-1")).toBe(
      '"192.0.2.0/-1" has no valid prefix length: after "/" comes a decimal number from 0 to 32.',
    );
  });
});

describe("a prefix", () => {
  const prefix = Prefix.parse("2001:db8::/126");

  test("tells its parts", () => {
    expect(prefix).toMatchObject({ family: 6, length: 126, bits: 0x20010db8n << 96n, address: "2001:db8::", size: 4n });
    expect(JSON.stringify({ prefix })).toBe('{"prefix":"2001:db8::/126"}');
  });

  test("is truncated to a covering one, and never lengthened", () => {
    expect(prefix.truncate(32).toString()).toBe("2001:db8::/32");
    expect(prefix.truncate(126).equals(prefix)).toBe(true);
    expect(() => prefix.truncate(127)).toThrow("2001:db8::/126 has no covering prefix of length 127");
  });

  test("of one family neither contains nor overlaps one of the other, the default routes included", () => {
    const [v4, v6] = [Prefix.parse("0.0.0.0/0"), Prefix.parse("::/0")];
    expect([v4.contains(v6), v6.contains(v4), v4.overlaps(v6), v4.equals(v6)]).toEqual([false, false, false, false]);
  });
});
