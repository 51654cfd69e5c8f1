import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { connectEmulator, startEmulator } from "../../provider/emulator";
import { RejectedFiles } from "../../provider/forwarder/delivery/rejected";
import { NATS_PACKAGES } from "../../provider/forwarder/sinks/nats-connection";
import { MARK_TYPES } from "../../provider/model/mark";
import { guide } from "../support/guide";
import { blocksOf, commandsOf, root } from "../support/markdown";
import { commandsOnPath } from "../support/place";
import { ownPort } from "../support/ports";
import { until } from "./support/clock";
import { check, stateWith, temporaryFolder } from "./support/forward";
import { httpSink } from "./support/http-sink";

const blocks = blocksOf("docs/guides/forwarding-marks.md");

describe("the guide", () => {
  const configs = blocks.filter(({ tag }) => tag === "forwarder.yaml").map(({ text }) => text);

  test("has configurations to look at", () => {
    expect(configs.length).toBeGreaterThanOrEqual(4);
  });

  test.each(configs)("has sound configurations: %#", async (text) => {
    expect(await check(text, { FRA1_TOKEN: "Bearer x" })).toBe(0);
  });

  const outcome = "has commands that do what it says, from the first two to the last";
  guide("forwarding-marks.md", outcome, async (guide) => {
    using folder = temporaryFolder();
    const server = await httpSink(() => [200]);
    writeFileSync(join(folder.path, "search-token"), "ApiKey abc\n");
    const control = await ownPort();
    const port = await ownPort();
    guide.at({
      folder: folder.path,
      env: { ...commandsOnPath(folder.path), FRA1_TOKEN: "x" },
      instead: {
        "emulator --port 8080": `emulator --port ${port} --control-port ${control} --dialect seed:6`,
        "http://127.0.0.1:8080": `http://127.0.0.1:${port}`,
        "https://198.51.100.20/in": server.url,
      },
    });
    await guide.next("emulator");
    const node = await connectEmulator(`http://127.0.0.1:${control}`);
    const { arenas } = await node.state();
    const marks = MARK_TYPES.flatMap((type) =>
      Object.values(arenas?.edge?.profiles ?? {}).flatMap((profile): readonly object[] => profile.marks?.[type] ?? []),
    );
    await guide.next("--once");
    // A line for every mark of the emulator as it starts.
    const lines = readFileSync(join(folder.path, "marks.ndjson"), "utf8").trim().split("\n");
    expect(marks.length).toBeGreaterThan(0);
    expect(lines).toHaveLength(marks.length);
    expect(await guide.next("--check")).toContain("The configuration is valid.");
    const kept = new RejectedFiles(join(folder.path, "forwarder-state/rejected/search"), Date.now);
    await kept.add([{ record: JSON.parse(lines[0] ?? ""), reason: "HTTP 403" }]);
    await guide.next("spool requeue");
    expect(server.bodies).toEqual([`${lines[0]}\n`]);
  });

  test("names the packages that the sink loads", () => {
    const installed = commandsOf(blocks.filter(({ language }) => language === "sh")).filter((line) =>
      line.startsWith("npm install "),
    );
    expect(installed.flatMap((line) => line.split(" ").slice(2)).sort()).toEqual([...NATS_PACKAGES].sort());
  });

  test("has a program that forwards until it is told to end", async () => {
    using folder = temporaryFolder();
    await using emulator = await startEmulator({ state: stateWith(3) });
    const [program] = blocks.filter(({ language }) => language === "ts");
    mkdirSync(join(folder.path, "node_modules"));
    symlinkSync(root, join(folder.path, "node_modules/pulumi-packetfilter"));
    const file = join(folder.path, "program.mts");
    writeFileSync(file, program?.text.replace("http://127.0.0.1:8080", emulator.endpoint) ?? "");
    const child = spawn(process.execPath, [file], { cwd: folder.path, stdio: ["ignore", "pipe", "inherit"] });
    let out = "";
    child.stdout.on("data", (chunk) => {
      out += chunk;
    });
    await until(() => out.trim().split("\n").length === 4);
    child.kill("SIGTERM");
    const [code] = await once(child, "exit");
    expect(code).toBe(0);
    expect(out).toContain("fra1 edge/web shost 198.18.0.0 added: id 70001 (syn=flood|\\), value 0, lifetime ");
  });
});
