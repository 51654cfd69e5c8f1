import { test } from "vitest";
import { ALL, expectRecognised, SHORT } from "./recognised";

test.each(Array.from({ length: ALL - SHORT }, (_, at) => SHORT + at))(
  "a node that answers as seed:%i is recognised, and an emulator from the result matches",
  async (seed) => void (await expectRecognised(`seed:${seed}`)),
);
