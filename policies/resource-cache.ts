import { type Resource, type ResourceMeta, readResource } from "./resources";

/**
 * Resources as they were read last. `@pulumi/policy` hands every policy its own copy of the properties: with the same
 * content the resource is not read again, so that twenty rules read 10 000 entries once.
 */
export class ResourceCache {
  private readonly known = new Map<string, { readonly properties: unknown; readonly resource: Resource }>();

  read(meta: ResourceMeta, properties: Readonly<Record<string, unknown>>): Resource {
    const last = this.known.get(meta.urn);
    if (last && last.resource.meta.protect === meta.protect && isSame(last.properties, properties))
      return last.resource;
    const resource = readResource(meta, properties);
    if (this.known.size >= MAX_RESOURCES) this.known.clear();
    this.known.set(meta.urn, { properties, resource });
    return resource;
  }
}

const MAX_RESOURCES = 10_000;

/** Equality of plain JSON values. */
function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const left = a as Record<string, unknown>;
  const right = b as Record<string, unknown>;
  let count = 0;
  for (const key in left) {
    count++;
    if (!isSame(left[key], right[key])) return false;
  }
  for (const _ in right) count--;
  return count === 0;
}
