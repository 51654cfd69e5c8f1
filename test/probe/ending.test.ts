import { expect, test } from "vitest";
import { Ending, OutOfTime } from "../../provider/probe/asking/ending";
import { exitCode } from "../../provider/probe/finding";
import { TIMING } from "../../provider/probe/timing";
import { startShapedNode } from "../support/shaped-node";
import { NODES } from "./appliances/nodes";
import { probed, startAppliance, startDrawn } from "./appliances/probing";
import { RECEIVERS } from "./appliances/receivers";
import { atOnce, probedSet } from "./at-once";
import { probed as probedNode, SET, startNode, TOKEN, worldOf } from "./support";

const MINUTE = 60_000;

test("a wait of the clean-up ends with its time", async () => {
  const world = atOnce();
  const ending = new Ending(world, 15 * MINUTE);
  ending.clean();
  await ending.sleep(40_000);
  await expect(ending.sleep(10 * MINUTE)).rejects.toThrow(OutOfTime);
  expect(world.monotonic()).toBe(TIMING.mostCleanUp);
});

test("the whole run has a bound, by which the clean-up is not ended", async () => {
  await using appliance = await startAppliance("text");
  const world = appliance.world();
  const { stopped, left } = await probed(appliance, { limits: { wholeMs: MINUTE / 2 }, world });
  expect({ stopped, left }).toEqual({ stopped: "it took longer than 0.5 min", left: [] });
  expect({ held: appliance.held("edge/probe"), signaled: appliance.signaled() }).toEqual({ held: {}, signaled: [] });
  expect(world.monotonic?.()).toBeLessThanOrEqual(MINUTE / 2 + TIMING.mostCleanUp);
});

test.each([20, 60])(
  "a node that is silent from request %i on, and a time-out of five minutes: the clean-up ends within a minute all the same",
  async (nth) => {
    const timers = new Map<() => void, number>();
    let hung: number | undefined;
    await using emulator = await startNode({}, { onRequest: (count) => count >= nth && expire() });
    const world = worldOf(emulator);
    const after = (ms: number, run: () => void) => {
      timers.set(run, ms);
      return () => timers.delete(run);
    };
    /** The time-outs of all that waits are over. */
    const expire = () => {
      hung ??= emulator.clock.ms;
      for (const [run, ms] of timers) {
        emulator.clock.advance(ms);
        run();
      }
    };
    emulator.fail({ kind: "silence", nth, times: 100_000 });
    const node = { endpoint: emulator.endpoint, headers: { authorization: `Bearer ${TOKEN}` }, timeoutMs: 5 * MINUTE };
    const { stopped } = await probedNode(emulator, { node, world: { ...world, after } });
    expect(stopped).toContain("no answer within 300 s");
    expect(emulator.clock.ms - (hung ?? 0)).toBeLessThanOrEqual(5 * MINUTE + TIMING.mostCleanUp);
  },
);

test("three answers in a row that cannot be read, where a known good one was, end the probe, which cleans up first", async () => {
  const kind = { ...NODES.cookie, expiresAt: 40, refused: () => ({ body: '{"rc":401}' }) };
  await using appliance = await startDrawn({ node: kind, receiver: RECEIVERS.plain });
  const result = await probed(appliance);
  expect(result.stopped).toBe('3 lists in a row cannot be read, the last one: {"rc":401}');
  expect(result.findings.at(-1)).toMatchObject({ found: "skipped", node: "the probe ended before" });
  const [set] = result.left;
  expect(Object.keys(appliance.held("edge/probe")).filter((prefix) => !set?.prefixes.includes(prefix))).toEqual([]);
  expect(exitCode(result)).toBe(5);
  // Those of the clean-up included, which tries for a minute.
  expect(appliance.requests).toBeLessThan(150);
});

test("what is left is said with the node's last refusal, though time was what ended the clean-up", async () => {
  await using node = await startShapedNode({ [SET]: {} }, { refuses: ({ a }) => a !== undefined });
  const { left } = await probedSet(node);
  const [set] = left;
  expect(set?.prefixes.toSorted()).toEqual([...(node.sets.get(SET)?.keys() ?? [])].toSorted());
  expect(set?.remedy).toContain('Its last refusal: delete: HTTP 400 {"error":"refused"}.');
});
