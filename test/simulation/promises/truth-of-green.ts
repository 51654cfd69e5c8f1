import type { RunRecord, World } from "../simulation";
import { type Claim, isBlind, isIgnored } from "./model";
import { namesIn } from "./preview-shows";
import type { Promised } from "./promise";

/** Exit code 0 and no warning: every node holds what the programs declare, or the difference was named in this run. */
export const truthOfGreen: Promised = {
  number: 12,
  name: "a green run tells the truth",
  judge: ({ world, record, before, now }) => {
    const { done, run, hasCompany } = record;
    const isWhole = run.options.targets === undefined && run.options.excludes === undefined;
    if (run.command !== "up" || done.errors.length > 0 || !isWhole || done.wasCancelled || done.wasKilled) return [];
    if (hasCompany) return [];
    // A run without a look sees only what it writes.
    const unseen = isBlind(world, run) ? before : [];
    const isUnseen = ({ claim, place, prefix }: Difference) =>
      unseen.some(
        (it) =>
          it.kind === "set" &&
          claim.kind === "set" &&
          it.url === claim.url &&
          it.node === place &&
          it.entries[prefix] === claim.entries[prefix],
      );
    return differences(world, now)
      .filter((it) => !isUnseen(it))
      .filter(({ place, prefix }) => !isExcused(record, place, prefix))
      .map(({ sentence }) => `${sentence}, and the run is green`);
  },
};

/** A difference between what is declared and what is there. */
export interface Difference {
  readonly claim: Claim;
  readonly place: string;
  readonly prefix: string;
  readonly sentence: string;
}

export function differences(world: World, claims: readonly Claim[]): Difference[] {
  return claims.flatMap((claim): Difference[] => {
    if (claim.kind === "signal") {
      const active = world.machines.get(claim.receiver)?.emulator.signalings["client-a"] ?? [];
      const gone = claim.prefixes.filter((prefix) => !active.includes(prefix));
      return gone.map((prefix) => ({
        claim,
        place: claim.receiver,
        prefix,
        sentence: `${prefix} is not active at ${claim.receiver}`,
      }));
    }
    const machine = world.nodes.get(claim.node);
    const held = machine?.held(claim.url) ?? {};
    // The program leaves to others what its entries are, and not whether they are there.
    const taken =
      machine?.journal.findLast((it) => it.url === claim.url && it.commit && it.label === "colleague")?.commit
        ?.removed ?? {};
    const wrong = Object.entries(claim.entries).filter(
      ([prefix, value]) =>
        held[prefix] !== value &&
        !(isIgnored(claim, prefix) && !(prefix in taken)) &&
        !machine?.isShownStaged(claim.url, prefix, value),
    );
    return wrong.map(([prefix, value]) => ({
      claim,
      place: claim.node,
      prefix,
      sentence: `${claim.node} holds ${held[prefix] ?? "nothing"} for ${prefix} of ${claim.url}, not ${value}`,
    }));
  });
}

/** True where the run named the difference, or another writer made it after the run had looked. */
function isExcused({ done, preview }: RunRecord, place: string, prefix: string): boolean {
  // A plan names a node, and what is sent again is not there yet: neither says that something is missing in the end.
  const isNamed = (line: string) =>
    !/(is|are) sent again/.test(line) && (namesIn(line, prefix) || (line.includes("warning") && line.includes(place)));
  return [...done.printed, ...(preview?.printed ?? [])].some(isNamed) || done.acts.length > 0;
}
