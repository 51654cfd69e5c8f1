import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parse } from "yaml";
import { describeEntry, type Emulator, type EmulatorState, startEmulator } from "../../provider/emulator";
import { Persistence } from "../../provider/emulator/state/persistence";
import { stateSchema } from "../../provider/emulator/state/state";
import { systemWall } from "../../provider/emulator/time/clock";
import { control, fapi, signaling } from "./calls";

const BLOCKED = "prefixset://edge/blocked";
const insert = (p: string, v = 1) => ({ url: BLOCKED, cmd: "insert", data: [{ p, v }] });
const commit = { url: BLOCKED, cmd: "commit" };

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "packetfilter-"));
});
afterAll(() => rm(folder, { recursive: true }));

test("the state goes out as YAML and comes back the same", async () => {
  await using emulator = await startEmulator();
  emulator.clock.freeze("2026-12-01T00:00:00Z");
  emulator.signal("client-a", { start: ["198.51.100.7"] });
  await fapi(emulator, insert("203.0.113.0/24", 4));
  const yaml = (await control(emulator, "GET", "/state.yaml")).text;
  expect(stateSchema.parse(parse(yaml))).toEqual(emulator.state());

  const before = emulator.state();
  emulator.seed({});
  expect(emulator.state().arenas).toEqual({});
  const headers = { "content-type": "application/yaml" };
  expect((await fetch(`${emulator.control}/state`, { method: "PUT", headers, body: yaml })).status).toBe(200);
  expect(emulator.state()).toEqual(before);
});

test("snapshots are taken, restored and forgotten by name", async () => {
  await using emulator = await startEmulator();
  emulator.change(BLOCKED, { insert: { "192.0.2.0/24": 1 } });
  await control(emulator, "PUT", "/snapshots/before");
  emulator.change(BLOCKED, { delete: ["192.0.2.0/24"] });
  expect((await control(emulator, "GET", "/snapshots")).json).toEqual(["before"]);
  await control(emulator, "POST", "/snapshots/before/restore");
  expect(emulator.prefixSet(BLOCKED).applied).toHaveProperty(["192.0.2.0/24"]);
  expect((await control(emulator, "DELETE", "/snapshots/before")).status).toBe(200);
  expect((await control(emulator, "POST", "/snapshots/before/restore")).status).toBe(404);
});

test("what it holds is kept in a file, and the next emulator goes on from there", async () => {
  const persist = join(folder, "kept.json");
  {
    await using emulator = await startEmulator({ persist });
    await fapi(emulator, insert("203.0.113.0/24", 4));
    await fapi(emulator, commit);
    await fapi(emulator, insert("203.0.113.9", 5));
    await signaling(emulator.signalingUrl, emulator.clients[0], "start", ["198.51.100.7/32"]);
  }
  await using next = await startEmulator({ persist });
  expect(next.prefixSet(BLOCKED).applied).toHaveProperty(["203.0.113.0/24"], 4);
  expect(next.prefixSet(BLOCKED).staged).toHaveProperty(["203.0.113.9/32"], 5);
  expect(next.signalings["client-a"]).toEqual(["198.51.100.7/32"]);
  // The socket by which it has the file for itself.
  expect(await readdir(folder)).toEqual([".kept.json.lock", "kept.json"]);
});

test("a kept file is never a part of a state, however often it is written", async () => {
  const file = join(folder, "busy.json");
  let state: EmulatorState = {};
  const signalings = () => ({ signaling: {}, testSignaling: {} });
  const persistence = new Persistence(file, { whole: () => state, signalings }, systemWall);
  const sizes = new Set<number>();
  for (let round = 1; round <= 10; round += 1) {
    const entries = Array.from({ length: round * 500 }, (_, at) => [`10.${round}.${at >> 8}.${at & 255}`, at]);
    state = { arenas: { edge: { sets: { blocked: Object.fromEntries(entries) } } } };
    persistence.changed({ kind: "everything" });
    const written = persistence.durable();
    const source = await readFile(file, "utf8").catch(() => "{}");
    sizes.add(source.length);
    expect(stateSchema.safeParse(JSON.parse(source)).success).toBe(true);
    await written;
    expect(await Persistence.read(file)).toEqual(state);
  }
  expect(sizes.size).toBeGreaterThan(2);
});

