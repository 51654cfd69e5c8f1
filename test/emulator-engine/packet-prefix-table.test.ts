import fc from "fast-check";
import { expect, test } from "vitest";
import { prefixWords } from "../../provider/emulator/packet/address";
import { PacketPrefixTable } from "../../provider/emulator/rules/packet-prefix-table";
import { Prefix } from "../../provider/model/prefix";
import { PrefixIndex } from "../../provider/model/prefix-index";

const octet = fc.constantFrom(0, 1, 127, 128, 255);
const v4 = fc.tuple(fc.constantFrom(192, 198, 203, 0, 255), octet, octet, octet).map((octets) => octets.join("."));
const v6 = fc
  .tuple(fc.constantFrom("2001:db8", "3fff:fff"), fc.constantFrom("0", "8000", "ffff"), octet)
  .map(([a, b, c]) => `${a}:${b}::${c}`);
const address = fc.oneof(v4, v6);
const prefix = fc
  .tuple(address, fc.oneof(fc.nat(128), fc.constantFrom(0, 1, 11, 12, 13, 31, 32)))
  .map(([text, length]) =>
    Prefix.parse(`${text}/${text.includes(":") ? length : Math.min(length, 32)}`, { hostBits: "mask" }),
  );
const step = fc.oneof(
  { weight: 3, arbitrary: fc.tuple(prefix, fc.nat(0xffffffff)) },
  { weight: 1, arbitrary: fc.tuple(prefix, fc.constant("delete" as const)) },
);

function longestMatch(table: PacketPrefixTable, address: string): number | undefined {
  const { family, words } = prefixWords(Prefix.parse(address));
  return table.find(family, words);
}

test("the longest prefix wins, as in an index that is built anew after every change", () => {
  fc.assert(
    fc.property(
      fc.array(step, { maxLength: 80 }),
      fc.array(address, { minLength: 1, maxLength: 20 }),
      (steps, asked) => {
        const table = new PacketPrefixTable();
        const model = new Map<string, readonly [Prefix, number]>();
        for (const [each, value] of steps) {
          if (value === "delete") expect(table.delete(each)).toBe(model.delete(each.toString()));
          else {
            table.set(each, value);
            model.set(each.toString(), [each, value]);
          }
        }
        const index = new PrefixIndex<number>();
        for (const [each, value] of model.values()) index.set(each, value);
        expect(table.size).toBe(model.size);
        for (const text of asked) expect(longestMatch(table, text), text).toBe(index.longestMatch(Prefix.parse(text)));
      },
    ),
    { seed: 5, numRuns: 500 },
  );
});
