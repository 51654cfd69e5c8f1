import * as pulumi from "@pulumi/pulumi";

/**
 * The line that stands in the state of every resource; the engine hands it to the Node SDK's dynamic-provider server.
 * It never changes: see `docs/decisions/provider-text.md`.
 */
export function providerText(type: string): string {
  return `exports.handler=()=>require("pulumi-packetfilter/provider").get("${type}")`;
}

/** The type token of a resource, as states, policies and `--target` know it. */
export function typeToken(type: string): string {
  return `pulumi-nodejs:dynamic/packetfilter:${type}`;
}

/**
 * `import` reads a resource before it has any state, and with it any provider to read with (pulumi/pulumi#16175).
 * @throws {pulumi.RunError} with the two ways that work.
 */
export function refuseImport(type: string, name: string, options: pulumi.CustomResourceOptions | undefined): void {
  if (options?.import === undefined) return;
  const remedy =
    type === "CloudSignaling"
      ? "Active signalings are adopted by create, nothing more is needed"
      : 'To take over what a node holds, create the resource with onExisting: "adopt"';
  throw new pulumi.RunError(
    `${type} "${name}": the option "import" cannot work with dynamic resources. ${remedy}; or bring inputs and outputs in a file, with "pulumi import --file … --generate-code=false".`,
  );
}
