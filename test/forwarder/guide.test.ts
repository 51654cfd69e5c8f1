import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { main } from "../../provider/commands/program";
import { startEmulator } from "../../provider/emulator";
import { RejectedFiles } from "../../provider/forwarder/delivery/rejected";
import { NATS_PACKAGES } from "../../provider/forwarder/nats";
import { MARK_TYPES } from "../../provider/model/mark";
import { blocksOf, commandsOf, root } from "../support/markdown";
import { until } from "./support/clock";
import { check, stateWith, temporaryFolder } from "./support/forward";

const blocks = blocksOf("docs/guides/forwarding-marks.md");

describe("the guide", () => {
  const configs = blocks.filter(({ tag }) => tag === "config").map(({ text }) => text);

  test("has configurations to look at", () => {
    expect(configs.length).toBeGreaterThanOrEqual(4);
  });

  test.each(configs)("has sound configurations: %#", async (text) => {
    expect(await check(text, { FRA1_TOKEN: "Bearer x" })).toBe(0);
  });

  /** What a sink of the guide is sent. */
  async function startServer() {
    const bodies: string[] = [];
    const server = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      bodies.push(Buffer.concat(chunks).toString());
      response.end();
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    return { url: `http://127.0.0.1:${port}`, bodies, [Symbol.dispose]: () => void server.close() };
  }

  test("has commands that do what it says, from the first two to the last", async () => {
    using folder = temporaryFolder();
    using server = await startServer();
    writeFileSync(join(folder.path, "search-token"), "ApiKey abc\n");
    const file = join(folder.path, "forwarder.yaml");
    const stop = new AbortController();
    const packages = new Set<string>();
    const ran: string[] = [];
    let [out, node] = ["", ""];
    let emulator: Promise<number> | undefined;
    const io = {
      out: (text: string) => {
        out += text;
      },
      err: () => {},
      env: { FRA1_TOKEN: "x" },
      stop: stop.signal,
    };
    for (const { language, tag, text } of blocks) {
      if (tag === "config") {
        writeFileSync(
          file,
          text
            .replace("http://127.0.0.1:8080", node || "http://127.0.0.1:8080")
            .replace("https://198.51.100.20/in", server.url),
        );
      }
      for (const line of language === "sh" ? commandsOf([{ line: 0, language, tag, text }]) : []) {
        const words = line.split(" ");
        ran.push(line);
        if (words[0] === "npm") {
          expect(words[1]).toBe("install");
          for (const name of words.slice(2)) packages.add(name);
          continue;
        }
        expect(words.slice(0, 2)).toEqual(["npx", "pulumi-packetfilter"]);
        out = "";
        if (words.at(-1) === "&") {
          emulator = main(
            words.slice(2, -1).map((word) => (word === "8080" ? "0" : word)),
            io,
          );
          node = await until(() => /http:\/\/127\.0\.0\.1:\d+/.exec(out)?.[0]);
          writeFileSync(file, (configs[0] ?? "").replace("http://127.0.0.1:8080", node));
          continue;
        }
        if (line.includes("--replay")) {
          const kept = new RejectedFiles(join(folder.path, "forwarder-state/rejected/search"), Date.now);
          const record = JSON.parse(readFileSync(join(folder.path, "marks.ndjson"), "utf8").split("\n")[0] ?? "");
          await kept.add([{ record, reason: "HTTP 403" }]);
        }
        const args = words.slice(2).map((word) => (word === "forwarder.yaml" ? file : word));
        expect([line, await main(args, io)]).toEqual([line, 0]);
        if (line.endsWith("--check")) expect(out).toContain("The configuration is sound.");
      }
    }
    stop.abort();
    expect(await emulator).toBe(0);
    expect(ran.map((line) => line.split(" --").at(-1))).toEqual([
      "port 8080 &",
      "once",
      "check",
      "replay search",
      ran.at(-1),
    ]);
    // A line for every mark of the emulator as it starts.
    await using fresh = await startEmulator();
    const marks = MARK_TYPES.flatMap((type) =>
      Object.keys(fresh.state().arenas?.edge?.profiles ?? {}).flatMap((name) =>
        fresh.marks(`profile://edge/${name}`, type),
      ),
    );
    const lines = readFileSync(join(folder.path, "marks.ndjson"), "utf8").trim().split("\n");
    expect(marks.length).toBeGreaterThan(0);
    expect(lines).toHaveLength(marks.length);
    expect(server.bodies).toEqual([`${lines[0]}\n`]);
    expect([...packages].sort()).toEqual([...NATS_PACKAGES].sort());
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
