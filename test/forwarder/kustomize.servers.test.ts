import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { temporaryFolder } from "./support/forward";
import { BUILD_TIMEOUT, pinned } from "./support/servers";

const EXAMPLE = resolve(__dirname, "../../examples/forwarder-service");
const KINDS = ["ConfigMap", "PodDisruptionBudget", "Service", "StatefulSet"];

const folder = temporaryFolder();
const decoder = join(folder.path, "kubernetes");
let kustomize: string;

beforeAll(async () => {
  const { goBuild } = await import("../../tools/servers/go.mjs");
  await goBuild({ module: "kubernetes", main: "." }, decoder, process.env, () => {});
  const { ensureServer } = await import("../../tools/servers/ensure.mjs");
  kustomize = await ensureServer("kustomize");
}, 2 * BUILD_TIMEOUT);
afterAll(() => folder[Symbol.dispose]());

/** Output of kustomize for a folder, and the kinds that Kubernetes' own types find in it. */
function built(from: string) {
  const { stdout, stderr } = spawnSync(kustomize, ["build", from], { encoding: "utf8" });
  const decoded = spawnSync(decoder, { input: stdout, encoding: "utf8" });
  const found: { kind: string }[] = decoded.status === 0 ? JSON.parse(decoded.stdout) : [];
  return { stdout, told: `${stderr}${decoded.stderr}`, kinds: found.map(({ kind }) => kind).sort() };
}

test("the folder is a base for kustomize, and the overlay that it describes has another image and a configuration that is rolled out", () => {
  const overlay = join(folder.path, "overlay");
  const base = join(folder.path, "forwarder-service");
  cpSync(EXAMPLE, base, { recursive: true });
  mkdirSync(overlay);
  const described = readFileSync(join(EXAMPLE, "kustomization.yaml"), "utf8").match(/^# {3}.*$/gm) ?? [];
  writeFileSync(join(overlay, "kustomization.yaml"), described.map((line) => line.slice(4)).join("\n"));
  writeFileSync(join(overlay, "forwarder.yaml"), "watch: [{ arena: core }]\n");
  expect(built(base)).toMatchObject({ told: "", kinds: KINDS });
  const { stdout, ...rest } = built(overlay);
  expect(rest).toEqual({ told: "", kinds: KINDS });
  // The ConfigMap, and the volume that names it.
  const [name = ""] = /packetfilter-forward-[0-9a-z]{10}$/m.exec(stdout) ?? [];
  expect(stdout.split(`name: ${name}\n`)).toHaveLength(3);
  expect(stdout).toContain("image: registry.example.com/packetfilter-forward:0.1.0\n");
  expect(stdout).toContain("watch: [{ arena: core }]\n");
});

test("kustomize is the version that is pinned", async () => {
  const { SERVERS } = await import("../../tools/servers/ensure.mjs");
  expect(pinned("kustomize", "sigs.k8s.io/kustomize/kustomize/v5")).toBe(SERVERS.kustomize.version);
});
