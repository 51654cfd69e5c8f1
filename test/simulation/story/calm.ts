import type { Declared, Door, Entries, Scenario, Turn } from "../scenario";
import { originOf } from "../simulation";
import { Random } from "../world/random";
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
  plain,
  run,
  SET,
  SIGNALED,
  WIDE,
  without,
  worldOf,
} from "./calm/parts";
import { COMMON_COMMIT } from "./programs";

/**
 * A small world in which nothing fails but what it is about, and no other writer is in the way, so that all that a run does, keeps and says can be counted: its programs use arguments
 * and settings that the others leave out.
 */
export function calm(seed: number): Scenario {
  const random = new Random(seed).fork("calm");
  const draw = random.pick([
    limits,
    limits,
    endings,
    endings,
    endings,
    signalings,
    readOnly,
    secrets,
    secretCheck,
    commands,
    commands,
  ]);
  const door = random.pick<Door>(["dynamic", "plugin"]);
  const course = ({ 4: twoNames, 8: twoGroups, 12: commonCommits }[seed % RARE_EVERY] ?? draw)(random);
  return worldOf(seed, door, course);
}

/** One of so many of these worlds has a node with two names, one two groups of one set, and one sets with a common commit: a draw alone would bring them too rarely. */
const RARE_EVERY = 16;

/** A limit as an argument, and as a setting of the stack where there is one; a change that passes it by one, and one that just obeys it. */
interface Limit {
  readonly args?: Args;
  readonly setting?: Args;
  readonly bad: Content;
  readonly good: Content;
}

const ALL = { ...plain(MANY), [WIDE]: 1, [KEPT]: 2 };
const LIMITS: readonly Limit[] = [
  { args: { maxRemovals: 20 }, bad: without(ALL, MANY.slice(0, 21)), good: without(ALL, MANY.slice(0, 20)) },
  {
    args: { maxChanges: 20 },
    setting: { maxChanges: "20" },
    bad: { ...ALL, ...plain(MANY.slice(0, 21), 2) },
    good: { ...ALL, ...plain(MANY.slice(0, 20), 2) },
  },
  {
    args: { maxEntries: 26 },
    setting: { maxEntries: "26" },
    bad: { ...ALL, "198.51.100.0/25": 1 },
    good: { ...without(ALL, MANY.slice(0, 1)), "198.51.100.0/25": 1 },
  },
  {
    args: { requiredPrefixes: ["203.0.113.7/32"] },
    setting: { requiredPrefixes: '["203.0.113.7/32"]' },
    bad: without(ALL, [WIDE]),
    good: { ...without(ALL, [WIDE]), "203.0.113.0/25": 1 },
  },
  {
    args: { forbiddenPrefixes: ["198.51.100.64/26"] },
    setting: { forbiddenPrefixes: '["198.51.100.64/26"]' },
    bad: { ...ALL, "198.51.100.0/25": 1 },
    good: { ...ALL, "198.51.100.128/25": 1 },
  },
  {
    args: { shortestPrefix: { ipv4: 16 } },
    setting: { shortestPrefix: '{"ipv4":16}' },
    bad: { ...ALL, "198.18.0.0/15": 1 },
    good: { ...ALL, "198.18.0.0/16": 1 },
  },
  { args: { maxRemovals: "100%" }, bad: {}, good: plain([KEPT], 2) },
  { setting: { node: { maxValue: 255 } }, bad: { ...ALL, [WIDE]: 256 }, good: { ...ALL, [WIDE]: 255 } },
];

/** Changes that a limit stops in the preview, and one that it allows. */
function limits(random: Random): Course {
  if (random.chance(0.25)) return stackRemovals(random);
  const { args, setting, bad, good } = random.pick(LIMITS);
  const isOfStack = setting !== undefined && (args === undefined || random.chance(0.6));
  const one = holder(random, ALL, { onExisting: "adopt", ...(!isOfStack && args) });
  const declaring = (entries: Content) => [{ ...one, args: { ...one.args, entries } }];
  return {
    ...(isOfStack && { settings: setting }),
    turns: [
      run("up", [one]),
      run("up", declaring(bad), { isMistake: true }),
      run("up", declaring(good), { isSound: true }),
    ],
  };
}

