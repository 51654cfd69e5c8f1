import type { RemovalRule } from "../batch/removal-budget";
import { ALWAYS_ALLOWED_REMOVALS } from "./rails";
import type { Settings } from "./settings";

/**
 * `packetfilter:maxRemovals` for one set: single entries and deleted resources count as well, which the argument of a
 * `PrefixSet` cannot see.
 */
export function removalRule(settings: () => Settings, url: string, label: string): RemovalRule {
  return {
    limit(size) {
      const { maxRemovals, liftsRemovals } = settings();
      if (maxRemovals === undefined || liftsRemovals(url)) return undefined;
      return Math.max(ALWAYS_ALLOWED_REMOVALS, maxRemovals.of(size));
    },
    refuse: ({ removals, size, limit }) =>
      `Set ${label}: nothing more is removed. This deployment would remove at least ${removals} of the ${size} entries that the set held when it began, more than packetfilter:maxRemovals (${settings().maxRemovals?.text}, here ${limit}) allows. If that is meant, raise it, or run once with PACKETFILTER_ALLOW_REMOVALS=${url}.`,
  };
}
