import fc from "fast-check";
import { expect, test } from "vitest";
import { MarkStore } from "../../provider/emulator/marks";
import { LOOKS, type MarkCount, MarkHistory } from "../../provider/emulator/marks/mark-history";
import { startNode } from "./support";

const get = async (emulator: { control: string }, path: string, query: Record<string, string> = {}) => {
  const response = await fetch(`${emulator.control}/page/${path}?${new URLSearchParams(query)}`);
  // biome-ignore lint/suspicious/noExplicitAny: whatever it answers
  return [response.status, (await response.json()) as any] as const;
};

test("the overview of a node with tens of thousands of marks and entries is small", async () => {
  const entries = Object.fromEntries(
    Array.from({ length: 20_000 }, (_, at) => [
      `2001:db8:${(at >> 16).toString(16)}:${(at & 65535).toString(16)}::/64`,
      1,
    ]),
  );
  const shost = Array.from({ length: 20_000 }, (_, at) => ({
    address: `2001:db8::${(at >> 16).toString(16)}:${(at & 65535).toString(16)}`,
    id: 1 + (at % 3),
  }));
  const rules = [{ id: 1, name: "one", actions: [{ hmark: {} }] }];
  const state = { arenas: { edge: { sets: { large: entries }, profiles: { web: { rules, marks: { shost } } } } } };
  await using emulator = await startNode({ state });
  const response = await fetch(`${emulator.control}/page/overview`);
  const body = await response.text();
  expect(body.length).toBeLessThan(5_000);
  const [arena] = JSON.parse(body).arenas;
  expect(arena.sets[0]).toMatchObject({ url: "prefixset://edge/large", applied: 20_000, changes: 0 });
  expect(arena.profiles[0].marks[0]).toEqual({
    type: "shost",
    active: 20_000,
    expired: 0,
    evicted: 0,
    refused: 0,
    ids: [
      { id: 1, records: 6_667 },
      { id: 2, records: 6_667 },
      { id: 3, records: 6_666 },
    ],
  });
});

test("the overview holds no secret of a client", async () => {
  await using emulator = await startNode();
  const [, overview] = await get(emulator, "overview");
  expect(overview.clients.length).toBe(4);
  for (const { secretKey } of [...emulator.clients, ...emulator.testClients]) {
    expect(JSON.stringify(overview)).not.toContain(secretKey);
  }
});

test("rows of a set are found by text, and by what covers or lies inside", async () => {
  const blocked = { "192.0.2.0/24": 1, "192.0.2.128/25": 2, "198.51.100.7/32": 3, "2001:db8:192::/48": 4 };
  await using emulator = await startNode({ state: { arenas: { edge: { sets: { blocked } } } } });
  const found = async (filter: string) => {
    const [, view] = await get(emulator, "prefix-set", { url: "prefixset://edge/blocked", filter });
    return view.rows.map(({ prefix }: { prefix: string }) => prefix);
  };
  expect(await found("192.0.2.130")).toEqual(["192.0.2.0/24", "192.0.2.128/25"]);
  expect(await found("198.51.0.0/16")).toEqual(["198.51.100.7/32"]);
  expect(await found("192")).toEqual(["192.0.2.0/24", "192.0.2.128/25", "2001:db8:192::/48"]);
  expect(await found("203.0.113.1")).toEqual([]);
});

test("what is not there is said to be missing, and what is not understood to be wrong", async () => {
  await using emulator = await startNode();
  const missing = [
    await get(emulator, "prefix-set", { url: "prefixset://edge/nowhere" }),
    await get(emulator, "marks", { url: "profile://edge/nowhere", type: "shost" }),
    await get(emulator, "marks", { url: "nonsense", type: "shost" }),
    await get(emulator, "journal/7"),
  ];
  expect(missing.map(([status]) => status)).toEqual([404, 404, 404, 404]);
  const wrong = [
    await get(emulator, "marks", { url: "profile://edge/web", type: "fast" }),
    await get(emulator, "prefix-set", { url: "prefixset://edge/blocked", limit: "-1" }),
  ];
  expect(wrong.map(([status]) => status)).toEqual([400, 400]);
});

