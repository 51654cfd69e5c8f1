import type { DialectSettings } from "./behaviour/dialect";
import type { ClientTls } from "./http/certificates";
import type { SignalingDeployment } from "./state/signaling-deployment";

/** Credentials and prefixes of a client of the signaling API. */
export interface ClientCredentials {
  /** Id in the path of its requests. */
  readonly clientId: string;
  /** Secret in the path of its requests; it protects only an emulator. */
  readonly secretKey: string;
  /** Prefixes that it may signal, in canonical form. */
  readonly prefixes: readonly string[];
}

/** Other sources of an emulator's answers than its content, and its files. Addresses are without credentials. */
export interface EmulatorSources {
  /** Base address of the real node that answers. */
  readonly proxy?: string;
  /** Base address of the real receiver that answers. */
  readonly proxySignaling?: string;
  /** File for the answers to passed-on requests. */
  readonly record?: string;
  /** File with recorded answers. */
  readonly replay?: string;
  /** With `replay`: treatment of an unrecorded request. */
  readonly unseen?: "refuse" | "emulate";
  /** File with the emulator's content. */
  readonly persist?: string;
}

/** Addresses, clients and dialect of an emulator: plain JSON. */
export interface EmulatorInfo extends EmulatorSources {
  /** Base url of the node API, without `/fapi`. */
  readonly endpoint: string;
  /** Base url of the signaling API, without client and secret. */
  readonly signalingUrl: string;
  /** Base url of the test deployment. */
  readonly testSignalingUrl: string;
  /** Base url of the control API. */
  readonly control: string;
  /** Clients of the signaling API. */
  readonly clients: readonly ClientCredentials[];
  /** Clients of the test deployment. */
  readonly testClients: readonly ClientCredentials[];
  /** The switches of its present dialect that differ from the default. */
  readonly dialect: DialectSettings;
  /** Token of the control API, if it requires one. */
  readonly controlToken?: string;
  /** Certificates made for this run, if any. */
  readonly tls?: ClientTls;
}

/** The sources among options, without the credentials in addresses. */
export function sourcesOf(given: EmulatorSources): EmulatorSources {
  const { proxy, proxySignaling, record, replay, persist } = given;
  return {
    ...(proxy !== undefined && { proxy: withoutCredentials(proxy) }),
    ...(proxySignaling !== undefined && { proxySignaling: withoutCredentials(proxySignaling) }),
    ...(record !== undefined && { record }),
    ...(replay !== undefined && { replay, unseen: given.unseen ?? "refuse" }),
    ...(persist !== undefined && { persist }),
  };
}

function withoutCredentials(address: string): string {
  const { origin, pathname } = new URL(address);
  return pathname === "/" ? origin : origin + pathname;
}

export function protocolAddresses(endpoint: string) {
  return { endpoint, signalingUrl: `${endpoint}/path`, testSignalingUrl: `${endpoint}/request` };
}

export function credentials(deployment: SignalingDeployment): ClientCredentials[] {
  return [...deployment.clients.values()].map(({ state: { clientId, secretKey, prefixes } }) => ({
    clientId,
    secretKey,
    prefixes,
  }));
}
