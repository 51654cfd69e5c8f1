import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const ROOT = join(__dirname, "../..");
const SECOND = 1_000;

/** Whether a runner of tests was content, and what it printed. */
interface Outcome {
  readonly passed: boolean;
  readonly printed: string;
}

/** Runs Node on files of a user, who has the built package. */
async function runNode(files: Record<string, string>, args: (folder: string) => string[], env = {}): Promise<Outcome> {
  await mkdir(join(ROOT, ".tmp"), { recursive: true });
  const folder = await mkdtemp(join(ROOT, ".tmp/user-tests-"));
  const own = Object.entries(process.env).filter(
    ([name]) => !name.startsWith("VITEST") && name !== "NODE_TEST_CONTEXT",
  );
  try {
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
    const options = { env: { ...Object.fromEntries(own), NO_COLOR: "1", ...env } };
    return await run(process.execPath, args(folder), options).then(
      ({ stdout, stderr }) => ({ passed: true, printed: stdout + stderr }),
      ({ stdout, stderr }) => ({ passed: false, printed: stdout + stderr }),
    );
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Runs vitest on them, each file in a thread of its own. */
export function runVitest(files: Record<string, string>, control: string): Promise<Outcome> {
  const workers = Object.keys(files).length;
  const config = `export default { test: { pool: "threads", maxWorkers: ${workers}, testTimeout: ${180 * SECOND} } };`;
  const vitest = join(ROOT, "node_modules/vitest/vitest.mjs");
  return runNode({ "vitest.config.mjs": config, ...files }, (folder) => [vitest, "run", "--root", folder], {
    PACKETFILTER_EMULATOR_CONTROL: control,
  });
}

/** Runs Node's own runner on a file. */
export function runNodeTest(text: string, ...more: string[]): Promise<Outcome> {
  const file = "sample.test.cjs";
  return runNode({ [file]: text }, (folder) => ["--test", "--test-reporter=tap", ...more, join(folder, file)]);
}
