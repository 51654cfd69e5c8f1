import { type Element, elements, has, member, type PublishedList } from "./list";

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
        ? prefixes(tags)
        : undefined;
    },
  },
};

function* prefixes(tags: Iterable<Element>): Generator<Element, void> {
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
