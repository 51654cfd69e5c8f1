import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ListedValue } from "../../provider/model/entry";
import { Prefix } from "../../provider/model/prefix";
import type { Answers } from "../../provider/wire/answers";
import { parseJson, ShapeError } from "../../provider/wire/json";
import { readMarkList } from "../../provider/wire/mark-list";
import { readPrefixSetList } from "../../provider/wire/prefix-set-list";

/** An entry as a node holds it: canonical, so that every form of it means the same. */
interface Entry {
  readonly prefix: Prefix;
  readonly value: ListedValue;
}

const v4 = fc
  .tuple(fc.integer({ min: 0, max: 2 ** 32 - 1 }), fc.integer({ min: 0, max: 32 }))
  .map(([n, length]) => `${[24, 16, 8, 0].map((shift) => (n >>> shift) & 255).join(".")}/${length}`);
const v6 = fc
  .tuple(
    fc.array(fc.integer({ min: 1, max: 0xfffe }), { minLength: 8, maxLength: 8 }),
    fc.integer({ min: 0, max: 128 }),
  )
  .map(([groups, length]) => `${groups.map((group) => group.toString(16)).join(":")}/${length}`);
const prefix = fc.oneof(v4, v6).map((text) => Prefix.parse(text, { hostBits: "mask" }));
const value = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: 0, max: 2 ** 32 - 1 }) },
  { weight: 4, arbitrary: fc.integer({ min: 0, max: 200 }) },
  fc.constantFrom<ListedValue>(1.5, -1, 2 ** 32, "drop", "18446744073709551617"),
);
const entries = fc.uniqueArray(fc.record({ prefix, value }), {
  maxLength: 20,
  selector: (entry) => entry.prefix.toString(),
});

const isSingle = ({ prefix: { size } }: Entry) => size === 1n;
const netmask = ({ family, length }: Prefix): string => {
  const bits = family === 4 ? 32 : 128;
  const mask = ((1n << BigInt(length)) - 1n) << BigInt(bits - length);
  if (family === 4) return [24n, 16n, 8n, 0n].map((shift) => (mask >> shift) & 255n).join(".");
  return Array.from({ length: 8 }, (_, n) => ((mask >> BigInt(112 - 16 * n)) & 0xffffn).toString(16)).join(":");
};

/** Some spelling of a name: as it is, in capitals, or with a capital first. */
const spelled = (...names: string[]) =>
  fc
    .tuple(fc.constantFrom(...names), fc.nat(2))
    .map(([name, how]) =>
      how === 0 ? name : how === 1 ? name.toUpperCase() : `${name[0]?.toUpperCase()}${name.slice(1)}`,
    );

const prefixName = spelled("p", "a", "prefix", "addr", "address", "ip", "cidr", "net", "network");
const lengthName = spelled("m", "mask", "len", "plen", "prefixlen", "prefix_len", "bits");
const valueName = spelled("v", "value", "val");
const strange = fc.constantFrom("subnet", "size", "weight", "x-1", "prefixes");

/** Form of one entry, and the settings that it needs. */
interface Form {
  readonly write: (entry: Entry) => unknown;
  readonly names?: Answers["names"];
  /** Not a form of the table: it may be refused, and must not be misread. */
  readonly isForeign?: boolean;
}

const spellings: ((entry: Entry) => string)[] = [
  ({ prefix: it }) => it.toString(),
  (entry) => (isSingle(entry) ? entry.prefix.address : entry.prefix.toString()),
  ({ prefix: it }) => it.toString().toUpperCase(),
  ({ prefix: it }) => `${it.address}/${netmask(it)}`,
];
const spell = fc.constantFrom(...spellings);
const lengths: ((entry: Entry) => unknown)[] = [
  ({ prefix: { length } }) => length,
  ({ prefix: { length } }) => String(length),
  ({ prefix: it }) => netmask(it),
];

