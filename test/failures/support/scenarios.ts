import type { EmulatorState } from "../../../provider/emulator";
import type { Declared } from "./engine";

export const BLOCKED = "prefixset://edge/blocked";
export const PARTNERS = "prefixset://edge/partners";

/** A node whose sets exist and are empty; the receiver has the emulator's own two clients. */
export const NODE: EmulatorState = {
  arenas: {
    edge: {
      sets: { blocked: {}, partners: {} },
      profiles: { clean: { prefixes: ["198.51.100.0/24"] }, protected: {} },
    },
  },
};

export const set = (entries: unknown, more: Record<string, unknown> = {}, name = "blocked"): Declared => ({
  type: "PrefixSet",
  name,
  args: { arena: "edge", set: "blocked", entries, ...more },
});

export const entry = (name: string, prefix: string, value = 1, setName = "partners"): Declared => ({
  type: "PrefixSetEntry",
  name,
  args: { arena: "edge", set: setName, prefix, value },
});

export const signaling = (prefixes: readonly string[], name = "attack"): Declared => ({
  type: "CloudSignaling",
  name,
  args: { prefixes },
});
