import type { World } from "./simulation";

/** Calls and states of the simulated engine in each run of a scenario, for the comparison with the real one. */
export function recorded({ records, scenario }: World) {
  return records
    .filter(({ turn }) => turn < scenario.turns.length)
    .map(({ turn, run, done, preview }) => ({
      turn,
      stack: run.stack,
      failed: done.errors.length > 0,
      calls: [...(preview && preview !== done ? preview.calls : []), ...done.calls],
      state: done.after.resources.map(({ name, type, id, inputs, outputs, replaced }) => ({
        name,
        type,
        id,
        inputs,
        outputs,
        ...(replaced && { pendingDelete: true }),
      })),
    }));
}
