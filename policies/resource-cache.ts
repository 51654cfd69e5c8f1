import { type Resource, type ResourceMeta, readResources } from "./resources";
import type { Rule } from "./rule";

/**
 * The resources that were read last. `@pulumi/policy` gives every policy its own copy of the properties, and runs all
 * policies on one resource before the next. The first policy thus reads 10 000 entries, and the others share the result. A
 * second request of one policy begins a new round. Comparing the copies would cost more than all rules together.
 */
export class ResourceCache {
  private readonly known = new Map<string, { readonly resources: readonly Resource[]; readonly readers: Set<Rule> }>();

  read(meta: ResourceMeta, properties: Readonly<Record<string, unknown>>, reader: Rule): readonly Resource[] {
    const last = this.known.get(meta.urn);
    if (last && !last.readers.has(reader)) {
      last.readers.add(reader);
      return last.resources;
    }
    const resources = readResources(meta, properties);
    if (this.known.size >= MAX_RESOURCES) this.known.clear();
    this.known.set(meta.urn, { resources, readers: new Set([reader]) });
    return resources;
  }
}

const MAX_RESOURCES = 10_000;
