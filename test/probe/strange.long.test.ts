import { test } from "vitest";
import { expectJudged, expectKilled } from "./strange";

test.each(Array.from({ length: 320 }, (_, at) => 12 + at))(
  "the strange appliance of seed %i is judged rightly",
  expectJudged,
);

test.each(Array.from({ length: 320 }, (_, at) => 6 + at))(
  "a probe of the strange appliance of seed %i that is killed leaves what its notes name",
  expectKilled,
);