/** More removals of single entries than the stack allows in one deployment, one by one or together. */
function stackRemovals(random: Random): Course {
  const all = MANY.map((prefix) => entryOf(prefix, {}));
  const options = { parallel: random.pick([2, MANY.length]) };
  const end = random.chance(0.5) ? run("destroy", [], { options }) : run("up", all.slice(0, 2), { options });
  return { settings: { maxRemovals: "20" }, turns: [run("up", all, { options: { parallel: MANY.length } }), end] };
}

/** A resource from its first run to its end, in a set that others use, too. */
function endings(random: Random): Course {
  const sets = { ...(random.chance(0.5) && { [FOREIGN]: 9 }), ...(random.chance(0.5) && { [WIDE]: random.int(1, 2) }) };
  const more = {
    onExisting: random.pick(["adopt", "adopt", "fail"]),
    onDestroy: random.pick(["remove", "created", "created", "keep"]),
    ...(random.chance(0.3) && { exclusive: false }),
  };
  const ends = { value: 1, expires: inAnHour(), reason: "SYN flood" };
  const own = { [WIDE]: 1, [KEPT]: 2, ...plain(MANY.slice(0, random.int(1, 2))) };
  const one = holder(random, { ...own, ...(random.chance(0.4) && { "198.51.100.0/25": ends }) }, more);
  const entry = entryOf("198.51.100.128/25", {
    onDestroy: more.onDestroy,
    ...(random.chance(0.5) && { expires: ends.expires }),
  });
  const program = [one, ...(random.chance(0.4) ? [entry] : [])];
  const others = random.pick([["198.18.7.0/24"], ["198.18.7.0/24", "198.18.8.0/24"]]);
  const node = random.pick(["n1", "n1", "n2"]);
  // Without a look a plain run sees no loss.
  const isBlind = random.chance(0.2);
  const loss = act({
    actor: "colleague",
    node: "n1",
    set: SET,
    remove: [random.pick([KEPT, MANY[0] as string])],
    commit: true,
  });
  const meeting: Turn[] = random.some<Turn>([
    act({ actor: "colleague", node, set: SET, insert: plain(others, 7) as Entries, commit: random.chance(0.7) }),
    ...(isBlind ? [] : [loss]),
    act({ actor: "time", ms: 2 * HOUR_MS }),
  ]);
  const gate = random.some([gateOf(program)], 0.4);
  const grown = [
    { ...one, args: { ...one.args, entries: { ...(one.args.entries as Content), [MANY[9] as string]: 1 } } },
    ...program.slice(1),
  ];
  // Another team has put there what the program adds.
  const meets = random.fork("meets");
  const met = meets.some(
    [act({ actor: "colleague", node, set: SET, insert: { [MANY[9] as string]: meets.int(1, 2) }, commit: true })],
    0.5,
  );
  const again = random.chance(0.6)
    ? [
        run(
          "up",
          isBlind || random.chance(0.4) || met.length > 0 ? grown : program,
          random.chance(0.3) ? { options: { refresh: true } } : {},
        ),
      ]
    : [];
  const end = random.chance(0.6) ? run("destroy", []) : run("up", program.slice(1));
  return {
    sets,
    ...(isBlind && { settings: { detectDrift: "off" } }),
    turns: [run("up", program), ...meeting, ...gate, ...met, ...again, end],
  };
}

/** Signalings that others have started, too, and what becomes of them in the end. */
function signalings(random: Random): Course {
  const args = {
    receiver: "r1",
    prefixes: SIGNALED.slice(0, random.int(1, 3)),
    stops: random.pick(["started", "all", "none"]),
  };
  const one: Declared = { type: "CloudSignaling", name: "signal", args };
  const fewer = { ...one, args: { ...args, prefixes: args.prefixes.slice(0, 1) } };
  const stopped = act({ actor: "client", receiver: "r1", stop: [SIGNALED[0] as string] });
  const end = random.chance(0.6) ? run("destroy", []) : run("up", []);
  return {
    active: random.some(SIGNALED, 0.4),
    turns: [
      run("up", [one]),
      ...(random.chance(0.5) ? [stopped, ...random.some([gateOf([one])], 0.5), run("up", [one])] : []),
      ...(random.chance(0.5) ? [run("up", [fewer])] : []),
      end,
    ],
  };
}

