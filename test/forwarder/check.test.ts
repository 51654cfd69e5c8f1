import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { NOT_QUOTED } from "../../provider/client/redact";
import { startEmulator } from "../../provider/emulator";
import { CertificateAuthority } from "../../provider/emulator/http/certificates";
import { describeConfig } from "../../provider/forwarder/check";
import { LiveConfig } from "../../provider/forwarder/config/config";
import { until } from "./support/clock";
import { configOf, roundInto, startForwarding, stateOf, temporaryFolder } from "./support/forward";
import { httpSink } from "./support/http-sink";

const CLI = resolve(__dirname, "../../dist/provider/cli.js");
const WITHOUT_PACKAGES = resolve(__dirname, "support/without-packages.cjs");

/** Runs `forward --check`, or `forward` itself, on a configuration, in a Node with these options. */
function check(config: string, options: readonly string[], flags = ["--check"]) {
  using folder = temporaryFolder();
  const file = join(folder.path, "forwarder.yaml");
  writeFileSync(file, config);
  const args = [...options, CLI, "forward", "--config", file, ...flags];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  return { status, out: stdout.trim(), problems: stderr.trim().split("\n") };
}

const CONFIG = `nodes: { fra1: { endpoint: "http://192.0.2.10" } }
watch: [{ arena: edge }]
cluster: { servers: ["nats://192.0.2.41:4222"] }
sinks:
  - { name: bus, type: nats, servers: ["nats://192.0.2.41:4222"], stream: MARKS }
  - { name: siem, type: kafka, brokers: ["192.0.2.40:9092"], topic: marks }
  - { name: traces, type: otlp, url: "https://192.0.2.42/" }
  - { name: out, type: stdout }
`;
const NATS = "npm install @nats-io/transport-node @nats-io/jetstream @nats-io/kv";
const MISSING = [
  `Sink "bus" needs missing packages: ${NATS} (Cannot find package '@nats-io/transport-node').`,
  `Sink "siem" needs missing packages: npm install @platformatic/kafka (Cannot find package '@platformatic/kafka').`,
  `Sink "traces" needs missing packages: npm install @opentelemetry/otlp-transformer (Cannot find package '@opentelemetry/otlp-transformer').`,
  `\`cluster\` needs missing packages: ${NATS} (Cannot find package '@nats-io/transport-node').`,
];
const OLD_NODE = `The forwarder keeps its state with node:sqlite, which needs Node 22.15 or later; this is Node ${process.versions.node}. Run it with a newer Node.`;

test("--check tells packages that are missing and a Node that is too old beside what is wrong in the configuration", () => {
  const old = ["--no-experimental-sqlite", "--require", WITHOUT_PACKAGES];
  const noCertificate = CONFIG.replace('"http://192.0.2.10"', '"https://192.0.2.10", tls: { ca: "no certificate" }');
  expect(check(noCertificate.replace("watch:", "everyMs: 1\nformat: xml\nwatch:"), old)).toEqual({
    status: 2,
    out: "",
    problems: [
      expect.stringContaining("`nodes.fra1.tls.ca` holds no certificate in PEM"),
      "forwarder.yaml:2:10: `everyMs` must not be below 3000, the pace of the node API",
      "forwarder.yaml:3:9: `format` must be one of plain, ecs, otel",
      OLD_NODE,
      ...MISSING,
    ],
  });
});

test("--check of a sound configuration fails where packages are missing, and only then", () => {
  expect(check(CONFIG, ["--require", WITHOUT_PACKAGES])).toEqual({ status: 1, out: "", problems: MISSING });
  // A package or another Node may be installed later, and the configuration file is sound: the service is started again.
  const disk = `${CONFIG.replace(/^cluster[\s\S]*/m, "")}sinks: [{ name: disk, type: file, path: marks.ndjson }]\n`;
  const starts = [
    check(CONFIG.replace(/^cluster.*\n/m, ""), ["--require", WITHOUT_PACKAGES], []),
    check(disk, ["--no-experimental-sqlite"], []),
    check(disk, ["--no-experimental-sqlite"], ["--once"]),
  ];
  expect(starts.map(({ status, problems }) => [status, problems[0]])).toEqual([
    [1, expect.stringContaining(`needs missing packages: ${NATS}`)],
    [1, OLD_NODE],
    [1, OLD_NODE],
  ]);
  const { status, out } = check(CONFIG.replace("192.0.2.42/", "user:pass@192.0.2.42/base?token=canary"), []);
  expect({ status, last: out.split("\n").at(-1) }).toEqual({ status: 0, last: "The configuration is valid." });
  expect(out).toContain('Sink "traces" (otlp) posts to https://192.0.2.42/base/v1/logs.');
  expect(out).not.toMatch(/canary|user|pass/);
});

