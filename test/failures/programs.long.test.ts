import { describe, it } from "vitest";
import { upsAfterFailures, upsInAnyDialect, upsInTurn } from "./support/program-walks";

describe("whatever programs follow one another", () => {
  it(
    "each up leaves what its program says, and no commit in between removes wanted entries",
    () => upsInTurn(40),
    120_000,
  );

  it("and on whatever node: any dialect converges, sees drift and repairs it", () => upsInAnyDialect(40), 120_000);
});

describe("whatever fails while operations run side by side", () => {
  it("the next up converges, the one after is empty, a destroy leaves nothing", () => upsAfterFailures(60), 120_000);
});
