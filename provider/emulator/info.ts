import type { ClientCredentials, EmulatorInfo } from "./info-types";
import type { SignalingDeployment } from "./state/signaling-deployment";

export type { ClientCredentials, EmulatorInfo } from "./info-types";

/** Other sources of an emulator's answers than its content, and its files. Addresses are without credentials. */
export type EmulatorSources = Pick<
  EmulatorInfo,
  "proxy" | "proxySignaling" | "record" | "replay" | "replayed" | "unseen" | "persist"
>;

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
