import { test } from "vitest";
import { expectJudged } from "./strange";

test.each(Array.from({ length: 320 }, (_, at) => 12 + at))(
  "the strange appliance of seed %i is judged rightly",
  expectJudged,
);
