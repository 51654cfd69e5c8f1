import { defineConfig } from "vitest/config";

const SECOND = 1_000;

export default defineConfig({
  test: {
    // A forgotten `.only` would hide all others.
    allowOnly: false,
    // Two cores are usual in CI; engine tests start processes of their own.
    maxWorkers: 2,
    projects: [
      {
        test: {
          name: "unit",
          include: ["test/**/*.test.{ts,mts}"],
          exclude: ["test/e2e/**", "test/bench/**"],
          globalSetup: ["tools/build-setup.mjs"],
          testTimeout: 20 * SECOND,
          hookTimeout: 20 * SECOND,
        },
      },
      {
        test: {
          name: "e2e",
          include: ["test/e2e/**/*.test.{ts,mts}"],
          globalSetup: ["tools/e2e-setup.mjs"],
          testTimeout: 120 * SECOND,
          hookTimeout: 120 * SECOND,
        },
      },
    ],
  },
});
