import type { Kind } from "./support/kinds";
import { describeMatrix } from "./support/matrix";
import { SCENARIOS } from "./support/scenarios";
import type { Dialect } from "./support/walk";

/** An answer that says "done" in other words counts as done (see docs); that nothing was done shows only afterwards. */
const isHonest = ({ name }: Kind) => name !== "unknown shape before the effect";

const DIALECTS: readonly Dialect[] = [
  {
    name: "strict",
    settings: { insertExisting: "error", deleteAbsent: "error", emptyCommit: "error", trailingSlash: "strict" },
    shows: isHonest,
  },
  {
    name: "staged",
    settings: { listShows: "staged", refusedEntry: "rest", signalingPartial: "valid-ones" },
    // Where lists show what is staged, nobody can see whether a commit was applied.
    shows: (kind) => isHonest(kind) && kind.fault?.cmd !== "commit",
  },
  { name: "slow", settings: { commitDelay: 15, statusDelay: 15 }, shows: isHonest, lag: 15 },
];

for (const dialect of DIALECTS) {
  const names = ["set update", dialect.name === "slow" ? "signaling change" : "entries replaced"];
  const scenarios = SCENARIOS.filter(({ name }) => names.includes(name));
  describeMatrix(`Failures of a node that is ${dialect.name}`, scenarios, dialect);
}
