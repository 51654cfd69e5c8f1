import type { Broken } from "../play";
import type { Act, Declared, Disturbance, Door, Entries, NodePlan, Run, RunOptions, Scenario, Turn } from "../scenario";
import type { CommandRecord, RunRecord, World } from "../simulation";

/** Story of a fault that a trial or the simulation has found: as few turns as bring it about, and what is true after them. */
export interface FoundStory {
  readonly turns: readonly Turn[];
  /** Nodes; `n1` and `n2` if absent. */
  readonly nodes?: readonly string[];
  /** Other names of the first node. */
  readonly aliases?: readonly string[];
  /** Promises that the story itself breaks: numbers, or patterns of promise and sentence. */
  readonly excused?: readonly (number | RegExp)[];
  readonly dialect?: NodePlan["dialect"];
  /** Prefixes that a receiver `r1` has active at the start. */
  readonly active?: readonly string[];
  /** Content of nodes after the last turn, by their names, or by name and set as in `n1 partners`, and as staged as in `n1 staged`; of `r1` its active prefixes. */
  readonly ends?: Readonly<Record<string, Entries | readonly string[]>>;
  /** Runs of the story that fail, counted from 0. */
  readonly red?: readonly number[];
  /** Number of a run that is a preview, which has to show an update. */
  readonly shown?: number;
  /** Settings of the stack. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Content of the set `blocked` of each node at the start. */
  readonly sets?: Entries;
  /** Texts of the previews of runs, by the numbers of these. */
  readonly shows?: Texts;
  /** Texts of runs, their errors included. */
  readonly says?: Texts;
  /** Texts that no run and no preview has. */
  readonly never?: readonly string[];
}

type Texts = Readonly<Record<number, readonly (string | RegExp)[]>>;

export const SET = "prefixset://edge/blocked";
const OTHER_SET = "prefixset://edge/partners";
export const [A, B, C] = ["192.0.2.0/25", "203.0.113.0/24", "198.51.100.0/25"];
export const [X, Y] = ["198.51.100.1/32", "198.51.100.2/32"];
/** Long enough for a busy machine, where the real engine plays them faster than real time. */
const CHECK_MS = 80_000;
const SIX = ["n1", "n2", "n3", "n4", "n5", "n6"];

const set = (entries: Entries, options?: Declared["options"]): Declared => ({
  type: "PrefixSet",
  name: "blocked",
  args: { arena: "edge", set: "blocked", node: "n1", entries, onExisting: "adopt" },
  ...(options && { options }),
});
const group = (entries: Entries, name = "group", more: object = {}): Declared => ({
  type: "PrefixSetGroup",
  name,
  args: {
    ...{ arena: "edge", set: "blocked", nodes: ["n1", "n2"], entries, onExisting: "adopt" },
    rollout: { waves: [1, 1], check: { url: "http://health.example/{node}" }, checkTimeoutMs: CHECK_MS },
    ...more,
  },
});
const backwards = { waves: [["n2"], ["n1"]], check: { url: "http://health.example/{node}" }, checkTimeoutMs: CHECK_MS };
/** Waves of one, two and three nodes. */
const six = (entries: Entries, more: object = {}): Declared =>
  group(entries, "group", {
    nodes: SIX,
    rollout: { waves: [1, 2], check: { url: "http://health.example/{node}" }, checkTimeoutMs: CHECK_MS },
    ...more,
  });
