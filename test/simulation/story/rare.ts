import type { Act, Declared, Disturbance, Entries, Run, RunOptions, Turn } from "../scenario";
import type { Random } from "../world/random";
import { FAULTS } from "./events";
import { BLOCKED, PARTNERS, type Sites, URGENT } from "./programs";

/** Something that a draw alone would bring too rarely to meet each other kind: an event during a run, an option of the run or of a resource. */
type Rare = (random: Random, sites: Sites) => (run: Run) => Run;

const during =
  (make: (random: Random, sites: Sites, request: number) => Disturbance): Rare =>
  (random, sites) =>
  (run) => ({ ...run, meanwhile: [...run.meanwhile, make(random, sites, random.int(1, 4))] });

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

const faults = FAULTS.map((fault) =>
  during((random, { nodes }) => ({
    kind: "fault",
    at: random.pick(nodes),
    fault: { ...fault, nth: random.int(1, 2), times: random.pick([1, 2]) },
  })),
);
const aNode = (random: Random, { nodes }: Sites) => random.pick(nodes);

const RARE: readonly Rare[] = [
  ...faults,
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

/** Every pair of two of them, the latter first: the n-th seed gets the n-th pair. */
const PAIRS = RARE.flatMap((one, index) => RARE.slice(index + 1).map((other) => [one, other] as const));
/** One seed of so many is left as it was drawn. */
const PLAIN_EVERY = 4;

/** Adds two rare kinds to a scenario, in one run or in two, so that each meets each other one in a thousand seeds. */
export function withRare(random: Random, seed: number, turns: readonly Turn[], sites: readonly Sites[]): Turn[] {
  if (seed % PLAIN_EVERY === 0) return [...turns];
  const pair = PAIRS[(seed - Math.ceil(seed / PLAIN_EVERY)) % PAIRS.length] ?? [];
  const isUp = (turn: Turn) => turn.kind === "runs" && turn.runs.some((run) => run.command === "up" && !run.isMistake);
  const places = turns.flatMap((turn, index) => (isUp(turn) && index >= sites.length ? index : []));
  const found = [...turns];
  for (const rare of pair) {
    const at = places.length > 0 ? random.pick(places) : 0;
    const turn = found[at];
    if (turn?.kind !== "runs") continue;
    const [chosen] = turn.runs.filter((run) => run.command === "up" && !run.isMistake);
    const site = sites[chosen?.stack ?? 0] as Sites;
    const change = rare(random, site);
    found[at] = { ...turn, runs: turn.runs.map((run) => (run === chosen ? change(run) : run)) };
  }
  return found;
}
