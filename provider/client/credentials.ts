import { USER_ARENA } from "../wire/node-command";
import { parseEndpoint } from "./endpoint";
import type { NodeOptions } from "./options";

/**
 * True when these options hold something that only the configured address may get to see: headers (each may be a secret,
 * but for the arena's name), user name and password, or the key of a client certificate.
 */
export function isSecretHolder({ endpoint, headers = {}, tls }: NodeOptions): boolean {
  const secret = Object.keys(headers).some((name) => name.toLowerCase() !== USER_ARENA);
  return secret || tls?.key !== undefined || parseEndpoint(endpoint, "endpoint").authorization !== undefined;
}