test("--check warns of spools that the disk has no room for, and of certificates that have expired", () => {
  const pem = (when: number) => JSON.stringify(new CertificateAuthority("test authority", when).cert);
  const sink = (name: string, ca: string, maxBytes: number) =>
    `  - { name: ${name}, type: http, url: "https://192.0.2.42/in", tls: { ca: ${ca} }, spool: { maxBytes: ${maxBytes} } }\n`;
  const [sound, old] = [pem(Date.now()), pem(Date.UTC(2001, 0, 1))];
  const config = (...sinks: string[]) => `nodes: { fra1: { endpoint: "http://192.0.2.10" } }
watch: [{ arena: edge }]
reserveBytes: 0
rejected: { maxBytes: 65536 }
sinks:
${sinks.join("")}`;
  const warnings = ({ status, out }: ReturnType<typeof check>) => ({
    status,
    told: out.split("\n").filter((line) => line.startsWith("Warning: ")),
  });
  expect(warnings(check(config(sink("web", sound, 65_536)), []))).toEqual({ status: 0, told: [] });
  const huge = 2 ** 52;
  expect(warnings(check(config(sink("web", sound, huge), sink("other", old, huge)), []))).toEqual({
    status: 0,
    told: [
      expect.stringMatching(
        new RegExp(
          `of 2 sinks may take ${2 * huge + 2 * 65_536} bytes, and the disk of \\S+forwarder-state has \\d+ for them`,
        ),
      ),
      expect.stringMatching(
        /`sinks\[1\]\.tls\.ca` has a certificate that expired on .* 2\d\d\d GMT \(CN=test authority\)\.$/,
      ),
    ],
  });
});

test.skipIf(process.platform === "win32")("--check refuses a sink whose file is a device", () => {
  const told = (path: string) =>
    check(CONFIG.replace(/^cluster[\s\S]*/m, `sinks: [{ name: disk, type: file, path: ${path} }]\n`), []);
  expect(told("/dev/null")).toEqual({
    status: 2,
    out: "",
    problems: ["forwarder.yaml:3:41: `sinks[0].path` is not a regular file"],
  });
  expect(told("/dev/stdout").problems).toEqual([
    "forwarder.yaml:3:41: `sinks[0].path` is not a regular file: use the sink stdout",
  ]);
});

/** Urls of sinks, with what is shown of each on a server at `HOST`. */
const URLS: [url: unknown, shown: string][] = [
  [`http://HOST/receiver/v1/http/\${INGEST}`, "http://HOST/receiver/v1/http/[secret]"],
  [{ file: "whole-url" }, "http://HOST/[secret]"],
  [`\${WHOLE}`, "http://HOST/[secret]"],
  [`http://\${SERVER}/in/\${PARTS}`, "http://HOST/in/[secret]"],
  [`http://\${SERVER_AND_PATH}`, "http://HOST/[secret]"],
  [`http://\${USER_AND_PATH}`, "http://HOST/[secret]"],
  [`http://\${OTHER_SPELLING}`, "http://HOST/[secret]"],
  [`http://\${SERVER}/`, "http://HOST/"],
  [`http://\${SERVER_AND_SLASH}`, "http://HOST/"],
];

