import { attempt } from "../model/errors";
import { withoutEnding } from "../model/resource-url";
import { NODE_PATH } from "../wire/node-command";
import { OptionsError } from "./errors";

/** The parts of a base url, public and secret. */
export interface Endpoint {
  /** Canonical url without userinfo and trailing slash: for outputs, messages and comparisons. */
  readonly shown: string;
  /** Host and path, short, for messages. */
  readonly label: string;
  /** Scheme, host and port. */
  readonly origin: string;
  /** Path without a trailing slash; empty at the root. */
  readonly path: string;
  /** Value of an `Authorization` header made from userinfo in the url. */
  readonly authorization?: string;
  /** User name and password of userinfo, decoded and as written. */
  readonly secrets: readonly string[];
}

/**
 * Reads a base url (http or https). `https://user:password@192.0.2.10/` means basic authentication; no text that leaves
 * the client contains user name or password.
 *
 * @param option The option's name, for the message.
 * @param cut An optional last path segment (`/fapi`).
 * @throws {OptionsError} naming the option, never its value.
 */
export function parseEndpoint(text: string, option: string, cut?: string): Endpoint {
  if (!URL.canParse(text)) {
    throw new OptionsError(`\`${option}\` is not a url: write for example "https://192.0.2.10:8080".`);
  }
  const url = new URL(text);
  if (url.protocol !== "http:" && url.protocol !== "https:")
    throw new OptionsError(`\`${option}\` must begin with http:// or https://.`);
  if (url.search !== "" || url.hash !== "" || /[?#]/.test(text)) {
    throw new OptionsError(`\`${option}\` must be a base url, without "?" and "#".`);
  }
  let path = withoutEnding(url.pathname, "/");
  if (cut !== undefined && path.endsWith(cut)) path = withoutEnding(path.slice(0, -cut.length), "/");
  return { shown: `${url.origin}${path}`, label: `${url.host}${path}`, origin: url.origin, path, ...userinfoOf(url) };
}

/** Reads the address of a node, with or without `/fapi`. @throws {OptionsError} */
export function parseNodeEndpoint(text: string): Endpoint {
  return parseEndpoint(text, "endpoint", NODE_PATH);
}

/** Basic authentication from the userinfo of a url. */
export function userinfoOf({ username, password }: URL): Pick<Endpoint, "authorization" | "secrets"> {
  if (username === "" && password === "") return { secrets: [] };
  const decoded = [username, password].map((text) => attempt(() => decodeURIComponent(text)) ?? text);
  return {
    authorization: `Basic ${Buffer.from(decoded.join(":")).toString("base64")}`,
    secrets: [username, password, ...decoded, `${username}:${password}`, decoded.join(":")],
  };
}

/** Headers of every request of this package. @param authorization From the userinfo of the url, if any. */
export function senderHeaders(authorization?: string): Record<string, string> {
  return { "user-agent": "pulumi-packetfilter", ...(authorization !== undefined && { authorization }) };
}

/** Headers by their names in lower case, so that none is there twice. */
export function lowerCased(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

/** Name of a node or receiver in messages: `fra1 (192.0.2.10:8080)`, or the address if it has no name. */
export function labelOf(name: string | undefined, address: string): string {
  return name === undefined ? address : `${name} (${address})`;
}
