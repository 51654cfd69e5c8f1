import { defineConfig } from "vitest/config";

/** The tests that judge a change of `provider/apply`, `provider/resources` and the rooms between: those of these rooms, and stories that failed once. */
export default defineConfig({
  test: {
    include: ["test/{apply,resources}/*.test.ts", "test/failures/{regressions,teams,refused-value}.test.ts"],
    testTimeout: 20_000,
    reporters: ["dot"],
  },
});
