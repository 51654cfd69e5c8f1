import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { main } from "../../provider/commands/program";
import { startEmulator } from "../../provider/emulator";
import type { ForwardRecord } from "../../provider/forwarder/record/record";
import { run as runCommand } from "../commands/support";
import { TestClock, until } from "./support/clock";
import { scene, startForwarding, stateWith, temporaryFolder } from "./support/forward";
import { httpSink } from "./support/http-sink";

/** Those of the test itself and of the runner. */
const SPARE_SOCKETS = 20;
const SPARE_TIMERS = 10;

/** The state with one mark whose value is `value`. */
const oneMark = (value: number) => ({
  arenas: {
    edge: { profiles: { web: { marks: { shost: [{ address: "203.0.113.45", id: 1, value, lifetime: 3_600 }] } } } },
  },
});

const linesOf = (text: string): string[] => text.trim().split("\n");

describe("polling", () => {
  test("keeps the pace by table, counts every event once, and asks for structure now and then", async () => {
    const { emulator, clock, records, forwarder } = await scene(oneMark(0), {
      watch: [{ arena: "edge", types: ["shost", "conn"] }],
    });
    const lists = (type: string) => emulator.requests({ cmd: "list" }).filter((entry) => entry.type === type).length;
    const taken = () => forwarder.metrics.get("polls_total", { node: "fra1", outcome: "taken" });
    await until(() => taken() === 2);
    for (let value = 1; value <= 5; value++) {
      emulator.seed(oneMark(value));
      clock.advance(2_999);
      for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
      expect([lists("shost"), lists("conn")]).toEqual([value, value]);
      clock.advance(1);
      await until(() => taken() === 2 * (value + 1));
    }
    await until(() => records.length === 6);
    expect(records.map(({ event, value, sequence }) => [event, value, sequence])).toEqual([
      ["added", 0, 1],
      ["changed", 1, 2],
      ["changed", 2, 3],
      ["changed", 3, 4],
      ["changed", 4, 5],
      ["changed", 5, 6],
    ]);
    expect(emulator.requests({ cmd: "list" }).filter(({ url }) => url?.startsWith("arena:"))).toHaveLength(1);
    clock.advance(60_000);
    await until(() => emulator.requests({ cmd: "list" }).filter(({ url }) => url?.startsWith("arena:")).length === 2);
  });

  test("one forwarder holds 200 nodes: each table is listed once a round", async () => {
    using folder = temporaryFolder();
    const { profiles } = oneMark(1).arenas.edge;
    // One emulator in all their places: tables of different arenas, which share no pace.
    const names = Array.from({ length: 200 }, (_, n) => `node${n}`);
    await using emulator = await startEmulator({
      state: { arenas: Object.fromEntries(names.map((name) => [name, { profiles }])) },
    });
    // Profiles and rules are asked for in real time, and once more after a time-out, which a busy machine would make.
    const node = { endpoint: emulator.endpoint, timeoutMs: 60_000 };
    const clock = new TestClock();
    const records: ForwardRecord[] = [];
    const { forwarder } = await startForwarding(
      {
        nodes: Object.fromEntries(names.map((name) => [name, node])),
        watch: names.map((name) => ({ nodes: [name], arena: name, types: ["shost" as const] })),
        state: folder.path,
      },
      folder.path,
      { world: clock, onRecord: (record) => void records.push(record) },
    );
    const taken = () => names.map((node) => forwarder.metrics.get("polls_total", { node, outcome: "taken" }));
    await until(() => records.length === 200);
    clock.advance(3_000);
    await until(() => taken().every((count) => count === 2));
    expect(records).toHaveLength(200);
    expect(new Set(records.map(({ node }) => node))).toEqual(new Set(names));
    expect(new Set(records.map(({ recordId }) => recordId)).size).toBe(200);
    const lists = emulator.requests({ cmd: "list" });
    // Profiles and rules once, marks twice.
    expect(lists).toHaveLength(200 * 4);
    // Both ends of a connection are in this process: a node has one for its marks, and one for profiles and rules.
    const sockets = process.getActiveResourcesInfo().filter((name) => name === "TCPSocketWrap").length;
    expect(sockets).toBeLessThanOrEqual(200 * 2 * 2 + SPARE_SOCKETS);
    // Between two rounds nothing waits but the pauses: of each node for its structure, of each table for its turn, and a few.
    expect(clock.waiting).toBeLessThanOrEqual(200 * 2 + SPARE_TIMERS);
  });

  test("after a restart with the same state the pace holds, and nothing comes twice", async () => {
    const { clock, config, folder, records, lists: marks, ...first } = await scene(oneMark(1));
    await until(() => records.length === 1);
    await first.forwarder.stop(0);
    clock.advance(1_000);
    clock.jump(-86_400_000);
    const more = { world: clock, onRecord: (record: ForwardRecord) => void records.push(record) };
    const second = await startForwarding(config, folder, more);
    clock.advance(1_999);
    for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect(marks()).toBe(1);
    await until(() => second.forwarder.metrics.get("polls_total", { node: "fra1", outcome: "taken" }) === 1, clock);
    expect([marks(), records.length]).toEqual([2, 1]);
  });
});

