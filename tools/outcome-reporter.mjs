// @ts-check
import { writeFileSync } from "node:fs";
import process from "node:process";

/**
 * A vitest reporter that leaves `{ passed, failures }` for tools/test.mjs. Stricter than vitest's own exit code:
 * a test that was skipped, or did not run to its end, is a failure, unless `-t` left it out on purpose.
 */
export default class OutcomeReporter {
  selected = false;

  /** @param {import("vitest/node").Vitest} vitest */
  onInit(vitest) {
    this.selected = vitest.config.testNamePattern !== undefined;
  }

  /**
   * @param {ReadonlyArray<import("vitest/node").TestModule>} modules
   * @param {ReadonlyArray<import("vitest/node").SerializedError>} unhandled
   */
  onTestRunEnd(modules, unhandled) {
    let passed = 0;
    /** @type {string[]} */
    const failures = [];
    for (const module of modules) {
      const file = module.relativeModuleId;
      const tests = [...module.children.allTests()];
      for (const test of tests) {
        const { state } = test.result();
        if (state === "passed") passed += 1;
        else if (state !== "skipped" || !this.selected) failures.push(`${file}: ${test.fullName} (${state})`);
      }
      // Errors outside of tests: a file that cannot be imported, or a hook that throws.
      for (const suite of [module, ...module.children.allSuites()]) {
        for (const error of suite.errors()) failures.push(`${file}: ${firstLine(error.message)}`);
      }
      if (tests.length === 0 && module.errors().length === 0) failures.push(`${file}: holds no test`);
    }
    for (const error of unhandled) failures.push(`outside of any test: ${firstLine(error.message)}`);
    const target = process.env.PACKETFILTER_TEST_OUTCOME;
    if (target) writeFileSync(target, JSON.stringify({ passed, failures }));
  }
}

function firstLine(/** @type {unknown} */ message) {
  return String(message ?? "an error without a message").split("\n", 1)[0];
}
