import { describe, expect, test } from "vitest";
import { SICKNESSES } from "./hundred-nodes";
import { expectBoth, expectDone } from "./hundred-operators";

test("of a hundred nodes all are asked at once, and have the block after four requests", async () => {
  expect.hasAssertions();
  await expectDone(0, "silent");
});

describe.each(SICKNESSES)("of a hundred nodes that are %s", (sickness) => {
  test.each([1, 20, 99])(
    "%i: all are asked at once, and the others have the block after four requests",
    async (sick) => {
      expect.hasAssertions();
      await expectDone(sick, sickness);
    },
  );
});

test.each(["block", "unblock"] as const)(
  "where twenty of a hundred are silent, block beside %s is done with the others",
  async (other) => {
    expect.hasAssertions();
    await expectBoth(20, "silent", other);
  },
);
