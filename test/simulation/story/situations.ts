import type { Declared, Entries, Run, Turn } from "../scenario";
import { originOf } from "../simulation";
import { A, act, B, C, entry, type FoundStory, fault, kill, outage, run, SET, signal, up, X, Y } from "./found";

type Stories = Readonly<Record<string, FoundStory>>;
type Args = Readonly<Record<string, unknown>>;

const [D, Z] = ["2001:db8::/32", "198.51.100.3/32"];
const OLD: Entries = { [A]: 1, [B]: 1 };
/** Without a look no preview shows what a run meets. */
const WITHOUT_LOOK = { settings: { detectDrift: "off" }, excused: [2] };
const PAST = "2020-01-01T00:00:00Z";

const part = (entries: Args, args: Args = {}, name = "blocked"): Declared => ({
  type: "PrefixSet",
  name,
  args: { arena: "edge", set: "blocked", node: "n1", entries, ...args },
});
const withArgs = (declared: Declared, args: Args): Declared => ({ ...declared, args: { ...declared.args, ...args } });
const destroy = run("destroy", []);
const preview = (...program: readonly Declared[]) => run("preview", program);
const colleague = (insert: Entries, node = "n1") => act({ actor: "colleague", node, set: SET, insert, commit: true });
/** The same turn, with other members of its runs. */
const ofRuns = (turn: Turn, more: Partial<Run>): Turn =>
  turn.kind === "runs" ? { ...turn, runs: turn.runs.map((it) => ({ ...it, ...more })) } : turn;
const byOther = (turn: Turn) => ofRuns(turn, { stack: 1 });
/** The configuration of a run has another machine under the name `n1`. */
const moved = (turn: Turn) =>
  ofRuns(turn, { settings: { nodes: JSON.stringify({ n1: { endpoint: originOf("n2") } }) } });
const each = <T>(all: readonly T[], story: (one: T) => readonly [name: string, story: FoundStory]): Stories =>
  Object.fromEntries(all.map(story));

/** The kill comes with the answer to the commit, after list and insert. */
const COMMITTED = kill(3);
const STAGED = kill(2);
const left = (prefix: string) => `holds what an interrupted run of this stack left (${prefix}): this up removes it.`;
/** No state has `Y`, which a killed run started, and a destroy knows no more than the state. */
const UNKNOWN_STARTS = { excused: [/^[23] .*: (?:.* stops )?198\.51\.100\.2\/32[ ,]/] };
const started = `an interrupted run of this stack started ${Y}: this up stops it.`;

