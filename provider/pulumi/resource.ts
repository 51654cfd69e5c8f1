import * as pulumi from "@pulumi/pulumi";
import { IGNORED_KEY } from "../resources/provider-text";
import { declareSet, declareSignaling } from "./declared";
import { ignoredChanges, withCanonicalKeys } from "./ignored";
import type { Made } from "./preview/obstacles";
import { isLookup, type Kind, properties, watchLeftOut } from "./registration";

/** True for an instance of a class, whichever copy of the package made it. */
export function isOf({ __pulumiType }: { readonly __pulumiType: string }, object: unknown): boolean {
  return pulumi.CustomResource.isInstance(object) && Reflect.get(object, "__pulumiType") === __pulumiType;
}

/**
 * What a resource is registered with: properties and options (docs/guides/options-and-flags.md), and a function to
 * call with the resource once it is registered. Records what it declares. What a transform of the stack adds to the options is not seen here.
 *
 * @throws {pulumi.RunError} for `import`, with the two ways that work, for paths of `ignoreChanges` that mean nothing, and
 * where an argument is missing or another resource declares the same
 */
export function registered<A extends { readonly hostBits?: unknown; readonly entries?: unknown }>(
  kind: Kind,
  name: string,
  args: A,
  options: pulumi.CustomResourceOptions | undefined,
) {
  const { hostBits } = args;
  const names = [...kind.required, ...kind.optional, ...(kind.connection ? [kind.connection] : [])];
  const ignored = ignoredChanges({ label: `${kind.type} "${name}"`, args: names, hostBits }, options?.ignoreChanges);
  const followed = accepted(kind.type, name, options);
  // The engine resets an entry by its key in the state, so that the program has it under that key, too.
  const prefixes = [...(ignored?.prefixes ?? [])];
  const given: A = prefixes.length > 0 ? { ...args, entries: withCanonicalKeys(args.entries, hostBits) } : args;
  const isWhole = ignored?.all === true && kind.required.includes("entries");
  const told = isWhole || (prefixes.length > 0 && kind.required.includes("nodes") && prefixes);
  const props = { ...properties(kind, name, given, options), ...(told && { [IGNORED_KEY]: told }) };
  const made: Made = {};
  const isManaged = !isLookup(options);
  const { type } = kind;
  if (isManaged && type === "CloudSignaling") declareSignaling(given);
  if (isManaged && type !== "CloudSignaling") declareSet({ type, name, ignored, made }, given, options);
  const whenRegistered = (resource: pulumi.CustomResource) => {
    made.resource = resource;
    if (isManaged) watchLeftOut(resource, kind, name, given);
  };
  return { props, accepted: ignored ? { ...followed, ignoreChanges: ignored.paths } : followed, whenRegistered };
}

function accepted(
  type: string,
  name: string,
  options: pulumi.CustomResourceOptions | undefined,
): pulumi.CustomResourceOptions | undefined {
  if (options === undefined) return undefined;
  const { deletedWith, deleteBeforeReplace } = options;
  refuseImport(type, name, options);
  const isSignaling = type === "CloudSignaling";
  if (deletedWith !== undefined) {
    const [what, keep] = isSignaling
      ? ["its prefixes stay active at the receiver", 'stops: "none"']
      : ["its entries stay on the node", 'onDestroy: "keep"'];
    void pulumi.log.warn(
      `${type} "${name}": where it is deleted together with the resource of its option "deletedWith", ${what}, although the engine says "deleted". Leave the option out; ${keep} keeps them and says so.`,
    );
  }
  if (deleteBeforeReplace !== true) return options;
  void pulumi.log.warn(
    `${type} "${name}": the option "deleteBeforeReplace" is not followed: what it ${isSignaling ? "keeps active would be stopped" : "holds would be gone"} until the replacement is there.`,
  );
  return { ...options, deleteBeforeReplace: false };
}

/** `import` reads a resource before it has any state, and with it any provider to read with (pulumi/pulumi#16175). */
function refuseImport(type: string, name: string, options: pulumi.CustomResourceOptions): void {
  if (options.import === undefined) return;
  const remedy =
    type === "CloudSignaling"
      ? "Active signalings are adopted by create, nothing more is needed"
      : 'To take over what a node holds, create the resource with onExisting: "adopt"';
  throw new pulumi.RunError(
    `${type} "${name}": the option "import" cannot work with dynamic resources. ${remedy}; or let "pulumi-packetfilter import" write the file that "pulumi import --file … --generate-code=false" takes, and the program that matches it.`,
  );
}
