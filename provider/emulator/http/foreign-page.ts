import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import { json, type Reply } from "./reply";

/**
 * Refuses requests that a web page of another site could send. A browser names the page in `Origin`. After DNS rebinding it
 * names the page in `Host`, too; a client that means this machine has an address there, or localhost.
 *
 * @param what Is reached, for the message.
 * @param advertised The base address by which clients reach it, where that is another.
 */
export function fromPage({ headers }: IncomingMessage, what: string, advertised?: string): Reply | undefined {
  const { host = "", origin } = headers;
  const name = host.replace(/:\d+$/, "").replace(/^\[|\]$/g, "");
  const own = advertised === undefined ? undefined : new URL(advertised);
  if (name !== "localhost" && isIP(name) === 0 && host !== own?.host)
    return json(403, { error: `${what} is called by address or as localhost` });
  if (origin !== undefined && ![`http://${host}`, `https://${host}`].includes(origin) && origin !== own?.origin)
    return json(403, { error: `${what} is not for other pages` });
  return undefined;
}
