import type { DialectSettings, Emulator } from "../../../provider/emulator";
import { startOnOwnPort } from "../../support/ports";
import { NODE } from "./scenarios";

/** An emulator and the configuration of a stack that uses it. */
export async function stage(
  dialect?: DialectSettings,
): Promise<{ emulator: Emulator; config: Record<string, unknown> & { node: object } }> {
  const emulator = await startOnOwnPort({
    state: NODE,
    seed: 1,
    ...(dialect !== undefined && { dialect }),
  });
  const [client] = emulator.clients;
  const { endpoint, signalingUrl } = emulator;
  const { clientId, secretKey } = client ?? {};
  // A node whose empty list cannot be told from an answer without one: the error says what to set, and this is it.
  const { entryForm, listEnvelope } = emulator.dialect;
  const answers = entryForm === "keyed" || listEnvelope === "keyed" ? { answers: { empty: "{}" } } : {};
  return {
    emulator,
    config: { endpoint, signalingUrl, clientId, secretKey, node: { commitCoalesceMs: 4, ...answers } },
  };
}
