import { isSecretHolder } from "../client/credentials";
import { parseEndpoint } from "../client/endpoint";
import type { NodeOptions } from "../client/options";
import { attempt } from "../model/errors";
import { type Target, UnknownConnection } from "../settings/settings";
import type { NodeInUse } from "./node-in-use";
import type { ReceiverInUse } from "./receiver-in-use";
import type { Runtime } from "./runtime";

/** Place of a set or signaling by the state. */
export interface StatePlace {
  /** The argument `node` or `receiver` of the state. */
  readonly argument: unknown;
  /** Address of the last run, without secrets. */
  readonly endpoint: string | undefined;
}

/**
 * The node for a read or a delete of a resource: always the one at the address of the state. Refresh and destroy get the
 * configuration of the last `up`, even of a failed one, and the delete of a resource that left the program gets today's:
 * either could change one machine and report about another.
 *
 * Credentials stay with their configured address: nothing is sent if they would go to another one.
 *
 * @throws {ConfigError} when the configuration makes no sense
 * @throws {Error} naming both addresses and the ways out
 */
export function nodeOfState(runtime: Runtime, what: string, { argument, endpoint }: StatePlace): NodeInUse {
  if (endpoint === undefined) return runtime.node(argument);
  const today = attempt(() => runtime.settings.node(argument), UnknownConnection);
  if (today) {
    const inUse = runtime.open(today);
    if (inUse.endpoint === endpoint) return inUse;
  }
  const sameAddress = runtime.nodeAt(endpoint);
  if (sameAddress) return sameAddress;
  if (today && isSecretHolder(today.options)) {
    throw new Error(movedAway(what, "node", { argument, endpoint }, today, runtime.open(today).endpoint));
  }
  const { tls, ...rest }: NodeOptions = today?.options ?? { endpoint };
  const options = {
    ...rest,
    endpoint,
    ...(tls && parseEndpoint(endpoint, "endpoint").origin.startsWith("https:") && { tls }),
  };
  const gone = today ? "" : `${named("node", argument)} is not in the configuration any more. `;
  return runtime.open({
    name: undefined,
    options,
    fromEnvironment: false,
    remedy: `${gone}The state says that it is at ${endpoint}, where it was asked ${today ? "" : "without credentials"}: ${waysOut("node", argument, endpoint, today?.fromEnvironment)}`,
  });
}

/** The receiver for a read or a stop: the configured one, for its credentials. @throws {Error} naming both addresses */
export function receiverOfState(runtime: Runtime, what: string, { argument, endpoint }: StatePlace): ReceiverInUse {
  if (endpoint === undefined) return runtime.receiver(argument);
  const today = attempt(() => runtime.settings.receiver(argument), UnknownConnection);
  if (!today) {
    throw new Error(
      `${what} is at ${endpoint} according to the state, and ${named("receiver", argument)} is not in the configuration any more: nothing was sent. ${sentence(waysOut("receiver", argument, endpoint, false))}`,
    );
  }
  const inUse = runtime.receiver(argument);
  if (inUse.endpoint === endpoint) return inUse;
  throw new Error(movedAway(what, "receiver", { argument, endpoint }, today, inUse.endpoint));
}

type Kind = "node" | "receiver";

function movedAway(
  what: string,
  kind: Kind,
  { argument, endpoint }: StatePlace & { readonly endpoint: string },
  today: Target<unknown>,
  inUse: string,
): string {
  const who = today.fromEnvironment ? "environment" : "configuration";
  return `${what} is at ${endpoint} according to the state, but the ${who} names ${inUse}: nothing was sent, since the credentials are meant for ${inUse}. ${sentence(waysOut(kind, argument, endpoint, today.fromEnvironment))} "pulumi up" without --refresh moves what stays in the program; its preview shows this.`;
}

/** Remedies, as a text that follows a colon. */
function waysOut(kind: Kind, argument: unknown, endpoint: string, fromEnvironment = false): string {
  return [
    `${restoreHint(kind, argument, endpoint, fromEnvironment)}, and run the same pulumi command again (refresh and destroy use the configuration of the last up; with --run-program they use today's);`,
    `or, if what is at ${endpoint} is gone for good, remove the resource from the state: pulumi state delete '<urn>' (pulumi stack --show-urns lists the urns).`,
    "docs/guides/moving-and-retiring-nodes.md has all cases.",
  ].join(" ");
}

function restoreHint(kind: Kind, argument: unknown, endpoint: string, fromEnvironment: boolean): string {
  const [member, keys] = kind === "node" ? ["endpoint", "its headers"] : ["url", "its clientId and secretKey"];
  if (fromEnvironment)
    return `set ${kind === "node" ? "PACKETFILTER_ENDPOINT" : "PACKETFILTER_SIGNALING_URL"} to it again`;
  if (typeof argument === "string") {
    const path = `packetfilter:${kind}s.${argument}.${member}`;
    return `restore the address, and ${keys} if it needs them: pulumi config set --path '${path}' ${endpoint}`;
  }
  if (typeof argument === "object" && argument !== null) return `write ${endpoint} into the program again`;
  const key = kind === "node" ? "packetfilter:endpoint" : "packetfilter:signalingUrl";
  return `restore the address, and ${keys} if it needs them: pulumi config set ${key} ${endpoint}`;
}

function named(kind: Kind, argument: unknown): string {
  return typeof argument === "string" ? `${kind} "${argument}"` : `its ${kind}`;
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