const form: fc.Arbitrary<Form> = fc.oneof(
  fc
    .tuple(prefixName, valueName, spell)
    .map(([p, v, text]) => ({ write: (entry: Entry) => ({ [v]: entry.value, [p]: text(entry), note: "by hand" }) })),
  spell.map((text) => ({ write: (entry: Entry) => [text(entry), entry.value] })),
  fc.tuple(prefixName, lengthName, valueName, fc.constantFrom(...lengths)).map(([p, m, v, length]) => ({
    write: (entry: Entry) => ({ [p]: entry.prefix.address, [v]: entry.value, [m]: length(entry) }),
  })),
  // The node's own names, with the settings that say so.
  fc.tuple(fc.constantFrom(...lengths), fc.boolean()).map(([length, upper]) => ({
    names: { prefix: "subnet", prefixLength: "size", value: "weight" },
    write: (entry: Entry) => ({
      [upper ? "SUBNET" : "subnet"]: entry.prefix.address,
      size: length(entry),
      weight: entry.value,
      v: 99,
    }),
  })),
  // The same without: refused, unless it happens to say the same.
  fc.tuple(prefixName, strange, valueName, fc.constantFrom(...lengths)).map(([p, m, v, length]) => ({
    isForeign: true,
    write: (entry: Entry) => ({ [p]: entry.prefix.address, [v]: entry.value, [m]: length(entry) }),
  })),
  fc.tuple(strange, valueName, spell).map(([p, v, text]) => ({
    isForeign: true,
    write: (entry: Entry) => ({ [p]: text(entry), [v]: entry.value }),
  })),
  fc.tuple(prefixName, valueName).map(([p, v]) => ({
    isForeign: true,
    names: { prefix: "nothing-such" },
    write: (entry: Entry) => ({ [p]: entry.prefix.address, [v]: entry.value, end: lastOf(entry.prefix) }),
  })),
  fc.constant({ isForeign: true, write: ({ prefix: it, value: v }: Entry) => [it.address, it.length, v] }),
  fc.constant({ isForeign: true, write: ({ prefix: it }: Entry) => [it.address, lastOf(it)] }),
);

function lastOf(it: Prefix): string {
  const bits = it.bits + it.size - 1n;
  if (it.family === 4) return [24n, 16n, 8n, 0n].map((shift) => (bits >> shift) & 255n).join(".");
  return Array.from({ length: 8 }, (_, n) => ((bits >> BigInt(112 - 16 * n)) & 0xffffn).toString(16)).join(":");
}

/** Form of a whole list around its elements. */
interface Envelope {
  readonly wrap: (elements: unknown) => unknown;
  readonly path?: string;
  readonly isForeign?: boolean;
}

const natural = spelled(
  ..."data result results response entries records items list rows prefixes prefixset marks".split(" "),
);
const beside = fc.constantFrom<Record<string, unknown>>({}, { status: "ok", code: 0 }, { error: null, tags: [] });
const envelope: fc.Arbitrary<Envelope> = fc.oneof(
  fc.constant({ wrap: (elements: unknown) => elements }),
  fc.tuple(natural, beside).map(([name, more]) => ({ wrap: (elements: unknown) => ({ ...more, [name]: elements }) })),
  fc.tuple(natural, natural, beside).map(([outer, inner, more]) => ({
    wrap: (elements: unknown) => ({ [outer]: { ...more, [inner]: elements } }),
  })),
  fc.constant({ path: "payload.table", wrap: (elements: unknown) => ({ payload: { table: elements, other: [] } }) }),
  fc.constant({ isForeign: true, wrap: (elements: unknown) => ({ payload: elements }) }),
  fc.constant({ isForeign: true, wrap: (elements: unknown) => ({ data: [], staged: elements }) }),
  fc.constant({ isForeign: true, wrap: (elements: unknown) => ({ data: null, table: { rows2: elements } }) }),
  fc.constant({ isForeign: true, wrap: (elements: unknown) => ({ data: elements, more: true }) }),
);

/** Entries that were read, or `refused`. Anything but a ShapeError is a defect of the reader. */
function outcome<T>(read: () => T): T | "refused" {
  try {
    return read();
  } catch (error) {
    if (error instanceof ShapeError) return "refused";
    throw error;
  }
}

