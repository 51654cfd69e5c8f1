import { CLINGING } from "./support/clinging-node";
import type { Kind } from "./support/kinds";
import { describeMatrix } from "./support/matrix";
import { entry, SCENARIOS, type Scenario, set } from "./support/scenarios";
import type { Dialect } from "./support/walk";

/** An answer that says "done" in other words counts as done (see docs); that nothing was done shows only afterwards. */
const isHonest = ({ name }: Kind) => name !== "unknown shape before the effect";

const DIALECTS: readonly (Dialect & { size: number })[] = [
  {
    name: "strict",
    size: 935,
    settings: { insertExisting: "error", deleteAbsent: "error", emptyCommit: "error", trailingSlash: "strict" },
    shows: isHonest,
  },
  {
    name: "staged",
    size: 762,
    settings: { listShows: "staged", refusedEntry: "rest", signalingPartial: "valid-ones" },
    // Where lists show what is staged, no list can tell whether a commit was applied.
    shows: (kind) => isHonest(kind) && kind.fault?.cmd !== "commit",
  },
  // How often it is asked again until the effect shows depends on the machine: 11 requests are sent in any case, and 34 of those
  // scenarios of which a part is walked.
  { name: "slow", size: 792, settings: { commitDelay: 15, statusDelay: 15 }, shows: isHonest, lag: 15 },
];

/** Four hosts, which are listed without a length, and two networks. */
const SIX = ["192.0.2.0/25", "198.51.100.0/24", ...Array.from({ length: 4 }, (_, at) => `203.0.113.${at}`)];
/** A part of a request is staged and a later one refused. */
const chunked = { node: { maxEntriesPerRequest: 2 } };
const changed = set(Object.fromEntries(SIX.slice(1).map((prefix) => [prefix, 2])));
const CHUNKED: readonly Scenario[] = [
  { name: "entries of a set created", about: "sets", config: chunked, before: [], after: [set(SIX)] },
  {
    name: "entries of a set changed",
    about: "sets",
    config: chunked,
    before: [set(SIX.slice(0, 4))],
    after: [changed],
  },
  { name: "entries of a set removed", about: "sets", config: chunked, before: [set(SIX)], after: [] },
  {
    name: "single entries created",
    about: "entries",
    config: chunked,
    before: [],
    after: SIX.map((prefix, at) => entry(`e${at}`, prefix)),
  },
];

/** Creations, changes and removals of each kind of resource: of each dialect a part of the cases, and every death. */
const LIVES = [
  ...["set create", "set update", "set delete"],
  ...["20 entries created", "20 entries changed", "20 entries removed", "entries replaced"],
  ...["signaling create", "signaling change", "signaling destroy"],
];
const scenariosOf = (names: readonly string[]) => SCENARIOS.filter(({ name }) => names.includes(name));

const clinging = { name: "clinging", settings: CLINGING, shows: isHonest };
const sampled = [...CHUNKED, ...scenariosOf(LIVES)];
describeMatrix("Failures of a node that clings to what is staged", 832, [], clinging, sampled);

for (const dialect of DIALECTS) {
  const whole = ["set update", dialect.name === "slow" ? "signaling change" : "entries replaced"];
  const others = LIVES.filter((name) => !whole.includes(name));
  const title = `Failures of a node that is ${dialect.name}`;
  describeMatrix(title, dialect.size, scenariosOf(whole), dialect, scenariosOf(others));
}