test.each(URLS)("the url %j shows what is written out of its path, in --check and in the log", async (url, shown) => {
  using folder = temporaryFolder();
  const { url: address } = await httpSink(({ url: path }) => [500, path === "/" ? "" : `no such path: ${path}`]);
  const { host } = new URL(address);
  const whole = `http://${host}/in/canary-7`;
  writeFileSync(join(folder.path, "whole-url"), `${whole}\n`);
  const env = {
    INGEST: "canary-7",
    WHOLE: whole,
    SERVER: host,
    PARTS: "canary 7/canary-8",
    SERVER_AND_PATH: `${host}/in/canary-7`,
    USER_AND_PATH: `user:password@${host}/in/canary-7`,
    OTHER_SPELLING: `${host.replace("127.0.0.1", "127.1")}/in/canary-7`,
    SERVER_AND_SLASH: `${host}/`,
  };
  await using emulator = await startEmulator({ state: stateOf(1) });
  const ofHere = JSON.parse(JSON.stringify(url).replace("HOST", host));
  const config = configOf(emulator, [{ name: "web", type: "http", url: ofHere }]);
  const checked = await describeConfig(await LiveConfig.ofObject(config, env, folder.path));
  expect(checked).toContain(`Sink "web" (http) posts to ${shown.replace("HOST", host)}.`);
  const { told } = await startForwarding(config, folder.path, { env });
  await until(() => told.lines.some((line) => line.includes("HTTP 500")));
  expect(told.lines.join()).toContain(`${shown.replace("HOST", host)}: HTTP 500`);
  expect([...checked, ...told.lines].join()).not.toContain("canary");
});

test("a default port in a variable shows no path behind it", async () => {
  const config = configOf({ endpoint: "https://192.0.2.10" }, [{ name: "web", type: "http", url: `https://\${SINK}` }]);
  const env = { SINK: "logs.example:443/in/canary-7" };
  const checked = await describeConfig(await LiveConfig.ofObject(config, env, "."));
  expect(checked).toContain('Sink "web" (http) posts to https://logs.example/[secret].');
});

const TOKEN = "9f8a7b6c5d4e";
const LETTERS = "abcdefghijklmnopqrst";
const TOLD: [url: string, given: string, answer: string, quoted: string][] = [
  [`http://HOST/\${GIVEN}`, TOKEN, `unknown token ${TOKEN}`, "unknown token [secret]"],
  [`http://HOST/\${GIVEN}`, TOKEN, `unknown token ${TOKEN.slice(0, 8)}`, NOT_QUOTED],
  [`http://HOST/\${GIVEN}`, "logs-prod", "no such index [logs-prod]", "no such index [[secret]]"],
  [`http://HOST/\${GIVEN}`, `in/${TOKEN}`, `unknown token ${TOKEN}`, "unknown token [secret]"],
  [`http://HOST\${GIVEN}`, `/in/${TOKEN}/`, `unknown token ${TOKEN.slice(0, 8)}`, NOT_QUOTED],
  [`\${GIVEN}`, `http://HOST/in/${TOKEN}`, `unknown token ${TOKEN}`, "unknown token [secret]"],
  [`\${GIVEN}`, `http://HOST/in/${TOKEN}`, `unknown token ${TOKEN.slice(0, 8)}`, NOT_QUOTED],
  [`\${GIVEN}`, `http://HOST/in/${LETTERS}`, `unknown token ${LETTERS.slice(0, 12)}`, NOT_QUOTED],
  [`\${GIVEN}`, "http://HOST/in/GhTkLmQpRsTv", "unknown token GhTkLmQpRsTv", "unknown token [secret]"],
  [`\${GIVEN}`, "http://HOST/logs-prod/ingest", "no such index [logs-prod]", "no such index [logs-prod]"],
];

test.each(TOLD)(
  "with the url %j of %j the answer %j is %j, in log and dead letters",
  async (url, given, answer, quoted) => {
    const server = await httpSink(() => [400, answer]);
    const ofHere = (text: string) => text.replace("HOST", new URL(server.url).host);
    const sinks = [{ name: "web", type: "http", url: ofHere(url) }];
    const { told, letters } = await roundInto(sinks, stateOf(1), {}, { env: { GIVEN: ofHere(given) } });
    expect(letters.map(({ reason }) => reason)).toEqual([expect.stringContaining(`HTTP 400: ${quoted}`)]);
    expect(told.join()).toContain(`HTTP 400: ${quoted}`);
  },
);
