import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { step } from "../../tools/lib/progress.mjs";

let written: string[];
const out = (more: { isTTY?: boolean; columns?: number } = {}) => ({
  ...more,
  write: (text: string) => written.push(text),
});

beforeEach(() => {
  written = [];
  vi.useFakeTimers();
});
afterEach(() => vi.useRealTimers());

test("in a pipe a long step is a few plain lines", () => {
  const progress = step("Building", { out: out() });
  progress.update("12 packages compiled");
  vi.advanceTimersByTime(65_000);
  progress.done();
  vi.advanceTimersByTime(65_000);
  expect(written).toEqual([
    "Building …\n",
    "Building: still at it after 30 s (12 packages compiled)\n",
    "Building: still at it after 60 s (12 packages compiled)\n",
    "Building: done (65 s)\n",
  ]);
});

test("on a terminal it is one line that is rewritten and never wraps", () => {
  const progress = step("Building", { out: out({ isTTY: true, columns: 30 }) });
  progress.update("a module with a very long name");
  vi.advanceTimersByTime(2_000);
  expect(written.length).toBeGreaterThan(5);
  expect(written.join("")).not.toContain("\n");
  for (const line of written) expect(line.replace("\r\u001b[K", "").length).toBeLessThan(30);
  progress.fail();
  expect(written.at(-1)).toBe("\r\u001b[KBuilding: failed after 2 s\n");
});