/** An entry of the set `blocked` without a group. */
export const entry = (value: number): Declared => ({
  type: "PrefixSetEntry",
  name: "entry",
  args: { arena: "edge", set: "blocked", node: "n1", prefix: A, value },
});
/** A part of the set whose changes are ignored. */
const IGNORING: Declared = {
  type: "PrefixSet",
  name: "part",
  args: { arena: "edge", set: "blocked", node: "n1", entries: { [B]: 1 }, exclusive: false },
  options: { ignoreChanges: ["entries"] },
};
const entryOfOtherSet = (value: number): Declared => ({
  type: "PrefixSetEntry",
  name: "entry",
  args: { arena: "edge", set: "partners", node: "n1", prefix: A, value },
  options: { dependsOn: ["group"] },
});
export const signal = (prefixes: readonly string[]): Declared => ({
  type: "CloudSignaling",
  name: "signal",
  args: { receiver: "r1", prefixes },
});
export const run = (
  command: Run["command"],
  program: readonly Declared[],
  meanwhile: readonly Disturbance[] = [],
  options: RunOptions = {},
): Turn => ({ kind: "runs", runs: [{ stack: 0, command, program, options, meanwhile }] });
export const up = (declared: Declared, ...meanwhile: readonly Disturbance[]) => run("up", [declared], meanwhile);
export const act = (what: Act): Turn => ({ kind: "act", act: what });
export const fault = (at: string, what: Extract<Disturbance, { kind: "fault" }>["fault"]): Disturbance => ({
  kind: "fault",
  at,
  fault: what,
});
const staleList = (at: string, nth = 1) => fault(at, { kind: "stale-list", cmd: "list", nth, times: 1 });
export const kill = (request: number): Disturbance => ({ kind: "kill", request, when: "after" });
const health = (node: string, state: "pass" | "fail") => act({ actor: "health", node, state });
const restart = (node: string, how: "empty" | "older") => act({ actor: "node", node, restart: how });
export const outage = (at: string, silent: boolean) => act({ actor: "outage", at, silent });
const byNode = (entries: Entries, ...names: readonly string[]) => Object.fromEntries(names.map((it) => [it, entries]));

