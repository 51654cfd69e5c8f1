import { isObject } from "../../model/json";
import { type Element, elements, has, member, type PublishedList } from "./list";

/** Addresses of clouds and of networks that deliver content. */
export const clouds: readonly PublishedList[] = [
  // `ip-ranges.json`: each prefix occurs for `AMAZON` and again for the service that uses it.
  inArrays("AWS", ["prefixes", "ipv6_prefixes"], ["ip_prefix", "ipv6_prefix"]),
  // `cloud.json` with `service` and `scope`, `goog.json` without.
  inArrays("Google", ["prefixes"], ["ipv4Prefix", "ipv6Prefix"]),
  // `ServiceTags_Public.json`: service tags, each with prefixes of both families.
  {
    name: "Azure",
    record: {
      recognises: (members) => has(members, "addressPrefix", "systemService"),
      members: { prefix: ["addressPrefix"] },
    },
    find(root) {
      const tags = elements(root, "values");
      const isThis = tags.some(({ record }) => member(member(record, "properties"), "addressPrefixes"));
      return isThis ? azurePrefixes(tags) : undefined;
    },
  },
  // The answer of the API's `/ips`: arrays of texts below `result`.
  {
    name: "Cloudflare",
    find(root) {
      const result = member(root, "result");
      const isThis = member(result, "ipv4_cidrs") !== undefined || member(result, "ipv6_cidrs") !== undefined;
      if (member(root, "success") === false && Array.isArray(member(root, "errors"))) {
        return "is the answer to a request that failed (success: false): fetch it again.";
      }
      return isThis
        ? ["ipv4_cidrs", "ipv6_cidrs", "jdcloud_cidrs"].flatMap((name) => elements(root, "result", name))
        : undefined;
    },
  },
  // `public-ip-list`: two arrays of texts.
  {
    name: "Fastly",
    find(root) {
      if (!isObject(root) || !has(root, "addresses", "ipv6_addresses")) return undefined;
      return [...elements(root, "addresses"), ...elements(root, "ipv6_addresses")];
    },
  },
  // The answer of the API's `/meta`: texts below the name of each service, beside arrays that hold no prefixes.
  {
    name: "GitHub",
    find(root) {
      if (!isObject(root) || !has(root, "verifiable_password_authentication", "hooks")) return undefined;
      const services = Object.keys(root).filter((name) => name !== "ssh_keys");
      return services.flatMap((service) =>
        elements(root, service).map(({ path, record }) => ({ path, record: { prefix: record, service } })),
      );
    },
  },
  // `public_ip_ranges.json`: regions, each with prefixes that have tags.
  {
    name: "Oracle Cloud",
    find(root) {
      const regions = elements(root, "regions");
      return regions.some(({ record }) => Array.isArray(member(record, "cidrs"))) ? oraclePrefixes(regions) : undefined;
    },
  },
];

/** A list of records that have their prefix in one of some members, in some arrays of the document. */
function inArrays(name: string, arrays: readonly string[], prefix: readonly string[]): PublishedList {
  return {
    name,
    find(root) {
      const found = arrays.flatMap((one) => elements(root, one));
      const isThis = found.some(({ record }) => isObject(record) && prefix.some((one) => has(record, one)));
      return isThis ? found : undefined;
    },
  };
}

/** `service` is another word for `systemService`. */
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

function* oraclePrefixes(regions: Iterable<Element>): Generator<Element, void> {
  for (const { path, record } of regions) {
    for (const inner of elements(record, "cidrs")) {
      const { record: found } = inner;
      const prefix = isObject(found) ? { ...found, region: member(record, "region") } : found;
      yield { path: [...path, ...inner.path], record: prefix };
    }
  }
}
