import { elements, has, type PublishedList } from "./list";

/** `ip-ranges.json`: each prefix comes once for `AMAZON` and again for the service that uses it. */
export const aws: PublishedList = {
  name: "AWS",
  record: {
    recognises: (members) => has(members, "ip_prefix") || has(members, "ipv6_prefix"),
    members: { prefix: ["ip_prefix", "ipv6_prefix"] },
  },
  document: {
    find(root) {
      const found = [...elements(root, "prefixes"), ...elements(root, "ipv6_prefixes")];
      return found.some(({ record }) => Object(record).ip_prefix || Object(record).ipv6_prefix) ? found : undefined;
    },
  },
};
