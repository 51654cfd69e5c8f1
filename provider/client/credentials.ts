import { USER_ARENA } from "../wire/node-command";
import { parseEndpoint, parseNodeEndpoint } from "./endpoint";
import type { NodeOptions } from "./options";

/**
 * True if these options hold something that only the configured address may receive: a header (any but the arena's name
 * may be secret), user name and password, or the key of a client certificate.
 */
export function isSecretHolder({ endpoint, headers = {}, tls }: NodeOptions): boolean {
  const secret = Object.keys(headers).some((name) => name.toLowerCase() !== USER_ARENA);
  return secret || tls?.key !== undefined || parseEndpoint(endpoint, "endpoint").authorization !== undefined;
}

/**
 * Equal for options that reach one node with the same rights and read its answers alike. Spelling of the address and
 * limits do not count. Holds secrets: compare it in memory, never print it.
 */
export function connectionKey({ endpoint, headers = {}, userArena, tls, answers }: NodeOptions): string {
  const { shown, authorization } = parseNodeEndpoint(endpoint);
  const named = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  return JSON.stringify([shown, authorization, named.sort(), userArena, tls, answers]);
}
