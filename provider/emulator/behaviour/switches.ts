import { LIST_SWITCHES } from "./list-switches";
import { REFUSAL_SWITCHES } from "./refusal-switches";
import { SIGNALING_SWITCHES } from "./signaling-switches";
import type { Switch } from "./switch";
import { WRITE_SWITCHES } from "./write-switches";

/**
 * Every open point of the contract as a switch. The first option is the default. Nothing here is a vendor's behaviour;
 * each is what some node could do without breaking the contract.
 */
export const SWITCHES = {
  ...LIST_SWITCHES,
  ...REFUSAL_SWITCHES,
  ...WRITE_SWITCHES,
  ...SIGNALING_SWITCHES,
} satisfies Record<string, Switch>;
