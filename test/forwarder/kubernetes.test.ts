import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { LiveConfig } from "../../provider/forwarder/config/config";
import { CONFIG_DEFAULTS, TIMES } from "../../provider/forwarder/defaults";
import { check, temporaryFolder } from "./support/forward";

const EXAMPLE = resolve(__dirname, "../../examples/forwarder-service");
const read = (name: string) => readFileSync(`${EXAMPLE}/${name}`, "utf8");
const manifest = read("kubernetes.yaml");
/** The objects by kind: one of each. That fields and types are those of Kubernetes is for a decoder of its own, beside this file. */
const objects = Object.fromEntries(parseAllDocuments(manifest).map((one) => [one.toJS().kind, one.toJS()]));
const { ConfigMap, Service, PodDisruptionBudget, StatefulSet } = objects;
const { metadata: meta, spec: pod } = StatefulSet.spec.template;
const [container, ...others] = pod.containers;
const config: string = ConfigMap.data["forwarder.yaml"];

const GIB = 2 ** 30;
const SECRETS = "/run/packetfilter-secrets";

/** The configuration, with its secrets in a folder of this test. */
function inFolder(): string {
  const folder = temporaryFolder();
  onTestFinished(() => folder[Symbol.dispose]());
  for (const name of ["node", "nats", "sink"]) writeFileSync(join(folder.path, name), "x\n");
  return config.replaceAll(SECRETS, folder.path);
}

test("the ServiceMonitor finds the Service and its port", () => {
  const { selector, endpoints } = parse(read("service-monitor.yaml")).spec;
  expect(selector.matchLabels).toEqual(Service.metadata.labels);
  expect(endpoints.map(({ port }: { port: string }) => port)).toEqual(
    Service.spec.ports.map(({ name }: { name: string }) => name),
  );
});

test("its objects belong together: names, labels, ports and volumes", () => {
  expect(Object.keys(objects)).toEqual(["ConfigMap", "Service", "PodDisruptionBudget", "StatefulSet"]);
  expect(others).toEqual([]);
  const { labels } = meta;
  expect([
    StatefulSet.spec.selector.matchLabels,
    Service.spec.selector,
    PodDisruptionBudget.spec.selector.matchLabels,
    pod.topologySpreadConstraints[0].labelSelector.matchLabels,
  ]).toEqual([labels, labels, labels, labels]);
  expect(StatefulSet.spec.serviceName).toBe(Service.metadata.name);
  const [secrets, ...volumes] = pod.volumes;
  expect(volumes).toEqual([{ name: "config", configMap: { name: ConfigMap.metadata.name } }]);

  const { listen, state, cluster } = parse(config);
  const [port] = container.ports;
  expect(Service.spec.ports).toEqual([{ name: port.name, port: port.containerPort, targetPort: port.name }]);
  expect(listen).toBe(`0.0.0.0:${port.containerPort}`);
  const probes = [container.startupProbe, container.livenessProbe, container.readinessProbe];
  expect(probes.map(({ httpGet }) => `${httpGet.port}${httpGet.path}`)).toEqual([
    "metrics/healthz",
    "metrics/healthz",
    "metrics/readyz",
  ]);
  const [claim, ...more] = StatefulSet.spec.volumeClaimTemplates;
  expect(more).toEqual([]);
  expect(container.volumeMounts).toEqual([
    { name: "config", mountPath: "/etc/packetfilter", readOnly: true },
    { name: secrets.name, mountPath: SECRETS, readOnly: true },
    { name: claim.metadata.name, mountPath: state },
  ]);
  // The image reads its configuration there.
  expect(read("Containerfile")).toContain('"--config", "/etc/packetfilter/forwarder.yaml"');
  expect(cluster.member).toBe(`\${${container.env[0].name}}`);
});

test("its configuration is sound with the secrets and variables that the pod has, and with none less", async () => {
  const secret = /kubectl create secret generic (\S+) (.*)/.exec(manifest);
  const [mounted] = pod.volumes;
  // Files are read again when they change; variables are what they were at the start. The group of the pod may read them.
  expect(mounted.secret).toEqual({ secretName: secret?.[1], defaultMode: 0o440 });
  expect(pod.securityContext.fsGroup).toBe(1000);
  expect(container.envFrom).toBe(undefined);
  const names = [...(secret?.[2] ?? "").matchAll(/--from-literal=(\w+)=/g)].map(([, name = ""]) => name);
  const files = [...config.matchAll(/\{ file: (\S+) \}/g)].map(([, file = ""]) => file);
  expect([...new Set(files)].sort()).toEqual(names.map((name) => `${SECRETS}/${name}`).sort());
  const variables: string[] = container.env.map(({ name }: { name: string }) => name);
  expect([...new Set([...config.matchAll(/\$\{(\w+)\}/g)].map(([, name]) => name))]).toEqual(variables);
  expect(await check(inFolder(), { POD_NAME: "x" })).toBe(0);
});

test("it has room and time for what its configuration may need", async () => {
  const { current } = await LiveConfig.ofObject(parse(inFolder()), { POD_NAME: "x" }, ".");
  const spools = current.sinks.map(
    ({ spool }) => spool?.maxBytes ?? current.spool.maxBytes ?? CONFIG_DEFAULTS.spool.maxBytes,
  );
  const wanted = 2 * spools.reduce((sum, bytes) => sum + bytes, 0) + current.reserveBytes;
  const { storage } = StatefulSet.spec.volumeClaimTemplates[0].spec.resources.requests;
  expect(storage).toMatch(/^\dGi$/);
  expect(Number.parseInt(storage, 10) * GIB).toBeGreaterThan(wanted);
  expect(pod.terminationGracePeriodSeconds * 1_000).toBeGreaterThan(current.drainMs + 3 * TIMES.stopMs);
  // While one is away, whether by a drain or by an update, the others have its nodes.
  expect(PodDisruptionBudget.spec.maxUnavailable).toBe(1);
  expect(StatefulSet.spec.replicas).toBe(3);
  expect(StatefulSet.spec.updateStrategy).toEqual({ type: "RollingUpdate" });
});

test("its pods have no rights that a forwarder does not need", () => {
  expect(pod.automountServiceAccountToken).toBe(false);
  const { runAsNonRoot, seccompProfile } = pod.securityContext;
  expect({ runAsNonRoot, seccompProfile }).toEqual({ runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } });
  expect(container.securityContext).toEqual({
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ["ALL"] },
  });
});
