import { equal, type ListedMap } from "../../model/prefix-map";
import type { SetState } from "../prefix-set/state";
import type { KnownPrefixes } from "../set-plan";

/**
 * True if a node's list differs from the state. A node that the group never wrote has no state: there any entry counts that
 * no other resource of the deployment owns. With `exclusive: false` only known or wanted entries count, since others write too.
 */
export function isStray(
  observed: ListedMap,
  {
    before,
    wanted,
    owned,
  }: { before: SetState | undefined; wanted: Pick<SetState, "entries" | "exclusive">; owned: KnownPrefixes },
): boolean {
  const known = before?.entries ?? new Map();
  if (before?.exclusive) return !equal(observed, known);
  const isOurs = wanted.exclusive && !before;
  const isLost = [...known].some(([prefix, value]) => observed.get(prefix) !== value);
  const isPut = [...observed].some(
    ([prefix, value]) =>
      !known.has(prefix) &&
      (isOurs || wanted.entries.get(prefix) === value) &&
      (before !== undefined || !owned.has(prefix)),
  );
  return isLost || isPut;
}
