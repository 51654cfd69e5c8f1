import { expect, test } from "vitest";
import { expectJudged, expectKilled } from "./strange";

const codes: number[] = [];

test.each(Array.from({ length: 320 }, (_, at) => 12 + at))(
  "the strange appliance of seed %i is judged rightly",
  async (seed) => void codes.push(await expectJudged(seed)),
);

test("more than two of seven can be used by what the probe writes alone", () => {
  expect(codes.filter((code) => code === 0).length).toBeGreaterThan(codes.length / 3.5);
});

test.each(Array.from({ length: 320 }, (_, at) => 6 + at))(
  "a probe of the strange appliance of seed %i that is killed leaves what its notes name",
  expectKilled,
);
