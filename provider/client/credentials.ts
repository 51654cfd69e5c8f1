import { USER_ARENA } from "../wire/node-command";
import { parseEndpoint, parseNodeEndpoint } from "./endpoint";
import type { NodeOptions } from "./options";

/**
 * True when these options hold something that only the configured address may get to see: headers (each may be a secret,
 * but for the arena's name), user name and password, or the key of a client certificate.
 */
export function isSecretHolder({ endpoint, headers = {}, tls }: NodeOptions): boolean {
  const secret = Object.keys(headers).some((name) => name.toLowerCase() !== USER_ARENA);
  return secret || tls?.key !== undefined || parseEndpoint(endpoint, "endpoint").authorization !== undefined;
}

/**
 * Equal for options that reach a node with the same rights and read its answers alike, however the address is spelled and
 * whatever their limits are. Holds secrets: for comparing in memory, never for a text.
 */
export function connectionKey({ endpoint, headers = {}, userArena, tls, answers }: NodeOptions): string {
  const { shown, authorization } = parseNodeEndpoint(endpoint);
  const named = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  return JSON.stringify([shown, authorization, named.sort(), userArena, tls, answers]);
}
