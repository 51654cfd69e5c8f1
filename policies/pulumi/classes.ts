// The classes are only named here, so that policies are typed by them.
import type { Kind } from "../resources";

/** A class of resources, as `@pulumi/policy` wants it. */
// biome-ignore lint/suspicious/noExplicitAny: the constructor is never called, and its arguments differ by class
export type ResourceClass = new (name: string, args: any, ...rest: any[]) => any;

function stub(kind: Kind): ResourceClass {
  return class {
    static readonly __pulumiType = `pulumi-nodejs:dynamic/packetfilter:${kind}`;
  };
}

/** The class of each kind of resource. */
export const CLASSES: Readonly<Record<Kind, ResourceClass>> = {
  PrefixSet: stub("PrefixSet"),
  PrefixSetEntry: stub("PrefixSetEntry"),
  CloudSignaling: stub("CloudSignaling"),
};
