import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import { json, type Reply } from "./reply";

/** Requests of browsers that a server takes. */
interface Taken {
  /** The base address for clients, if it differs from the server's own. */
  readonly advertised?: string | undefined;
  /** True if a link of another site may lead here: a GET changes nothing, and its answer is shown to the user alone. */
  readonly links?: boolean;
}

/** Values of `Sec-Fetch-Site` of requests that no other site's page has made (W3C Fetch Metadata). */
const OWN_SITE = ["same-origin", "none"];

/**
 * Refuses requests that a web page of another site could send. A browser names the page's site in `Origin`, after DNS rebinding
 * also in `Host`, where other clients have an address or localhost, and in `Sec-Fetch-Site`, the only one for an image or a
 * script.
 *
 * @param what Name of the server, for the message.
 */
export function fromPage(
  { method, headers }: Pick<IncomingMessage, "method" | "headers">,
  what: string,
  { advertised, links = false }: Taken = {},
): Reply | undefined {
  const { host = "", origin } = headers;
  const name = host.replace(/:\d+$/, "").replace(/^\[|\]$/g, "");
  const own = advertised === undefined ? undefined : new URL(advertised);
  if (name !== "localhost" && isIP(name) === 0 && host !== own?.host)
    return json(403, { error: `${what} must be called by address or as localhost` });
  const site = headers["sec-fetch-site"];
  const isLink = links && method === "GET" && headers["sec-fetch-mode"] === "navigate";
  const isForeignSite = site !== undefined && !OWN_SITE.includes(String(site)) && !isLink;
  const isForeignOrigin =
    origin !== undefined && ![`http://${host}`, `https://${host}`].includes(origin) && origin !== own?.origin;
  if (isForeignSite || isForeignOrigin) return json(403, { error: `${what} refuses requests of other sites' pages` });
  return undefined;
}
