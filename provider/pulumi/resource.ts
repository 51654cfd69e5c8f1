import * as pulumi from "@pulumi/pulumi";
import { SAID_KEY, type Said } from "../engine/provider-text";
import { nativeToken, typeToken } from "../model/resource-kind";
import { declareSet, waitsForOthers } from "./declared";
import { ignoredChanges } from "./ignored";
import { plainArguments, withEntriesByPrefix } from "./plain";
import { isLookup, type Kind, properties, watchLeftOut } from "./registration";

/** True for an instance of a class, whichever copy of the package made it. */
export function isOf({ __pulumiType }: { readonly __pulumiType: string }, object: unknown): boolean {
  if (!pulumi.CustomResource.isInstance(object)) return false;
  const type: unknown = Reflect.get(object, "__pulumiType");
  return type === __pulumiType || type === nativeToken(__pulumiType.split(":").at(-1) ?? "");
}

/** True for a resource that the plugin `packetfilter` serves, since it or a parent has a provider of it. */
function isNative(type: string, options: pulumi.CustomResourceOptions | undefined): boolean {
  const provider = options?.provider ?? options?.parent?.getProvider(nativeToken(type));
  return provider !== undefined && Reflect.get(provider, "__pulumiType") === "pulumi:providers:packetfilter";
}

/**
 * Properties and options for the registration of a resource (docs/guides/options-and-flags.md), and a function to call after
 * it. Records the resource's declarations. Options that a transform of the stack adds are not seen here.
 *
 * @throws {pulumi.RunError} for `import`, with its two replacements, for meaningless paths of `ignoreChanges`, for a missing
 * argument, and if another resource declares the same
 */
export function registered<
  A extends { readonly hostBits?: unknown; readonly entries?: unknown; readonly exclusive?: unknown },
>(kind: Kind, name: string, written: A, options: pulumi.CustomResourceOptions | undefined) {
  const label = `${kind.type} "${name}"`;
  const args = plainArguments(written, label);
  const { hostBits } = args;
  const names = [...kind.required, ...kind.optional, ...(kind.connection ? [kind.connection] : [])];
  const ignored = ignoredChanges({ label, args: names, hostBits }, options?.ignoreChanges);
  const native = isNative(kind.type, options);
  const [token, formerly] = native
    ? [nativeToken(kind.type), typeToken(kind.type)]
    : [typeToken(kind.type), nativeToken(kind.type)];
  const followed = accepted(kind.type, name, options, native);
  // A diff of dynamic resources compares lists by position.
  const given: A = native ? args : withEntriesByPrefix(args);
  const said: Said = {
    owner: [pulumi.getStack(), pulumi.getProject(), kind.type, name].join("::"),
    // Only a set that resources share can have several lines.
    ...(args.exclusive !== undefined && { name }),
    ...ignored,
    ...(pulumi.runtime.isDryRun() && { decides: !waitsForOthers(options) }),
  };
  const isManaged = !isLookup(options);
  const props = { ...properties(kind, name, given, options, native), ...(isManaged && { [SAID_KEY]: said }) };
  const { type } = kind;
  if (isManaged && type !== "CloudSignaling") declareSet({ type, name }, given, options);
  const whenRegistered = (resource: pulumi.CustomResource) => {
    if (isManaged) watchLeftOut(resource, kind, name, given, native);
  };
  // With both types as aliases, a stack moves between them without a request.
  const aliases = [...(options?.aliases ?? []), { type: formerly }];
  const ways = { ...followed, aliases };
  return { token, props, accepted: ways, whenRegistered };
}

function accepted(
  type: string,
  name: string,
  options: pulumi.CustomResourceOptions | undefined,
  native: boolean,
): pulumi.CustomResourceOptions | undefined {
  if (options === undefined) return undefined;
  const { deletedWith, deleteBeforeReplace } = options;
  if (!native) refuseImport(type, name, options);
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

/** `import` reads a resource without a state, and so without the provider that is in it (pulumi/pulumi#16175). */
function refuseImport(type: string, name: string, options: pulumi.CustomResourceOptions): void {
  if (options.import === undefined) return;
  const remedy =
    type === "CloudSignaling"
      ? "A create adopts active signalings, so no import is needed"
      : 'To take over what a node holds, create the resource with onExisting: "adopt"';
  throw new pulumi.RunError(
    `${type} "${name}": the option "import" cannot work with dynamic resources. ${remedy}; or let "pulumi-packetfilter import" write the file that "pulumi import --file … --generate-code=false" takes, and the program that matches it.`,
  );
}
