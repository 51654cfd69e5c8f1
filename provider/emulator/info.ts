import type { DialectSettings } from "./behaviour/dialect";
import type { ClientTls } from "./http/certificates";
import type { SignalingDeployment } from "./state/signaling-deployment";

/** Credentials and prefixes of a client of the signaling API. */
export interface ClientCredentials {
  /** Id in the path of its requests. */
  readonly clientId: string;
  /** Secret in the path of its requests; it protects nothing but an emulator. */
  readonly secretKey: string;
  /** Prefixes that it may signal, in canonical form. */
  readonly prefixes: readonly string[];
}

/** Sources of the answers of an emulator, other than its own content, and its files. Addresses are without credentials. */
export interface EmulatorSources {
  /** Base address of the real node that answers. */
  readonly proxy?: string;
  /** Base address of the real receiver that answers. */
  readonly proxySignaling?: string;
  /** File in which the answers to passed-on requests are kept. */
  readonly record?: string;
  /** File from which requests are answered as they were recorded. */
  readonly replay?: string;
  /** With `replay`: treatment of a request that was never recorded. */
  readonly unseen?: "refuse" | "emulate";
  /** File in which the emulator keeps its content. */
  readonly persist?: string;
}

/** Addresses and clients of an emulator, and how it answers: plain JSON. */
export interface EmulatorInfo extends EmulatorSources {
  /** Base url of the node API, without `/fapi`. */
  readonly endpoint: string;
  /** Base url of the signaling API, without client and secret. */
  readonly signalingUrl: string;
  /** The same of the test deployment. */
  readonly testSignalingUrl: string;
  /** Base url of the control API. */
  readonly control: string;
  /** Who may signal. */
  readonly clients: readonly ClientCredentials[];
  /** Who may signal in the test deployment. */
  readonly testClients: readonly ClientCredentials[];
  /** The switches of its dialect that are not the default, at the moment. */
  readonly dialect: DialectSettings;
  /** Only where the control API wants one. */
  readonly controlToken?: string;
  /** Only with certificates made for this run. */
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