/** Faults that an engineer on call met in a month of several failures at once. */
const ON_CALL: Readonly<Record<string, FoundStory>> = {
  "a stale list makes a removal vanish": {
    turns: [up(set({ [A]: 1 })), up(set({ [A]: 1, [B]: 1 })), up(set({ [A]: 1, [C]: 1 }), staleList("n1"))],
    ends: { n1: { [A]: 1, [C]: 1 } },
  },
  "of two names of one machine one leaves, and what it removed is falsely said to be put back": {
    nodes: ["n1"],
    aliases: ["n1b"],
    turns: [
      up(group({ [A]: 1 }, "group", { nodes: ["n1", "n1b"], rollout: { waves: [2] } })),
      up(group({ [A]: 1 }, "group", { nodes: ["n1"], rollout: { waves: [1] } })),
    ],
    // The settings say wrongly that no two names are one machine: what is removed is put back, and was away for a moment.
    excused: [1],
    ends: { n1: { [A]: 1 } },
    says: { 1: ["is restored, since this stack declares it: the two addresses are one machine."] },
  },
  "a change goes around its canary": {
    nodes: SIX,
    turns: [
      up(six({ [A]: 1 })),
      up(six({ [A]: 1, [B]: 1 }), fault("n6", { cmd: "commit", status: 500, every: 1 })),
      health("n1", "fail"),
      up(six({ [B]: 1 })),
    ],
    red: [1, 2],
    ends: { n1: { [B]: 1 }, ...byNode({ [A]: 1, [B]: 1 }, "n2", "n3", "n4", "n5") },
  },
  "taking a mistake back does not reach where the mistake is": {
    nodes: SIX,
    turns: [up(six({ [A]: 1 })), health("n3", "fail"), up(six({ [A]: 1, [B]: 1 })), up(six({ [A]: 1 }))],
    red: [1, 2],
    shows: {
      2: [
        "n1, n2, n3 had these entries before: up goes back to them at once",
        `Set ${SET} on n1, n2, n3: up removes 1 entry (${B}).`,
      ],
    },
    ends: byNode({ [A]: 1 }, ...SIX),
  },
  "a node that is wiped while its wave is red is never repaired after a refresh": {
    nodes: SIX,
    turns: [
      up(six({ [A]: 1, [B]: 1 })),
      health("n3", "fail"),
      up(six({ [A]: 1, [B]: 1, [C]: 1 })),
      restart("n2", "empty"),
      run("refresh", []),
      up(six({ [A]: 1, [B]: 1, [C]: 1 })),
    ],
    red: [1, 3],
    ends: { ...byNode({ [A]: 1, [B]: 1, [C]: 1 }, "n1", "n2", "n3"), ...byNode({ [A]: 1, [B]: 1 }, "n4", "n5", "n6") },
  },
  "removals at a node that was silent are in no preview": {
    turns: [
      up(group({ [A]: 1, [B]: 1 }, "group", { maxUnreachable: 1 })),
      outage("n2", true),
      up(group({ [C]: 1 }, "group", { maxUnreachable: 1 })),
      outage("n2", false),
      up(group({ [C]: 1 }, "group", { maxUnreachable: 1 })),
    ],
    ends: byNode({ [C]: 1 }, "n1", "n2"),
    shows: { 2: [`Set ${SET} on n2: up removes 2 entries (`, `) and inserts 1 entry (${C}).`] },
  },
  "Ctrl-C is ignored": {
    turns: [up(group({ [A]: 1 })), up(group({ [A]: 1, [B]: 1 }), { kind: "cancel", request: 5 })],
    red: [1],
    ends: { n1: { [A]: 1, [B]: 1 }, n2: { [A]: 1 } },
  },
  "a silent node holds up the healthy ones": {
    nodes: SIX,
    turns: [
      up(six({ [A]: 1 }, { maxUnreachable: 2 })),
      outage("n2", true),
      up(six({ [A]: 1, [B]: 1 }, { maxUnreachable: 2 })),
    ],
    ends: { ...byNode({ [A]: 1, [B]: 1 }, "n1", "n3", "n4", "n5", "n6"), n2: { [A]: 1 } },
  },
  "ignoreChanges hides a loss": {
    turns: [
      up(set({ [A]: 1, [B]: 1 }, { ignoreChanges: ["entries"] })),
      restart("n1", "empty"),
      run("preview", [set({ [A]: 1, [B]: 1 }, { ignoreChanges: ["entries"] })], [], { refresh: true }),
      run("up", [set({ [A]: 1, [B]: 1 }, { ignoreChanges: ["entries"] })], [], { refresh: true }),
    ],
    shown: 1,
    ends: { n1: { [A]: 1, [B]: 1 } },
  },
  "ignoreChanges of one resource hides the drift of another in the same set": {
    turns: [
      run("up", [IGNORING, entry(1)]),
      act({ actor: "colleague", node: "n1", set: SET, insert: { [A]: 7 }, commit: true }),
      run("preview", [IGNORING, entry(1)]),
      run("up", [IGNORING, entry(1)]),
    ],
    shown: 1,
    ends: { n1: { [A]: 1, [B]: 1 } },
  },
  "a declared signaling that others had started is off, and the run is green": {
    active: [X],
    turns: [up(signal([X, Y])), act({ actor: "client", receiver: "r1", stop: [X] }), up(signal([X, Y]))],
    ends: { r1: [X, Y] },
  },
  "a prefix that a receiver refuses is never given up after a start without an answer": {
    active: [],
    turns: [
      up(signal([X, "203.0.113.9/32"]), fault("r1", { kind: "silence", op: "start", when: "before", times: 100 })),
      up(signal([X])),
      run("destroy", []),
    ],
    red: [0],
    ends: { r1: [] },
  },
  "a warning about a start names what was active before": {
    active: [X],
    turns: [up(signal([X, Y]), fault("r1", { kind: "unknown-shape", op: "status", nth: 2 }))],
    ends: { r1: [X, Y] },
  },
  "a node that is ill since it is empty is restored one run late": {
    nodes: SIX,
    turns: [
      up(six({ [A]: 1 })),
      health("n5", "fail"),
      up(six({ [A]: 1, [B]: 1 })),
      restart("n3", "empty"),
      health("n3", "fail"),
      up(six({ [A]: 1, [B]: 1 })),
    ],
    red: [1, 2],
    ends: byNode({ [A]: 1, [B]: 1 }, ...SIX),
  },
  "what this stack's own killed run inserted is called foreign, and stays": {
    turns: [up(set({ [A]: 1 })), up(set({ [A]: 1, [B]: 1 }), kill(3)), up(set({ [A]: 1 }))],
    red: [1],
    ends: { n1: { [A]: 1 } },
  },
};

