import { expect, test } from "vitest";
import {
  connectEmulator,
  type Emulator,
  type EmulatorState,
  type MarkQuery,
  startEmulator,
  synFlood,
} from "../../provider/emulator";
import type { Overview } from "../../provider/emulator/page/answers";
import { BLOCKED, control, EDGE, fapi, signaling } from "./calls";

const state: EmulatorState = {
  arenas: {
    edge: {
      sets: { blocked: {} },
      profiles: {
        clean: { prefixes: ["198.51.100.0/24"] },
        protected: {
          rules: [
            { id: 1, name: "blocked", match: [{ set: { name: "blocked" } }], actions: ["count", "drop"] },
            {
              id: 2,
              name: "SYN by source",
              match: [{ protocol: "tcp", flags: { set: ["syn"] } }],
              actions: [{ hmark: { lifetime: 600 } }],
            },
          ],
        },
      },
    },
  },
};
const syn = { from: "203.0.113.9", to: "198.51.100.7", proto: "tcp", dport: 443, flags: ["syn"] } as const;

test("signaling, rules, marks and a committed set work together", async () => {
  await using emulator = await startEmulator({ state });
  emulator.clock.freeze("2026-12-01T00:00:00Z");
  const [client] = emulator.clients;

  expect(emulator.receive([syn])).toEqual([{ verdict: "accept", profile: "profile://edge/clean", marks: [] }]);

  await signaling(emulator.signalingUrl, client, "start", ["198.51.100.7/32"]);
  expect(emulator.receive([syn])).toEqual([
    { verdict: "accept", profile: "profile://edge/protected", marks: [{ type: "shost", id: 2, value: 1 }] },
  ]);
  const marks = { url: "mark://edge/protected", cmd: "list", type: "shost" };
  expect((await fapi(emulator, marks, EDGE)).json).toEqual({ data: [{ a: "203.0.113.9", id: 2, v: 1, t: 600 }] });

  await fapi(emulator, { url: BLOCKED, cmd: "insert", data: [{ p: "203.0.113.9", v: 1 }] });
  expect(emulator.receive([syn])[0]?.verdict).toBe("accept");
  await fapi(emulator, { url: BLOCKED, cmd: "commit" });
  expect(emulator.receive([syn])).toEqual([
    { verdict: "drop", profile: "profile://edge/protected", rule: { id: 1, name: "blocked" }, marks: [] },
  ]);
  expect(emulator.counters("profile://edge/protected")).toEqual([{ packets: 1, bytes: 64 }, undefined]);

  await fapi(emulator, { url: BLOCKED, cmd: "delete", data: [{ a: "203.0.113.9" }] });
  await fapi(emulator, { url: BLOCKED, cmd: "commit" });
  expect(emulator.receive([syn])[0]?.verdict).toBe("accept");

  await signaling(emulator.signalingUrl, client, "stop", ["198.51.100.7/32"]);
  expect(emulator.receive([syn])[0]?.profile).toBe("profile://edge/clean");

  emulator.clock.advance("601s");
  expect((await fapi(emulator, marks, EDGE)).json).toEqual({ data: [] });
  await expect(() => emulator.marks("profile://edge/nowhere", "shost")).toThrow(RangeError);
});

test("generated traffic leaves its marks, and the same seed the same ones, here and from afar", async () => {
  const of = { to: ["198.51.100.0/28"], seed: 3 };
  const here = (emulator: Emulator) => emulator.receiveTraffic(synFlood(of), 25_000);
  const afar = async ({ control }: Emulator) =>
    (await connectEmulator(control)).traffic({ kind: "synFlood", ...of, count: 25_000 });
  const marksOf = async (receive: typeof here) => {
    await using emulator = await startEmulator({ state });
    emulator.clock.freeze("2026-12-01T00:00:00Z");
    emulator.signal("client-a", { start: ["198.51.100.0/24"] });
    const summary = await receive(emulator);
    expect(summary).toMatchObject({ packets: 25_000, accepted: 25_000, dropped: 0, unbound: 0 });
    return emulator.marks("profile://edge/protected", "shost");
  };
  const marks = await marksOf(here);
  expect(marks).toHaveLength(256);
  expect(marks.reduce((total, { value = 0 }) => total + value, 0)).toBe(25_000);
  expect(await marksOf(afar)).toEqual(marks);
});

