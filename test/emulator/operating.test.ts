import { expect, test } from "vitest";
import { parse } from "yaml";
import { describeEntry, startEmulator } from "../../provider/emulator";
import { stateSchema } from "../../provider/emulator/state/state";
import { BLOCKED, commit, control, fapi, insert, signaling } from "./calls";

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
