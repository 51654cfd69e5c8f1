import * as pulumi from "@pulumi/pulumi";

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
    `${type} "${name}": the option "import" cannot work with dynamic resources. ${remedy}; or let "pulumi-packetfilter import" write the file that "pulumi import --file … --generate-code=false" takes, and the program that matches it.`,
  );
}