/** Runs that were killed, and what the next ones do with that. */
const KILLED: Stories = {
  ...each(
    [OLD, { [A]: 1 }, { ...OLD, [C]: 1 }, undefined].flatMap((next) =>
      [true, false].map((exclusive) => ({ next, exclusive })),
    ),
    ({ next, exclusive }) => [
      `what a killed run inserted is this stack's for ${next ? `a program of ${Object.keys(next)}` : "a destroy"}, exclusive: ${exclusive}`,
      {
        turns: [
          up(part(OLD, { exclusive })),
          up(part({ ...OLD, [C]: 1 }, { exclusive }), COMMITTED),
          colleague({ [D]: 1 }),
          next ? up(part(next, { exclusive })) : destroy,
        ],
        red: [1],
        ...(next &&
          !(C in next) && {
            shows: {
              2: [/198\.51\.100\.0\/25\): this up removes it|also removes .* of this stack: .*198\.51\.100\.0\/25/],
            },
          }),
        ends: { n1: { ...next, [D]: 1 } },
      },
    ],
  ),
  "what a killed run inserted stays where another stack with an equal state goes on, and goes with its own stack": {
    turns: [
      up(part(OLD)),
      byOther(up(part(OLD))),
      up(part({ ...OLD, [C]: 1 }), COMMITTED),
      byOther(up(part(OLD))),
      byOther(up(withArgs(entry(1), { set: "partners", prefix: X }))),
      up(part(OLD)),
    ],
    red: [2],
    ends: { n1: OLD },
  },
  ...each([true, false], (isUpdate) => [
    `what a killed ${isUpdate ? "update" : "create"} left staged is removed by a later run, and no preview forgets it`,
    {
      turns: [
        ...(isUpdate ? [up(part(OLD, { exclusive: false }))] : []),
        up(part({ ...OLD, [C]: 1 }, { exclusive: false }), STAGED),
        preview(part({ ...OLD, [D]: 1 }, { exclusive: false })),
        up(part({ ...OLD, [D]: 1 }, { exclusive: false })),
        isUpdate ? up(part({ ...OLD, [D]: 1 }, { exclusive: false })) : destroy,
      ],
      red: [isUpdate ? 1 : 0],
      ends: { n1: isUpdate ? { ...OLD, [D]: 1 } : {} },
    },
  ]),
  "what a killed create left is in no way of the next program": {
    turns: [up(part(OLD), COMMITTED), up(part({ [A]: 7, [C]: 1 }))],
    red: [0],
    shows: { 1: [left(B)] },
    never: ["already"],
    ends: { n1: { [A]: 7, [C]: 1 } },
  },
  ...each(
    [
      { ...OLD, [C]: 2 },
      { ...OLD, [C]: 1, [D]: 1 },
      { ...OLD, [D]: 1 },
    ],
    (next) => [
      `an update without a look takes what a killed one left as this stack's: ${JSON.stringify(next)}`,
      {
        ...WITHOUT_LOOK,
        turns: [up(part(OLD)), up(part({ ...OLD, [C]: 1 }), COMMITTED), up(part(next))],
        red: [1],
        ...(!(C in next) && { says: { 2: [left(C)] } }),
        never: ["already"],
        ends: { n1: next },
      },
    ],
  ),
  "an update without a look names what a killed create left": {
    ...WITHOUT_LOOK,
    turns: [up(part(OLD), COMMITTED), up(part({ [A]: 1 }))],
    red: [0],
    says: { 1: [left(B)] },
    ends: { n1: { [A]: 1 } },
  },
  "two parts of a set take what a killed run left, each its own": {
    turns: [
      run(
        "up",
        [part({ [A]: 1 }, { exclusive: false }, "first"), part({ [B]: 1 }, { exclusive: false }, "second")],
        [COMMITTED],
      ),
      up(part({ [A]: 2 }, { exclusive: false }, "first")),
      run("up", [part({ [A]: 2 }, { exclusive: false }, "first"), part({ [B]: 2 }, { exclusive: false }, "second")]),
    ],
    red: [0],
    ends: { n1: { [A]: 2, [B]: 2 } },
  },
  ...each(["auto", "off"], (detectDrift) => [
    `an entry that had expired is this stack's after a killed run, look: ${detectDrift}`,
    {
      settings: { detectDrift },
      turns: [up(withArgs(entry(1), { expires: PAST })), up(entry(1), COMMITTED), up(entry(2))],
      red: [1],
      never: ["already"],
      ends: { n1: { [A]: 2 } },
    },
  ]),
  ...each(
    ["auto", "off"].flatMap((detectDrift) => [part({ [A]: 1 }), entry(1)].map((one) => ({ detectDrift, one }))),
    ({ detectDrift, one }) => [
      `a ${one.type} that moved in a killed run was not there before, look: ${detectDrift}`,
      {
        settings: { detectDrift },
        turns: [up(one), moved(up(one, COMMITTED)), moved(up(one)), moved(destroy)],
        red: [1],
        // The judges know a node by its name.
        excused: [3, 10, 12],
        never: ["already"],
        ends: { n2: {} },
      },
    ],
  ),
  "signalings that a killed create started are stopped by a destroy": {
    ...UNKNOWN_STARTS,
    active: [Z],
    turns: [up(signal([X, Y]), STAGED), up(signal([X])), destroy],
    red: [0],
    shows: { 1: [started] },
    says: { 1: [started] },
    never: ["active before this resource"],
    ends: { r1: [Z] },
  },
  ...each([true, false], (goesOn) => [
    `signalings that a killed update started are stopped by a destroy, with a run between: ${goesOn}`,
    {
      ...UNKNOWN_STARTS,
      active: [Z],
      turns: [up(signal([X])), up(signal([X, Y]), STAGED), ...(goesOn ? [up(signal([X]))] : []), destroy],
      red: [1],
      never: ["active before this resource"],
      ends: { r1: [Z] },
    },
  ]),
  ...each(
    [
      [X, Y],
      [X, Z],
    ].flatMap((next) => [true, false].map((isUpdate) => ({ next, isUpdate }))),
    ({ next, isUpdate }) => [
      `a run without a look takes signalings of a killed ${isUpdate ? "update" : "create"} as this stack's, for ${next}`,
      {
        ...WITHOUT_LOOK,
        active: [],
        turns: [...(isUpdate ? [up(signal([X]))] : []), up(signal([X, Y]), STAGED), up(signal(next)), destroy],
        red: [isUpdate ? 1 : 0],
        ...(!next.includes(Y) && { says: { [isUpdate ? 2 : 1]: [started] } }),
        never: ["active before this resource"],
        ends: { r1: [] },
      },
    ],
  ),
  "no destroy forgets a signaling of a killed run where no status can be read": {
    active: [],
    turns: [
      up(signal([X])),
      up(signal([X, Y]), STAGED),
      run("destroy", [], [{ kind: "fault", at: "r1", fault: { op: "status", status: 500, times: 1_000 } }]),
      destroy,
    ],
    red: [1, 2],
    ends: { r1: [] },
  },
  "a signaling of a killed run is in no way of a destroy of others where no status can be read": {
    ...UNKNOWN_STARTS,
    active: [],
    turns: [
      up(signal([X])),
      run("up", [signal([X]), withArgs({ ...signal([]), name: "other" }, { prefixes: [Y] })], [STAGED]),
      run("destroy", [], [{ kind: "fault", at: "r1", fault: { op: "status", status: 500, times: 1_000 } }]),
      up(withArgs({ ...signal([]), name: "other" }, { prefixes: [Y] })),
      destroy,
    ],
    red: [1],
    never: ["active before this resource"],
    ends: { r1: [] },
  },
};

