import type { Fault } from "../../../../provider/emulator";
import type { Declared, Disturbance, Turn } from "../../scenario";
import type { Random } from "../../world/random";
import {
  type Args,
  act,
  type Content,
  type Course,
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
} from "../calm/parts";

/** Answers that do not arrive, arrive late or say something else than what has happened; and nodes of which each has something of its own. */
export function receivers(random: Random): Course {
  const weights = { signalings: 6, differingNodes: 5, localSets: 1, parts: 1, cutCommands: 1 };
  return { signalings, differingNodes, localSets, parts, cutCommands }[random.weighted(weights)](random);
}

/** A prefix that the client may not signal. */
const INVALID = "203.0.113.9/32";
/** Its effect comes after the run. */
const LATE: Fault = { kind: "delay", delay: 90_000, when: "before" };

/** Starts and stops with lost, late, wrong or unreadable answers, while another client starts the same, and what becomes of them. */
function signalings(random: Random): Course {
  // What has become of the starts is not known when the next program lacks some of them.
  const isDoubtful = random.chance(0.3);
  const prefixes = isDoubtful ? SIGNALED : SIGNALED.slice(0, random.pick([1, 1, 1, 2, 3]));
  const args = { receiver: "r1", prefixes, stops: random.pick(["started", "started", "all", "none"]) };
  const signal = (these: readonly string[]): Declared => ({
    type: "CloudSignaling",
    name: "signal",
    args: { ...args, prefixes: these },
  });
  const hasInvalid = random.chance(0.2);
  const first = signal(hasInvalid ? [...prefixes, INVALID] : prefixes);
  const fewer = isDoubtful ? prefixes.slice(random.int(1, 2)) : random.some(prefixes, 0.4);
  const meanwhile = random.some<Turn>(
    [
      act({ actor: "time", ms: 2 * HOUR_MS }),
      run("refresh", []),
      act({ actor: "client", receiver: "r1", stop: [random.pick(prefixes)] }),
    ],
    0.4,
  );
  const others = run("up", fewer.length > 0 ? [signal(fewer)] : []);
  const next = random.pick<Turn[]>([
    [],
    [others],
    ...(isDoubtful ? [] : [[run("up", [first])], [run("up", [signal(SIGNALED)])]]),
  ]);
  const end = random.chance(0.6) ? run("destroy", []) : run("up", []);
  return {
    active: random.some(SIGNALED, 0.15),
    receiver: {
      signalingPartial: random.pick(["all-or-nothing", "valid-ones", "before"]),
      ...(random.chance(0.2) && { statusDelay: 1_500 }),
    },
    turns: [
      run("up", [first], { meanwhile: troubles(random, "start", prefixes, isDoubtful) }),
      ...meanwhile,
      ...next,
      ...(random.chance(0.3) ? [run("destroy", [], { meanwhile: troubles(random, "stop", prefixes) })] : []),
      ...random.some([act({ actor: "time", ms: 2 * HOUR_MS })], 0.5),
      end,
    ],
  };
}

/** Fate of the requests of one kind, or of the statuses after them. */
function troubles(
  random: Random,
  op: "start" | "stop",
  prefixes: readonly string[],
  isDoubtful = false,
): Disturbance[] {
  const at = (fault: Fault): Disturbance => ({ kind: "fault", at: "r1", fault });
  const broken = random.pick<Fault>([
    { kind: "lost-answer" },
    { kind: "silence" },
    { status: 503, when: "after" },
    { status: 503, when: "after" },
    { status: 503, when: "after" },
    { status: 503 },
    { status: 500, when: "after" },
    { kind: "html", when: "after" },
    { kind: "unknown-shape" },
  ]);
  const unreadable = random.pick<Fault>([{ status: 500 }, { kind: "unknown-shape" }, { kind: "silence" }]);
  const any = random.pick(prefixes);
  const last = random.fork("last").chance(0.7) ? [...prefixes.slice(-1)] : [any];
  const other = { actor: "client", receiver: "r1", [op]: last } as const;
  const times = random.pick([1, 100]);
  const doubtful = [
    [at({ ...LATE, op, times: 100 })],
    [at({ ...broken, op, times: 100 }), at({ ...unreadable, op: "status", nth: 2, times: 100 })],
  ];
  if (isDoubtful) return random.pick(doubtful);
  return random.pick<Disturbance[]>([
    [at({ ...broken, op, times: 1 })],
    [at({ ...broken, op, times: 1 })],
    [at({ ...broken, op, times })],
    [at({ ...unreadable, op: "status", nth: 2, times })],
    [{ kind: "act", request: 1, act: other }],
    [{ kind: "act", request: 1, act: other }],
    [{ kind: "act", request: 1, act: other }, at({ ...broken, op, times: 1 })],
  ]);
}

