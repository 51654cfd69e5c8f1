import type { Runtime } from "../../deployment/runtime";
import { attempt } from "../../model/errors";
import type { SetState } from "../prefix-set/state";
import { ResourceSet } from "../resource-set";
import type { GroupInputs, GroupState } from "./state";

/** The state, with what a killed run sent to its nodes: the same object if there is none. @param inputs The program, if it is known. */
export function recalled(runtime: Runtime, state: GroupState, inputs: GroupInputs | undefined): GroupState {
  const found = new Map<string, SetState>();
  runtime.notices.fold(() => {
    for (const [node, endpoint] of state.endpoints) {
      const held = state.of(node);
      // A node that left the configuration is reported when it is needed.
      const set = attempt(() => ResourceSet.open(runtime, held));
      const now = set?.endpoint === endpoint ? set.recall(held, inputs?.of(node).entries) : held;
      if (now !== held) found.set(node, now);
    }
  });
  if (found.size === 0) return state;
  return { ...state, isEven: false, of: (node) => found.get(node) ?? state.of(node) };
}
