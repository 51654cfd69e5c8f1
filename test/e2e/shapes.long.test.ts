import { it } from "vitest";
import { followJourney } from "./support/shapes-journey";

it("every node and receiver of the matrix: up, no change, drift, repair, destroy", () => followJourney(1), 600_000);
