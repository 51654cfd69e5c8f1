import type { Fault } from "../../../provider/emulator";
import type { Act, Declared, Disturbance, Entries, Run, RunOptions, Turn } from "../scenario";
import type { Random } from "../world/random";
import { FAULTS, quoting } from "./events";
import { BLOCKED, machineOf, PARTNERS, type Sites, URGENT } from "./programs";

/** Something that a draw alone would bring too rarely to meet each other kind: an event during a run, an option of the run or of a resource. */
type Rare = (random: Random, sites: Sites) => (run: Run) => Run;

const during =
  (make: (random: Random, sites: Sites, request: number) => Disturbance): Rare =>
  (random, sites) =>
  (run) => ({ ...run, meanwhile: [...run.meanwhile, make(random, sites, random.int(1, 3))] });

const acting = (make: (random: Random, sites: Sites) => Act): Rare =>
  during((random, sites, request) => ({ kind: "act", request, act: make(random, sites) }));

const withOption = (make: (name: string) => RunOptions): Rare => {
  return (random) => (run) => {
    const some = random.pick(run.program)?.name;
    return run.command !== "up" || some === undefined ? run : { ...run, options: { ...run.options, ...make(some) } };
  };
};

const declaring = (make: (one: Declared) => Declared["options"]): Rare => {
  return (random) => (run) => {
    const one = random.pick(run.program);
    const options = { ...one?.options, ...(one && make(one)) };
    return { ...run, program: run.program.map((it) => (it === one ? { ...it, options } : it)) };
  };
};

function kindOf({ kind, status }: Fault): string {
  return kind ?? `status ${status}`;
}

/** A fault at a node of the run's program. */
function failing(make: (random: Random, at: string) => Fault): Rare {
  return (random, { nodes }) =>
    (run) => {
      const named = run.program.flatMap(({ args }) => [args.node ?? args.nodes ?? []].flat()).map(machineOf);
      const at = random.pick(named.length > 0 ? named : nodes);
      const fault = { ...make(random, at), nth: 1, times: random.pick([1, 2]) };
      return { ...run, meanwhile: [...run.meanwhile, { kind: "fault", at, fault }] };
    };
}

/** Faults by kind, each with its forms. */
const KINDS = [...new Set(FAULTS.map(kindOf))];
const faults = KINDS.map((kind) => failing((random) => random.pick(FAULTS.filter((fault) => kindOf(fault) === kind))));
const aNode = (random: Random, { nodes }: Sites) => random.pick(nodes);

const RARE: readonly Rare[] = [
  ...faults,
  // Those with status 500 are a kind of their own.
  failing((random, at) => ({ ...quoting(random, at), status: 400 })),
  ...(["empty", "older", "same"] as const).map((restart) =>
    acting((random, sites) => ({ actor: "node", node: aNode(random, sites), restart })),
  ),
  ...(["pass", "fail", "hang"] as const).map((state) =>
    acting((random, sites) => ({ actor: "health", node: sites.own[1] ?? aNode(random, sites), state })),
  ),
  ...[true, false].map((silent) => acting((random, sites) => ({ actor: "outage", at: aNode(random, sites), silent }))),
  ...[true, false].map((commit) =>
    acting((random, sites) => ({
      actor: "colleague",
      node: aNode(random, sites),
      set: random.pick([BLOCKED, PARTNERS]),
      insert: { "203.0.113.7/32": random.int(1, 9) },
      commit,
    })),
  ),
  acting((random) => ({
    actor: "client",
    receiver: "r1",
    [random.pick(["start", "stop"])]: [random.pick(["198.51.100.1/32", "198.51.100.200/32"])],
  })),
  acting(() => ({ actor: "time", ms: 60_000 })),
  acting((random) => ({ actor: "calendar", ms: random.pick([-86_400_000, 3_600_000]) })),
  acting((random) => ({ actor: "restore", stack: 0, runsAgo: random.int(1, 2) })),
  acting((random, { nodes }) => ({
    actor: "on-call",
    command: random.pick(["block", "unblock"]),
    nodes,
    set: BLOCKED,
    prefix: URGENT,
  })),
  during((random, _, request) => ({ kind: "kill", request, when: random.pick(["before", "after"]) })),
  during((_, __, request) => ({ kind: "cancel", request })),
  withOption((name) => ({ targets: [name] })),
  withOption((name) => ({ excludes: [name] })),
  withOption((name) => ({ replace: [name] })),
  withOption(() => ({ continueOnError: true })),
  declaring(() => ({ protect: true })),
  declaring(() => ({ retainOnDelete: true })),
  declaring(({ type, args }) =>
    type === "PrefixSet" || type === "PrefixSetGroup"
      ? { ignoreChanges: [`entries["${Object.keys(args.entries as Entries)[0]}"]`] }
      : {},
  ),
];

