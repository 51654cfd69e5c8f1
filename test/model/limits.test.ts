import { expect, it } from "vitest";
import { parseShareLimit } from "../../provider/model/limits";

it.each([
  ["29%", 100, 29],
  ["57%", 100, 57],
  ["58%", 100, 58],
  ["0.1%", 1_000, 1],
  ["4.35%", 2_000, 87],
  ["8.2%", 500, 41],
  ["33.3%", 1_000, 333],
  ["50%", 61, 30],
  ["100.0%", 7, 7],
  ["12", 5, 12],
])("%s of %i entries are %i", (limit, size, entries) => {
  expect(parseShareLimit(limit)?.of(size)).toBe(entries);
});
