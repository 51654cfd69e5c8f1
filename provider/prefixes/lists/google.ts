import { elements, has, member, type PublishedList } from "./list";

/** `cloud.json` with `service` and `scope`, `goog.json` without. */
export const google: PublishedList = {
  name: "Google",
  record: {
    recognises: (members) => has(members, "ipv4Prefix") || has(members, "ipv6Prefix"),
    members: { prefix: ["ipv4Prefix", "ipv6Prefix"] },
  },
  document: {
    find(root) {
      const found = elements(root, "prefixes");
      const isOne = ({ record }: { record: unknown }) =>
        member(record, "ipv4Prefix") !== undefined || member(record, "ipv6Prefix") !== undefined;
      return found.some(isOne) ? found : undefined;
    },
  },
};
