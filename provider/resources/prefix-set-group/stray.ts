import { equal, type ListedMap } from "../../model/prefix-map";
import type { SetState } from "../prefix-set/state";
import type { KnownPrefixes } from "../set-plan";

/**
 * True where a node holds otherwise than the state says, by the list of its set. Of a node that the group has not written so far
 * the state says nothing: there it is any entry that no other resource of the deployment put there. With `exclusive: false`
 * others write, too, and only what is known or wanted counts.
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
