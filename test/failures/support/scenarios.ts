import type { EmulatorState } from "../../../provider/emulator";
import type { Declared } from "./engine";

/** Change of a user in one `up`: from one program to another. */
export interface Scenario {
  readonly name: string;
  readonly about: "sets" | "entries" | "signalings" | "all" | "places";
  readonly before: readonly Declared[];
  readonly after: readonly Declared[];
  /** Entries of the node that are not of this stack. */
  readonly found?: Record<string, Record<string, number>>;
  /** Configuration from the first program on; `ENDPOINT` and `ALIAS` stand for two addresses of the one node. */
  readonly config?: Record<string, unknown>;
  /** Configuration that changes after the first program. There is no way back to that program then. */
  readonly later?: Record<string, unknown>;
}

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

const A = "192.0.2.0/25";
const B = "192.0.2.128/25";
const C = "203.0.113.0/24";
const D = "2001:db8::/32";
const twenty = (value: number, from = 0) =>
  Array.from({ length: 20 }, (_, i) => entry(`scanner-${i}`, `203.0.113.${i + from}`, value));
const shared = { exclusive: false };
/** A named node has nothing of the stack's timing; it gives up soon, as the others do. */
const at = (endpoint: string) => ({ endpoint, timeoutMs: 300, deadlineMs: 2_000, commitCoalesceMs: 4 });
const [X, Y, Z] = ["198.51.100.7", "198.51.100.8", "198.51.100.9"];

export const SCENARIOS: readonly Scenario[] = [
  { name: "set create", about: "sets", before: [], after: [set([A, B, C])] },
  {
    name: "set update",
    about: "sets",
    before: [set({ [A]: 1, [B]: 1, [C]: 1 })],
    after: [set({ [B]: 2, [C]: 1, [D]: 7 })],
  },
  { name: "set delete", about: "sets", before: [set([A, B])], after: [] },
  { name: "20 entries created", about: "entries", before: [], after: twenty(1) },
  { name: "20 entries changed", about: "entries", before: twenty(1), after: twenty(2) },
  { name: "20 entries removed", about: "entries", before: twenty(1), after: [] },
  {
    name: "adoption",
    about: "sets",
    before: [],
    after: [set({ [A]: 1, [B]: 2, [D]: 5 }, { onExisting: "adopt" })],
    found: { [BLOCKED]: { [A]: 1, [B]: 9, [C]: 3 } },
  },
  { name: "replacement", about: "sets", before: [set([A, B])], after: [set([A, C], { set: "partners" })] },
  {
    name: "entries replaced",
    about: "sets",
    before: [entry("one", A), entry("two", B)],
    after: [entry("one", B), entry("two", C)],
  },
  { name: "rename", about: "sets", before: [set([A, B], shared)], after: [set([A, B, C], shared, "renamed")] },
  { name: "signaling create", about: "signalings", before: [], after: [signaling([X, Y])] },
  { name: "signaling change", about: "signalings", before: [signaling([X, Y])], after: [signaling([Y, Z])] },
  { name: "signaling destroy", about: "signalings", before: [signaling([X, Y])], after: [] },
  {
    name: "signaling renamed",
    about: "signalings",
    before: [signaling([X, Y])],
    after: [signaling([X, Y], "renamed")],
  },
  {
    name: "two names for one machine",
    about: "places",
    config: { nodes: { one: at("ENDPOINT"), two: at("ALIAS") } },
    before: [set([A, B], { ...shared, node: "one" })],
    after: [set([A, C], { ...shared, node: "two" })],
  },
  {
    name: "node renamed in the configuration",
    about: "places",
    config: { nodes: { one: at("ENDPOINT") } },
    later: { nodes: { uno: at("ENDPOINT") } },
    before: [set([A, B], { node: "one" })],
    after: [set([A, B], { node: "uno" })],
  },
  {
    name: "node gone from program and configuration",
    about: "places",
    config: { nodes: { one: at("ENDPOINT") } },
    later: { nodes: {} },
    before: [set([A, B], { node: "one" }), entry("one", C)],
    after: [entry("one", C)],
  },
  {
    name: "another endpoint since an up that failed",
    about: "places",
    later: { endpoint: "ALIAS" },
    before: [set([A, B]), entry("one", C)],
    after: [],
  },
  {
    name: "adoption in hand",
    about: "places",
    before: [set({ [A]: 1, [B]: 2 }, { onExisting: "adopt" })],
    after: [set({ [A]: 1, [B]: 2 }, { onExisting: "adopt" })],
    found: { [BLOCKED]: { [A]: 1, [B]: 9, [C]: 3 } },
  },
  {
    name: "mixed stack",
    about: "all",
    before: [set([A, B]), entry("one", C, 3), signaling([X])],
    after: [set([B, C]), entry("one", C, 4), entry("two", D), signaling([X, Y])],
  },
];
