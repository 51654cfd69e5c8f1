import { expect, test } from "vitest";
import { Ending, OutOfTime } from "../../provider/probe/asking/ending";
import { TIMING } from "../../provider/probe/timing";
import { atOnce } from "./at-once";

const MINUTE = 60_000;

test("a wait of the clean-up ends with its time, a whole time-out before the minute is over", async () => {
  const world = atOnce();
  const ending = new Ending(world, 15 * MINUTE);
  ending.clean(10_000);
  await ending.sleep(40_000, true);
  await expect(ending.sleep(10 * MINUTE, true)).rejects.toThrow(OutOfTime);
  expect(world.monotonic()).toBeLessThanOrEqual(TIMING.mostCleanUp - 10_000 + 1);
});

test("the whole run has a bound, by which the clean-up is not ended", async () => {
  const world = atOnce();
  const ending = new Ending(world, 15 * MINUTE);
  await ending.sleep(15 * MINUTE, false);
  await expect(ending.sleep(1, false)).rejects.toThrow("it took longer than 15 min");
  ending.clean(10_000);
  await ending.sleep(MINUTE / 2, true);
});
