// @ts-check
import { BATCH } from "./batch.mjs";
import { CALM } from "./calm.mjs";
import { CLIENT } from "./client.mjs";
import { DOORS } from "./doors.mjs";
import { RESOURCES } from "./resources.mjs";
import { ROLLOUT } from "./rollout.mjs";

/** Every planted fault, in the order of the promises. */
export const MUTANTS = [...BATCH, ...CALM, ...CLIENT, ...RESOURCES, ...ROLLOUT, ...DOORS].sort(
  (a, b) => a.promise - b.promise,
);
