import { it } from "vitest";
import { followJourney } from "./support/shapes-journey";

it(
  "one in eight of the nodes and receivers of the matrix: up, no change, drift, repair, destroy",
  () => followJourney(8),
  600_000,
);
