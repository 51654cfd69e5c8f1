import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** What hangs is ended, in milliseconds. No measure: on a busy machine a journey through the engine takes five times as long. */
const HANGS = 400_000;
/** Tests that build and start servers of others: `npm run test:servers`. */
const SERVERS = "test/**/*.servers.test.ts";
/** Tests that go through every case of what shorter ones show: `npm run test:long`. */
const LONG = "test/**/*.long.test.ts";

/** The long files first, so that the workers end together; then journeys through the engine, then the largest or slowest of the others, as vitest has them. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const bySize = await super.sort(files);
    const long = bySize.filter(({ moduleId }) => moduleId.includes(".long."));
    const sorted = [...long, ...bySize.filter((file) => !long.includes(file))];
    const engine = sorted.filter(({ moduleId }) => moduleId.includes("/test/e2e/"));
    return [...engine, ...sorted.filter((file) => !engine.includes(file))];
  }
}

/** Tests bring modules of their own for `answers.read`; those about the refusal of one unset this. */
const ALLOWED = { PACKETFILTER_ALLOW_CODE: "1" };

/**
 * Journeys that go through dynamic resources in `npm test` or among the long tests, and once more through the plugin in `npm run test:long`: all that are not about
 * the program, its texts or the dynamic state. The long walks go through one of them, dynamic resources.
 */
const BY_PLUGIN = [
  "counts",
  "edges-declared.long",
  "edges-leaving.long",
  "import.long",
  "incidents.long",
  "killed.long",
  "prefix-set",
  "regions.long",
  "report",
  "secrets.long",
  "shape-settings.long",
  "shapes",
].map((name) => `test/e2e/${name}.test.ts`);

export default defineConfig({
  test: {
    // A forgotten `.only` would hide all others.
    allowOnly: false,
    // Two cores are usual in CI. Engine tests wait for processes of their own, and walks for pauses: a third worker computes meanwhile.
    maxWorkers: 3,
    // Files share a process and what they load, which is half of what most of them cost: no test leaves anything changed behind it.
    isolate: false,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          name: "unit",
          env: ALLOWED,
          include: ["test/**/*.test.{ts,mts}"],
          exclude: ["test/e2e/**", "test/bench/**", LONG, SERVERS],
          globalSetup: ["tools/build-setup.mjs"],
          setupFiles: ["test/support/fixed-seeds.ts"],
          testTimeout: HANGS,
          hookTimeout: HANGS,
          expect: { poll: { timeout: 20_000 } },
        },
      },
      {
        test: {
          name: "e2e",
          include: ["test/e2e/**/*.test.{ts,mts}"],
          exclude: [LONG, SERVERS],
          globalSetup: ["tools/e2e-setup.mjs"],
          testTimeout: HANGS,
          hookTimeout: HANGS,
          expect: { poll: { timeout: 20_000 } },
        },
      },
      {
        test: {
          name: "long",
          env: ALLOWED,
          include: [LONG],
          globalSetup: ["tools/e2e-setup.mjs"],
          setupFiles: ["test/support/fixed-seeds.ts"],
          testTimeout: HANGS,
          hookTimeout: HANGS,
          expect: { poll: { timeout: 20_000 } },
        },
      },
      {
        test: {
          name: "plugin",
          include: BY_PLUGIN,
          env: { PACKETFILTER_E2E_KIND: "plugin" },
          globalSetup: ["tools/e2e-setup.mjs"],
          testTimeout: HANGS,
          hookTimeout: HANGS,
          expect: { poll: { timeout: 20_000 } },
        },
      },
      {
        test: {
          name: "servers",
          include: [SERVERS],
          // After all others, one at a time: they hold members of a cluster to times that a busy machine cannot keep.
          sequence: { groupOrder: 1 },
          maxWorkers: 1,
          globalSetup: ["tools/e2e-setup.mjs"],
          testTimeout: HANGS,
          hookTimeout: HANGS,
          expect: { poll: { timeout: 20_000 } },
        },
      },
    ],
  },
});
