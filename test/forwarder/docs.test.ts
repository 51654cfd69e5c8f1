import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { configSchema } from "../../provider/forwarder/config/schema";
import { EVENTS } from "../../provider/forwarder/record/rows";
import { SINK_KINDS } from "../../provider/forwarder/sinks/kinds";
import { FORWARD_METRICS } from "../../provider/forwarder/telling/metric-list";
import { check } from "./support/forward";

const root = resolve(__dirname, "../..");
const read = (file: string) => readFileSync(join(root, file), "utf8");
const reference = read("docs/forwarder.md");

describe("the reference", () => {
  test("has every event and every kind of sink", () => {
    for (const event of EVENTS) expect(reference).toContain(`| \`${event}\` |`);
    for (const kind of Object.keys(SINK_KINDS)) expect(reference).toContain(`| \`${kind}\` |`);
  });

  test("has every member of the configuration", () => {
    const members = Object.keys(configSchema.shape);
    expect(members.filter((name) => !reference.includes(`| \`${name}\` |`))).toEqual([]);
  });

  test.each(Object.entries(SINK_KINDS))("has every member of a sink of type %s", (type, { schema }) => {
    const row = (name: string) => reference.split("\n").find((line) => line.startsWith(`| \`${name}\` |`)) ?? "";
    const own = row(type);
    const all = /as `http`|the same but/.test(own) ? own + row("http") : own;
    const members = Object.keys(z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }).properties ?? {});
    expect(members.filter((name) => !all.includes(`\`${name}`))).toEqual([]);
  });
});

describe("the examples", () => {
  test.each(["examples/marks-to-victorialogs/forwarder.yaml", "examples/forwarder-service/forwarder.yaml"])(
    "%s is sound",
    async (file) => {
      const env = { NODE_ENDPOINT: "http://192.0.2.10", VICTORIALOGS: "http://198.51.100.20:9428" };
      expect(await check(read(file), env)).toBe(0);
    },
  );

  /** The metrics that a file of Prometheus or Grafana names. */
  const named = (file: string) => {
    const found = read(`examples/forwarder-service/${file}`).matchAll(/packetfilter_forward_(\w+?)(_bucket)?\b/g);
    return [...new Set([...found].map(([, name]) => name))].sort();
  };
  const metrics = Object.keys(FORWARD_METRICS).sort();

  test("the dashboard shows every metric, and none that is not there", () => {
    expect(named("dashboard.json")).toEqual(metrics);
  });

  test("alerts name metrics that are there, say what to do, and are each tried by an outage", () => {
    for (const file of ["alerts.yaml", "alerts.test.yaml"])
      expect(named(file).filter((name = "") => !metrics.includes(name))).toEqual([]);
    const { groups } = parse(read("examples/forwarder-service/alerts.yaml"));
    const rules: { alert: string; labels: object; annotations: object }[] = groups[0].rules;
    const outages = read("examples/forwarder-service/alerts.test.yaml");
    for (const { alert, labels, annotations } of rules) {
      expect(Object.keys(annotations)).toEqual(["summary", "description"]);
      const { severity } = labels as { severity: string };
      expect(outages).toContain(`{alertname="${alert}", severity="${severity}"}`);
    }
    // Words of the texts that look like metrics are metrics.
    const words = rules.flatMap(({ annotations }) => JSON.stringify(annotations).match(/\b[a-z]+(_[a-z]+)+\b/g) ?? []);
    expect(words.filter((word) => !metrics.includes(word))).toEqual([]);
  });
});

test("requiring the package loads nothing of the forwarder; the command line loads what it runs", () => {
  const loaded = (code: string) =>
    execFileSync(process.execPath, ["-e", `${code}; console.log(Object.keys(require.cache).join("\\n"))`], {
      cwd: root,
      encoding: "utf8",
    });
  const heavy = /forwarder[\\/]|@nats-io|otlp-transformer|[\\/]pino[\\/]/;
  expect(
    loaded('require("pulumi-packetfilter")')
      .split("\n")
      .filter((file) => heavy.test(file.replace(root, "")) && !file.includes("@pulumi")),
  ).toEqual([]);
  const library = loaded('require("pulumi-packetfilter/forwarder")')
    .split("\n")
    .filter((file) => /@nats-io|[\\/]pino[\\/]|otlp-transformer/.test(file.replace(root, "")));
  expect(library).toEqual([]);
});
