import { expect, test } from "vitest";
import { expectJudged, expectKilled } from "./strange";

const SEEDS = Array.from({ length: 320 }, (_, at) => 12 + at);

/** Exit codes of probes, each by its seed. */
const codes = new Map<number, Promise<number>>();

/** The exit code for a seed, which is probed once for all tests. */
function codeOf(seed: number): Promise<number> {
  const code = codes.get(seed) ?? expectJudged(seed);
  codes.set(seed, code);
  return code;
}

test.each(SEEDS)("the strange appliance of seed %i is judged rightly", async (seed) => void (await codeOf(seed)));

test("more than two of seven can be used by what the probe writes alone", async () => {
  const some: number[] = [];
  for (const seed of SEEDS.slice(0, 98)) some.push(await codeOf(seed));
  expect(some.filter((code) => code === 0).length).toBeGreaterThan(some.length / 3.5);
});

test.each(Array.from({ length: 320 }, (_, at) => 6 + at))(
  "a probe of the strange appliance of seed %i that is killed leaves what its notes name",
  expectKilled,
);
