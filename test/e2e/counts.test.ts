import { it } from "vitest";
import { shareCommits } from "./support/own-pace";

it("150 independent entries share commits at the engine's own parallelism, and one list when refreshed", () =>
  shareCommits(150));