test("a file that holds no state is left as it is", async () => {
  const persist = join(folder, "other.json");
  await writeFile(persist, '{ "name": "another tool\'s" }');
  await expect(startEmulator({ persist })).rejects.toThrow(/other\.json/);
  expect(await readFile(persist, "utf8")).toContain("another tool");
});

test("the journal can be filtered, and read by people", async () => {
  await using emulator = await startEmulator();
  emulator.clock.freeze("2026-12-01T10:00:00.125Z");
  emulator.fail({ cmd: "list", kind: "reset" });
  await fapi(emulator, insert("203.0.113.0/24"));
  await fapi(emulator, commit);
  await fapi(emulator, { url: BLOCKED, cmd: "list" }).catch(() => {});
  await signaling(emulator.signalingUrl, emulator.clients[0], "start", ["198.51.100.7/32"]);
  expect(emulator.journal.map(describeEntry)).toEqual([
    `10:00:00.125 node insert ${BLOCKED} (1) -> 200, 15 bytes`,
    `10:00:00.125 node commit ${BLOCKED} -> 200, 15 bytes, applied +1 -0 ~0, 1 after`,
    `10:00:00.125 node list ${BLOCKED} -> no answer, fault reset`,
    "10:00:00.125 signaling start client-a (1) -> 200, 2 bytes",
  ]);
  expect((await control(emulator, "GET", "/journal?since=3")).json).toMatchObject([{ index: 3, op: "start" }]);
  expect((await control(emulator, "GET", "/journal?cmd=flush")).status).toBe(400);
  await control(emulator, "DELETE", "/journal");
  expect(emulator.journal).toEqual([]);
  await fapi(emulator, commit);
  expect(emulator.journal[0]?.index).toBe(4);
});

test("the journal is bounded: the oldest entries go first", async () => {
  await using emulator = await startEmulator({ journalLimits: { requests: 3, items: 10 } });
  for (let n = 0; n < 5; n += 1) await fapi(emulator, commit);
  expect(emulator.journal.map(({ index }) => index)).toEqual([2, 3, 4]);
  const data = Array.from({ length: 9 }, (_, at) => ({ p: `203.0.113.${at}`, v: 1 }));
  await fapi(emulator, { ...insert("203.0.113.0"), data });
  await fapi(emulator, { ...insert("203.0.113.0"), data });
  expect(emulator.journal.map(({ entries }) => entries)).toEqual([9]);
});

test("journal entries arrive as events while they happen", async () => {
  await using emulator = await startEmulator();
  const response = await fetch(`${emulator.control}/events`);
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let seen = (await reader?.read())?.value ?? "";
  await fapi(emulator, insert("203.0.113.0/24"));
  while (!/^event: request\ndata: .*\n\n/m.test(seen)) seen += (await reader?.read())?.value ?? "";
  expect(seen).toContain("event: request");
  const entry = JSON.parse(/^data: (.*)$/m.exec(seen)?.[1] ?? "");
  expect(entry).toMatchObject({ cmd: "insert", status: 200, entries: 1 });
  expect(entry).not.toHaveProperty("data");
  await reader?.cancel();
});

