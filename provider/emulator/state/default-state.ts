import type { EmulatorState, SignalingClientState } from "./state";

/** The signaling clients of a state without any. The secrets are public and protect nothing. */
export const defaultClients: readonly SignalingClientState[] = [
  {
    clientId: "client-a",
    secretKey: "emulator-secret-a",
    prefixes: ["198.51.100.0/24", "2001:db8:100::/48"],
    arena: "edge",
    idleProfile: "clean",
    activeProfile: "protected",
  },
  {
    clientId: "client-b",
    secretKey: "emulator-secret-b",
    prefixes: ["203.0.113.0/25"],
    arena: "edge",
    idleProfile: "clean",
    activeProfile: "protected",
  },
];

/**
 * The two clients of the test deployment (docs/contributing/contract.md#signaling-operations), with one prefix each. Their
 * signalings change no binding.
 */
export const defaultTestClients: readonly SignalingClientState[] = [
  { clientId: "test-1", secretKey: "emulator-test-secret-1", prefixes: ["192.0.2.0/25"] },
  { clientId: "test-2", secretKey: "emulator-test-secret-2", prefixes: ["192.0.2.128/25"] },
];

/**
 * Default state of an emulator: small, and sufficient to try every operation. The global set `blocked` is empty, since the
 * README's program fills it.
 */
export const defaultState: EmulatorState = {
  arenas: {
    edge: {
      sets: {
        blocked: {},
        partners: { "203.0.113.128/25": 7 },
      },
      profiles: {
        web: {
          prefixes: ["203.0.113.128/25"],
          sets: { blocked: { "203.0.113.64/26": 1 } },
          rules: [
            { id: 10, name: "partners pass", match: [{ set: { name: "partners" } }], actions: ["accept"] },
            {
              id: 20,
              name: "blocked in this profile",
              match: [{ set: { name: "blocked" } }],
              actions: ["count", "drop"],
            },
            {
              id: 30,
              name: "SYN by source",
              match: [{ protocol: "tcp", flags: { set: ["syn"], unset: ["ack"] } }],
              actions: [{ hmark: { add: 1, lifetime: 3600 } }],
            },
          ],
          marks: {
            shost: [
              { address: "203.0.113.9", id: 30, value: 1234, lifetime: 3600 },
              { address: "203.0.113.77", id: 30, value: 17, lifetime: 1200 },
            ],
          },
        },
        clean: { prefixes: ["198.51.100.0/24", "2001:db8:100::/48", "203.0.113.0/25"] },
        protected: {
          rules: [
            {
              id: 100,
              name: "blocked everywhere",
              match: [{ set: { name: "blocked", scope: "global" } }],
              actions: ["drop"],
            },
            {
              id: 110,
              name: "flood by source",
              match: [{ rate: { above: 100, per: "source" } }],
              actions: [{ hmark: { add: 1, lifetime: 600 } }, "drop"],
            },
            {
              id: 120,
              name: "unsolicited DNS answers",
              match: [{ protocol: "udp", sourcePort: 53, length: { min: 1000 } }],
              actions: [{ sdhmark: { add: 1, lifetime: 600 } }, "drop"],
            },
          ],
        },
      },
    },
  },
};
