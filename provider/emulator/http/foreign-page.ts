import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import { json, type Reply } from "./reply";

/**
 * Refuses requests that a web page of another site could send. A browser names the page's site in `Origin`, and after DNS
 * rebinding also in `Host`, where other clients have an address or localhost.
 *
 * @param what Name of the server, for the message.
 * @param advertised The base address for clients, if it differs from the server's own.
 */
export function fromPage(
  { headers }: Pick<IncomingMessage, "headers">,
  what: string,
  advertised?: string,
): Reply | undefined {
  const { host = "", origin } = headers;
  const name = host.replace(/:\d+$/, "").replace(/^\[|\]$/g, "");
  const own = advertised === undefined ? undefined : new URL(advertised);
  if (name !== "localhost" && isIP(name) === 0 && host !== own?.host)
    return json(403, { error: `${what} must be called by address or as localhost` });
  if (origin !== undefined && ![`http://${host}`, `https://${host}`].includes(origin) && origin !== own?.origin)
    return json(403, { error: `${what} refuses requests of other sites' pages` });
  return undefined;
}