test("marks are asked for by rule, by address and up to a limit, here and from afar", async () => {
  const shost = [
    { address: "203.0.113.9", id: 1 },
    { address: "203.0.113.9", id: 2 },
    { address: "203.0.113.200", id: 1 },
    { address: "2001:db8:0:1::9", id: 1 },
  ];
  const sdhost = [
    { source: "203.0.113.9", destination: "198.51.100.7", id: 1 },
    { source: "192.0.2.1", destination: "203.0.113.9", id: 1 },
  ];
  await using emulator = await startEmulator({
    state: { arenas: { edge: { profiles: { web: { marks: { shost, sdhost } } } } } },
  });
  emulator.clock.freeze();
  const client = await connectEmulator(emulator.control);
  const web = "profile://edge/web";
  const found = async (type: "shost" | "sdhost", query?: MarkQuery) => {
    const [here, there] = [emulator.marks(web, type, query), await client.marks(web, type, query)];
    expect(there).toEqual(here);
    const all = emulator.marks(web, type);
    return here.map((mark) => all.findIndex((each) => JSON.stringify(each) === JSON.stringify(mark)));
  };
  expect(await found("shost")).toEqual([0, 1, 2, 3]);
  expect(await found("shost", { id: 2 })).toEqual([1]);
  expect(await found("shost", { contains: "203.0.113.9" })).toEqual([0, 1]);
  expect(await found("shost", { contains: "203.0.113.128/25" })).toEqual([2]);
  expect(await found("shost", { contains: "2001:db8::/47", id: 1 })).toEqual([3]);
  expect(await found("shost", { contains: "0.0.0.0/0", limit: 2 })).toEqual([0, 1]);
  expect(await found("sdhost", { contains: "203.0.113.9" })).toEqual([0, 1]);
  expect(await found("sdhost", { contains: "192.0.2.0/24" })).toEqual([1]);
  expect(() => emulator.marks(web, "shost", { contains: "edge" })).toThrow(/^marks\(\): contains: /);
  expect(() => emulator.marks(web, "shost", { rule: 1 } as never)).toThrow(/^marks\(\): there is no "rule"/);
});

test("marks that a full table gives up or refuses are counted: in the sum, with the table, in metrics and for the page", async () => {
  const cases = [
    { onFull: "evict", sum: { evicted: 1, refused: 0 }, losses: { evicted: 157, refused: 0 } },
    { onFull: "refuse", sum: { evicted: 0, refused: 50 }, losses: { evicted: 0, refused: 206 } },
  ] as const;
  for (const { onFull, sum, losses } of cases) {
    await using emulator = await startEmulator({ state, marks: { capacity: 100, onFull } });
    emulator.signal("client-a", { start: ["198.51.100.0/24"] });
    emulator.receive(Array.from({ length: 256 }, (_, at) => ({ ...syn, from: `203.0.113.${at}` })));
    const one = synFlood({ to: ["198.51.100.7"], from: ["192.0.2.1"] });
    expect(await emulator.receiveTraffic(one, 50)).toMatchObject({ packets: 50, ...sum });
    expect(emulator.markTable("profile://edge/protected", "shost", 1)).toMatchObject({ active: 100, ...losses });
    const metrics = (await control(emulator, "GET", "/metrics")).text;
    for (const [reason, n] of Object.entries(losses)) {
      const labels = `profile="edge/protected",type="shost",reason="${reason}"`;
      expect(metrics).toContain(`packetfilter_emulator_mark_losses_total{${labels}} ${n}\n`);
    }
    const { arenas } = (await control(emulator, "GET", "/page/overview")).json as Overview;
    const [, profile] = arenas[0]?.profiles ?? [];
    expect(profile?.marks[0]).toMatchObject({ type: "shost", active: 100, ...losses });
  }
});