/** Faults that the simulation has found. */
const SIMULATED: Readonly<Record<string, FoundStory>> = {
  "the next wave begins although the first one shows an older set": {
    turns: [up(group({ [A]: 1 })), up(group({ [A]: 1, [B]: 1 })), up(group({ [B]: 1 }), staleList("n1"))],
  },
  "a loss that a refresh noted and a later list no longer shows is put back for ever": {
    turns: [
      up(group({ [A]: 1 })),
      restart("n2", "empty"),
      run("refresh", []),
      act({ actor: "colleague", node: "n2", set: SET, insert: { [A]: 1 }, commit: true }),
      up(group({ [A]: 1 })),
    ],
  },
  "a killed run's first wave is passed unchecked by the next run": {
    turns: [up(group({ [A]: 1 })), health("n1", "fail"), up(group({ [B]: 1 }), kill(5)), up(group({ [B]: 1 }))],
    red: [1, 2],
  },
  "a red wave is passed by another program": {
    turns: [up(group({ [A]: 1 })), health("n1", "fail"), up(group({ [B]: 1 })), up(group({ [A]: 2, [B]: 1 }))],
    red: [1, 2],
  },
  "a node that comes back empty while the wave is red gets the new entries of the others": {
    turns: [
      up(group({ [A]: 1 })),
      health("n1", "fail"),
      up(group({ [A]: 1, [B]: 1 })),
      restart("n2", "empty"),
      up(group({ [A]: 1, [B]: 1 })),
    ],
    red: [1, 2],
  },
  "a red wave is passed by a group of another name": {
    turns: [
      up(group({ [A]: 1 })),
      health("n1", "fail"),
      up(group({ [B]: 1 })),
      run("up", [group({ [B]: 1 }, "group-2")], [], { refresh: true }),
    ],
    red: [1, 2],
  },
  "a red wave is passed by a group of another name whose waves have another order": {
    turns: [
      up(group({ [A]: 1 })),
      health("n1", "fail"),
      up(group({ [A]: 1, [B]: 1 })),
      run("up", [group({ [A]: 1, [B]: 1 }, "group-2", { rollout: backwards })], [], { refresh: true }),
    ],
    red: [1, 2],
    ends: { n1: { [A]: 1, [B]: 1 }, n2: { [A]: 1 } },
  },
  "a red wave is passed by a group of another name without its node": {
    turns: [
      health("n1", "fail"),
      up(group({ [A]: 1 })),
      run("up", [group({ [A]: 1 }, "group-2", { nodes: ["n2"] })], [], { refresh: true }),
    ],
    red: [0, 1],
    ends: { n1: { [A]: 1 }, n2: {} },
  },
  "a red group that leaves the program in a run with a refresh is asked its check once it is cleared": {
    turns: [up(group({ [A]: 1 })), health("n1", "fail"), up(group({ [B]: 1 })), run("up", [], [], { refresh: true })],
    red: [1],
    ends: byNode({}, "n1", "n2"),
  },
  "a red change that a killed run took back holds up a program with another check for ever": {
    turns: [
      up(group({ [A]: 1 })),
      health("n1", "fail"),
      up(group({ [A]: 1, [B]: 1 })),
      up(group({ [A]: 1 }), { kind: "kill", of: "commit", request: 1, when: "after" }),
      health("n1", "pass"),
      up(group({ [C]: 1 }, "group", { rollout: { waves: [1, 1] } })),
    ],
    red: [1, 2],
    ends: byNode({ [C]: 1 }, "n1", "n2"),
  },
  "a removal that a killed run staged is published by the next commit, though the program declares the entry again": {
    turns: [up(set({ [A]: 1, [B]: 1 })), up(set({ [B]: 1 }), kill(2)), up(set({ [A]: 1, [B]: 1, [C]: 1 }))],
    red: [1],
    ends: { n1: { [A]: 1, [B]: 1, [C]: 1 } },
  },
  "a removal that a killed run staged stays where the program is that of the state again, and a colleague publishes it":
    {
      turns: [
        up(set({ [A]: 1, [B]: 1 })),
        up(set({ [B]: 1 }), kill(2)),
        up(set({ [A]: 1, [B]: 1 })),
        act({ actor: "colleague", node: "n1", set: SET, insert: { [C]: 1 }, commit: true }),
      ],
      red: [1],
      ends: { n1: { [A]: 1, [B]: 1, [C]: 1 } },
    },
  "a rename whose own write fails removes what it met as adopted": {
    turns: [
      up({ ...set({ [A]: 1, [B]: 1 }), name: "old" }),
      run("up", [set({ [A]: 1, [C]: 300 })], [], { continueOnError: true }),
      up(set({ [A]: 1, [B]: 1 })),
    ],
    dialect: { maxValue: 255 },
    red: [1],
    ends: { n1: { [A]: 1, [B]: 1 } },
    never: ["was removed with the resource"],
  },
  "what a killed run left staged goes over a colleague's value that no preview showed": {
    turns: [
      up(set({ [A]: 1, [B]: 1 })),
      up(set({ [A]: 1, [B]: 2 }), kill(2)),
      act({ actor: "colleague", node: "n1", set: SET, insert: { [B]: 7 }, commit: true }),
      up(set({ [A]: 1, [B]: 1, [C]: 1 })),
    ],
    settings: { detectDrift: "off" },
    red: [1],
    ends: { n1: { [A]: 1, [B]: 7, [C]: 1 } },
  },
  "what a killed run left staged beside a colleague's value is announced for ever": {
    turns: [
      up(set({ [A]: 1, [B]: 1 })),
      up(set({ [A]: 1, [B]: 2 }), kill(2)),
      act({ actor: "colleague", node: "n1", set: SET, insert: { [B]: 7 }, commit: true }),
      up(set({ [A]: 1, [B]: 1 })),
    ],
    settings: { detectDrift: "off" },
    red: [1],
    ends: { n1: { [A]: 1, [B]: 7 } },
  },
  "what a killed run left staged in a wave goes over a colleague's value that no preview showed": {
    turns: [
      up(group({ [A]: 1, [B]: 1 }, "group", { nodes: ["n1"], rollout: { waves: [1] } })),
      up(group({ [A]: 1, [B]: 2 }, "group", { nodes: ["n1"], rollout: { waves: [1] } }), kill(2)),
      act({ actor: "colleague", node: "n1", set: SET, insert: { [B]: 7 }, commit: true }),
      up(group({ [A]: 1, [B]: 1 }, "group", { nodes: ["n1"], rollout: { waves: [1] } })),
    ],
    settings: { detectDrift: "off" },
    red: [1],
    ends: { n1: { [A]: 1, [B]: 7 } },
  },
  "a removal that a killed run staged is taken back only where a check passes": {
    nodes: ["n1", "n2"],
    turns: [
      up(group({ [A]: 1, [B]: 1 })),
      up(group({ [A]: 1 }), kill(3)),
      health("n1", "fail"),
      up(group({ [A]: 1, [B]: 1 })),
    ],
    red: [1],
    ends: byNode({ [A]: 1, [B]: 1 }, "n1", "n2"),
    never: ["go back to them at once", "did not pass"],
  },
  "a list that hides entries beside a refused one has their removal published": {
    turns: [up(set({ [A]: 1 })), up(set({ [A]: 1, [B]: 300 }), staleList("n1")), up(set({ [A]: 1, [C]: 1 }))],
    dialect: { maxValue: 255, refusedEntry: "nothing" },
    red: [1],
    ends: { n1: { [A]: 1, [C]: 1 } },
  },
  "waves without a check do not stop where the content of a node could not be read at first": {
    turns: [
      up(group({ [A]: 1 })),
      health("n1", "fail"),
      up(group({ [A]: 1, [B]: 1 })),
      up(
        group({ [A]: 1, [B]: 1 }, "group-2", { rollout: { waves: [1, 1] } }),
        fault("n2", { kind: "unknown-shape", when: "before", nth: 1, times: 1 }),
      ),
    ],
    red: [1, 2],
    ends: { n1: { [A]: 1, [B]: 1 }, n2: { [A]: 1 } },
  },
  "a value that a killed run staged is lost on a node that refuses what exists": {
    turns: [up(set({ [A]: 1 })), up(set({ [A]: 2 }), kill(3)), up(set({ [A]: 3 }))],
    dialect: { insertExisting: "error" },
    red: [1],
  },
  "a change that never began behind a red wave is called a loss, since another set has its prefix": {
    turns: [
      run("up", [group({ [A]: 2 }), entryOfOtherSet(1)]),
      health("n1", "fail"),
      run("up", [group({ [A]: 2, [B]: 1 }), entryOfOtherSet(2)]),
      run("up", [group({ [A]: 2, [B]: 1 }), entryOfOtherSet(2)]),
    ],
    red: [1, 2],
    ends: { n1: { [A]: 2, [B]: 1 }, n2: { [A]: 2 } },
  },
  "a red wave is passed while its node is silent, since it has adopted an entry with another value": {
    turns: [
      act({ actor: "colleague", node: "n1", set: SET, insert: { [B]: 5 }, commit: true }),
      health("n1", "fail"),
      up(group({ [A]: 1, [B]: 1 }, "group", { maxUnreachable: 1 })),
      outage("n1", true),
      up(group({ [A]: 1, [B]: 1 }, "group", { maxUnreachable: 1 })),
    ],
    red: [0, 1],
    ends: { n1: { [A]: 1, [B]: 5 }, n2: {} },
  },
  "the replacement of a group passes a red wave while its node is silent, since it has adopted an entry with another value":
    {
      turns: [
        act({ actor: "colleague", node: "n1", set: SET, insert: { [B]: 5 }, commit: true }),
        health("n1", "fail"),
        up(group({ [A]: 1, [B]: 1 }, "group", { maxUnreachable: 1 })),
        outage("n1", true),
        up({
          ...group({ [A]: 1, [B]: 1 }, "group", { maxUnreachable: "50%" }),
          options: { replaceOnChanges: ["maxUnreachable"] },
        }),
      ],
      red: [0, 1],
      ends: { n1: { [A]: 1, [B]: 5 }, n2: {} },
    },
  "a red wave is passed while its node is silent, since a refresh has found another entry there": {
    turns: [
      up(group({ [A]: 1 }, "group", { maxUnreachable: 1 })),
      health("n1", "fail"),
      up(group({ [A]: 1, [B]: 1 }, "group", { maxUnreachable: 1 })),
      act({ actor: "colleague", node: "n1", set: SET, insert: { [C]: 5 }, commit: true }),
      run("refresh", []),
      outage("n1", true),
      up(group({ [A]: 1, [B]: 1 }, "group", { maxUnreachable: 1 })),
    ],
    red: [1, 3],
    ends: { n1: { [A]: 1, [B]: 1, [C]: 5 }, n2: { [A]: 1 } },
  },
  "waves in another order bring a red content to the next node, since the red one has adopted an entry with another value":
    {
      turns: [
        act({ actor: "colleague", node: "n1", set: SET, insert: { [B]: 5 }, commit: true }),
        health("n1", "fail"),
        up(group({ [A]: 1, [B]: 1 })),
        up(group({ [A]: 1, [B]: 1 }, "group", { rollout: backwards })),
      ],
      red: [0, 1],
      ends: { n1: { [A]: 1, [B]: 5 }, n2: {} },
    },
  "a create changes the value of a killed one, and its preview does not say so": {
    turns: [up(group({ [A]: 1 }), kill(4)), up(group({ [A]: 2 }))],
    red: [0],
    ends: byNode({ [A]: 2 }, "n1", "n2"),
  },
  "a create changes the value of a killed one of an entry, and its preview does not say so": {
    turns: [up(entry(1), kill(3)), up(entry(2))],
    red: [0],
    ends: { n1: { [A]: 2 } },
  },
  "what a secret set had lost is shown once more after it is restored": {
    turns: [
      act({ actor: "colleague", node: "n1", set: SET, insert: { [A]: 1 }, commit: true }),
      up(set({ [A]: 1, [B]: 1 }, { secret: ["entries"] })),
      act({ actor: "colleague", node: "n1", set: SET, remove: [B], commit: true }),
    ],
    ends: { n1: { [A]: 1 } },
  },
};

