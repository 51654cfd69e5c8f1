import { describeMatrix } from "./support/matrix";
import { SCENARIOS } from "./support/scenarios";

describeMatrix(
  "Failures of entries, signalings and mixed stacks",
  1_480,
  SCENARIOS.filter(({ about }) => about !== "sets" && about !== "places"),
);
