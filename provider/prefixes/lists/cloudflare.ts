import { elements, member, type PublishedList } from "./list";

/** The answer of the API's `/ips`: two arrays of texts below `result`. */
export const cloudflare: PublishedList = {
  name: "Cloudflare",
  document: {
    find(root) {
      const result = member(root, "result");
      const isThis = member(result, "ipv4_cidrs") !== undefined || member(result, "ipv6_cidrs") !== undefined;
      if (member(root, "success") === false && Array.isArray(member(root, "errors"))) {
        return "is the answer to a request that failed (success: false): fetch it again.";
      }
      return isThis
        ? [...elements(root, "result", "ipv4_cidrs"), ...elements(root, "result", "ipv6_cidrs")]
        : undefined;
    },
  },
};
