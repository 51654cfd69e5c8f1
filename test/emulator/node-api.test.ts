import { expect, test } from "vitest";
import { startEmulator } from "../../provider/emulator";
import { EDGE, fapi, list } from "./calls";

const state = {
  arenas: {
    edge: {
      sets: { blocked: { "192.0.2.0/24": 1 } },
      profiles: {
        web: {
          prefixes: ["198.51.100.0/24"],
          rules: [{ id: 7, name: "flood", actions: ["drop" as const], extra: { prio: 5 } }],
          marks: { shost: [{ address: "203.0.113.45", id: 70_001, value: 1_234, lifetime: 3_600 }] },
        },
      },
    },
  },
};

test("profiles, rules and marks are listed as the state has them", async () => {
  await using emulator = await startEmulator({ state });
  expect((await fapi(emulator, { url: "arena://edge", cmd: "list" })).json).toEqual({ data: [{ name: "web" }] });
  expect((await fapi(emulator, { url: "profile://edge/web", cmd: "list" })).json).toEqual({
    data: [{ id: 7, name: "flood", actions: ["drop"], prio: 5 }],
  });
  emulator.clock.freeze();
  expect((await fapi(emulator, { url: "mark://edge/web", cmd: "list", type: "shost" }, EDGE)).json).toEqual({
    data: [{ a: "203.0.113.45", id: 70_001, v: 1_234, t: expect.closeTo(3_600, -1) }],
  });
  expect((await fapi(emulator, { url: "mark://edge/web", cmd: "list", type: "conn" }, EDGE)).json).toEqual({
    data: [],
  });
});

test.each<[string, unknown, number, string]>([
  ["a typographic quote", '{"url": "arena://edge”, "cmd": "list"}', 400, "typographic quote"],
  ["no JSON", "{", 400, "not JSON"],
  ["an empty body", "", 400, "empty"],
  ["an array", [list], 400, "not a JSON object"],
  ["an unknown member", { ...list, force: true }, 400, 'unknown member "force"'],
  ["an unknown command", { ...list, cmd: "flush" }, 400, '"cmd"'],
  ["a url of no known shape", { url: "set://edge", cmd: "list" }, 400, "not a resource address"],
  ["data where there is none", { ...list, data: [{ a: "192.0.2.0/24" }] }, 400, '"data"'],
  ["an insert without data", { ...list, cmd: "insert" }, 400, '"data"'],
  ["an insert with no entries", { ...list, cmd: "insert", data: [] }, 400, '"data"'],
  ["an insert without a value", { ...list, cmd: "insert", data: [{ p: "192.0.2.0/24" }] }, 400, "entry 0"],
  [
    "a delete in the form of an insert",
    { ...list, cmd: "delete", data: [{ p: "192.0.2.0/24", v: 1 }] },
    400,
    "entry 0",
  ],
  ["a value beyond 32 bits", { ...list, cmd: "insert", data: [{ p: "192.0.2.0/24", v: 2 ** 32 }] }, 400, '"v"'],
  ["a commit of an arena", { url: "arena://edge", cmd: "commit" }, 400, "prefix-sets only"],
  ["a mark list without type", { url: "mark://edge/web", cmd: "list" }, 400, '"type"'],
  ["a type where there is none", { ...list, type: "shost" }, 400, '"type"'],
  ["an unknown set", { ...list, url: "prefixset://edge/nowhere" }, 404, "unknown prefix-set edge/nowhere"],
  ["an unknown arena", { url: "arena://core", cmd: "list" }, 404, "unknown arena core"],
  ["an unknown profile", { url: "profile://edge/mail", cmd: "list" }, 404, "unknown profile edge/mail"],
])("%s is refused with the reason", async (_, command, status, reason) => {
  await using emulator = await startEmulator({ state });
  const answer = await fapi(emulator, command);
  expect(answer).toMatchObject({ status, json: { error: expect.stringContaining(reason) } });
  expect(emulator.journal).toMatchObject([{ api: "node", status }]);
});

test("another content type, method or path is refused", async () => {
  await using emulator = await startEmulator({ state });
  expect((await fapi(emulator, list, { "content-type": "text/plain" })).status).toBe(400);
  expect((await fapi(emulator, list, { "content-type": "application/json; charset=utf-8" })).status).toBe(200);
  const { status, headers } = await fetch(`${emulator.endpoint}/fapi`);
  expect([status, headers.get("allow")]).toEqual([405, "POST"]);
  expect((await fetch(`${emulator.endpoint}/fapi/`)).status).toBe(404);
  const withQuery = await fetch(`${emulator.endpoint}/fapi?x=1`, { method: "POST" });
  expect([withQuery.status, await withQuery.text()]).toEqual([404, expect.stringContaining("/fapi takes no query")]);
  expect((await fetch(`${emulator.endpoint}/`)).status).toBe(404);
});

test("further members of a record replace neither its name nor its id", async () => {
  const extra = { id: 9, name: "other", prio: 5 };
  const web = { rules: [{ id: 7, name: "flood", extra }], extra: { name: "other", state: "on" } };
  await using emulator = await startEmulator({ state: { arenas: { edge: { profiles: { web } } } } });
  const [profiles, rules] = await Promise.all(
    ["arena://edge", "profile://edge/web"].map(async (url) => (await fapi(emulator, { url, cmd: "list" })).json),
  );
  expect(profiles).toEqual({ data: [{ name: "web", state: "on" }] });
  expect(rules).toEqual({ data: [{ id: 7, name: "flood", prio: 5 }] });
});
