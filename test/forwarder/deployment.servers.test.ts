import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { temporaryFolder } from "./support/forward";
import { BUILD_TIMEOUT, pinned } from "./support/servers";

const EXAMPLE = resolve(__dirname, "../../examples/forwarder-service");
const KINDS = ["ConfigMap", "Service", "PodDisruptionBudget", "StatefulSet"];
const manifest = readFileSync(join(EXAMPLE, "kubernetes.yaml"), "utf8");

const folder = temporaryFolder();
const decoder = join(folder.path, "kubernetes");
let promtool: string;
let kustomize: string;

beforeAll(async () => {
  const { goBuild } = await import("../../tools/servers/go.mjs");
  await goBuild({ module: "kubernetes", main: "." }, decoder, process.env, () => {});
  const { ensureServer } = await import("../../tools/servers/ensure.mjs");
  promtool = await ensureServer("promtool");
  kustomize = await ensureServer("kustomize");
}, 2 * BUILD_TIMEOUT);
afterAll(() => folder[Symbol.dispose]());

/** Verdict of Kubernetes' own types on a manifest. */
function decode(text: string) {
  const { status, stdout, stderr } = spawnSync(decoder, { input: text, encoding: "utf8" });
  return { status, kinds: status === 0 ? JSON.parse(stdout).map(({ kind }: { kind: string }) => kind) : [], stderr };
}

test("the manifest has only kinds, fields and values that Kubernetes knows", () => {
  expect(decode(manifest)).toEqual({ status: 0, kinds: KINDS, stderr: "" });
  const wrong = decode(manifest.replace("minReadySeconds", "minReadySecs"));
  expect(wrong).toMatchObject({ status: 1, stderr: 'strict decoding error: unknown field "spec.minReadySecs"\n' });
});

test("the ServiceMonitor is one that the Prometheus Operator knows", () => {
  const monitor = readFileSync(join(EXAMPLE, "service-monitor.yaml"), "utf8");
  expect(decode(monitor)).toEqual({ status: 0, kinds: ["ServiceMonitor"], stderr: "" });
});

test("the servers are of the versions that are pinned", async () => {
  const { SERVERS } = await import("../../tools/servers/ensure.mjs");
  expect(pinned("promtool", "github.com/prometheus/prometheus")).toBe(SERVERS.promtool.version);
  expect(pinned("kustomize", "sigs.k8s.io/kustomize/kustomize/v5")).toBe(SERVERS.kustomize.version);
});

/** Output of kustomize for a folder, and the kinds that Kubernetes' own types find in it. */
function built(from: string) {
  const { stdout, stderr } = spawnSync(kustomize, ["build", from], { encoding: "utf8" });
  const { kinds, stderr: problems } = decode(stdout);
  return { stdout, told: `${stderr}${problems}`, kinds: kinds.sort() };
}

test("the folder is a base for kustomize, and the overlay that it describes has another image and a configuration that is rolled out", () => {
  const overlay = join(folder.path, "overlay");
  const base = join(folder.path, "forwarder-service");
  cpSync(EXAMPLE, base, { recursive: true });
  mkdirSync(overlay);
  const described = readFileSync(join(EXAMPLE, "kustomization.yaml"), "utf8").match(/^# {3}.*$/gm) ?? [];
  writeFileSync(join(overlay, "kustomization.yaml"), described.map((line) => line.slice(4)).join("\n"));
  writeFileSync(join(overlay, "forwarder.yaml"), "watch: [{ arena: core }]\n");
  expect(built(base)).toMatchObject({ told: "", kinds: KINDS.toSorted() });
  const { stdout, ...rest } = built(overlay);
  expect(rest).toEqual({ told: "", kinds: KINDS.toSorted() });
  // The ConfigMap, and the volume that names it.
  const [name = ""] = /packetfilter-forward-[0-9a-z]{10}$/m.exec(stdout) ?? [];
  expect(stdout.split(`name: ${name}\n`)).toHaveLength(3);
  expect(stdout).toContain("image: registry.example.com/packetfilter-forward:0.1.0\n");
  expect(stdout).toContain("watch: [{ arena: core }]\n");
});

test.each([
  ["takes the alerts", "check", "alerts.yaml"],
  ["lets each outage fire the alerts that it is to, and no other", "test", "alerts.test.yaml"],
])("Prometheus %s", (_, what, file) => {
  const { status, stdout, stderr } = spawnSync(promtool, [what, "rules", join(EXAMPLE, file)], { encoding: "utf8" });
  expect(status, `${stdout}${stderr}`).toBe(0);
});
