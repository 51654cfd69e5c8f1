import type { HttpProxy } from "../../client/http";
import { Unavailable } from "../unavailable";
import { type SinkContext, sinkNamed } from "./sink";

/**
 * The proxy for a url, by `HTTPS_PROXY` or `HTTP_PROXY` and `NO_PROXY` of the environment, each also in lower case, which takes
 * precedence.
 *
 * @throws {Unavailable} if it is not a url; the message does not name it, since it may have a password.
 */
export function proxyOf(url: string, { env, name: sink }: Pick<SinkContext, "env" | "name">): HttpProxy | undefined {
  const variable = /^https:/i.test(url) ? "HTTPS_PROXY" : "HTTP_PROXY";
  const valueIn = (name: string) => env[name.toLowerCase()] || env[name] || undefined;
  const named = valueIn(variable);
  if (named === undefined) return undefined;
  const proxy = named.includes("://") ? named : `http://${named}`;
  if (!/^https?:/i.test(proxy) || !URL.canParse(proxy)) {
    const remedy = 'write for example "http://192.0.2.1:3128"';
    throw new Unavailable(`${sinkNamed(sink)} goes through a proxy, and ${variable} is not the url of one: ${remedy}.`);
  }
  const except = valueIn("NO_PROXY");
  return { url: proxy, ...(except !== undefined && { except }) };
}
