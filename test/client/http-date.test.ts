import { describe, expect, it } from "vitest";
import { parseHttpDate } from "../../provider/client/pauses";

const NOW = Date.parse("2026-12-01T00:00:00Z");
const MOMENT = Date.parse("1994-11-06T08:49:37Z");

describe("HTTP dates", () => {
  it.each(["Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"])(
    "are read in the form %s (RFC 9110, section 5.6.7)",
    (text) => expect(parseHttpDate(text, NOW)).toBe(MOMENT),
  );

  it("with two digits for the year are at most 50 years ahead", () => {
    expect(parseHttpDate("Tuesday, 01-Dec-76 00:00:00 GMT", NOW)).toBe(Date.parse("2076-12-01T00:00:00Z"));
    expect(parseHttpDate("Thursday, 01-Dec-77 00:00:00 GMT", NOW)).toBe(Date.parse("1977-12-01T00:00:00Z"));
  });

  it.each([
    ["another zone", "Sun, 06 Nov 1994 08:49:37 +0100"],
    ["no zone", "Sun, 06 Nov 1994 08:49:37"],
    ["a day with one digit", "Sun, 6 Nov 1994 08:49:37 GMT"],
    ["another case", "sun, 06 nov 1994 08:49:37 gmt"],
    ["another day of the week", "Mon, 06 Nov 1994 08:49:37 GMT"],
    ["a day that does not exist", "Thu, 31 Nov 1994 08:49:37 GMT"],
    ["an hour that does not exist", "Sun, 06 Nov 1994 24:00:00 GMT"],
    ["ISO 8601", "1994-11-06T08:49:37Z"],
    ["words", "soon"],
    ["a number", "-1"],
    ["nothing", ""],
  ])("are not read where they have %s", (_name, text) => expect(parseHttpDate(text, NOW)).toBeUndefined());
});
