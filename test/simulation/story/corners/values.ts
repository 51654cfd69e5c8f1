import type { Declared, Disturbance, Entries, Turn } from "../../scenario";
import { originOf } from "../../simulation";
import type { Random } from "../../world/random";
import {
  type Args,
  act,
  type Content,
  type Course,
  entryOf,
  FOREIGN,
  gateOf,
  HOUR_MS,
  holder,
  inAnHour,
  KEPT,
  MANY,
  OTHER_SET,
  run,
  SET,
  WIDE,
  without,
} from "../calm/parts";
import { COMMON_COMMIT } from "../programs";

/** Values that others give to entries, and changes that a run leaves staged. */
export function values(random: Random): Course {
  return random.pick([
    others,
    others,
    others,
    losses,
    staged,
    staged,
    staged,
    refused,
    together,
    together,
    ignoring,
    over,
  ])(random);
}

const [A, B, C, D] = MANY as [string, string, string, string];
/** A part of the set at the first node. */
const part = (name: string, entries: Content, more: Args = {}): Declared => ({
  type: "PrefixSet",
  name,
  args: { arena: "edge", set: "blocked", node: "n1", entries, exclusive: false, ...more },
});
const insert = (entries: Entries, set = SET) =>
  ({ actor: "colleague", node: "n1", set, insert: entries, commit: true }) as const;
const remove = (...gone: readonly string[]) =>
  ({ actor: "colleague", node: "n1", set: SET, remove: gone, commit: true }) as const;
const failing = (cmd: "insert" | "delete" | "commit" | "list", more: Args = {}): Disturbance => ({
  kind: "fault",
  at: "n1",
  fault: { status: 503, cmd, nth: 1, times: 100, ...more },
});

/** Other values of declared entries: before a run, between its look and its write, and between two of its writes. */
function others(random: Random): Course {
  const value = () => random.int(0, 2);
  const own = { [WIDE]: value(), [KEPT]: random.int(1, 2) };
  const { node: _, ...args } = part("second", {}).args;
  const isGroup = random.chance(0.4);
  const program = (next: number, more: Content = {}): Declared[] => {
    const entries = { [B]: 1, [C]: next, ...more };
    const group = { type: "PrefixSetGroup", name: "second", args: { ...args, nodes: ["n1"], entries } } as const;
    return [part("first", { ...own, [A]: next }), isGroup ? group : part("second", entries)];
  };
  const single = entryOf(A, { value: random.int(1, 2) });
  const meets = random.some([act(insert({ [A]: random.pick([0, 0, 1]) }, OTHER_SET))], 0.4);
  const change = insert({ [random.pick([KEPT, B, B, D, D])]: random.pick([0, 7]) });
  const isBefore = random.chance(0.4);
  const meanwhile: Disturbance[] = isBefore ? [] : [{ kind: "act", request: random.int(1, 6), act: change }];
  const options = random.chance(0.7) ? { options: { parallel: 1 } } : {};
  const now = [...program(2, { [D]: 1 }), ...(meets.length > 0 ? [single] : [])];
  return {
    ...(random.chance(0.4) && { settings: { detectDrift: "off" } }),
    turns: [
      run("up", program(1)),
      ...meets,
      ...(isBefore ? [act(change)] : []),
      run("up", now, { ...options, meanwhile }),
      ...random.some([gateOf(now)], 0.3),
      run("up", program(2)),
    ],
  };
}

/** The same loss twice, and entries of several sets that end together. */
function losses(random: Random): Course {
  const one = holder(random, { [WIDE]: 1, [KEPT]: random.int(0, 2), [A]: 1 }, { onExisting: "adopt" });
  const same: Declared = { ...entryOf(B, {}), name: "same", args: { ...entryOf(B, {}).args, set: "blocked" } };
  const program = random.chance(0.5) ? [one] : [part("first", { [KEPT]: 2, [A]: 1 }), same, entryOf(B, {})];
  const lost = act(remove(...random.pick([[KEPT], [KEPT, A]])));
  const up = run("up", program);
  const again = random.pick<Turn[]>([
    [lost, up, lost, up],
    [lost, run("refresh", []), lost, up],
    [lost, up, up, lost, up],
  ]);
  // A failed list, and another write to the set in the same process.
  const failed = run("up", [part("third", { [C]: 1 }), part("fourth", { [D]: 1 })], {
    options: { continueOnError: true, parallel: 1 },
    settings: { detectDrift: "off" },
    meanwhile: [failing("list", { times: random.int(1, 30) })],
  });
  return { turns: [up, ...again, ...random.some([failed], 0.4), run("destroy", [])] };
}

/** A run that ends, or is killed, between its changes and their commit, and what the next one makes of that. */
function staged(random: Random): Course {
  const isShown = random.chance(0.5);
  const isRefused = random.chance(0.4);
  const dialect = {
    ...(isShown && { listShows: "staged" }),
    ...(isRefused && { insertExisting: "error" }),
    ...(random.chance(0.3) && { emptyCommit: "error" }),
  };
  const own = { [WIDE]: 1, [KEPT]: 2, [A]: 1 };
  const more = { onExisting: "adopt", ...(random.chance(0.5) && { exclusive: false }) };
  const one = holder(random, own, more);
  const having = (entries: Content) => ({ ...one, args: { ...one.args, entries } });
  const next = random.pick<Content>([without(own, [A]), { ...own, [A]: 2 }, { [WIDE]: 1 }, { ...own, [B]: 1 }]);
  const kill = { kind: "kill", request: 1, of: "commit", when: "before" } as const;
  const cut = random.pick<Disturbance[]>([
    [failing("commit")],
    [failing("commit"), failing("insert", { nth: random.int(1, 3) })],
    [failing("commit", { status: 507 })],
    // A node that refuses existing entries does not take a staged value back.
    isRefused ? [failing("commit")] : [kill],
  ]);
  const isFirst = random.chance(0.3);
  const begin = isFirst ? [run("up", [one], { meanwhile: cut })] : [run("up", [one])];
  const broken = isFirst ? [] : [run(random.chance(0.8) ? "up" : "destroy", [having(next)], { meanwhile: cut })];
  const then = random.pick<Content>([own, own, next, { ...own, [C]: 1 }]);
  return {
    settings: isRefused ? { node: { insertExisting: "error" } } : {},
    node: { dialect },
    turns: [
      ...begin,
      ...broken,
      run("up", [having(then)]),
      ...random.some([act(insert({ [FOREIGN]: 7 }))], 0.5),
      ...random.some([run("up", [having({ ...then, [D]: 1 })])], 0.5),
    ],
  };
}

