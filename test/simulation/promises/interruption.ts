import type { Promised } from "./promise";

/** Virtual milliseconds from Ctrl-C to the end of a run: what is under way has its own deadline, and nothing is waited for beyond it. */
const IN_TIME_MS = 90_000;

/** Every run obeys the first Ctrl-C: pauses and checks of a rollout end at once. */
export const obeysCtrlC: Promised = {
  number: 17,
  name: "every run obeys the first Ctrl-C",
  judge: ({ record: { done } }) => {
    if (done.cancelledAt === undefined) return [];
    const took = done.ended - done.cancelledAt;
    return took > IN_TIME_MS ? [`the run ends ${took} ms after Ctrl-C`] : [];
  },
};
