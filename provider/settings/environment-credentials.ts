import { type Endpoint, parseEndpoint } from "../client/endpoint";
import { OptionsError } from "../client/errors";
import { attempt } from "../model/errors";
import { NODE_PATH } from "../wire/node-command";

export type Environment = Readonly<Record<string, string | undefined>>;

/** Credentials of the environment that are about to be sent, and their destination. */
export interface CredentialUse {
  /** Variables with credentials that the connection takes. */
  readonly variables: readonly string[];
  /** The address of the connection, as it is written. */
  readonly address: unknown;
  /** Source of that address, for the message. */
  readonly namedBy: string;
  /** The variable that names an address of this kind. */
  readonly variable: "PACKETFILTER_ENDPOINT" | "PACKETFILTER_SIGNALING_URL";
}

/** A host of `PACKETFILTER_CREDENTIAL_HOSTS`: an exact name or address, or `*.` and its ending; https by default. */
const HOST = /^(?:(https?):\/\/)?(\*\.)?([a-z0-9_.-]+|\[[0-9a-f:.]+\])(?::(\d{1,5}))?$/i;

/**
 * Reason why credentials of the environment must not go to an address, as a sentence. They belong to the address of the
 * environment, if it names one; `PACKETFILTER_CREDENTIAL_HOSTS` limits their hosts. An invalid address is judged elsewhere.
 */
export function strayCredentials(env: Environment, use: CredentialUse): string | undefined {
  const cut = use.variable === "PACKETFILTER_ENDPOINT" ? NODE_PATH : undefined;
  const to = endpointOf(use.address, cut);
  if (!to) return undefined;
  const own = env[use.variable];
  // User name and password in the address are credentials of its variable.
  const inAddress = own !== undefined && own === use.address && to.authorization !== undefined;
  const variables = [...use.variables, ...(inAddress ? [use.variable] : [])];
  if (variables.length === 0) return undefined;
  const start = `${variables.join(" and ")} would go to ${to.shown}`;
  if (own && endpointOf(own, cut)?.shown !== to.shown) {
    const named = endpointOf(own, cut)?.shown ?? "something that is not an address";
    return `${start}, which ${use.namedBy} names, but the environment names ${named} (${use.variable}): nothing was sent. Credentials of the environment belong to the address that it names: make both name the same one, unset ${use.variable}, or give the other address credentials of its own.`;
  }
  const hosts = env.PACKETFILTER_CREDENTIAL_HOSTS;
  if (hosts === undefined) return undefined;
  const allowed = hosts.split(",").flatMap((text) => text.trim() || []);
  const wrong = allowed.length === 0 ? "no host" : allowed.find((text) => !HOST.test(bracketed(text)));
  if (wrong !== undefined)
    return `PACKETFILTER_CREDENTIAL_HOSTS names ${wrong}: write hosts with commas between them, each exact or as *.example.net, with or without a port, with http:// before it where it is reached without TLS; nothing was sent.`;
  if (allowed.some((text) => isAt(to, bracketed(text)))) return undefined;
  const isPlain = to.origin.startsWith("http:") && allowed.some((text) => isAt(to, bracketed(text), "http"));
  if (isPlain)
    return `${start}, a host that PACKETFILTER_CREDENTIAL_HOSTS names for https only: nothing was sent. Write http:// before it there if the credentials may be sent without encryption.`;
  return `${start}, a host that PACKETFILTER_CREDENTIAL_HOSTS does not name: nothing was sent. Add it there if the credentials are meant for it.`;
}

function isAt({ origin }: Endpoint, pattern: string, usualScheme = "https"): boolean {
  const [, scheme = usualScheme, wildcard, host = "", port] = HOST.exec(pattern) ?? [];
  const url = new URL(origin);
  if (url.protocol.toLowerCase() !== `${scheme.toLowerCase()}:`) return false;
  const usual = url.protocol === "https:" ? 443 : 80;
  if (port !== undefined && Number(port) !== Number(url.port || usual)) return false;
  const name = host.toLowerCase();
  if (wildcard !== undefined) return url.hostname.endsWith(`.${name}`);
  return url.hostname === (name.startsWith("[") ? (endpointOf(`http://${name}`)?.origin.slice(7) ?? name) : name);
}

/** Adds brackets to an IPv6 address, which may be written without them if it has no port. */
function bracketed(text: string): string {
  return /^[0-9a-f.]*:[0-9a-f.]*:[0-9a-f:.]*$/i.test(text) ? `[${text}]` : text;
}

function endpointOf(address: unknown, cut?: string): Endpoint | undefined {
  return typeof address === "string" ? attempt(() => parseEndpoint(address, "endpoint", cut), OptionsError) : undefined;
}
