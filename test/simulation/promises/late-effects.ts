import type { Promised } from "./promise";

/** A run that nothing disturbs sees the effect of its own commit, however late it comes: it does not fail, and leaves nothing open. */
export const lateEffects: Promised = {
  number: 3,
  name: "state is true",
  judge: ({ record: { done, isCalm } }) =>
    // What others had staged may take the place of what the run sent.
    isCalm && !done.printed.some((line) => line.includes("did not send"))
      ? done.errors
          .filter((error) => error.includes("committed, but after"))
          .map((error) => `an undisturbed run does not wait for its commit: ${error}`)
      : [],
};
