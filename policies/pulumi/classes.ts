import { CloudSignaling, PrefixSet, PrefixSetEntry, PrefixSetGroup } from "../../provider";
import type { ResourceKind } from "../resources";

/** A resource class in the form that `@pulumi/policy` expects. */
// biome-ignore lint/suspicious/noExplicitAny: the constructor is never called, and its arguments differ by class
export type ResourceClass = new (name: string, args: any, ...rest: any[]) => any;

/** The class of each kind of resource. */
export const CLASSES: Readonly<Record<ResourceKind, ResourceClass>> = {
  PrefixSet,
  PrefixSetGroup,
  PrefixSetEntry,
  CloudSignaling,
};