describe("the command", () => {
  const run = (args: string[], env: Record<string, string> = {}) => runCommand(["forward", ...args], { env });

  test("--check names every problem with its place, and exits with 2", async () => {
    using folder = temporaryFolder();
    const file = join(folder.path, "forwarder.yaml");
    writeFileSync(
      file,
      `nodes:
  fra1: { endpoint: "ftp://192.0.2.10" }
watch:
  - { nodes: [fra9], arena: "a/b", types: [host] }
everyMs: 1000
sinks:
  - { name: web, type: http, url: "\${NOT_SET}" }
  - { name: web, type: carrier-pigeon }
`,
    );
    const unset = await run(["--config", file, "--check"]);
    const [needed, ...others] = linesOf(unset.err);
    expect([unset.code, unset.out, needed]).toEqual([
      2,
      "",
      "forwarder.yaml:7:35: `sinks[0].url` needs the variable NOT_SET, which is not set",
    ]);
    const { code, err } = await run(["--config", file, "--check"], { NOT_SET: "http://192.0.2.1/" });
    expect([code, ...linesOf(err).map((line) => line.replace(/ (must|contains|has|is|names).*/, ""))]).toEqual([
      2,
      "forwarder.yaml:2:21: `nodes.fra1.endpoint`",
      "forwarder.yaml:4:29: `watch[0].arena`",
      "forwarder.yaml:4:44: `watch[0].types[0]`",
      "forwarder.yaml:5:10: `everyMs`",
      "forwarder.yaml:8:24: `sinks[1].type`",
      "forwarder.yaml:4:15: `watch[0].nodes[0]`",
      "forwarder.yaml:8:13: `sinks[1].name`",
    ]);
    // What else is wrong is told beside a variable that is not set.
    expect(others).toEqual(linesOf(err));
  });

  test("--check finds what would read or send nothing, and names each unknown member at its line", async () => {
    using folder = temporaryFolder();
    const file = join(folder.path, "forwarder.yaml");
    const problems = async (text: string) => {
      writeFileSync(file, text);
      const { code, err } = await run(["--config", file, "--check"]);
      expect(code).toBe(2);
      return linesOf(err);
    };
    expect(await problems('nodes: { fra1: { endpoint: "http://192.0.2.1" } }\nwatch: [{ arena: edge }]\n')).toEqual([
      "forwarder.yaml:1:1: `sinks` names none, so that records would go nowhere",
    ]);
    expect(
      await problems(`nodes: { fra1: { endpoint: "http://192.0.2.1" } }
watch:
  - { arena: edge, nodes: ["ams*"] }
sinks:
  - { name: disk, type: file, path: a, only: { nodes: ["b*", "fra*"], arenas: [core] } }
`),
    ).toEqual([
      "forwarder.yaml:3:28: `watch[0].nodes[0]` names no node: there are fra1",
      "forwarder.yaml:5:56: `sinks[0].only.nodes[0]` names no node: there are fra1",
      "forwarder.yaml:5:80: `sinks[0].only.arenas[0]` names no arena that is watched: there are edge",
    ]);
    expect(
      await problems(`nodes: { fra1: { endpoint: "http://192.0.2.1" } }
watch: [{ arena: edge }]
listen: 9464
sinks:
  - { name: one, type: file, path: marks.ndjson }
  - { name: other, type: file, path: ./marks.ndjson }
`),
    ).toEqual([
      'forwarder.yaml:3:9: `listen.address` must be an address and a port, such as "127.0.0.1:9464"',
      "forwarder.yaml:6:38: `sinks[1].path` is the file of sinks[0], too",
    ]);
    const found = await problems(`nodes:
  fra1: { endpoint: "http://192.0.2.1" }
watch:
  - { arena: edge }
every: 3000
sinks:
  - name: web
    type: http
    url: "http://192.0.2.2/"
    tls: { ca: no certificate }
    colour: red
  - { name: disk, type: file, path: a, only: { types: [host] } }
  - { name: 7, type: file, path: [a] }
`);
    expect(found.join("\n")).not.toMatch(/Invalid|expected|received/);
    expect(found.map((line) => line.replace(/ \(there are .*/, ""))).toEqual([
      "forwarder.yaml:10:16: `sinks[0].tls.ca` is not a certificate in PEM: name its file as { file: path }",
      "forwarder.yaml:11:13: `sinks[0]` has no member `colour`",
      "forwarder.yaml:10:10: `sinks[0].tls` is for a url that begins with https://",
      "forwarder.yaml:12:56: `sinks[1].only.types[0]` must be one of shost, dhost, sdhost, conn",
      "forwarder.yaml:13:13: `sinks[2].name` must be a text",
      "forwarder.yaml:13:34: `sinks[2].path` must be a text",
      "forwarder.yaml:5:8: has no member `every`: `everyMs` is likely meant",
    ]);
  });

  test("--once forwards one round; --check then says what the spool covers; secrets come from files", async () => {
    using folder = temporaryFolder();
    await using emulator = await startEmulator({ state: stateWith(50), auth: { bearer: "t0ken" } });
    writeFileSync(join(folder.path, "token"), "Bearer t0ken\n");
    const file = join(folder.path, "forwarder.yaml");
    writeFileSync(
      file,
      `nodes: { fra1: { endpoint: "\${NODE}", headers: { authorization: { file: token } } } }
watch: [{ arena: edge }]
sinks:
  - { name: disk, type: file, path: marks.ndjson }
  - { name: out, type: stdout }
`,
    );
    const env = { NODE: emulator.endpoint };
    expect((await run(["--config", file, "--check"], env)).out).toContain("covers an outage that only a run can show");
    const { code, out, err } = await run(["--config", file, "--once"], env);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).toBe(readFileSync(join(folder.path, "marks.ndjson"), "utf8"));
    expect(linesOf(out)).toHaveLength(51);
    expect((await run(["--config", file, "--check"], env)).out).toMatch(
      /Sink "disk" \(file\): a spool of 1073741824 bytes covers an outage of about \d+ (days|hours), then pause\./,
    );
    expect((await run(["--config", file, "--once", "--check"], env)).code).toBe(2);

    const before = emulator.journal.length;
    appendFileSync(file, 'cluster: { servers: ["nats://127.0.0.1:1"] }\n');
    expect(await run(["--config", file, "--once"], env)).toEqual({
      code: 2,
      out: "",
      err: expect.stringContaining(
        "--once asks for no lease, and the other forwarders of `cluster` may list the same nodes",
      ),
    });
    expect(emulator.journal).toHaveLength(before);
  });

  test("--once exits with 1 when a node does not answer, and what was read elsewhere is delivered", async () => {
    using folder = temporaryFolder();
    await using emulator = await startEmulator({ state: oneMark(7) });
    const file = join(folder.path, "forwarder.yaml");
    writeFileSync(
      file,
      `nodes: { up: { endpoint: "${emulator.endpoint}" }, down: { endpoint: "http://127.0.0.1:1", deadlineMs: 50 } }
watch: [{ arena: edge, types: [shost] }]
sinks: [{ name: out, type: stdout }]
`,
    );
    const { code, out, err } = await run(["--config", file, "--once"]);
    expect([code, linesOf(out).map((line) => JSON.parse(line).value)]).toEqual([1, [7]]);
    expect(err).toContain("Some lists or deliveries failed");
    expect(err).toContain("127.0.0.1:1");
  });

  /** A table that the node lacks, by its dialect, or a busy node: watched types, faults, exit code, lists of marks. */
  const ROUNDS = {
    "a refused type is a failure where it is named": ["types: [conn]", [], 1, 1],
    "and where no other table of its profile was listed": ["types: [dhost, conn]", [], 1, 2],
    "it is none where all four are requested and another was listed": ["", [], 0, 4],
    "a busy node is listed again": [
      "types: [shost]",
      [
        { status: 429, times: 2 },
        { status: 503, times: 1 },
      ],
      0,
      4,
    ],
    "until its deadline": ["types: [shost]", [{ status: 429, retryAfter: 3_600 }], 1, 1],
  } as const;
  test.each(Object.entries(ROUNDS))("--once: %s", async (_, [types, faults, code, lists]) => {
    using folder = temporaryFolder();
    await using emulator = await startEmulator({
      state: oneMark(7),
      dialect: { missingTable: "error" },
    });
    for (const fault of faults) emulator.fail({ kind: "error", cmd: "list", url: "mark://edge/web", ...fault });
    const file = join(folder.path, "forwarder.yaml");
    writeFileSync(
      file,
      `nodes: { fra1: { endpoint: "${emulator.endpoint}", markPace: "off" } }
watch: [{ arena: edge, ${types} }]
sinks: [{ name: out, type: stdout }]
`,
    );
    const done = await run(["--config", file, "--once"]);
    const asked = emulator.requests({ cmd: "list" }).filter(({ url }) => url === "mark://edge/web").length;
    expect([done.code, asked], done.err).toEqual([code, lists]);
  });
});

