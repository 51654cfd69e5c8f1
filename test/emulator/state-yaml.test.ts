import fc from "fast-check";
import { expect, test } from "vitest";
import { parse } from "yaml";
import type { EmulatorState } from "../../provider/emulator";
import { fromYaml, toYaml } from "../../provider/emulator/state/state-yaml";

const at = (index: number) => `10.0.${index >> 8}.${index & 255}`;
const many = <T>(count: number, make: (index: number) => T) => Array.from({ length: count }, (_, index) => make(index));

const state: EmulatorState = {
  arenas: {
    edge: {
      sets: {
        short: { "192.0.2.0/24": 1 },
        long: Object.fromEntries([
          ...many(1_200, (n) => [`${at(n)}/32`, n]),
          ["::/0", 1],
          ["2001:db8::/32", 4_294_967_295],
        ]),
      },
      profiles: {
        web: {
          rules: [{ id: 1, name: "run 0 of lines" }],
          marks: {
            shost: many(100, (n) => ({ address: at(n), id: n, value: n, lifetime: n + 0.5, age: 0.001 })),
            dhost: [],
            sdhost: many(70, (n) => ({ source: at(n), destination: "2001:db8::1", id: 1, expiredFor: 3 })),
            conn: [
              ...many(70, (n) => ({
                source: at(n),
                destination: at(n),
                sourcePort: 53,
                destinationPort: n,
                protocol: 47,
                id: 1,
              })),
              { source: "192.0.2.1", destination: "192.0.2.2", protocol: "tcp" as const, id: 1 },
            ],
          },
        },
      },
    },
  },
};

test("YAML of a state has a line per mark and entry, and reads back the same", async () => {
  const yaml = toYaml(state);
  expect(yaml).toContain("\n            - {address: 10.0.0.9, id: 9, value: 9, lifetime: 9.5, age: 0.001}\n");
  expect(yaml).toContain('\n        10.0.4.175/32: 1199\n        "::/0": 1\n        2001:db8::/32: 4294967295\n');
  expect(parse(yaml)).toEqual(state);
  expect(fromYaml(yaml, "state.yaml")).toEqual(state);
});

test("YAML has names, texts of several lines, empty members and many as they are", async () => {
  const long = many(40, (n) => `word${n}`).join(" ");
  const rules = [
    { id: 1, name: `first\n\n${long}\n`, actions: [{ drop: {} }] },
    { id: 2, name: "yes" },
  ];
  const web = { rules, prefixes: [], marks: { shost: many(2_500, (n) => ({ address: at(n), id: n })) } };
  const all: object = {
    arenas: {
      "on: #": { sets: { 1: {}, null: many(1_000, String) }, profiles: { web, [long]: {} } },
      ...state.arenas,
      empty: {},
    },
    signaling: { clients: [], note: `${long}\n\n  ${long}` },
  };
  for (const one of [all, state, {}]) expect(parse(toYaml(one as EmulatorState))).toEqual(one);
});

test("any text is read back as it is, as a name and as a value, by this reader and by one of YAML 1.1", () => {
  const words = [
    "yes",
    "0x10",
    "1e5",
    "12:30",
    "20:10:5",
    "::1",
    "2001:db8::",
    "a: b",
    "- a",
    "#",
    "~",
    "",
    "é",
    "<<",
    "=",
  ];
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.constantFrom(...words), fc.ipV6(), fc.ipV4Extended()), (text) => {
      fc.pre(text !== "__proto__");
      const one = { arenas: { [text]: { sets: { [text]: { [text]: text } } } } };
      const yaml = toYaml(one as unknown as EmulatorState);
      expect(fromYaml(yaml, "state.yaml")).toEqual(one);
      expect(parse(yaml, { version: "1.1" })).toEqual(one);
    }),
    { seed: 1, numRuns: 300 },
  );
});
