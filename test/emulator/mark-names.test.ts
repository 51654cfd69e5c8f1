import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { z } from "zod";
import { type EmulatorState, startEmulator } from "../../provider/emulator";
import { control, EDGE, fapi } from "./calls";

const PACKET = { from: "203.0.113.9", to: "198.51.100.7", proto: "tcp", sport: 4711, dport: 443 } as const;

/** A profile whose rules have these actions, as people write them. */
const profile = (actions: unknown[], match: unknown[] = []) => {
  const rules = [{ id: 7, match, actions }];
  return {
    arenas: { edge: { profiles: { web: { prefixes: ["198.51.100.0/24"], rules } } } },
  } as unknown as EmulatorState;
};

/** Names by the table that they fill. */
const NAMES = {
  shost: ["hmark", "HMARK", "shost"],
  dhost: ["dmark", "dhmark", "DMARK", "DHMark", "dhost"],
  sdhost: ["sdhmark", "SDHMARK", "sdhost"],
  conn: ["connmark", "ConnMark", "conn"],
};
const CASES = Object.entries(NAMES).flatMap(([type, names]) => names.map((name) => ({ type, name })));

test.each(CASES)("the action $name fills the table $type, and is listed as it was written", async ({ type, name }) => {
  const state = profile([{ [name]: { add: 3 } }]);
  await using emulator = await startEmulator({ state });
  expect(emulator.receive([PACKET])[0]?.marks).toEqual([{ type, id: 7, value: 3 }]);
  expect(emulator.state().arenas?.edge?.profiles?.web?.rules).toEqual(state.arenas?.edge?.profiles?.web?.rules);
  const rules = await fapi(emulator, { url: "profile://edge/web", cmd: "list" });
  expect(rules.json).toEqual({ data: [{ id: 7, match: [], actions: [{ [name]: { add: 3 } }] }] });
  emulator.setDialect({ missingTable: "error" });
  const list = { url: "mark://edge/web", cmd: "list" };
  expect((await fapi(emulator, { ...list, type }, EDGE)).json).toMatchObject({ data: [{ id: 7, v: 3 }] });
});

test.each(CASES)("the type $name of a list of marks, and of a match, is $type", async ({ type, name }) => {
  await using emulator = await startEmulator({
    state: profile([{ [name]: {} }, "drop"], [{ not: { mark: { type: name } } }]),
  });
  expect(emulator.receive([PACKET, PACKET]).map(({ verdict }) => verdict)).toEqual(["drop", "accept"]);
  const listed = await fapi(emulator, { url: "mark://edge/web", cmd: "list", type: name }, EDGE);
  expect(listed.json).toMatchObject({ data: [{ id: 7, v: 1 }] });
  expect(emulator.requests({ cmd: "list" })).toMatchObject([{ type }]);
});

test("the published schema takes what the emulator takes", () => {
  const file = readFileSync(`${__dirname}/../../schemas/emulator-state.schema.json`, "utf8");
  const schema = z.fromJSONSchema(JSON.parse(file));
  for (const { name } of CASES) {
    expect(schema.safeParse(profile([{ [name]: {} }], [{ mark: { type: name } }])).error, name).toBeUndefined();
  }
  expect(schema.safeParse(profile([{ hmrk: {} }])).success).toBe(false);
  expect(schema.safeParse(profile(["drop"], [{ mark: { type: "shots" } }])).success).toBe(false);
});

test.each([
  [() => profile([{ dmrk: {} }]), 'there is no "dmrk"; did you mean "dmark"?'],
  [() => profile([{ hmark: {}, dmark: {} }]), "an action is one of hmark, dhmark"],
  [() => profile(["drop"], [{ mark: { type: "dmarks" } }]), 'not "dmarks"; did you mean "dmark"?'],
  [
    () => ({ arenas: { edge: { profiles: { web: { marks: { dmark: [] } } } } } }),
    'there is no "dmark"; did you mean "dhost"?',
  ],
  [
    () => ({ arenas: { edge: { profiles: { web: { marks: { HMARK: [] } } } } } }),
    'there is no "HMARK"; did you mean "shost"?',
  ],
])("another name is refused with the one that was meant: %#", async (state, words) => {
  await expect(startEmulator({ state: state() as EmulatorState })).rejects.toThrow(words);
});

test("the object, the control API, filters and faults take a table by each of its names", async () => {
  await using emulator = await startEmulator({ state: profile([{ dhmark: {} }]) });
  emulator.clock.freeze();
  emulator.receive([PACKET]);
  const [record] = emulator.marks("profile://edge/web", "dhost");
  expect(record).toMatchObject({ address: PACKET.to });
  for (const name of NAMES.dhost) {
    const type = name as "dhost";
    expect(emulator.marks("profile://edge/web", type)).toEqual([record]);
    const { json } = await control(
      emulator,
      "GET",
      `/marks?url=${encodeURIComponent("profile://edge/web")}&type=${name}`,
    );
    expect(json).toMatchObject({ records: [record] });
    emulator.fail({ type, status: 503 });
    expect((await fapi(emulator, { url: "mark://edge/web", cmd: "list", type: "dhost" }, EDGE)).status).toBe(503);
    emulator.expectRequests({ type }, 1);
    emulator.clearJournal();
  }
  expect(() => emulator.marks("profile://edge/web", "dmarc" as "dhost")).toThrow('not "dmarc"');
  const unknown = await fapi(emulator, { url: "mark://edge/web", cmd: "list", type: "dmarc" }, EDGE);
  expect(unknown).toMatchObject({
    status: 400,
    json: { error: expect.stringContaining('one of "shost"|"dhost"|"sdhost"|"conn"') },
  });
});

test("the number beside a list of marks is that of its records, though marks expire meanwhile", async () => {
  const shost = Array.from({ length: 20_000 }, (_, at) => ({
    address: `10.0.${at >> 8}.${at & 255}`,
    id: 1,
    lifetime: (1 + at) / 1_000,
  }));
  let reads = 0;
  // A millisecond passes, and a mark expires, at each look at the clock.
  const wall = { now: () => 0, elapsed: () => (reads += 1), timer: () => () => {} };
  await using emulator = await startEmulator({
    wall,
    state: { arenas: { edge: { profiles: { web: { marks: { shost } } } } } },
    dialect: { listVerdict: "count" },
  });
  const { json } = await fapi(emulator, { url: "mark://edge/web", cmd: "list", type: "shost" }, EDGE);
  const { count, data } = json as { count: number; data: unknown[] };
  expect(count).toBeGreaterThan(0);
  expect(data).toHaveLength(count);
});
