import type { ClientTls } from "../http/tls";
import type { SignalingDeployment } from "./signaling-deployment";

/** What a client of the signaling API needs to know. */
export interface ClientCredentials {
  readonly clientId: string;
  readonly secretKey: string;
  readonly prefixes: readonly string[];
}

/** Addresses and clients of an emulator: plain JSON. */
export interface EmulatorInfo {
  readonly endpoint: string;
  readonly signalingUrl: string;
  readonly testSignalingUrl: string;
  readonly control: string;
  readonly clients: readonly ClientCredentials[];
  readonly testClients: readonly ClientCredentials[];
  /** Only where the control API wants one. */
  readonly controlToken?: string;
  /** Only with certificates made for this run. */
  readonly tls?: ClientTls;
}

/** The clients of a deployment. */
export function credentials(deployment: SignalingDeployment): ClientCredentials[] {
  return [...deployment.clients.values()].map(({ state: { clientId, secretKey, prefixes } }) => ({
    clientId,
    secretKey,
    prefixes,
  }));
}
