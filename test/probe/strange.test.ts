import { test } from "vitest";
import { expectJudged, expectKilled } from "./strange";

/** Further seeds run with `npm run test:long`. */
test.each(Array.from({ length: 12 }, (_, seed) => seed))(
  "the strange appliance of seed %i is judged rightly",
  async (seed) => void (await expectJudged(seed)),
);

test.each(Array.from({ length: 6 }, (_, seed) => seed))(
  "a probe of the strange appliance of seed %i that is killed leaves what its notes name",
  expectKilled,
);
