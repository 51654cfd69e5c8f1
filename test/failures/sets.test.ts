import { describeMatrix } from "./support/matrix";
import { SCENARIOS } from "./support/scenarios";

describeMatrix(
  "Failures while places change",
  SCENARIOS.filter(({ about }) => about === "places"),
);

describeMatrix(
  "Failures of sets",
  SCENARIOS.filter(({ about }) => about === "sets"),
);