/** Every pair of two of them. */
const PAIRS = RARE.flatMap((one, index) => RARE.slice(index + 1).map((other) => [one, other] as const));
/** One seed of so many is left as it was drawn. */
const PLAIN_EVERY = 10;

/** Adds rare kinds to the runs of a scenario that change something: the n-th pair to the n-th seed, and two more. */
export function withRare(random: Random, seed: number, turns: readonly Turn[], sites: readonly Sites[]): Turn[] {
  if (seed % PLAIN_EVERY === 0) return [...turns];
  const pair = PAIRS[seed % PAIRS.length] ?? [];
  const places = placesOf(turns);
  const found = [...turns];
  for (const rare of [...pair, random.pick(RARE), random.pick(RARE)]) {
    const { at, chosen } = random.pick(places);
    const turn = found[at];
    if (turn?.kind !== "runs") continue;
    const change = rare(random, sites[turn.runs[chosen]?.stack ?? 0] as Sites);
    found[at] = { ...turn, runs: turn.runs.map((run, index) => (index === chosen ? change(run) : run)) };
  }
  return found;
}

/** The last one is in some programs, too. */
const COMMANDED = ["198.18.7.0/24", "198.18.8.0/24", "192.0.2.0/25"];

/** One seed of so many gives up after a run that was broken off. */
const GIVES_UP_EVERY = 6;

/** The operator destroys a stack right after a run that brought another program and was killed, or lost its node in the midst. */
export function withDestroy(random: Random, seed: number, turns: readonly Turn[], sites: readonly Sites[]): Turn[] {
  const places = placesOf(turns);
  const { at, chosen } = random.pick(places.length > 1 ? places.slice(1) : places);
  const turn = turns[at];
  if (seed % GIVES_UP_EVERY !== 0 || turn?.kind !== "runs") return [...turns];
  const request = random.int(3, 8);
  const broken: Disturbance = random.chance(0.5)
    ? { kind: "kill", request, when: random.pick(["before", "after"]) }
    : {
        kind: "fault",
        at: random.pick(sites[turn.runs[chosen]?.stack ?? 0]?.nodes ?? []),
        fault: { kind: "silence", when: random.pick(["before", "after"]), nth: random.int(3, 5), times: 100 },
      };
  const runs = turn.runs.map((run, index) => (index === chosen ? { ...run, meanwhile: [broken] } : run));
  const stack = runs[chosen]?.stack ?? 0;
  const destroy: Run = { stack, command: "destroy", program: [], options: {}, meanwhile: [] };
  return [...turns.slice(0, at), { kind: "runs", runs }, { kind: "runs", runs: [destroy] }, ...turns.slice(at + 1)];
}

/** In one of so many seeds another engineer blocks with a prefix file and its commands, between the runs and during one. */
const COMMANDS_EVERY = 8;

export function withCommands(random: Random, seed: number, turns: readonly Turn[], [sites]: readonly Sites[]): Turn[] {
  const at = random.int(1, turns.length);
  if (seed % COMMANDS_EVERY !== 3 || !sites) return [...turns];
  const place = {
    nodes: sites.nodes.slice(0, 2),
    set: random.pick([BLOCKED, PARTNERS]),
    prefixes: random.some(COMMANDED, 0.6),
  };
  const command = (what: "block" | "unblock" | "expire") =>
    ({ actor: "operator", command: what, ...place }) as const satisfies Act;
  const blocked: Act = { ...command("block"), value: 5, ...(random.chance(0.5) && { ms: 60_000 }) };
  const during = turns.map((turn, index): Turn => {
    if (index < at || turn.kind !== "runs") return turn;
    const act = { kind: "act", request: random.int(1, 6), act: command(random.pick(["block", "unblock", "expire"])) };
    return { ...turn, runs: turn.runs.map((run) => ({ ...run, meanwhile: [...run.meanwhile, act as Disturbance] })) };
  });
  const later: Act = { actor: "time", ms: 3_600_000 };
  const turnOf = (act: Act): Turn => ({ kind: "act", act });
  return [
    ...during.slice(0, at),
    turnOf(blocked),
    ...during.slice(at),
    turnOf(later),
    turnOf(command(random.pick(["unblock", "expire"]))),
  ];
}

interface Place {
  readonly at: number;
  readonly chosen: number;
}

/** Runs that bring another program than the one before, and the first of each stack. */
function placesOf(turns: readonly Turn[]): Place[] {
  const programs = new Map<number, string>();
  return turns.flatMap((turn, at) => {
    if (turn.kind !== "runs") return [];
    return turn.runs.flatMap(({ stack, command, program, isMistake }, chosen) => {
      if (command !== "up" || isMistake) return [];
      const text = JSON.stringify(program);
      const isNew = programs.get(stack) !== text;
      programs.set(stack, text);
      return isNew ? [{ at, chosen }] : [];
    });
  });
}