/** Values that a node refuses, where it takes another value only by a delete and an insert. */
function refused(random: Random): Course {
  const isFault = random.chance(0.5);
  const settings = { node: { insertExisting: "error" } };
  const program = (value: number, other: number) => [
    part("first", { [WIDE]: 1, [KEPT]: value }),
    part("second", { [A]: other, [B]: 1 }),
  ];
  const meanwhile = isFault
    ? [failing("insert", { nth: random.int(1, 2), times: random.int(1, 12), status: random.pick([503, 400, 507]) })]
    : [];
  return {
    settings,
    node: { dialect: { insertExisting: "error", maxValue: 255 } },
    turns: [
      run("up", program(1, 1)),
      run("up", program(isFault ? 2 : 300, 2), { meanwhile }),
      ...random.some([act(insert({ [FOREIGN]: 7 }))], 0.6),
      run("up", program(random.int(1, 2), 1)),
    ],
  };
}

/** Two sets of one commit, of which the first one fails, and a commit that others were faster with. */
function together(random: Random): Course {
  const other = (entries: Content): Declared => {
    const { args } = part("other", entries);
    return { type: "PrefixSet", name: "other", args: { ...args, set: "partners" } };
  };
  const program = (value: number) => [part("first", { [WIDE]: value, [KEPT]: 1 }), other({ [A]: value })];
  const isCommon = random.chance(0.6);
  const common = isCommon ? { commitUrl: COMMON_COMMIT } : {};
  const cmd = random.pick(["insert", "insert", "commit"] as const);
  const fails = failing(cmd, { nth: random.int(1, 2), times: random.int(1, 20) });
  const faster: Disturbance = { kind: "act", request: random.int(2, 5), act: insert({ [FOREIGN]: 7 }) };
  const noRoom = failing("commit", { nth: 2, status: random.pick([403, 507]), message: "no room" });
  const options = { continueOnError: true, ...(!isCommon && { parallel: 1 }) };
  return {
    settings: { node: { ...common, insertExisting: "error" } },
    node: {
      dialect: { ...common, insertExisting: "error", ...(!isCommon && { emptyCommit: "error", listShows: "staged" }) },
    },
    turns: [
      run("up", program(1)),
      run("up", isCommon ? program(2) : [part("first", { [WIDE]: 2, [KEPT]: 1 }), part("second", { [B]: 2, [C]: 1 })], {
        options,
        meanwhile: isCommon ? [fails] : [faster, noRoom],
      }),
      ...random.some([run("up", program(2))], 0.5),
    ],
  };
}

/** Entries whose changes a program ignores: lost, added, or written in another way. */
function ignoring(random: Random): Course {
  const own = { [WIDE]: 1, [KEPT]: 2, [A]: 1 };
  const one = holder(random, own, {});
  const path = (of: string) => random.pick(["entries", `entries["${of}"]`]);
  const with_ = (entries: Content, ...ignoreChanges: readonly string[]): Declared => ({
    ...one,
    args: { ...one.args, entries },
    options: { ignoreChanges },
  });
  if (random.chance(0.4)) {
    const bad = random.pick([
      with_({ ...own, [B]: 1 }, `entries["${B}"]`),
      with_(own, `entries["${A.replace("/32", "")}"]`),
      with_({ ...without(own, [A]), [A.replace("/32", "")]: 2 }, `entries["${A.replace("/32", "")}"]`),
    ]);
    return { turns: [run("up", [one]), run("up", [bad], { isMistake: true })] };
  }
  const program = [with_(own, path(KEPT))];
  const happens = act(random.chance(0.7) ? remove(KEPT) : insert({ [KEPT]: 7 }));
  const end = random.pick([[gateOf(program), run("up", program)], [run("up", program)]]);
  return { turns: [run("up", program), happens, ...random.some([run("refresh", [])], 0.6), ...end] };
}

/** Entries that are over, also those of `block --now`, and that others insert again. */
function over(random: Random): Course {
  const place = `${originOf("n1")} ${SET}`;
  const value = random.int(0, 2);
  const note = { value, expires: inAnHour(), ...(random.chance(0.7) && { sent: { [place]: value } }) };
  const program = (more: Content = {}) => [
    part("first", { [WIDE]: 1, [A]: note, ...more } as Content, { exclusive: random.chance(0.5) }),
  ];
  const blocked = random.some([act(insert({ [A]: value }))], 0.5);
  const again = act(insert({ [A]: random.pick([value, 7]) }));
  return {
    turns: [
      ...blocked,
      run("up", program()),
      act({ actor: "time", ms: 2 * HOUR_MS }),
      run("up", program()),
      again,
      ...random.some([run("refresh", [])], 0.3),
      run("up", program({ [KEPT]: 1 })),
    ],
  };
}
