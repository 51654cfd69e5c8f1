import fc from "fast-check";
import { expect, test } from "vitest";
import { PrefixSetStore } from "../../provider/emulator/state/prefix-set-store";
import { Prefix } from "../../provider/model/prefix";

const prefixes = ["192.0.2.0/24", "192.0.2.0/25", "192.0.2.1/32", "203.0.113.0/24", "2001:db8::/32"].map((text) =>
  Prefix.parse(text).toString(),
);
const prefix = fc.constantFrom(...prefixes);
const step = fc.oneof(
  fc.record({ do: fc.constant("insert" as const), prefix, value: fc.integer({ min: 0, max: 3 }) }),
  fc.record({ do: fc.constant("delete" as const), prefix }),
  fc.record({ do: fc.constant("commit" as const) }),
  fc.record({ do: fc.constant("late commit" as const) }),
  fc.record({ do: fc.constant("apply the oldest late commit" as const) }),
  fc.record({ do: fc.constant("discard" as const) }),
  fc.record({ do: fc.constant("change" as const), prefix, value: fc.option(fc.integer({ min: 4, max: 6 })) }),
);

test("a set is at every moment what a simple model of it is", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const set = new PrefixSetStore();
      const table = set.lookup();
      const late: { apply: () => unknown; batch: Map<string, number | null> }[] = [];
      const applied = new Map<string, number>();
      let staging = new Map<string, number | null>();
      const write = (batch: Map<string, number | null>) => {
        for (const [key, value] of batch) value === null ? applied.delete(key) : applied.set(key, value);
      };
      for (const it of steps) {
        if (it.do === "insert") {
          set.stage(it.prefix, it.value);
          staging.set(it.prefix, it.value);
        } else if (it.do === "delete") {
          set.stage(it.prefix, null);
          staging.set(it.prefix, null);
        } else if (it.do === "commit") {
          set.commit()();
          write(staging);
          staging = new Map();
        } else if (it.do === "late commit") {
          const apply = set.commit();
          late.push({ apply, batch: staging });
          staging = new Map();
        } else if (it.do === "apply the oldest late commit") {
          const oldest = late.shift();
          oldest?.apply();
          if (oldest) write(oldest.batch);
        } else if (it.do === "discard") {
          set.discard();
          staging = new Map();
        } else {
          set.change(new Map([[it.prefix, it.value]]));
          write(new Map([[it.prefix, it.value]]));
        }
        const staged = new Map(applied);
        for (const batch of [...late.map((one) => one.batch), staging]) {
          for (const [key, value] of batch) value === null ? staged.delete(key) : staged.set(key, value);
        }
        expect(set.content()).toEqual({ applied: Object.fromEntries(applied), staged: Object.fromEntries(staged) });
        expect(set.stagedSize).toBe(staged.size);
        for (const key of prefixes) expect(set.stagedValue(key)).toBe(staged.get(key));
        expect(table.size).toBe(applied.size);
      }
    }),
    { numRuns: 300 },
  );
});
