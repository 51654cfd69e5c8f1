import { isObject } from "../../model/json";
import { type Element, elements, has, member, type PublishedList } from "./list";

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

/** `ServiceTags_Public.json`: service tags, each with prefixes of both families. `service` is another word for `systemService`. */
export const azure: PublishedList = {
  name: "Azure",
  record: {
    recognises: (members) => has(members, "addressPrefix", "systemService"),
    members: { prefix: ["addressPrefix"] },
  },
  document: {
    find(root) {
      const tags = elements(root, "values");
      return tags.some(({ record }) => member(member(record, "properties"), "addressPrefixes"))
        ? azurePrefixes(tags)
        : undefined;
    },
  },
};

function* azurePrefixes(tags: Iterable<Element>): Generator<Element, void> {
  for (const { path, record } of tags) {
    const properties = member(record, "properties");
    const systemService = member(properties, "systemService");
    const tag = {
      name: member(record, "name"),
      service: systemService,
      systemService,
      region: member(properties, "region"),
    };
    for (const inner of elements(properties, "addressPrefixes")) {
      yield { path: [...path, "properties", ...inner.path], record: { addressPrefix: inner.record, ...tag } };
    }
  }
}

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

/** The answer of the API's `/meta`: texts below the name of each service, beside arrays that hold no prefixes. */
export const github: PublishedList = {
  name: "GitHub",
  document: {
    find(root) {
      if (!isObject(root) || !has(root, "verifiable_password_authentication", "hooks")) return undefined;
      const services = Object.keys(root).filter((name) => name !== "ssh_keys");
      return services.flatMap((service) =>
        elements(root, service).map(({ path, record }) => ({ path, record: { prefix: record, service } })),
      );
    },
  },
};

/** `public-ip-list`: two arrays of texts. */
export const fastly: PublishedList = {
  name: "Fastly",
  document: {
    find(root) {
      if (!isObject(root) || !has(root, "addresses", "ipv6_addresses")) return undefined;
      return [...elements(root, "addresses"), ...elements(root, "ipv6_addresses")];
    },
  },
};

/** `public_ip_ranges.json`: regions, each with prefixes that have tags. */
export const oracle: PublishedList = {
  name: "Oracle Cloud",
  document: {
    find(root) {
      const regions = elements(root, "regions");
      return regions.some(({ record }) => Array.isArray(member(record, "cidrs"))) ? oraclePrefixes(regions) : undefined;
    },
  },
};

function* oraclePrefixes(regions: Iterable<Element>): Generator<Element, void> {
  for (const { path, record } of regions) {
    for (const inner of elements(record, "cidrs")) {
      const { record: found } = inner;
      const prefix = isObject(found) ? { ...found, region: member(record, "region") } : found;
      yield { path: [...path, ...inner.path], record: prefix };
    }
  }
}
