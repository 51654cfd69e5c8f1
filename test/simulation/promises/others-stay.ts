import type { RunRecord, World } from "../simulation";
import { START } from "../world/machines";
import { claimsIn } from "./destroyed";
import { type Claim, claimsOf, lastInsert, requestsOf } from "./model";
import { isOfColleague, isOther } from "./no-exposure";
import type { Promised } from "./promise";

/** A run removes an entry of another writer only where a program or a state has declared it, or the whole set, since it was written. */
export const othersStay: Promised = {
  number: 2,
  name: "what others put there stays",
  judge: ({ world, record }) =>
    [...world.machines.values()].flatMap(({ name, journal }) =>
      requestsOf(world, record.done, name).flatMap((commit) => {
        const { url = "", index } = commit;
        const isOurs = (claim: Claim, prefix: string) =>
          claim.kind === "set" &&
          claim.url === url &&
          world.nodes.get(claim.node)?.name === name &&
          (claim.exclusive || prefix in claim.entries);
        return Object.keys(commit.commit?.removed ?? {}).flatMap((prefix) => {
          const written = lastInsert(journal, url, prefix, index);
          if (!written || !isOther(written, commit) || isOfColleague(world, name, index, url, prefix)) return [];
          const since = Date.parse(written.time) - START;
          return declaredSince(world, record, since).some((claim) => isOurs(claim, prefix))
            ? []
            : [`request ${index} to ${name} removes ${prefix} of ${url}, which another writer has put there`];
        });
      }),
    ),
};

/** Declarations by the programs and states of a stack from a moment on. */
function declaredSince({ records }: World, { run, done }: RunRecord, since: number): Claim[] {
  const own = records.filter((it) => it.run.stack === run.stack);
  const last = own.findLastIndex((it) => it.done.ended < since);
  const later = own.slice(Math.max(0, last)).flatMap((it) => {
    const now = Math.max(since, it.done.began);
    return [...claimsOf(it.run.program, {}, now), ...claimsIn(it.done.after.resources, now)];
  });
  return [...later, ...claimsIn(done.before.resources, Math.max(since, done.began))];
}
