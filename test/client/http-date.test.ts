import { describe, expect, it } from "vitest";
import { parseHttpDate } from "../../provider/client/pauses";

describe("HTTP dates", () => {
  it("are read in the form that senders must use (RFC 9110, section 5.6.7)", () => {
    expect(parseHttpDate("Sun, 06 Nov 1994 08:49:37 GMT")).toBe(Date.parse("1994-11-06T08:49:37Z"));
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
    ["the form of RFC 850", "Sunday, 06-Nov-94 08:49:37 GMT"],
    ["the form of asctime", "Sun Nov  6 08:49:37 1994"],
  ])("are not read where they have %s", (_name, text) => expect(parseHttpDate(text)).toBeUndefined());
});
