import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "./support/forward";

const CLI = resolve(__dirname, "../../dist/provider/cli.js");
const WITHOUT_PACKAGES = resolve(__dirname, "support/without-packages.cjs");

/** Runs `forward --check` in a Node with these options. */
function check(text: string, options: readonly string[]) {
  using folder = temporaryFolder();
  const file = join(folder.path, "forwarder.yaml");
  writeFileSync(file, text);
  const args = [...options, CLI, "forward", "--config", file, "--check"];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  return { status, out: stdout.trim(), problems: stderr.trim().split("\n") };
}

const CONFIG = `nodes: { fra1: { endpoint: "http://192.0.2.10" } }
watch: [{ arena: edge }]
cluster: { servers: ["nats://192.0.2.41:4222"] }
sinks:
  - { name: bus, type: nats, servers: ["nats://192.0.2.41:4222"], stream: MARKS }
  - { name: siem, type: kafka, brokers: ["192.0.2.40:9092"], topic: marks }
  - { name: traces, type: otlp, url: "https://192.0.2.42/v1/logs" }
  - { name: out, type: stdout }
`;
const NATS = "npm install @nats-io/transport-node @nats-io/jetstream @nats-io/kv";
const MISSING = [
  `Sink "bus" needs packages that are not there: ${NATS} (Cannot find package '@nats-io/transport-node').`,
  `Sink "siem" needs packages that are not there: npm install @platformatic/kafka (Cannot find package '@platformatic/kafka').`,
  `Sink "traces" needs packages that are not there: npm install @opentelemetry/otlp-transformer (Cannot find package '@opentelemetry/otlp-transformer').`,
  `\`cluster\` needs packages that are not there: ${NATS} (Cannot find package '@nats-io/transport-node').`,
];
const OLD_NODE = `The forwarder keeps its state with node:sqlite, which Node has from 22.15 on; this is Node ${process.versions.node}. Run it with a newer Node.`;

test("--check tells packages that are missing and a Node that is too old beside what is wrong in the configuration", () => {
  const old = ["--no-experimental-sqlite", "--require", WITHOUT_PACKAGES];
  expect(check(CONFIG.replace("watch:", "everyMs: 1\nformat: xml\nwatch:"), old)).toEqual({
    status: 2,
    out: "",
    problems: [
      "forwarder.yaml:2:10: `everyMs` must not be below 3000, the pace of the node API",
      "forwarder.yaml:3:9: `format` must be one of plain, ecs, otel",
      OLD_NODE,
      ...MISSING,
    ],
  });
});

test("--check of a sound configuration fails where packages are missing, and only then", () => {
  expect(check(CONFIG, ["--require", WITHOUT_PACKAGES])).toEqual({ status: 2, out: "", problems: MISSING });
  expect(check(CONFIG, [])).toMatchObject({ status: 0, out: expect.stringMatching(/The configuration is sound\.$/) });
});
