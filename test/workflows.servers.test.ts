import { spawnSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { BUILD_TIMEOUT, pinned } from "./forwarder/support/servers";
import { root } from "./support/markdown";

let actionlint: string;

beforeAll(async () => {
  const { ensureServer } = await import("../tools/servers/ensure.mjs");
  actionlint = await ensureServer("actionlint");
}, BUILD_TIMEOUT);

/** Runs actionlint on the text of a workflow, without the programs that only some machines have on PATH. */
function lint(workflow: string) {
  const { status, stdout } = spawnSync(actionlint, ["-no-color", "-oneline", "-shellcheck=", "-pyflakes=", "-"], {
    cwd: root,
    input: workflow,
    encoding: "utf8",
  });
  return { status, stdout };
}

const read = (file: string) => readFileSync(join(root, file), "utf8");
const workflows = globSync("{.,examples/*,templates/*}/.github/workflows/*", { cwd: root });

test("there are workflows to look at, that of the images among them", () => {
  expect(workflows.length).toBeGreaterThan(5);
  expect(workflows).toContain(".github/workflows/release.yml");
});

test.each(workflows)("GitHub finds no mistake in %s", (file) => {
  expect(lint(read(file))).toEqual({ status: 0, stdout: "" });
});

test.each([
  ["needs: [package, npm]", "needs: [package, nmp]", 'needs job "nmp"'],
  ["needs.package.outputs.version", "needs.package.outputs.versoin", '"versoin" is not defined'],
  ["packages: write", "packages: push", '"push" is invalid'],
  ["matrix.file }}", "matrix.fil }}", '"fil" is not defined'],
])("a mistake in the job that publishes the images is found: %s", (right, wrong, words) => {
  const release = read(".github/workflows/release.yml");
  expect(release).toContain(right);
  expect(lint(release.replace(right, wrong))).toEqual({ status: 1, stdout: expect.stringContaining(words) });
});

test("actionlint is the version that is pinned", async () => {
  const { SERVERS } = await import("../tools/servers/ensure.mjs");
  expect(pinned("actionlint", "github.com/rhysd/actionlint")).toBe(SERVERS.actionlint.version);
});
