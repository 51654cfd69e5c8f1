import { describeMatrix } from "./support/matrix";
import { SCENARIOS } from "./support/scenarios";

describeMatrix(
  "Failures of sets",
  SCENARIOS.filter(({ about }) => about === "sets"),
);
