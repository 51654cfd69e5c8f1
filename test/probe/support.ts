import { NodeMemories } from "../../provider/client/world";
import { type DialectSettings, type Emulator, type EmulatorState, startEmulator } from "../../provider/emulator";
import { Prefix } from "../../provider/model/prefix";
import { parseUrl } from "../../provider/model/resource-url";
import { type ProbeOptions, probe } from "../../provider/probe/probe";
import { inProcess } from "./in-process";

export const SET = "prefixset://edge/probe";
export const OWN = "198.51.100.0/24";
export const SECRET = "receiver-secret";
export const TOKEN = "node-secret";

/** Something of everything that a node lists. */
export const STATE: EmulatorState = {
  arenas: {
    edge: {
      sets: { probe: {}, blocked: { "203.0.113.0/24": 7 } },
      profiles: {
        web: {
          rules: [{ id: 30, name: "count sources", match: [{ protocol: "tcp" }], actions: [{ hmark: { add: 1 } }] }],
          marks: {
            shost: [{ address: "203.0.113.9", id: 30, value: 1234, lifetime: 3600 }],
            sdhost: [{ source: "203.0.113.9", destination: "198.51.100.7", id: 32, value: 6, lifetime: 60 }],
          },
        },
        clean: { prefixes: ["198.51.100.0/24"] },
      },
    },
  },
  signaling: {
    clients: [
      {
        clientId: "c1",
        secretKey: SECRET,
        prefixes: [OWN, "198.51.100.7/32", "2001:db8:100::/48"],
        arena: "edge",
        idleProfile: "clean",
        activeProfile: "web",
      },
    ],
  },
};

/** The same without the set that a probe writes to. */
export const WITHOUT_SET: EmulatorState = {
  ...STATE,
  arenas: { edge: { ...STATE.arenas?.edge, sets: { blocked: { "203.0.113.0/24": 7 } } } },
};

/** Time-outs that are waited for, by emulator: they are over as soon as it is certain that nothing will be answered. */
const timeouts = new WeakMap<Emulator, Set<() => void>>();

/**
 * An emulator whose clock stands still until a caller waits.
 *
 * @param onRequest Is called with the number of requests so far, before the last one is answered.
 */
export async function startNode(
  dialect: DialectSettings | `seed:${number}`,
  { state = STATE, onRequest = () => {} }: { state?: EmulatorState; onRequest?: (count: number) => void } = {},
): Promise<Emulator> {
  let count = 0;
  const pending = new Set<() => void>();
  const emulator = await startEmulator({
    state,
    dialect,
    auth: { bearer: TOKEN },
    onRequest: ({ fault }) => {
      count += 1;
      onRequest(count);
      if (fault === "silence") for (const run of pending) run();
    },
  });
  timeouts.set(emulator, pending);
  emulator.clock.freeze();
  return emulator;
}

/** Pauses that move the emulator's clock, so that delays pass without waiting for them; and no sockets. */
export function worldOf(emulator: Emulator) {
  const { clock } = emulator;
  return {
    dispatcher: inProcess(emulator),
    sleep: async (ms: number, signal?: AbortSignal) => {
      signal?.throwIfAborted();
      clock.advance(Math.ceil(ms));
    },
    after: (_ms: number, run: () => void) => {
      timeouts.get(emulator)?.add(run);
      return () => timeouts.get(emulator)?.delete(run);
    },
    monotonic: () => clock.ms,
    memories: new NodeMemories(),
  };
}

/** Probes an emulator with everything that there is to ask. */
export function probed(emulator: Emulator, options: Partial<ProbeOptions> = {}) {
  return probe({
    node: { endpoint: emulator.endpoint, headers: { authorization: `Bearer ${TOKEN}` } },
    urls: [SET, "profile://edge/web", "profile://edge/clean"].map(parseUrl),
    write: true,
    receiver: {
      options: { url: emulator.signalingUrl, clientId: "c1", secretKey: SECRET },
      prefix: Prefix.parse(OWN),
    },
    limits: { entries: 400, bytes: 65_536 },
    world: worldOf(emulator),
    ...options,
  });
}
