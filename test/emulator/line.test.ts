import { expect, test } from "vitest";
import { startEmulator } from "../../provider/emulator";
import { Waits } from "../../provider/emulator/time/clock";
import { latencyRange } from "../../provider/emulator/time/duration";
import { Link } from "../../provider/emulator/time/link";
import { control, fapi } from "./calls";

const LIST = { url: "prefixset://edge/blocked", cmd: "list" };
const COMMIT = { url: "prefixset://edge/blocked", cmd: "commit" };

/** A clock whose timers are due at once, and what they were set to. */
function noted() {
  const waited: number[] = [];
  const timer = (run: () => void, ms: number) => {
    waited.push(ms);
    setImmediate(run);
    return () => {};
  };
  return { waited, wall: { now: () => 0, elapsed: () => 0, timer } };
}

test("waits are drawn from a range by the seed, and again after a reset", async () => {
  const { waited, wall } = noted();
  // Without marks, which have a history that waits, too.
  const state = { arenas: { edge: { sets: { blocked: {} } } } };
  await using emulator = await startEmulator({ wall, state, seed: 7, latency: "5ms..40ms", commitLatency: "1s..2s" });
  const five = async () => {
    waited.length = 0;
    for (const command of [LIST, LIST, COMMIT, LIST, COMMIT]) await fapi(emulator, command);
    return [...waited];
  };
  const first = await five();
  const after = await five();
  expect(first.map((ms) => (ms >= 1_005 && ms <= 2_040 ? "commit" : ms >= 5 && ms <= 40 ? "list" : ms))).toEqual([
    "list",
    "list",
    "commit",
    "list",
    "commit",
  ]);
  expect(new Set([...first, ...after]).size).toBe(10);
  emulator.reset();
  expect(await five()).toEqual(first);
});

test("a request and each part of its answer take the time of that bandwidth", async () => {
  const { waited, wall } = noted();
  const none = latencyRange(0);
  const options: ConstructorParameters<typeof Link>[0] = {
    latency: none,
    commitLatency: none,
    bandwidth: 1_000_000,
    seed: 1,
  };
  const link = new Link(options, new Waits(wall), () => 0);
  await link.arrival(5_000, false);
  const answer = link.answer();
  for (let part = 0; part < 3; part += 1) await answer?.(16_000);
  expect(waited).toEqual([5, 16, 32, 48]);
  const slow = noted();
  const entries = Object.fromEntries(Array.from({ length: 3_000 }, (_, at) => [`10.0.${at >> 8}.${at & 255}/32`, 1]));
  await using emulator = await startEmulator({
    wall: slow.wall,
    bandwidth: "100kB/s",
    state: { arenas: { edge: { sets: { blocked: entries } } } },
  });
  const { json } = await fapi(emulator, LIST);
  expect(json).toMatchObject({ data: { length: 3_000 } });
  const [request = 0, ...parts] = slow.waited;
  expect(request).toBeCloseTo(JSON.stringify(LIST).length / 100);
  expect(parts.length).toBeGreaterThan(5);
  expect(parts.at(-1)).toBeCloseTo((emulator.journal[0]?.answerBytes ?? 0) / 100);
});

test.each([
  [{ latency: "40ms..5ms" }, /latency.*shorter duration first/],
  [{ latency: "5..10ms" }, /latency.*not a duration/],
  [{ bandwidth: "10 MB" }, /bandwidth.*10MB\/s/],
  [{ bandwidth: 0 }, /bandwidth/],
])("%j is refused", async (options, why) => {
  await expect(startEmulator(options)).rejects.toThrow(why);
});

test("durations are a histogram in the metrics, by operation and status", async () => {
  let elapsed = 0;
  const timer = (run: () => void, ms: number) => {
    elapsed += ms;
    setImmediate(run);
    return () => {};
  };
  const wall = { now: () => 0, elapsed: () => elapsed, timer };
  await using emulator = await startEmulator({ wall, latency: "4ms", commitLatency: "300ms" });
  for (const command of [LIST, LIST, COMMIT]) await fapi(emulator, command);
  const { text } = await control(emulator, "GET", "/metrics");
  const name = "packetfilter_emulator_request_duration_seconds";
  const lines = text.split("\n").filter((line) => line.includes(name));
  expect(lines[1]).toBe(`# TYPE ${name} histogram`);
  const list = `api="node",operation="list",status="200"`;
  expect(lines.filter((line) => line.includes(list)).slice(1, 4)).toEqual([
    `${name}_bucket{${list},le="0.0025"} 0`,
    `${name}_bucket{${list},le="0.005"} 2`,
    `${name}_bucket{${list},le="0.01"} 2`,
  ]);
  expect(lines.slice(-3)).toEqual([
    `${name}_bucket{api="node",operation="commit",status="200",le="+Inf"} 1`,
    `${name}_sum{api="node",operation="commit",status="200"} 0.304`,
    `${name}_count{api="node",operation="commit",status="200"} 1`,
  ]);
});
