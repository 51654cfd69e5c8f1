import { isMutating, requestsOf } from "./model";
import type { Promised } from "./promise";

/** A run whose check fails has sent nothing that changes anything; a program that just obeys a limit passes, and so does its run. */
export const mistakesFailEarly: Promised = {
  number: 8,
  name: "mistakes fail in the preview",
  judge: ({ world, record: { done, preview, run } }) => {
    if (run.isSound)
      return done.errors.map((error) => `the ${done.isPreview ? "preview" : "run"} of a sound program fails: ${error}`);
    if (!run.isMistake) return [];
    const failed = (preview?.errors.length ?? 0) > 0;
    const sent = [...world.machines.keys()].flatMap((machine) => requestsOf(world, done, machine).filter(isMutating));
    return [
      ...(failed ? [] : ["the preview of a program with a mistake succeeds"]),
      ...sent.map(({ cmd, op, index }) => `request ${index}: ${cmd ?? op} for a program with a mistake`),
    ];
  },
};
