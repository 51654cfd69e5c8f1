import fc from "fast-check";
import { expect, it } from "vitest";
import { type EntriesOf, givenEntries } from "../../provider/model/given-entries";
import { Prefix } from "../../provider/model/prefix";

/** Entries that were read, as pairs. */
function read(given: EntriesOf<{ readonly value?: number }>): unknown[] | undefined {
  const entries = givenEntries(given);
  return entries?.spellings.map((spelling, index) => [spelling, entries.content(index)]);
}

const parsed = Prefix.parse("192.0.2.0/24");

it("an entry says the same in every form in which lists are given", () => {
  const forms: EntriesOf<{ readonly value?: number }>[] = [
    { "192.0.2.0/24": 7 },
    new Map([["192.0.2.0/24", 7]]),
    new Map([[parsed, 7]]),
    [{ prefix: "192.0.2.0/24", value: 7 }],
    [{ prefix: parsed, value: 7, spelling: "192.0.2.0/24" }],
    new Set([{ prefix: parsed, value: 7 }]),
    Object.entries({ "192.0.2.0/24": 7 }),
  ];
  expect(forms.map(read)).toEqual(forms.map(() => [["192.0.2.0/24", 7]]));
});

it("a prefix alone has the value 1", () => {
  const forms: EntriesOf<object>[] = [["192.0.2.0/24"], [parsed], new Set(["192.0.2.0/24"]), [{ prefix: parsed }]];
  expect(forms.map(read)).toEqual(forms.map(() => [["192.0.2.0/24", 1]]));
});

it("what stands beside the value is content, and each entry has its place in messages", () => {
  const note = { value: 2, reason: "SYN flood", ticket: "INC-4711" };
  const list = givenEntries([{ prefix: parsed, spelling: "192.0.2.0/024", ...note }], "blocks");
  expect([list?.content(0), list?.path(0)]).toEqual([note, "blocks[0]"]);
  const record = givenEntries({ "192.0.2.0/24": note });
  expect([record?.content(0), record?.path(0)]).toEqual([note, 'entries["192.0.2.0/24"]']);
});

it.each([
  ["a text", "192.0.2.0/24"],
  ["a promise", Promise.resolve([])],
  ["null", null],
  ["a number", 7],
  ["a prefix", parsed],
])("%s is no entries, and never an empty list", (_, given) => {
  expect(givenEntries(given)).toBeUndefined();
});

it("a null as value is kept for the check to refuse", () => {
  expect(givenEntries([{ prefix: "192.0.2.0/24", value: null }])?.content(0)).toBeNull();
});

it("a record, its pairs, a Map of it and a list of it are read alike, whatever they hold", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.nat()), (record) => {
      const pairs = Object.entries(record);
      const list = pairs.map(([prefix, value]) => ({ prefix, value }));
      for (const form of [record, pairs, new Map(pairs), list]) expect(read(form)).toEqual(pairs);
    }),
  );
});
