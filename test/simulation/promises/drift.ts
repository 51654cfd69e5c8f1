import type { World } from "../simulation";
import type { Claim } from "./model";
import type { Promised } from "./promise";
import { type Difference, differences } from "./truth-of-green";

/** `preview --refresh` shows every loss and every other value at the node. */
export const driftIsSeen: Promised = {
  number: 7,
  name: "drift is seen",
  judge: ({ world, record: { done, run, isCalm }, before }) => {
    const isGate = run.command === "preview" && run.options.refresh === true;
    if (!isGate || !isCalm || done.errors.length > 0 || done.wasCancelled) return [];
    const steps = done.steps.filter(({ op }) => op !== "refresh");
    // A step of one resource shows nothing of another.
    const shown = new Set(steps.flatMap(({ name, old }) => [name, old?.name]));
    return [...differences(world, before), ...additions(world, before)]
      .filter(({ claim }) => !shown.has(claim.resource.name))
      .map(({ sentence }) => `${sentence}, and preview --refresh shows no change`);
  },
};

/** Entries of whole sets that their program does not declare. */
function additions(world: World, claims: readonly Claim[]): Pick<Difference, "claim" | "sentence">[] {
  return claims.flatMap((claim) => {
    if (claim.kind !== "set" || !claim.exclusive || claim.resource.options?.ignoreChanges) return [];
    const held = Object.keys(world.nodes.get(claim.node)?.held(claim.url) ?? {});
    const added = held.filter((prefix) => !(prefix in claim.entries));
    return added.map((prefix) => ({
      claim,
      sentence: `${claim.node} holds ${prefix} of ${claim.url}, which is not declared`,
    }));
  });
}