/** Blocks of an operator and their end, in a set that others use, too. */
function commands(random: Random): Course {
  const settings = random.pick<Args>([{ maxRemovals: "20" }, { maxEntries: "4" }, {}]);
  const [nodes, set] = [["n1", "n2"], SET];
  const prefixes = random.chance(0.5) ? MANY : MANY.slice(0, 2);
  const command = (
    what: "block" | "unblock" | "expire",
    more: { prefixes?: readonly string[]; value?: number; ms?: number } = {},
  ) => act({ actor: "operator", command: what, nodes, set, prefixes, ...more });
  const others = plain([random.pick(prefixes), "198.18.7.0/24"], 7) as Entries;
  const insert = act({ actor: "colleague", node: random.pick(nodes), set, insert: others, commit: true });
  const isShort = random.chance(0.5);
  const blocked = command("block", { value: random.int(1, 2), ...(isShort && { ms: HOUR_MS }) });
  const more = random.chance(0.5)
    ? [
        command("block", {
          prefixes: random.pick([[KEPT], [KEPT, FOREIGN, "198.18.8.0/24"], prefixes.slice(0, 1)]),
          value: 3,
        }),
      ]
    : [];
  const later = act({ actor: "time", ms: 2 * HOUR_MS });
  const end = isShort && random.chance(0.7) ? [later, ...random.some(more), command("expire")] : [command("unblock")];
  return {
    settings,
    sets: { [WIDE]: 1 },
    turns: random.chance(0.5) ? [insert, blocked, ...more, ...end] : [blocked, ...more, insert, ...end],
  };
}

/** Entries and signalings that are secret, with losses, mistakes and refusals that messages are about. */
function secrets(random: Random): Course {
  const noted = { value: 1, reason: "of the customer", expires: inAnHour() };
  const one = holder(random, { [WIDE]: 1, [KEPT]: 2, "198.51.100.0/25": noted }, { onExisting: "adopt" });
  const args = { receiver: "r1", prefixes: SIGNALED.slice(0, 2) };
  const signal: Declared = { type: "CloudSignaling", name: "signal", args, options: { secret: ["prefixes"] } };
  const all = [{ ...one, options: { secret: ["entries"] } }, signal];
  const broken = all.map((it) =>
    it === signal ? it : { ...it, args: { ...it.args, entries: { "203.0.113.7/24": 1 } } },
  );
  const happens = random.pick<Turn>([
    act({ actor: "colleague", node: "n1", set: SET, remove: [WIDE], commit: true }),
    act({ actor: "node", node: "n1", restart: "empty" }),
    act({ actor: "client", receiver: "r1", stop: [SIGNALED[0] as string] }),
    act({ actor: "time", ms: 2 * HOUR_MS }),
    run("up", broken, { isMistake: true }),
  ]);
  const refused = {
    kind: "fault",
    at: "n1",
    fault: { status: 400, message: `unknown: ${WIDE}`, cmd: "insert", nth: 1, times: 100 },
  } as const;
  const meanwhile = random.chance(0.3) ? [refused] : [];
  return {
    sets: random.chance(0.5) ? { [WIDE]: 1 } : {},
    active: random.some(SIGNALED, 0.3),
    turns: [
      run("up", all, { meanwhile }),
      happens,
      run("up", all, random.chance(0.3) ? { options: { refresh: true } } : {}),
      run("destroy", []),
    ],
  };
}

/** A check that is secret, and does not pass. */
function secretCheck(random: Random): Course {
  const check = { url: "http://health.example/{node}", headers: { authorization: "the key of the check" } };
  const rollout = { waves: [1, 1], check, checkTimeoutMs: 1_000 };
  const args = { arena: "edge", set: "blocked", nodes: ["n1", "n2"], rollout };
  const group = (entries: Content): Declared => ({
    type: "PrefixSetGroup",
    name: "group",
    args: { ...args, entries },
    options: { secret: ["rollout"] },
  });
  const ill = act({ actor: "health", node: "n1", state: random.pick(["fail", "hang"]) });
  return { turns: [run("up", [group({ [WIDE]: 1 })]), ill, run("up", [group({ [WIDE]: 1, [KEPT]: 2 })])] };
}

/** Two resources reach one set of one node under two names, while values change there by a delete and an insert in several requests. */
function twoNames(random: Random): Course {
  const [first, second] = ["n1", "n1-renamed"];
  const options = { endpoint: originOf(first), insertExisting: "error", maxEntriesPerRequest: random.int(1, 4) };
  const part = (name: string, node: string, entries: Content): Declared => ({
    type: "PrefixSet",
    name,
    args: { arena: "edge", set: "blocked", node, entries, exclusive: false },
  });
  const program = (value: number, added: Content = {}) => [
    part("many", first, plain(MANY.slice(0, 12), value)),
    part("few", second, { [WIDE]: 1, ...added }),
  ];
  return {
    settings: { nodes: JSON.stringify({ [first]: options, [second]: options }) },
    node: { aliases: [second], dialect: { insertExisting: "error" } },
    turns: [run("up", program(1)), run("up", program(2, { [KEPT]: 2 })), run("up", program(3))],
  };
}

