import type { State } from "../engine/state";
import type { World } from "../simulation";
import { type Claim, declaredAt, isBlind, isSaidSilent } from "./model";
import { namesIn } from "./preview-shows";
import type { Promised } from "./promise";
import { type Difference, differences } from "./truth-of-green";

/** A plain `up` shows in its preview, and restores, what a program declares as before and a node or receiver lacks, also while a wave is red or a limit stops the change. */
export const restores: Promised = {
  number: 15,
  name: "a plain up restores protection",
  judge: ({ world, record, before, now }) => {
    const { run, done, preview, isCalm } = record;
    const isRed = done.errors.length > 0;
    const { parallel, ...options } = run.options;
    // With few at a time, the engine comes to no further resource after an error.
    const isWhole = parallel === undefined || !isRed;
    const isPlain = run.command === "up" && Object.keys(options).length === 0 && isWhole && !isBlind(world, run);
    const isOfLimit = (error: string) => /max(Removals|Changes)/.test(error);
    const isOfWave = (error: string) => error.includes("did not pass");
    if (!isPlain || !isCalm || done === preview) return [];
    if (!done.errors.every((error) => isOfWave(error) || isOfLimit(error))) return [];
    const kept = differences(world, before).map(whereOf);
    const left = differences(world, now).filter((difference) => kept.includes(whereOf(difference)));
    const areMany = (line: string, place: string) => /and \d+ more/.test(line) && line.includes(place);
    const adopted = done.printed.filter((line) => line.includes("adopted"));
    // After an error of a limit, the engine may come to no further resource.
    const isAsked = ({ claim }: Difference) =>
      done.calls.some(({ method, name }) => name === claim.resource.name && ["create", "update"].includes(method));
    return (
      left
        .filter((difference) => !done.errors.some(isOfLimit) || isAsked(difference))
        .filter(({ place }) => !isSaidSilent(done, place))
        // A line names the first ones of many.
        .filter(({ prefix, place }) => !adopted.some((line) => namesIn(line, prefix) || areMany(line, place)))
        .filter((difference) => !isRed || hasPassed(world, difference, { stack: run.stack, now, before: done.before }))
        .map(({ sentence }) => `${sentence} after a plain up, as before it`)
    );
  },
};

/** The set or receiver and the prefix of a difference: an entry may be declared in several sets of a node. */
function whereOf({ claim, place, prefix }: Difference): string {
  return `${place} ${claim.kind === "set" ? claim.url : ""} ${prefix}`;
}

/**
 * True for an entry that a run of this stack has brought to its node and that ended well, with a wave that did not pass at worst. The state of
 * the resource has the node: one that took the place of another, unseen, has not written there yet, and what it brings is new.
 */
function hasPassed(
  world: World,
  { claim, place, prefix }: Difference,
  { stack, now, before }: { readonly stack: number; readonly now: readonly Claim[]; readonly before: State },
): boolean {
  const machine = world.nodes.get(place);
  if (!machine || claim.kind !== "set" || !isKnownAt(place, claim, before)) return false;
  const { url } = claim;
  const own = `${world.stacks[stack]?.plan.name} `;
  const last = machine.journal.findLast(({ url: at, label, commit }) => {
    const isOf = commit && [commit.inserted, commit.changed, commit.removed].some((part) => prefix in part);
    return at === url && label?.startsWith(own) && isOf;
  });
  const value = last?.commit?.inserted[prefix] ?? last?.commit?.changed[prefix]?.to;
  const by = world.records.find(({ done }) => done.label === last?.label)?.done;
  const endedWell = by?.errors.every((error) => error.includes("did not pass")) && !by.wasKilled && !by.wasCancelled;
  return endedWell === true && value === declaredAt(now, world, machine.name, url)[prefix];
}

/** True if the state of a group, under its name or a former one, has the node. */
function isKnownAt(node: string, { resource }: Claim, { resources }: State): boolean {
  const names = [resource.name, ...(resource.options?.aliases ?? [])];
  const kept = resources.find((it) => !it.replaced && it.type === resource.type && names.includes(it.name));
  return kept !== undefined && (resource.type !== "PrefixSetGroup" || node in Object(kept.outputs.endpoints));
}