test("metrics count requests and faults, and show what is held", async () => {
  await using emulator = await startEmulator({
    state: {
      arenas: {
        edge: {
          sets: { blocked: { "192.0.2.0/24": 1 } },
          profiles: { web: { marks: { shost: [{ address: "203.0.113.9", id: 1 }] } } },
        },
      },
    },
  });
  emulator.fail({ cmd: "commit", status: 503 });
  await fapi(emulator, insert("203.0.113.0/24"));
  await fapi(emulator, commit);
  const { text } = await control(emulator, "GET", "/metrics");
  const lines = text.split("\n");
  expect(lines).toContain('packetfilter_emulator_requests_total{api="node",operation="commit",status="503"} 1');
  expect(lines).toContain('packetfilter_emulator_faults_total{kind="error"} 1');
  expect(lines).toContain('packetfilter_emulator_set_entries{set="prefixset://edge/blocked"} 1');
  expect(lines).toContain('packetfilter_emulator_set_staged_changes{set="prefixset://edge/blocked"} 1');
  expect(lines).toContain('packetfilter_emulator_marks{profile="edge/web",type="shost",state="active"} 1');
  for (const line of lines) expect(line).toMatch(/^(# (HELP|TYPE) .+|[a-z_]+(\{.*\})? [0-9.e+-]+|)$/);
});

test("packets and traffic arrive over the control API and leave marks", async () => {
  await using emulator = await startEmulator();
  emulator.change(BLOCKED, { insert: { "192.0.2.0/24": 1 } });
  emulator.signal("client-a", { start: ["198.51.100.0/24"] });
  const packet = { from: "192.0.2.9", to: "198.51.100.7", proto: "tcp", dport: 443 };
  expect((await control(emulator, "POST", "/packets", [packet])).json).toEqual([
    { verdict: "drop", profile: "profile://edge/protected", rule: { id: 100, name: "blocked everywhere" }, marks: [] },
  ]);
  const flood = { kind: "dnsAmplification", to: ["198.51.100.7"], count: 30_000, seed: 1 };
  const summary = (await control(emulator, "POST", "/traffic", flood)).json;
  expect(summary).toMatchObject({ packets: 30_000, dropped: 30_000 });
  const marks = (await control(emulator, "GET", "/marks?url=profile://edge/protected&type=sdhost&limit=2")).json;
  expect(marks).toMatchObject({ active: expect.any(Number), records: [{ id: 120 }, { id: 120 }] });
  expect((await control(emulator, "GET", "/counters?url=profile://edge/web")).json).toEqual([
    null,
    { packets: 0, bytes: 0 },
    null,
  ]);
  expect((await control(emulator, "POST", "/packets", [{ ...packet, to: "nowhere" }])).status).toBe(400);
});

test("generated traffic ends with its caller, and with a reset", async () => {
  const rules = [{ id: 1, actions: ["count" as const] }];
  const state = { arenas: { edge: { profiles: { web: { prefixes: ["198.51.100.0/24"], rules } } } } };
  await using emulator = await startEmulator({ state });
  const counted = () => emulator.counters("profile://edge/web")[0]?.packets ?? 0;
  const turns = async (count: number) => {
    for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  };
  const traffic = { kind: "synFlood", to: ["198.51.100.7"], count: 100_000_000 };
  const caller = new AbortController();
  const headers = { "content-type": "application/json" };
  const init = { method: "POST", headers, body: JSON.stringify(traffic), signal: caller.signal };
  const left = fetch(`${emulator.control}/traffic`, init);
  while (counted() === 0) await turns(1);
  caller.abort();
  await expect(left).rejects.toThrow();
  let before = -1;
  while (before !== counted()) {
    before = counted();
    await turns(5);
  }
  expect(before).toBeLessThan(traffic.count);

  const answered = control(emulator, "POST", "/traffic", traffic);
  while (counted() === before) await turns(1);
  await control(emulator, "POST", "/reset");
  const { packets } = (await answered).json as { packets: number };
  expect(packets).toBeLessThan(traffic.count);
  expect(counted()).toBe(0);
});

test("several emulators run beside each other and know nothing of each other", async () => {
  const all: Emulator[] = await Promise.all(Array.from({ length: 8 }, () => startEmulator()));
  try {
    await Promise.all(
      all.map(async (emulator, at) => {
        await fapi(emulator, insert(`203.0.113.${at}`));
        await fapi(emulator, commit);
      }),
    );
    for (const [at, emulator] of all.entries()) {
      expect(Object.keys(emulator.prefixSet(BLOCKED).applied)).toEqual([`203.0.113.${at}/32`]);
      expect(emulator.journal).toHaveLength(2);
    }
  } finally {
    await Promise.all(all.map((emulator) => emulator.close()));
  }
});

test("requests in progress are counted on arrival", async () => {
  await using emulator = await startEmulator({ latency: "500ms" });
  await Promise.all(Array.from({ length: 4 }, () => fapi(emulator, { url: BLOCKED, cmd: "list" })));
  expect(Math.max(...emulator.journal.map(({ concurrent }) => concurrent))).toBe(4);
});
