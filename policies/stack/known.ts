import { NotConfigured } from "../not-configured";
import { NotYetKnown } from "../not-yet-known";
import type { Resource } from "../resources";
import type { LeftOut } from "../rule";

/**
 * Reads a value of each resource. A resource whose value is not known or not configured is left out and reported; the
 * others are judged.
 */
export function known<R extends Resource, T>(
  resources: readonly R[],
  read: (resource: R) => T,
): { readonly values: readonly T[]; readonly leftOut: readonly LeftOut[] } {
  const values: T[] = [];
  const leftOut: LeftOut[] = [];
  for (const resource of resources) {
    try {
      values.push(read(resource));
    } catch (error) {
      if (!(error instanceof NotYetKnown || error instanceof NotConfigured)) throw error;
      leftOut.push({ leftOut: error, resource });
    }
  }
  return { values, leftOut };
}
