import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { temporaryFolder } from "./support/forward";
import { BUILD_TIMEOUT } from "./support/servers";

const EXAMPLE = resolve(__dirname, "../../examples/forwarder-service");
const manifest = readFileSync(join(EXAMPLE, "kubernetes.yaml"), "utf8");

const folder = temporaryFolder();
const decoder = join(folder.path, "kubernetes");

beforeAll(async () => {
  const { goBuild } = await import("../../tools/servers/go.mjs");
  await goBuild("kubernetes", ".", decoder, process.env, () => {});
}, BUILD_TIMEOUT);
afterAll(() => folder[Symbol.dispose]());

/** What Kubernetes' own types say of a manifest. */
function decode(text: string) {
  const { status, stdout, stderr } = spawnSync(decoder, { input: text, encoding: "utf8" });
  return { status, kinds: status === 0 ? JSON.parse(stdout).map(({ kind }: { kind: string }) => kind) : [], stderr };
}

test("the manifest has only kinds, fields and values that Kubernetes knows", () => {
  const kinds = ["ConfigMap", "Service", "PodDisruptionBudget", "StatefulSet"];
  expect(decode(manifest)).toEqual({ status: 0, kinds, stderr: "" });
});

test.each([
  [
    "a field that is none",
    "minReadySeconds",
    "minReadySecs",
    'strict decoding error: unknown field "spec.minReadySecs"\n',
  ],
  ["a number as a text", "replicas: 3\n", 'replicas: "3"\n', "of type int32"],
  ["a kind that is none", "kind: PodDisruptionBudget", "kind: PodDisruption", 'no kind "PodDisruption"'],
])("a manifest with %s is refused", (_, from, to, words) => {
  const { status, stderr } = decode(manifest.replace(from, to));
  expect(status).toBe(1);
  expect(stderr).toContain(words);
});
