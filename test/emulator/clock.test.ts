import { expect, test, vi } from "vitest";
import { systemWall, VirtualClock } from "../../provider/emulator/time/clock";
import { milliseconds } from "../../provider/emulator/time/duration";
import { wallByHand } from "./wall-by-hand";

test("virtual time runs with real time, and what is planned happens in time", () => {
  const wall = wallByHand(1_000);
  const clock = new VirtualClock(wall);
  const seen: [string, number][] = [];
  clock.after(300, () => seen.push(["late", clock.ms]));
  clock.after(100, () => seen.push(["early", clock.ms]));
  const cancel = clock.after(200, () => seen.push(["never", clock.ms]));
  cancel();
  wall.pass(250);
  expect(seen).toEqual([["early", 1_100]]);
  wall.pass(250);
  expect(seen).toEqual([
    ["early", 1_100],
    ["late", 1_300],
  ]);
});

test("a jump carries out all that falls into it, in order, each at its time", () => {
  const clock = new VirtualClock(wallByHand(1_000));
  const seen: [string, number][] = [];
  const again = () => {
    seen.push(["again", clock.ms]);
    clock.after(1_000, again);
  };
  clock.after(1_000, again);
  clock.after(1_500, () => seen.push(["once", clock.ms]));
  clock.advance("3s");
  expect(seen).toEqual([
    ["again", 2_000],
    ["once", 2_500],
    ["again", 3_000],
    ["again", 4_000],
  ]);
  expect(clock.ms).toBe(4_000);
});

test("a frozen clock stands still, jumps when told, and runs on from where it stands", () => {
  const wall = wallByHand(1_000);
  const clock = new VirtualClock(wall);
  const seen: number[] = [];
  clock.freeze("2026-12-01T00:00:00Z");
  clock.after(100, () => seen.push(clock.ms));
  wall.pass(10_000);
  expect([clock.now.toISOString(), clock.frozen, seen]).toEqual(["2026-12-01T00:00:00.000Z", true, []]);
  clock.advance(50);
  expect(clock.frozen).toBe(true);
  clock.resume();
  wall.pass(49);
  expect(seen).toEqual([]);
  wall.pass(1);
  expect(seen).toEqual([Date.UTC(2026, 11, 1) + 100]);
});

test("the machine's timer waits longer than one of JavaScript can", () => {
  vi.useFakeTimers();
  try {
    const seen: string[] = [];
    systemWall.timer(() => seen.push("due"), milliseconds("60d"));
    const cancel = systemWall.timer(() => seen.push("never"), milliseconds("60d"));
    vi.advanceTimersByTime(milliseconds("59d"));
    expect(seen).toEqual([]);
    cancel();
    vi.advanceTimersByTime(milliseconds("1d"));
    expect(seen).toEqual(["due"]);
  } finally {
    vi.useRealTimers();
  }
});

test("after a restart it is real time, with nothing planned", () => {
  const wall = wallByHand(1_000);
  const clock = new VirtualClock(wall);
  const seen: number[] = [];
  clock.advance("1h");
  clock.after(10, () => seen.push(clock.ms));
  clock.freeze();
  clock.restart();
  wall.pass(100);
  expect([clock.ms, clock.frozen, seen]).toEqual([1_100, false, []]);
});

test("durations are numbers of milliseconds or texts with a unit", () => {
  expect(["10ms", "1.5s", "2m", "1h", "1d", 7].map(milliseconds)).toEqual([
    10, 1_500, 120_000, 3_600_000, 86_400_000, 7,
  ]);
  expect(["9m59s", "1h30m", "1d1h1m1s1ms", "1m0.5s"].map(milliseconds)).toEqual([
    599_000, 5_400_000, 90_061_001, 60_500,
  ]);
  for (const wrong of [
    "",
    "1",
    "1w",
    "-1s",
    "1 s",
    "59s9m",
    "1s1s",
    "1m30",
    "9m 59s",
    "1.2.3s",
    ".s",
    -1,
    Number.NaN,
    Infinity,
  ]) {
    expect(() => milliseconds(wrong)).toThrow(/duration/);
  }
  expect(() => new VirtualClock().freeze("soon")).toThrow(/not a time/);
});

test("a changed machine date moves neither virtual time nor plans; a restart takes it", () => {
  const machine = wallByHand(1_000);
  let set = 0;
  const clock = new VirtualClock({ ...machine, now: () => machine.now() + set, elapsed: machine.elapsed });
  const seen: number[] = [];
  clock.after(100, () => seen.push(clock.ms));
  set = -3_600_000;
  machine.pass(99);
  expect([clock.ms, ...seen]).toEqual([1_099]);
  machine.pass(1);
  expect([clock.ms, ...seen]).toEqual([1_100, 1_100]);
  set = 3_600_000;
  expect(clock.ms).toBe(1_100);
  clock.restart();
  expect(clock.ms).toBe(3_601_100);
});
