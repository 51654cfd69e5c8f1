import { expect, it } from "vitest";
import { BLOCKED, blockedSet, world } from "./support/world";

it("ten thousand entries that are restored are a few lines: their count and the first of them", async () => {
  const entries = Array.from({ length: 10_000 }, (_, index) => `198.18.${index >> 8}.${index & 255}/32`);
  await using w = await world({ program: blockedSet(entries) });
  const { emulator, stack } = w;
  await stack.must("up", "--yes", "--skip-preview");
  emulator.change(BLOCKED, { delete: entries });
  const preview = await stack.preview("--diff");
  expect(preview.code, preview.text).toBe(0);
  expect(preview.text).toContain(
    '+ restores: "10 000 missing entries: 198.18.0.0/32, 198.18.0.1/32, 198.18.0.2/32, 198.18.0.3/32, 198.18.0.4/32 and 9995 more"',
  );
  expect(preview.text.match(/198\.18\./g)).toHaveLength(10);
  expect(preview.text.trim().split("\n").length).toBeLessThan(20);
  const up = await stack.up("--skip-preview", "--diff");
  expect(up.code, up.text).toBe(0);
  expect(up.text.trim().split("\n").length).toBeLessThan(20);
  expect(Object.keys(emulator.prefixSet(BLOCKED).applied)).toHaveLength(10_000);
});
