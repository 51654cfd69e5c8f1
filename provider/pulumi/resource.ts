import * as pulumi from "@pulumi/pulumi";
import type { NodeInput, ReceiverInput } from "./types";

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

/** Marks the secret parts of a connection: values of headers, the secret key, the key of a client certificate. */
export function withSecrets(connection: NodeInput | ReceiverInput | undefined): pulumi.Input<unknown> {
  return isPlain(connection) ? mark(connection) : pulumi.output(connection).apply(mark);
}

function isPlain(value: unknown): boolean {
  return !pulumi.Output.isInstance(value) && !(value instanceof Promise);
}

function mark(connection: unknown): unknown {
  if (typeof connection !== "object" || connection === null) return connection;
  const parts: Record<string, unknown> = { ...connection };
  for (const key of ["headers", "secretKey"]) {
    if (parts[key] !== undefined) parts[key] = pulumi.secret(parts[key]);
  }
  const { tls } = parts;
  if (tls === undefined) return parts;
  if (!isPlain(tls)) parts.tls = pulumi.secret(tls);
  else if (typeof tls === "object" && tls !== null && "key" in tls) parts.tls = { ...tls, key: pulumi.secret(tls.key) };
  return parts;
}