/** Nodes of a group of which each has lost, or was given, something else; one of them may be silent, or answer with an error. */
function differingNodes(random: Random): Course {
  const common = { [WIDE]: 1, [KEPT]: 2, ...plain(MANY.slice(0, 4)) };
  const over = { value: 3, expires: inAnHour() };
  const own = random.some<Content>([{ [WIDE]: over }, { [MANY[1] as string]: 4 }, { [MANY[9] as string]: over }], 0.4);
  const nodes = own.length === 0 ? ["n1", "n2"] : { n1: { entries: Object.assign({}, ...own) }, n2: {} };
  const args = { arena: "edge", set: "blocked", nodes, onExisting: "adopt" };
  const more = { ...(random.chance(0.6) && { maxUnreachable: 1 }), ...(random.chance(0.3) && { exclusive: false }) };
  const group = (entries: Content): Declared => ({
    type: "PrefixSetGroup",
    name: "group",
    args: { ...args, ...more, entries },
  });
  const [lost, others] = [[MANY[2], MANY[3]] as string[], [FOREIGN, "198.18.7.0/24"]];
  const meets = ["n1", "n2"].flatMap((node, index) =>
    random.some<Turn>(
      [
        act({ actor: "colleague", node, set: SET, remove: [lost[index] as string], commit: true }),
        act({ actor: "colleague", node, set: SET, insert: { [others[index] as string]: 7 }, commit: true }),
        act({
          actor: "colleague",
          node,
          set: SET,
          insert: { [random.pick([KEPT, MANY[0] as string])]: 9 },
          commit: true,
        }),
      ],
      0.4,
    ),
  );
  const next = random.pick<Content>([
    common,
    { ...common, [MANY[8] as string]: 1 },
    without(common, [MANY[0] as string]),
  ]);
  const bad = random.pick<Disturbance[]>([[], [atNode(random)], [atNode(random)]]);
  const isSilent = random.chance(0.2);
  const isEarly = random.fork("early").chance(0.5);
  const outage = (silent: boolean) => (isSilent ? [act({ actor: "outage", at: "n2", silent })] : []);
  const changes = [
    ...outage(true),
    run("up", [group(next)], { meanwhile: bad }),
    ...outage(false),
    run("up", [group(next)]),
    ...random.some([run("destroy", [])], 0.4),
  ];
  return {
    settings: { detectDrift: random.pick(["auto", "auto", "require"]) },
    sets: random.pick([{}, {}, { [FOREIGN]: 9 }, { [FOREIGN]: 9, [WIDE]: 1 }]),
    turns: [
      ...outage(isEarly),
      run("up", [group(common)], { meanwhile: random.some([atNode(random)], 0.3) }),
      ...outage(false),
      ...random.some([act({ actor: "time", ms: 2 * HOUR_MS })], 0.5),
      ...meets,
      ...random.some<Turn>([run("refresh", []), gateOf([group(common)])], 0.6),
      ...(random.chance(0.3) ? [run("destroy", [])] : changes),
    ],
  };
}

/** An error of one node, for as long as the run lasts. */
function atNode(random: Random): Disturbance {
  const fault = random.pick<Fault>([
    { status: 500 },
    { status: 400 },
    { status: 502 },
    { kind: "silence" },
    { status: 401 },
  ]);
  const cmd = random.pick([{}, { cmd: "list" }, { cmd: "list" }, { cmd: "insert" }, { cmd: "commit" }] as const);
  return { kind: "fault", at: random.pick(["n1", "n2"]), fault: { ...fault, ...cmd, times: 1_000 } };
}

/** A set of a profile whose name a preview does not know, beside the global set of that name. */
function localSets(random: Random): Course {
  const entries = { [WIDE]: 1, [KEPT]: 2 };
  const local = (content: Content): Declared => ({
    type: "PrefixSet",
    name: "local",
    args: { arena: "edge", profile: "web", set: "blocked", node: "n1", entries: content },
    options: { unknown: ["profile"] },
  });
  const all = [holder(random, { [WIDE]: 1, ...plain(MANY.slice(0, 3)) }, {}), local(entries)];
  return {
    turns: [
      run("up", random.chance(0.5) ? all : all.slice(1), { isSound: true }),
      run("up", [...all.slice(0, 1), local({ ...entries, [MANY[0] as string]: 1 })], { isSound: true }),
      ...random.some([run("destroy", [])], 0.5),
    ],
  };
}

/** Lists of which a node gives only the beginning. */
function parts(random: Random): Course {
  const one = holder(random, plain(MANY), {});
  const most = (args: Args) => act({ actor: "pages", node: "n1", ...args });
  return {
    turns: [
      run("up", [one]),
      most({ most: random.pick([1, 10, 23, 24]) }),
      ...random.some<Turn>([run("refresh", []), run("up", [one]), gateOf([one])], 0.6),
      most({}),
      run("up", [one]),
    ],
  };
}

/** A command that is cut short between its requests, and the one that takes it back. */
function cutCommands(random: Random): Course {
  const command = (what: "block" | "unblock", fault?: Fault) =>
    act({
      actor: "operator",
      command: what,
      nodes: ["n1", "n2"],
      set: SET,
      prefixes: [KEPT, WIDE],
      ...(fault && { fault }),
    });
  const cut = random.pick<Fault>([
    { cmd: "commit", kind: "silence", when: "before", times: 100 },
    { cmd: "commit", kind: "silence", times: 100 },
    { cmd: "commit", status: 500, times: 100 },
    { cmd: "insert", kind: "silence", times: 100 },
  ]);
  const others = act({ actor: "colleague", node: "n1", set: SET, insert: { [FOREIGN]: 7 }, commit: true });
  return {
    turns: [command("block", cut), ...random.some([others], 0.2), command("unblock"), others],
  };
}
