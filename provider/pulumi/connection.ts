import * as pulumi from "@pulumi/pulumi";
import { parseEndpoint } from "../client/endpoint";
import { attempt } from "../model/errors";
import { isDeferred, later } from "./inputs";

/**
 * A connection as it goes into the state: headers, the secret key and the TLS settings, which may hold a private key, are
 * marked as secrets, and user and password are taken out of the address.
 */
export function withSecrets(connection: unknown): pulumi.Input<unknown> {
  if (isDeferred(connection)) return later(connection, withSecrets);
  if (typeof connection !== "object" || connection === null) return connection;
  const parts: Record<string, unknown> = { ...connection };
  const address = "url" in parts ? "url" : "endpoint";
  if (!isDeferred(parts[address])) return mark(parts);
  return later(parts[address], (known) => mark({ ...parts, [address]: known }));
}

/** The headers of the check of a rollout are marked as secrets. */
export function withSecretHeaders<T>(rollout: pulumi.Input<T>): pulumi.Input<T> {
  const inside = (name: string, change: (value: unknown) => unknown) => (value: unknown) => {
    if (isDeferred(value)) return later(value, inside(name, change));
    if (typeof value !== "object" || value === null || !(name in value)) return value;
    return { ...value, [name]: change(Reflect.get(value, name)) };
  };
  return inside(
    "check",
    inside("headers", (headers) => pulumi.secret(headers)),
  )(rollout) as pulumi.Input<T>;
}

function mark(connection: Record<string, unknown>): Record<string, unknown> {
  const parts = withoutUser(connection);
  for (const key of ["headers", "secretKey", "tls"]) {
    if (parts[key] !== undefined) parts[key] = pulumi.secret(parts[key]);
  }
  return parts;
}

/**
 * User and password in the address of a node become the header that they are. A receiver has no headers: there the whole
 * address becomes a secret.
 */
function withoutUser(parts: Record<string, unknown>): Record<string, unknown> {
  const { endpoint, headers, url } = parts;
  if (userOf(url) !== undefined) return { ...parts, url: pulumi.secret(url) };
  const authorization = userOf(endpoint);
  if (authorization === undefined) return { ...parts };
  const added = isDeferred(headers)
    ? later(headers, (given) => combined(given, authorization))
    : combined(headers, authorization);
  return { ...parts, endpoint: clean(endpoint), headers: added };
}

/** Basic authentication from user and password in an address; a text that is not an address is left to the check. */
function userOf(address: unknown): string | undefined {
  return typeof address === "string" ? attempt(() => parseEndpoint(address, "endpoint"))?.authorization : undefined;
}

function clean(address: unknown): string {
  const url = new URL(String(address));
  url.username = "";
  url.password = "";
  return url.href;
}

/** A header that is given wins, as it does in the client. */
function combined(headers: unknown, authorization: string): unknown {
  const given = typeof headers === "object" && headers !== null ? headers : {};
  const isGiven = Object.keys(given).some((name) => name.toLowerCase() === "authorization");
  return isGiven ? headers : { ...given, authorization };
}