test("the largest marks are those that sorting all of them gives", () => {
  const record = fc.record({
    host: fc.integer({ min: 0, max: 9_999 }),
    id: fc.constantFrom(1, 2),
    value: fc.nat({ max: 50 }),
    expired: fc.boolean(),
  });
  fc.assert(
    fc.property(
      fc.array(record, { maxLength: 300 }),
      fc.integer({ min: 1, max: 40 }),
      fc.option(fc.constantFrom(1, 2), { nil: undefined }),
      (records, limit, id) => {
        const marks = new MarkStore({ now: () => 1_000_000 });
        for (const { host, id: own, value, expired } of records) {
          const address = host % 2 ? `2001:db8::${host.toString(16)}` : `192.0.${host >> 8}.${host & 255}`;
          marks.put("shost", { address, id: own, value, ...(expired ? { expiredFor: 1 } : { lifetime: 60 }) });
        }
        const live = [...marks.records("shost")].filter(
          (it) => it.expiredFor === undefined && (id === undefined || it.id === id),
        );
        const values = live.map(({ value }) => value ?? 1).sort((a, b) => b - a);
        const largest = marks.largest("shost", limit, { id });
        expect(largest.map(({ value }) => value)).toEqual(values.slice(0, limit));
        for (const one of largest) expect(live).toContainEqual(one);
      },
    ),
  );
});

test("marks are counted by id while they live", async () => {
  await using emulator = await startNode();
  emulator.clock.freeze();
  const counted = async () => {
    const [, { arenas }] = await get(emulator, "overview");
    const { active, expired, ids } = arenas[0].profiles[0].marks[0];
    return { active, expired, ids };
  };
  emulator.receive([{ from: "198.51.100.3", to: "203.0.113.129", proto: "tcp", flags: ["syn"] }]);
  expect(await counted()).toEqual({ active: 3, expired: 0, ids: [{ id: 30, records: 3 }] });
  emulator.clock.advance("20m");
  expect(await counted()).toEqual({ active: 2, expired: 1, ids: [{ id: 30, records: 2 }] });
  emulator.clock.advance("40m");
  expect(await counted()).toEqual({ active: 0, expired: 2, ids: [] });
});

test("the history of marks is that of the virtual clock, by profile, type and id, for every client", async () => {
  await using emulator = await startNode();
  emulator.clock.freeze("2026-12-01T10:00:00Z");
  const from = Date.parse("2026-12-01T10:00:00Z") / 1000;
  const packet = (last: number) => ({
    from: `198.51.100.${last}`,
    to: "203.0.113.129",
    proto: "tcp" as const,
    flags: ["syn" as const],
  });
  emulator.receive([packet(3)]);
  emulator.clock.advance("10s");
  emulator.receive([packet(4)]);
  // Those that the state begins with have expired long before.
  emulator.clock.advance("20m");
  const chart = async (query = {}) => {
    const [, { times, lines }] = await get(emulator, "mark-history", query);
    return [times.map((time: number) => time - from), lines];
  };
  const [look] = (await chart())[1].map((line: { look: number }) => line.look);
  const line = { profile: "profile://edge/web", type: "shost", id: 30, look };
  expect(await chart()).toEqual([[1210], [{ ...line, values: [2] }]]);
  emulator.receive([packet(5)]);
  emulator.clock.advance("7s");
  expect(await chart()).toEqual([[1210, 1215, 1217], [{ ...line, values: [2, 3, 3] }]]);
  expect(await chart({ profile: "profile://edge/clean" })).toEqual([[1210, 1215, 1217], []]);
  emulator.clock.freeze("2026-12-01T10:20:11Z");
  expect((await chart())[0]).toEqual([1210, 1211]);
  emulator.reset();
  // The clock runs again: a sample of the reset, and one of now. None of those with three marks is left.
  const [{ values, ...after }] = (await chart())[1];
  expect({ ...after, values: [...new Set(values)] }).toEqual({ ...line, values: [2] });
});

test("a line keeps its look at any rank, differs from others, and shows pauses as gaps", () => {
  let ms = 0;
  let counts: MarkCount[] = [];
  const count = (id: number, records: number) => ({
    profile: "profile://edge/web",
    type: "shost" as const,
    id,
    records,
  });
  const clock = {
    get ms() {
      return ms;
    },
    after: () => () => {},
  };
  const history = new MarkHistory(clock, () => counts);
  const looks = (most: number) => Object.fromEntries(history.chart(most).lines.map(({ id, look }) => [id, look]));
  counts = Array.from({ length: LOOKS }, (_, id) => count(id, 1 + id));
  history.follow();
  const first = looks(LOOKS);
  expect(new Set(Object.values(first)).size).toBe(LOOKS);
  expect(new Set(Object.values(looks(8)).map((look) => look % 8)).size).toBeGreaterThan(1);
  counts = counts.map(({ id, records }) => count(id, 100 - records));
  ms = 60_000;
  expect(looks(LOOKS)).toEqual(first);
  const { times, lines } = history.chart(1);
  expect([times, lines[0]?.values]).toEqual([
    [0, 0.001, 60],
    [1, null, 99],
  ]);
});