describe("any entries in any shape are read back as they are, or refused", () => {
  it("as elements", () => {
    fc.assert(
      fc.property(entries, envelope, form, (list, { wrap, path, isForeign }, { write, names, ...how }) => {
        const json = parseJson(JSON.stringify(wrap(list.map(write))));
        const read = outcome(() => readPrefixSetList(json, { answers: { path, names } }));
        if (isForeign || how.isForeign) {
          if (read === "refused") return;
          // An empty list has no elements to be understood; an array beside it may still be the one that is meant.
          if (list.length === 0) {
            expect(read).toEqual([]);
            return;
          }
        }
        expect(read).not.toBe("refused");
        const told = read === "refused" ? [] : read.map((entry) => [entry.prefix.toString(), entry.value]);
        expect(told).toEqual(list.map((entry) => [entry.prefix.toString(), entry.value]));
      }),
      { numRuns: 1_500 },
    );
  });

  it("keyed by prefix, empty ones once such a list was seen", () => {
    const inside = fc.constantFrom<(entry: Entry) => [string, unknown]>(
      ({ prefix: it, value: v }) => [it.toString(), v],
      ({ prefix: it, value: v }) => [it.toString(), { V: v, age: 3 }],
      ({ prefix: it, value: v }) => [it.address, { m: it.length, v }],
    );
    fc.assert(
      fc.property(entries, envelope, inside, (list, { wrap, path, isForeign }, write) => {
        // Two prefixes of one address cannot both be keys without their lengths.
        const members = Object.fromEntries(list.map(write));
        fc.pre(Object.keys(members).length === list.length);
        const json = parseJson(JSON.stringify(wrap(members)));
        const keyedPlaces = new Set<string>();
        const ask = (answer: unknown) => outcome(() => readPrefixSetList(answer, { answers: { path }, keyedPlaces }));
        const read = ask(json);
        if (list.length === 0 || isForeign) {
          expect(isForeign && list.length === 0 ? "refused" : read).toBe("refused");
          return;
        }
        if (read === "refused") throw new Error(`refused: ${JSON.stringify(json)}`);
        expect(read.map((entry) => [entry.prefix.toString(), entry.value])).toEqual(
          list.map((entry) => [entry.prefix.toString(), entry.value]),
        );
        expect(ask(wrap({}))).toEqual([]);
      }),
      { numRuns: 700 },
    );
  });
});

describe("any marks in any shape are read back as they are", () => {
  const names = fc.record({
    address: spelled("a", "p", "addr", "address", "ip", "src", "saddr"),
    id: spelled("id"),
    value: spelled("v", "value"),
    lifetime: spelled("t", "ttl", "lifetime", "life"),
    age: spelled("age"),
    status: spelled("status"),
  });
  const mark = fc.record(
    {
      address: v4.map((text) => text.slice(0, text.indexOf("/"))),
      id: fc.nat(),
      value: fc.nat(),
      lifetime: fc.nat(86_400),
      age: fc.nat(86_400),
      status: fc.constantFrom("active", "expired"),
    },
    { requiredKeys: ["address"] },
  );

  it("by natural names and by those of the settings", () => {
    fc.assert(
      fc.property(fc.array(mark, { maxLength: 10 }), envelope, names, fc.boolean(), (marks, where, by, own) => {
        fc.pre(where.isForeign !== true);
        const name = (member: keyof typeof by) => (own ? `x-${member}` : by[member]);
        const records = marks.map((each) => ({
          ...Object.fromEntries(Object.entries(each).map(([member, it]) => [name(member as keyof typeof by), it])),
          zone: "z",
        }));
        const settings = own ? Object.fromEntries(Object.keys(by).map((member) => [member, `X-${member}`])) : undefined;
        const json = parseJson(JSON.stringify(where.wrap(records)));
        const read = readMarkList(json, "shost", { answers: { path: where.path, names: settings } });
        expect(read).toEqual(marks.map((each) => ({ ...each, extra: { zone: "z" } })));
      }),
      { numRuns: 500 },
    );
  });
});