/** A commit publishes both sets of the node, while one of them changes in several requests, or a run has left it half-written. */
function commonCommits(random: Random): Course {
  const holding = (name: string, set: string, entries: Content): Declared => ({
    type: "PrefixSet",
    name,
    args: { arena: "edge", set, node: "n1", entries },
  });
  const program = (first: Content, second: Content) => [
    holding("many", "blocked", first),
    holding("few", "partners", second),
  ];
  const [all, few] = [plain(MANY.slice(0, 12)), { [WIDE]: 1 }];
  const next = random.pick([plain(MANY.slice(0, 12), 2), plain(MANY.slice(4, 12)), plain(MANY.slice(0, 16))]);
  const failing = (cmd: "insert" | "delete" | "commit") =>
    ({ kind: "fault", at: "n1", fault: { status: 503, cmd, nth: 1, times: 100 } }) as const;
  const kill = { kind: "kill", request: random.int(3, 6), when: random.pick(["before", "after"] as const) } as const;
  const meanwhile = random.pick([[], [failing(random.pick(["insert", "delete", "commit"]))], [kill]]);
  return {
    settings: { node: { commitUrl: COMMON_COMMIT, maxEntriesPerRequest: random.int(2, 6) } },
    node: { dialect: { commitUrl: COMMON_COMMIT, ...(random.chance(0.5) && { insertExisting: "error" }) } },
    turns: [
      run("up", program(all, few)),
      run("up", program(next, { ...few, [KEPT]: 2 }), { meanwhile }),
      ...(random.fork("end").chance(0.3)
        ? [run("destroy", [])]
        : [run("up", program(all, { [KEPT]: 3 })), run("up", program(all, few))]),
    ],
  };
}

/** Two groups have a part of one set, at the same nodes: one is red, and what becomes of it is no matter of the other one. */
function twoGroups(random: Random): Course {
  const check = { url: "http://health.example/{node}" };
  const part = (name: string, entries: Content, rollout: Args = { check }): Declared => ({
    type: "PrefixSetGroup",
    name,
    args: {
      ...{ arena: "edge", set: "blocked", entries, nodes: ["n1", "n2"], exclusive: false },
      rollout: { waves: [["n1"], ["n2"]], checkTimeoutMs: 1_000, ...rollout },
    },
  });
  const [own, red, others] = [{ [WIDE]: 1 }, { [WIDE]: 1, [KEPT]: 2 }, plain(MANY.slice(0, 2))];
  const other = part("other", others);
  const ill = act({ actor: "health", node: "n1", state: "fail" });
  const next = random.pick([
    // A new name, and no check.
    [other, part("renamed", red, {})],
    // A third group that has nothing to do with it.
    [part("red", red), other, part("third", plain(MANY.slice(2, 4)))],
    // What has not passed goes to another group.
    [part("red", own), other, part("third", { [KEPT]: 2 })],
    // It leaves.
    [other],
  ]);
  const options = random.chance(0.3) ? { refresh: true } : {};
  return {
    turns: [
      run("up", [part("red", own), other]),
      ill,
      run("up", [part("red", red), other]),
      run("up", next, { options }),
    ],
  };
}

/** A stack that may change nothing from some run on. */
function readOnly(random: Random): Course {
  const args = { receiver: "r1", prefixes: SIGNALED.slice(0, 2) };
  const signal: Declared = { type: "CloudSignaling", name: "signal", args };
  const all = [holder(random, { [WIDE]: 1, [KEPT]: 2 }, {}), entryOf("198.51.100.0/25", {}), signal];
  const left = random.some(all, 0.5);
  return {
    turns: [
      run("up", all),
      run(
        "up",
        left.map((one) => (random.chance(0.5) ? one : changed(one))),
        { settings: { readOnly: "true" } },
      ),
    ],
  };
}

function changed(one: Declared): Declared {
  if (one.type === "CloudSignaling") return { ...one, args: { ...one.args, prefixes: SIGNALED } };
  if (one.type === "PrefixSetEntry") return { ...one, args: { ...one.args, value: 2 } };
  return { ...one, args: { ...one.args, entries: { [WIDE]: 2 } } };
}
