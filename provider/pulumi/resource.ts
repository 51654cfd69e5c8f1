import * as pulumi from "@pulumi/pulumi";
import { type Ignored, ignoredChanges } from "./ignored";
import type { Kind } from "./registration";

/** The options of a resource, as they are registered and as the preview has to know them. */
export interface Registered {
  readonly options: pulumi.CustomResourceOptions | undefined;
  readonly ignored: Ignored | undefined;
}

/**
 * The options with which a resource is registered (docs/guides/options-and-flags.md). What a transform of the stack adds
 * to them is not seen here.
 *
 * @param hostBits the argument of that name
 * @throws {pulumi.RunError} for `import`, with the two ways that work, and for paths of `ignoreChanges` that mean nothing
 */
export function registered(
  kind: Kind,
  name: string,
  given: pulumi.CustomResourceOptions | undefined,
  hostBits: unknown,
): Registered {
  const args = [...kind.required, ...kind.optional, ...(kind.connection ? [kind.connection] : [])];
  const ignored = ignoredChanges({ label: `${kind.type} "${name}"`, args, hostBits }, given?.ignoreChanges);
  const options = accepted(kind.type, name, given);
  return { options: ignored ? { ...options, ignoreChanges: ignored.paths } : options, ignored };
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
