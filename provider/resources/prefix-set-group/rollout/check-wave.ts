import { pause } from "../../../client/clock";
import type { Check } from "./arguments";
import { runCommand } from "./command-check";
import { HttpCheck, REQUEST_MS } from "./http-check";
import type { CheckedWave, CheckWorld, Unpassed } from "./wave-check";

/** Milliseconds between two tries of a check. */
const AGAIN_MS = 5_000;

/** One try; returns the failure, if it did not pass. @param left Milliseconds that it may take. */
type Try = (left: number) => Promise<Unpassed | undefined>;

/** Runs the check of a wave until it passes or its time is over. */
export async function checkWave(
  surroundings: CheckWorld,
  check: Check,
  { nodes, set, timeoutMs, isOnce = false, asksAll = !isOnce }: CheckedWave,
): Promise<Unpassed | undefined> {
  const { world, signal } = surroundings;
  const { command } = check;
  const http = command === undefined ? new HttpCheck(check, nodes, { world, signal }) : undefined;
  const run = async (left: number) => {
    const reason = await runCommand(command ?? [], { ...surroundings, nodes, set, left });
    return reason === undefined ? undefined : { nodes, reason };
  };
  const attempt: Try = (left) => http?.attempt(asksAll ? left : Math.min(left, REQUEST_MS)) ?? run(left);
  const end = world.monotonic() + timeoutMs;
  try {
    for (;;) {
      const unpassed = await attempt(Math.max(1, end - world.monotonic()));
      if (unpassed === undefined || isOnce || signal.aborted) return unpassed;
      if (world.monotonic() + AGAIN_MS > end) return unpassed;
      await pause(world, AGAIN_MS, signal);
      if (signal.aborted) return unpassed;
    }
  } finally {
    await http?.close();
  }
}
