import { defineConfig } from "vitest/config";

/** The tests that judge a change of `provider/batch` and `provider/resources`: those of the two rooms, and stories that failed once. */
export default defineConfig({
  test: {
    include: ["test/{batch,resources}/*.test.ts", "test/failures/{regressions,teams,refused-value}.test.ts"],
    testTimeout: 20_000,
    reporters: ["dot"],
  },
});
