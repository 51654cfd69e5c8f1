import { requestsOf } from "./model";
import { isOfColleague } from "./no-exposure";
import type { Promised } from "./promise";

/** Nothing is removed or stopped while the processes of a deployment cannot share what they want. */
export const oneRegistry: Promised = {
  number: 14,
  name: "one registry per deployment",
  judge: ({ world, record: { run, done } }) => {
    if (!run.isDeaf) return [];
    return [...world.machines.keys()].flatMap((machine) =>
      requestsOf(world, done, machine).flatMap(({ commit, op, data = [], url = "", index }) => {
        const removed = Object.keys(commit?.removed ?? {}).filter(
          (prefix) => !isOfColleague(world, machine, index, url, prefix),
        );
        return [...removed, ...(op === "stop" ? data.map(String) : [])].map(
          (prefix) => `request ${index} to ${machine} takes ${prefix} away, and the other processes cannot be asked`,
        );
      }),
    );
  },
};
