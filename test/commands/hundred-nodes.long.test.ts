import { describe, expect, test } from "vitest";
import { SICKNESSES } from "./hundred-nodes";
import { expectDone } from "./hundred-operators";

describe.each(SICKNESSES)("for one operator, of a hundred nodes that are %s", (sickness) => {
  test.each([1, 20, 99])(
    "%i: all are asked at once, and the others have the block after four requests",
    async (sick) => {
      expect.hasAssertions();
      await expectDone(sick, sickness);
    },
  );
});
