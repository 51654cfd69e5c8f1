import type { Emulator } from "../../../provider/emulator";
import { MAKES, type Make } from "../../support/makes";
import { startOnOwnPort } from "../../support/ports";
import { type StackOptions, TestStack } from "./stack";

/** The url of the set that most journeys use. */
export const BLOCKED = "prefixset://edge/blocked";

const arenas = (shost: readonly string[]) => ({
  edge: {
    sets: { blocked: {}, partners: {} },
    profiles: {
      clean: { prefixes: ["198.51.100.0/24"] },
      protected: {},
      web: {
        sets: { blocked: {} },
        marks: { shost: shost.map((address) => ({ address, id: 7, value: 1, lifetime: 3_600 })) },
      },
    },
  },
});

/** Particulars of a node. */
interface NodeOptions {
  readonly make?: Make;
  /** The sources that are marked in the profile `web`. */
  readonly shost?: readonly string[];
}

/** An emulator with empty sets, and a stack whose unnamed node and receiver it is, with the settings that its make needs. */
export async function world(
  options: StackOptions & NodeOptions,
): Promise<AsyncDisposable & { emulator: Emulator; stack: TestStack }> {
  const emulator = await emptyNode(options);
  const [client] = emulator.clients;
  const stack = await TestStack.create({
    ...options,
    config: {
      endpoint: emulator.endpoint,
      signalingUrl: emulator.signalingUrl,
      clientId: client?.clientId,
      ...(options.make && { node: MAKES[options.make] }),
      ...options.config,
    },
    secrets: { secretKey: client?.secretKey ?? "", ...options.secrets },
  });
  const dispose = async () => {
    await stack[Symbol.asyncDispose]();
    await emulator.close();
  };
  return { emulator, stack, [Symbol.asyncDispose]: dispose };
}

/** An emulator whose sets exist and are empty. */
export function emptyNode({ make, shost = [] }: NodeOptions = {}): Promise<Emulator> {
  return startOnOwnPort({ state: { arenas: arenas(shost) }, ...(make && { dialect: make }) });
}

/** The variables that name node, receiver and first client of an emulator. */
export function variablesOf({
  endpoint,
  signalingUrl,
  clients: [client],
}: Emulator): Record<string, string | undefined> {
  return {
    PACKETFILTER_ENDPOINT: endpoint,
    PACKETFILTER_SIGNALING_URL: signalingUrl,
    PACKETFILTER_CLIENT_ID: client?.clientId,
    PACKETFILTER_SECRET_KEY: client?.secretKey,
  };
}

/** The commands of the node API that change something, and starts and stops, in the order in which they came. */
export function mutations(emulator: Emulator): string[] {
  return emulator.journal.flatMap(({ cmd, op, entries }) => {
    if (cmd !== undefined && cmd !== "list") return [cmd === "commit" ? "commit" : `${cmd} ${entries}`];
    return op === "start" || op === "stop" ? [`${op} ${entries}`] : [];
  });
}

/** Forgets the journal's past, so that a test speaks of what comes next. */
export function since(emulator: Emulator): () => string[] {
  const start = mutations(emulator).length;
  return () => mutations(emulator).slice(start);
}

/** A program with one set. */
export function blockedSet(entries: unknown, more = ""): string {
  return `new pf.PrefixSet("blocked", { arena: "edge", set: "blocked", entries: ${JSON.stringify(entries)}, ${more} });\n`;
}
