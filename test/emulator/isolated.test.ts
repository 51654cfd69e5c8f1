import { expect, test } from "vitest";
import { connectEmulator, startEmulator } from "../../provider/emulator";
import { IdleWatch } from "../../provider/emulator/time/idle-watch";
import { BLOCKED, commit, control, fapi, list } from "./calls";

const state = { arenas: { edge: { sets: { blocked: { "192.0.2.0/24": 1 } } } } };
const insert = { url: BLOCKED, cmd: "insert", data: [{ p: "203.0.113.0/24", v: 1 }] };
const both = { "192.0.2.0/24": 1, "203.0.113.0/24": 1 };

test("tests that share an emulator each have one of their own in it, which nothing of the others reaches", async () => {
  await using shared = await startEmulator({ state, auth: { bearer: "node-token" } });
  shared.setDialect("verbose");
  const client = await connectEmulator(shared.control);
  const headers = { authorization: "Bearer node-token" };
  const one = await client.isolated({ label: "one" });
  await using other = await client.isolated({
    label: "other / two",
    state: { arenas: { edge: { sets: { blocked: {} } } } },
  });
  expect(new Set([shared, one, other].flatMap(({ endpoint, control }) => [endpoint, control])).size).toBe(6);

  expect(await one.dialect).toEqual(shared.dialect);

  await one.fail({ kind: "restart", delay: "1m" });
  await one.clock.freeze("2026-12-01T00:00:00Z");
  for (const { endpoint } of [shared, other]) {
    await fapi({ endpoint }, insert, headers);
    expect((await fapi({ endpoint }, commit, headers)).status).toBe(200);
  }
  await expect(fapi(one, list, headers)).rejects.toThrow("fetch failed");
  await client.reset();
  expect([
    shared.prefixSet(BLOCKED).applied,
    (await one.prefixSet(BLOCKED)).applied,
    (await other.prefixSet(BLOCKED)).applied,
  ]).toEqual([state.arenas.edge.sets.blocked, state.arenas.edge.sets.blocked, { "203.0.113.0/24": 1 }]);
  await other.expectRequests({ run: "other / two" }, 2);
  await one.expectRequests({}, 1);
  expect(shared.journal).toEqual([]);

  // Each ends with its label, by its client, by its own port, or with the shared one.
  expect((await control(shared, "GET", "/emulators")).json).toEqual(
    [one, other].map(({ endpoint, control }, at) => ({ label: ["one", "other / two"][at], endpoint, control })),
  );
  expect((await control(shared, "DELETE", "/emulators/one")).status).toBe(200);
  expect((await control(shared, "DELETE", "/emulators/one")).status).toBe(404);
  await expect(one.info()).rejects.toThrow("no answer");
  await one.close();
  const again = await client.isolated({ label: "one" });
  await control(shared, "POST", "/stop");
  await shared.closed;
  await expect(again.info()).rejects.toThrow("no answer");
});

test("one in the same process is an emulator like any other; its label is its own while it runs", async () => {
  await using shared = await startEmulator({ state });
  const own = await shared.isolated({ label: "here", dialect: { listEnvelope: "array" } });
  await fapi(own, insert);
  await fapi(own, commit);
  expect(own.prefixSet(BLOCKED).applied).toEqual(both);
  own.expectRequests({ run: "here", cmd: "commit" }, 1);
  await expect(shared.isolated({ label: "here" })).rejects.toThrow(
    'An isolated emulator "here" is already running: use another label, set `replace: true`, or end that one first (DELETE /emulators/here).',
  );
  const misspelt = { label: "there", stat: state } as { label: string };
  await expect(shared.isolated(misspelt)).rejects.toThrow('isolated(): there is no "stat"; did you mean "state"?');
  expect((await control(shared, "POST", "/emulators", { label: "" })).status).toBe(400);
  await own.close();
  expect((await control(shared, "GET", "/emulators")).json).toEqual([]);
  await (await shared.isolated({ label: "here" })).close();
});

test("one that is still starting ends with the shared one, and none starts after it", async () => {
  const shared = await startEmulator({ state });
  const starting = shared.isolated({ label: "late" });
  await shared.close();
  await expect(fapi(await starting, list)).rejects.toThrow("fetch failed");
  await expect(shared.isolated({ label: "too late" })).rejects.toThrow("This emulator has ended");
});

test("one whose client has died ends by itself, and its label may be taken over before", async () => {
  await using shared = await startEmulator({ state });
  const labels = async () => {
    const { json } = await control(shared, "GET", "/emulators");
    return (json as { label: string }[]).map(({ label }) => label);
  };
  const post = async (body: object) => control(shared, "POST", "/emulators", body);
  const first = await shared.isolated({ label: "file-7", idleMs: 600_000 });
  expect((await post({ label: "file-7" })).status).toBe(400);
  expect((await post({ label: "file-7", replace: true })).status).toBe(200);
  await first.closed;
  expect(await labels()).toEqual(["file-7"]);
  // What cannot start ends nothing.
  expect((await post({ label: "file-7", replace: true, dialect: "dutch" })).status).toBe(400);
  expect(await labels()).toEqual(["file-7"]);
  const clients = [
    { clientId: "a", secretKey: "s", prefixes: ["192.0.2.0/24"], arena: "moon", idleProfile: "x", activeProfile: "y" },
  ];
  expect((await post({ label: "file-7", replace: true, state: { signaling: { clients } } })).status).toBe(400);
  expect(await labels()).toEqual(["file-7"]);
  // Of two at once, the later one stays.
  const replacing = { label: "file-7", replace: true };
  const [earlier] = await Promise.all([shared.isolated(replacing), shared.isolated(replacing)]);
  await earlier.closed;
  expect(await labels()).toEqual(["file-7"]);
  const idle = await shared.isolated({ label: "file-7", replace: true, idleMs: 1 });
  await idle.closed;
  expect(await labels()).toEqual([]);
  for (const idleMs of [-1, 1.5, "5s", null]) {
    const { status, json } = await post({ label: "wrong", idleMs });
    expect([status, JSON.stringify(json)]).toEqual([400, expect.stringContaining("idleMs")]);
  }
});

test("idle time begins when the last request has ended", () => {
  const timers: { ms: number; run: () => void }[] = [];
  const after = (run: () => void, ms: number) => {
    const timer = { ms, run };
    timers.push(timer);
    return () => void timers.splice(timers.indexOf(timer), 1);
  };
  let ends = 0;
  const watch = new IdleWatch(600, () => ends++, after);
  expect(timers.map(({ ms }) => ms)).toEqual([600]);
  const [one, other] = [watch.begin(), watch.begin()];
  one();
  expect(timers).toEqual([]);
  other();
  timers[0]?.run();
  expect([ends, timers]).toEqual([1, []]);
  watch.begin()();
  expect(timers).toEqual([]);
});