test("what a sink refused is listed, and sent again by requeue, with the ids that it had", async () => {
  using folder = temporaryFolder();
  await using emulator = await startEmulator({ state: stateWith(20) });
  let refuses = true;
  const idsIn = (text: string) => linesOf(text).map((line): string => JSON.parse(line).recordId);
  const [arrived, refused] = [new Set<string>(), new Set<string>()];
  const server = await httpSink((_, body) => {
    for (const id of idsIn(body)) (refuses ? refused : arrived).add(id);
    return [refuses ? 406 : 200];
  });
  const file = join(folder.path, "forwarder.yaml");
  const config = {
    nodes: { fra1: { endpoint: emulator.endpoint } },
    watch: [{ arena: "edge" }],
    sinks: [{ name: "web", type: "http", url: server.url }],
  };
  writeFileSync(file, JSON.stringify(config));
  const told: string[] = [];
  const out: string[] = [];
  const io = {
    out: (text: string) => void out.push(text),
    err: (text: string) => void told.push(text),
    env: {},
    stop: new AbortController().signal,
  };
  expect(await main(["forward", "--config", file, "--once"], io)).toBe(1);
  const spool = (...args: string[]) => main(["forward", "spool", ...args, "--config", file], io);
  expect(await spool("requeue", "--sink", "web")).toBe(1);
  out.length = 0;
  expect(await spool("list")).toBe(0);
  expect(out.join("")).toMatch(
    /^Sink "web" has not taken 0 records \(0 bytes\)\.\nSink "web" has refused 21 records \(\d+ bytes\)\.\n$/,
  );
  out.length = 0;
  expect(await spool("export")).toBe(0);
  expect(new Set(idsIn(out.join("")))).toEqual(refused);
  refuses = false;
  told.length = 0;
  expect(await spool("requeue")).toBe(0);
  expect(told).toEqual(["21 records were delivered, 0 are left.\n"]);
  expect(arrived).toEqual(refused);
  expect(await spool("requeue", "--sink", "unknown")).toBe(2);
});

test("as a library: a function gets records in order, again after a failure, and after a restart", async () => {
  using folder = temporaryFolder();
  await using emulator = await startEmulator({ state: stateWith(5) });
  // From what is published, with its thread.
  const { startForwarder } = await import("pulumi-packetfilter/forwarder");
  const config = {
    nodes: { fra1: { endpoint: emulator.endpoint } },
    watch: [{ arena: "edge", types: ["shost" as const] }],
  };
  const clock = new TestClock();
  const calls: string[] = [];
  {
    await using _ = await startForwarder(config, {
      folder: folder.path,
      world: clock,
      onRecord: async ({ sequence }) => {
        calls.push(`${sequence}`);
        if (calls.length === 3) throw new Error("not now");
      },
    });
    await until(() => calls.length === 6, clock);
  }
  expect(calls).toEqual(["1", "2", "3", "3", "4", "5"]);
  await expect(startForwarder({ ...config, everyMs: 1 }, { folder: folder.path })).rejects.toThrow(
    "`everyMs` must not be below 3000",
  );
});
