import fc from "fast-check";
import { expect, test } from "vitest";
import { KeyTable } from "../../provider/emulator/marks/key-table";

const KEYS = 120;

test("a table finds exactly its keys, each at its slot, after any history", () => {
  const step = fc.tuple(fc.constantFrom("add", "add", "remove"), fc.nat(KEYS - 1), fc.nat(1));
  fc.assert(
    fc.property(fc.array(step, { minLength: 100, maxLength: 600 }), (steps) => {
      let columns = 0;
      const table = new KeyTable(2, (capacity) => {
        columns = capacity;
      });
      const model = new Map<string, number>();
      const find = (first: number, second: number) => {
        table.key[0] = first;
        table.key[1] = second;
        return table.find();
      };
      for (const [what, first, second] of steps) {
        const key = `${first} ${second}`;
        const slot = model.get(key);
        expect(find(first, second)).toBe(slot ?? -1);
        if (what === "add" && slot === undefined) model.set(key, table.add());
        if (what === "remove" && slot !== undefined) {
          table.remove(slot);
          model.delete(key);
        }
      }
      for (let first = 0; first < KEYS; first++) expect(find(first, 0)).toBe(model.get(`${first} 0`) ?? -1);
      expect(new Set(model.values()).size).toBe(table.size);
      expect(model.size).toBe(table.size);
      if (table.capacity > 64) expect(columns).toBe(table.capacity);
      table.clear();
      expect(find(steps[0]?.[1] ?? 0, 0)).toBe(-1);
    }),
    { seed: 6, numRuns: 200 },
  );
});
