import { describeMatrix } from "./support/matrix";
import { SCENARIOS } from "./support/scenarios";

describeMatrix(
  "Failures while places change",
  1_160,
  SCENARIOS.filter(({ about }) => about === "places"),
);

describeMatrix(
  "Failures of sets",
  1_480,
  SCENARIOS.filter(({ about }) => about === "sets"),
);
