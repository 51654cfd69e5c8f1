import type { ClientTls } from "../http/tls";
import type { SignalingDeployment } from "./signaling-deployment";

/** What a client of the signaling API needs to know. */
export interface ClientCredentials {
  /** Id in the path of its requests. */
  readonly clientId: string;
  /** Secret in the path of its requests; it protects nothing but an emulator. */
  readonly secretKey: string;
  /** What it may signal, canonical prefixes. */
  readonly prefixes: readonly string[];
}

/** Addresses and clients of an emulator: plain JSON. */
export interface EmulatorInfo {
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
  /** Only where the control API wants one. */
  readonly controlToken?: string;
  /** Only with certificates made for this run. */
  readonly tls?: ClientTls;
}

/** The addresses below one base address. */
export function protocolAddresses(endpoint: string) {
  return { endpoint, signalingUrl: `${endpoint}/path`, testSignalingUrl: `${endpoint}/request` };
}

/** The clients of a deployment. */
export function credentials(deployment: SignalingDeployment): ClientCredentials[] {
  return [...deployment.clients.values()].map(({ state: { clientId, secretKey, prefixes } }) => ({
    clientId,
    secretKey,
    prefixes,
  }));
}
