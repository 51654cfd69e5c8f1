import { expect, test } from "vitest";
import { formatNote, parseNote } from "../../provider/model/entry";

const NOTE = { reason: "SYN flood", ticket: "INC-4711", expires: "2030-01-31T18:00:00Z" };

test("a note is one text whatever the order of its members, and comes back from it", () => {
  const text = '{"reason":"SYN flood","ticket":"INC-4711","expires":"2030-01-31T18:00:00Z"}';
  expect(formatNote(NOTE)).toBe(text);
  expect(formatNote({ expires: NOTE.expires, ticket: NOTE.ticket, reason: NOTE.reason })).toBe(text);
  expect(parseNote(text)).toEqual(NOTE);
  expect(formatNote({})).toBeUndefined();
});

test("the members of an entry's own resource are read as a note, too", () => {
  expect(parseNote({ ...NOTE, value: 7 })).toEqual(NOTE);
});

test("a member that cannot be read or says nothing is absent, and the others stay", () => {
  expect(parseNote({ reason: " ", ticket: 4711, expires: "2030-01-31" })).toEqual({});
  expect(parseNote('{"reason":"SYN flood","expires":"soon"}')).toEqual({ reason: "SYN flood" });
});

test.each([undefined, null, "", "SYN flood", "[]", "null", 7])("%j is an empty note", (note) => {
  expect(parseNote(note)).toEqual({});
});