export const FOUND: Readonly<Record<string, FoundStory>> = { ...ON_CALL, ...SIMULATED };

/** The scenario of a story. @param seed Tells scenarios apart that are played at the same time. */
export function scenarioOf(
  { turns, nodes = ["n1", "n2"], aliases, dialect, active, settings, sets = {} }: FoundStory,
  door: Door,
  seed = 1,
): Scenario {
  const [first] = nodes;
  return {
    seed,
    nodes: nodes.map((name) => ({
      name,
      sets: { [SET]: sets, [OTHER_SET]: {} },
      ...(aliases && name === first && { aliases }),
      ...(dialect && { dialect }),
    })),
    receivers: active ? [{ name: "r1", active }] : [],
    stacks: Array.from({ length: 1 + Math.max(...turns.flatMap(stacksOf)) }, (_, index) => ({
      ...{ name: `stack-${index + 1}`, door, instances: 0 },
      settings: { distinctNodes: true, ...settings },
    })),
    turns,
  };
}

const stacksOf = (turn: Turn) => (turn.kind === "runs" ? turn.runs.map(({ stack }) => stack) : [0]);

/** Broken promises of a story that nothing in it excuses. */
export function unexcused({ excused = [] }: FoundStory, broken: readonly Broken[]): Broken[] {
  const isOf = (it: number | RegExp, { promise, sentence }: Broken) =>
    typeof it === "number" ? it === Number.parseInt(promise, 10) : it.test(`${promise}: ${sentence}`);
  return broken.filter((one) => !excused.some((it) => isOf(it, one)));
}