const STUBBORN = { insertExisting: "error", deleteAbsent: "error", emptyCommit: "error" };
const failing = (cmd: "insert" | "commit", nth = 1) => fault("n1", { cmd, status: 503, nth, times: 100 });
const other = (prefix: string, value = 1, name = prefix): Declared =>
  withArgs({ ...entry(value), name: name.replace(/[^\w]/g, "-") }, { prefix });

/** Runs that failed half-way, at nodes that refuse what changes nothing. */
const FAILED: Stories = {
  ...each(
    ["{message}", "set unchanged", "E-17"].flatMap((text) => [true, false].map((isSecret) => ({ text, isSecret }))),
    ({ text, isSecret }) => [
      `a create that failed before anything was staged can be destroyed, empty commit: ${text}, secret: ${isSecret}`,
      {
        dialect: { ...STUBBORN, nothingStagedText: text },
        turns: [
          up({ ...part({ [A]: 1 }), ...(isSecret && { options: { secret: ["entries"] } }) }, failing("insert")),
          destroy,
        ],
        red: [0],
        ends: { n1: {} },
      },
    ],
  ),
  ...each(["{message}", "no new changes", "E-17"], (text) => [
    `equal entries are taken over where an empty commit is refused with ${text}`,
    {
      dialect: { ...STUBBORN, nothingStagedText: text },
      sets: { [A]: 1 },
      turns: [up(part({ [A]: 1 })), up(part({ [A]: 1 }))],
      ends: { n1: { [A]: 1 } },
    },
  ]),
  ...each(
    [part({ [A]: 1, [B]: 1 }), entry(1)].flatMap((one) =>
      [{}, STUBBORN].flatMap((dialect) => [true, false].map((isRefreshed) => ({ one, dialect, isRefreshed }))),
    ),
    ({ one, dialect, isRefreshed }) => [
      `a destroy unstages a ${one.type} whose create was never committed, ${JSON.stringify({ ...dialect, isRefreshed })}`,
      {
        dialect,
        turns: [up(one, failing("commit")), ...(isRefreshed ? [run("refresh", [])] : []), destroy],
        red: [0],
        ends: { n1: {}, "n1 staged": {} },
      },
    ],
  ),
  "what a failed run left staged is published by no later one, a removal before an insert least of all": {
    dialect: STUBBORN,
    turns: [
      run("up", [other(A), other(B)]),
      run("up", [other(A, 2), other(B)], [failing("insert", 2)]),
      run("up", [other(A, 2), other(B), other(C)]),
    ],
    red: [1],
    ends: { n1: { [A]: 2, [B]: 1, [C]: 1 } },
  },
};

const TWELVE = Array.from({ length: 12 }, (_, index) => `n${index + 1}`);
const twelve = (entries: Entries): Declared => ({
  type: "PrefixSetGroup",
  name: "group",
  args: { arena: "edge", set: "blocked", entries, nodes: TWELVE, maxUnreachable: 6 },
});

/** Groups whose nodes have the same in common. */
const GROUPS: Stories = {
  "a group of twelve nodes is warned of once, whatever number is silent, or has entries that another writer staged": {
    nodes: TWELVE,
    turns: [
      up(twelve({ [A]: 1 })),
      ...TWELVE.slice(6).map((node) => outage(node, true)),
      preview(twelve({ [A]: 1 })),
      ...TWELVE.slice(6).map((node) => outage(node, false)),
      ...TWELVE.map((node) => act({ actor: "colleague", node, set: SET, insert: { [C]: 1 }, commit: false })),
      up(twelve({ [A]: 1, [B]: 1 })),
    ],
    shows: {
      1: [
        /^warning: n7, n8, n9, n10, n11 and 1 more \S+ cannot be read: each does not answer\. .* restores nothing\./m,
      ],
    },
    says: {
      2: [/^warning: Set \S+ on n1, n2, n3, n4, n5 and 7 more: with our commit, .* appeared: 198\.51\.100\.0\/25/m],
    },
  },
};

/** Runs, and the texts that they say. */
export const SITUATIONS: Stories = { ...KILLED, ...FAILED, ...GROUPS };
