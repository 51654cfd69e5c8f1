import { type ListedEntry, type ListedValue, Prefix } from "../../provider/client";
import type { EmulatorState } from "../../provider/emulator";

export const GLOBAL = { kind: "prefixset", arena: "edge", set: "blocked" } as const;
export const LOCAL = { kind: "prefixset", arena: "edge", profile: "web", set: "blocked" } as const;

/** A path segment that must be encoded in every way there is. */
export const SECRET = "s3cret%2fünusual+&;parts=!*";

/** One of everything. */
export const STATE: EmulatorState = {
  arenas: {
    edge: {
      sets: { blocked: { "203.0.113.0/24": 7 }, empty: {} },
      profiles: {
        web: {
          sets: { blocked: { "203.0.113.0/24": 7 } },
          rules: [{ id: 30, name: "count sources", match: [{ protocol: "tcp" }], actions: [{ hmark: { add: 1 } }] }],
          marks: {
            shost: [{ address: "203.0.113.9", id: 30, value: 1234, lifetime: 3600 }],
            dhost: [{ address: "2001:db8::7", id: 31, value: 5, lifetime: 60 }],
            sdhost: [{ source: "203.0.113.9", destination: "198.51.100.7", id: 32, value: 6, lifetime: 60 }],
            conn: [
              {
                source: "203.0.113.9",
                destination: "198.51.100.7",
                sourcePort: 4711,
                destinationPort: 443,
                protocol: "tcp",
                id: 33,
                value: 7,
                lifetime: 60,
              },
            ],
          },
        },
        clean: { prefixes: ["198.51.100.0/24"] },
        guarded: {},
      },
    },
  },
  signaling: {
    clients: [
      {
        clientId: "c1",
        secretKey: SECRET,
        prefixes: ["198.51.100.0/24"],
        arena: "edge",
        idleProfile: "clean",
        activeProfile: "guarded",
      },
    ],
  },
};

/** A list as the set that it means. */
export function listed(entries: readonly ListedEntry[]): Record<string, ListedValue> {
  return Object.fromEntries(entries.map(({ prefix, value }) => [prefix.toString(), value]));
}

export function prefixes(...texts: string[]): Prefix[] {
  return texts.map((text) => Prefix.parse(text));
}