/** Facts after the turns of a story, and those that the story names; both the same if it is told no more. */
export function factsOf(
  { ends = {}, red = [], shown }: FoundStory,
  { nodes, machines }: World,
  records: readonly RunRecord[],
): readonly [is: unknown, told: unknown] {
  const places = Object.keys(ends).map((name) => {
    const active = machines.get(name)?.emulator.signalings["client-a"];
    const [node = "", set = "blocked"] = name.split(" ");
    const { emulator } = nodes.get(node) ?? {};
    const held = emulator?.prefixSet(set === "staged" ? SET : `prefixset://edge/${set}`);
    return [name, (set === "staged" ? held?.staged : held?.applied) ?? active] as const;
  });
  const failed = records.flatMap(({ done }, index) => (done.errors.length > 0 || done.wasKilled ? [index] : []));
  const isShown = shown === undefined || records[shown]?.done.steps.some(({ op }) => op === "update") === true;
  return [
    { ends: Object.fromEntries(places), red: failed, isShown },
    { ends, red, isShown: true },
  ];
}

/** Texts of a story that its runs lack, and those that none may have; each with the number of the run. */
export function textFaults(
  { shows = {}, says = {}, never = [] }: FoundStory,
  records: readonly RunRecord[],
): readonly string[] {
  const textOf = (record?: CommandRecord) => [...(record?.printed ?? []), ...(record?.errors ?? [])].join("\n");
  return records.flatMap(({ preview, done }, index) => {
    const [shown, said] = [textOf(preview ?? done), textOf(done)];
    const lacks = (text: string, parts: Texts[number] = []) =>
      parts
        .filter((part) => (typeof part === "string" ? !text.includes(part) : !part.test(text)))
        .map((part) => `run ${index} lacks ${part} in: ${text}`);
    const excess = never.filter((part) => `${shown}\n${said}`.includes(part));
    return [
      ...lacks(shown, shows[index]),
      ...lacks(said, says[index]),
      ...excess.map((it) => `run ${index} has ${it}`),
    ];
  });
}
