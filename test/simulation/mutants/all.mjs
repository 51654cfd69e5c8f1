// @ts-check
import { BATCH } from "./batch.mjs";
import { CALM } from "./calm.mjs";
import { CLIENT } from "./client.mjs";
import { CORNER_LEAVERS } from "./corner-leavers.mjs";
import { CORNER_LIMITS } from "./corner-limits.mjs";
import { CORNER_RECEIVERS } from "./corner-receivers.mjs";
import { CORNER_VALUES } from "./corner-values.mjs";
import { DOORS } from "./doors.mjs";
import { RESOURCES } from "./resources.mjs";
import { ROLLOUT } from "./rollout.mjs";

/** Every planted fault, in the order of the promises. */
export const MUTANTS = [
  ...[...BATCH, ...CALM, ...CLIENT, ...RESOURCES, ...ROLLOUT, ...DOORS],
  ...[...CORNER_LIMITS, ...CORNER_VALUES, ...CORNER_LEAVERS, ...CORNER_RECEIVERS],
].sort((a, b) => a.promise - b.promise);
