import { type Element, elements, has, isMembers, member, type PublishedList } from "./list";

const ADDRESSES = /^(ip|range)$/i;

/**
 * Decisions: `value` is the address and never a value of ours. `duration` does not say from when it counts, so that an
 * expiry made of it would be another one at each reading: a decision is there until the list no longer has it.
 */
export const crowdsec: PublishedList = {
  name: "CrowdSec",
  record: {
    recognises: (members) => has(members, "value") && (has(members, "duration") || has(members, "scope")),
    members: { prefix: ["value"], reason: ["reason", "scenario"] },
    refuses: ({ scope }) =>
      scope === undefined || scope === "" || ADDRESSES.test(String(scope))
        ? undefined
        : `is a decision on the scope ${JSON.stringify(scope)}, which has no prefix: set select: { scope: ["Ip", "Range"] }, as the file spells them.`,
  },
  document: {
    // `cscli decisions list --output json` lists alerts, each with its decisions.
    find(root) {
      if (
        !Array.isArray(root) ||
        !root.some((alert) => isMembers(alert) && Array.isArray(member(alert, "decisions")))
      ) {
        return undefined;
      }
      return root.flatMap((alert: unknown, index): Element[] =>
        elements(alert, "decisions").map(({ path, record }) => ({ path: [index, ...path], record })),
      );
    },
  },
};
