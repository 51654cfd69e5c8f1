import { test } from "vitest";
import { expectJudged } from "./strange";

/** Further seeds run with `npm run test:long`. */
test.each(Array.from({ length: 12 }, (_, seed) => seed))(
  "the strange appliance of seed %i is judged rightly",
  expectJudged,
);
