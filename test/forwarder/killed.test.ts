import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Emulator, startEmulator } from "../../provider/emulator";
import type { ForwardRecord } from "../../provider/forwarder/record/record";
import { ForwardProcess } from "./support/child";
import { pausesOf, temporaryFolder } from "./support/forward";

const MARKS = 3_000;

/** Every list of marks finds all marks with another value: what it was is in the records, or is lost. */
function marksOf(round: number) {
  const shost = Array.from({ length: MARKS }, (_, n) => ({
    address: `198.18.${n >> 8}.${n & 255}`,
    id: 1,
    value: round,
    lifetime: 3_600,
  }));
  return { arenas: { edge: { profiles: { web: { marks: { shost } } } } } };
}

/** When the forwarder is killed. */
type Moment =
  | "at the list"
  | "within the list"
  | "before the sink has read"
  | "after the sink has read"
  | "after the answer";

test.each<[Moment[]]>([
  [["within the list", "after the sink has read", "before the sink has read", "after the answer", "at the list"]],
])(
  "kill -9 %j: nothing that was taken over is lost, and what comes twice has the same id",
  { timeout: 120_000 },
  async (moments) => {
    using folder = temporaryFolder();
    let moment: Moment | undefined;
    let victim: ForwardProcess | undefined;
    const kill = (now: Moment): boolean => {
      if (moment !== now) return false;
      moment = undefined;
      victim?.child.kill("SIGKILL");
      return true;
    };
    const arrived: ForwardRecord[] = [];
    const server = createServer(async (request, response) => {
      if (kill("before the sink has read")) return void response.destroy();
      let body = "";
      for await (const chunk of request) body += chunk;
      arrived.push(
        ...body
          .trim()
          .split("\n")
          .map((line) => JSON.parse(line)),
      );
      if (kill("after the sink has read")) return void response.destroy();
      response.writeHead(200).end(() => void kill("after the answer"));
    }).listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));

    let round = 0;
    const emulator: Emulator = await startEmulator({
      state: marksOf(0),
      onRequest: (entry) => {
        if (entry.type !== "shost") return;
        emulator.seed(marksOf(++round));
        kill("at the list");
      },
    });
    const file = join(folder.path, "forwarder.yaml");
    writeFileSync(
      file,
      `nodes: { fra1: { endpoint: "${emulator.endpoint}" } }
watch: [{ arena: edge, types: [shost] }]
sinks: [{ name: web, type: http, url: "http://127.0.0.1:${(server.address() as AddressInfo).port}/" }]
`,
    );
    for (const next of moments) {
      moment = next;
      if (next === "within the list") emulator.fail({ kind: "truncated", cmd: "list", url: "mark://edge/web" });
      victim = ForwardProcess.start(file);
      if (next === "within the list") {
        moment = "at the list";
      }
      expect(await victim.exited()).toBe(null);
    }
    const last = ForwardProcess.start(file, "--once");
    expect({ code: await last.exited(), lines: last.lines }).toEqual({ code: 0, lines: [] });

    const byId = new Map<string, ForwardRecord>();
    for (const record of arrived) {
      const before = byId.get(record.recordId);
      if (before) expect(record).toEqual(before);
      byId.set(record.recordId, record);
    }
    const records = [...byId.values()].sort((a, b) => a.sequence - b.sequence);
    // Every number that was given out has arrived: nothing that was in the spool was lost.
    expect(records.map(({ sequence }) => sequence)).toEqual(records.map((_, index) => index + 1));
    // Repeats there were, or this test has shown nothing.
    expect(arrived.length).toBeGreaterThan(records.length);
    // Of each mark: added once, then changed, each time from what was told before to something newer.
    for (const address of ["198.18.0.0", "198.18.11.183"]) {
      const life = records.filter((record) => record.address === address);
      const values = life.map(({ value }) => Number(value));
      expect([life[0]?.event, ...new Set(life.slice(1).map(({ event }) => event))]).toEqual(["added", "changed"]);
      expect(values).toEqual([...new Set(values)].sort((a, b) => a - b));
    }
    expect(pausesOf(emulator).filter((ms) => ms < 3_000)).toEqual([]);
    server.close();
    await emulator.close();
  },
);

test("SIGTERM ends it cleanly, SIGHUP takes a new configuration, and a wrong one is told and not taken", {
  timeout: 60_000,
}, async () => {
  using folder = temporaryFolder();
  await using emulator = await startEmulator({ state: marksOf(1) });
  const file = join(folder.path, "forwarder.yaml");
  const config = (format: string) => `nodes: { fra1: { endpoint: "${emulator.endpoint}" } }
watch: [{ arena: edge, types: [shost] }]
format: ${format}
sinks: [{ name: disk, type: file, path: marks.ndjson }]
`;
  writeFileSync(file, config("plain"));
  const forward = ForwardProcess.start(file);
  const listed = async (count: number) => {
    while (emulator.requests({ cmd: "list" }).filter(({ type }) => type === "shost").length < count) {
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  const told = async (words: string) => {
    while (!forward.lines.some((line) => line.includes(words))) await new Promise((resolve) => setImmediate(resolve));
  };
  await listed(1);
  writeFileSync(file, config("nonsense"));
  forward.child.kill("SIGHUP");
  await told("The new configuration is not taken");
  writeFileSync(file, config("ecs"));
  forward.child.kill("SIGHUP");
  await told("The configuration was read again.");
  expect(await forward.end("SIGTERM")).toBe(0);
  const messages = forward.lines.map((line) => JSON.parse(line).msg);
  expect(messages.at(-1)).toBe("Stops: what is in the spool is delivered as far as time allows, and kept.");
});
