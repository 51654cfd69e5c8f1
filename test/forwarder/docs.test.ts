import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { main } from "../../provider/commands/program";
import { startEmulator } from "../../provider/emulator";
import { configSchema } from "../../provider/forwarder/config/schema";
import { FORWARD_METRICS } from "../../provider/forwarder/operating/forward-metrics";
import { EVENTS } from "../../provider/forwarder/record/events";
import { SINK_KINDS } from "../../provider/forwarder/sinks/kinds";
import { temporaryFolder } from "./support/forward";

const root = resolve(__dirname, "../..");
const read = (file: string) => readFileSync(join(root, file), "utf8");
const reference = read("docs/forwarder.md");
const guide = read("docs/guides/forwarding-marks.md");

/** Runs `forward` on a configuration. */
async function forward(text: string, args: string[], env: Record<string, string> = {}) {
  using folder = temporaryFolder();
  writeFileSync(join(folder.path, "forwarder.yaml"), text);
  writeFileSync(join(folder.path, "search-token"), "ApiKey abc\n");
  let out = "";
  const write = (words: string): void => {
    out += words;
  };
  const io = { out: write, err: write, env, stop: new AbortController().signal };
  const code = await main(["forward", "--config", join(folder.path, "forwarder.yaml"), ...args], io);
  const file = join(folder.path, "marks.ndjson");
  return {
    code,
    out,
    lines: code === 0 && args.includes("--once") ? readFileSync(file, "utf8").trim().split("\n") : [],
  };
}

describe("the reference", () => {
  test("has every metric with its text, every event and every kind of sink", () => {
    for (const [name, kind, help] of FORWARD_METRICS)
      expect(reference).toContain(`| \`${name}\` | ${kind} | ${help} |`);
    for (const event of EVENTS) expect(reference).toContain(`| \`${event}\` |`);
    for (const kind of Object.keys(SINK_KINDS)) expect(reference).toContain(`| \`${kind}\` |`);
  });

  test("has every member of the configuration", () => {
    const members = Object.keys(configSchema.shape);
    expect(members.filter((name) => !reference.includes(`| \`${name}\` |`))).toEqual([]);
  });
});

describe("the guide", () => {
  const configs = [...guide.matchAll(/```yaml config\n([\s\S]*?)```/g)].map(([, text = ""]) => text);

  test("has configurations to look at", () => {
    expect(configs.length).toBeGreaterThanOrEqual(4);
  });

  test.each(configs)("has sound configurations: %#", async (text) => {
    expect(await forward(text, ["--check"], { FRA1_TOKEN: "Bearer x" })).toMatchObject({ code: 0 });
  });

  test("begins with two commands that do what it says", async () => {
    await using emulator = await startEmulator();
    const text = (configs[0] ?? "").replace("http://127.0.0.1:8080", emulator.endpoint);
    const marks = (["shost", "dhost", "sdhost", "conn"] as const).flatMap((type) =>
      Object.entries(emulator.state().arenas ?? {}).flatMap(([arena, { profiles = {} }]) =>
        Object.keys(profiles).flatMap((profile) =>
          arena === "edge" ? emulator.marks(`profile://${arena}/${profile}`, type) : [],
        ),
      ),
    );
    expect(marks.length).toBeGreaterThan(0);
    expect(await forward(text, ["--once"])).toMatchObject({ code: 0, lines: { length: marks.length } });
  });
});

describe("the examples", () => {
  test.each(["examples/marks-to-victorialogs/forwarder.yaml", "examples/forwarder-service/forwarder.yaml"])(
    "%s is sound",
    async (file) => {
      const env = { NODE: "http://192.0.2.10", VICTORIALOGS: "http://198.51.100.20:9428" };
      expect(await forward(read(file), ["--check"], env)).toMatchObject({ code: 0 });
    },
  );

  test("the dashboard shows every metric, and none that is not there", () => {
    const shown = new Set(read("examples/forwarder-service/dashboard.json").match(/packetfilter_forward_\w+/g));
    expect([...shown].sort()).toEqual(FORWARD_METRICS.map(([name]) => `packetfilter_forward_${name}`).sort());
  });
});

test("a program that requires the package loads nothing of the forwarder, and the command line only what it runs", () => {
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
