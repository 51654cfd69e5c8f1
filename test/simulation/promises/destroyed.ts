import type { Kept } from "../engine/state";
import type { World } from "../simulation";
import { foreignAt } from "./converges";
import { type Claim, claimsOf, lastInsert, nodesOf } from "./model";
import { namesIn } from "./preview-shows";
import type { Promised } from "./promise";

/** A green destroy leaves nothing at the nodes that a run of this stack put there, killed runs included, unless it names it. */
export const destroyedIsGone: Promised = {
  number: 3,
  name: "a green destroy leaves nothing of its stack",
  judge: ({ world, record: { run, done, hasCompany } }) => {
    if (run.command !== "destroy" || done.errors.length > 0 || done.wasKilled || done.wasCancelled || hasCompany)
      return [];
    if (isExcused(world, run.stack) || done.acts.length > 0 || done.after.resources.length > 0) return [];
    const earlier = world.records.filter((it) => it.run.stack === run.stack);
    // What a killed run did is in no state, and may be all that is there where a state was.
    const states = earlier.some((it) => it.done.wasKilled) ? [done] : earlier.map((it) => it.done);
    const resources = states.flatMap(({ before }) => before.resources);
    const isKept = ({ inputs, retainOnDelete }: Kept) => retainOnDelete || (inputs.onDestroy ?? "remove") !== "remove";
    if (done.before.resources.some(isKept)) return [];
    const kept = claimsIn(resources.filter(isKept)).map(placeOf);
    const own = `${world.stacks[run.stack]?.plan.name} `;
    // A resource whose create was killed is in no state: the engine names that, and deletes nothing.
    const places = claimsIn(resources).flatMap((claim) =>
      claim.kind === "set" && !kept.includes(placeOf(claim))
        ? [{ machine: world.nodes.get(claim.node), url: claim.url }]
        : [],
    );
    const known = JSON.stringify(done.before.resources);
    const isFalse = (line: string, prefix: string) => line.includes("did not know") && namesIn(known, prefix);
    return places.flatMap(({ machine, url }) => {
      if (!machine) return [];
      const foreign = foreignAt(world, machine.name, url);
      return Object.keys(machine.held(url))
        .filter((prefix) => !foreign.has(prefix) && !foreign.has("*"))
        .filter((prefix) => lastInsert(machine.journal, url, prefix)?.label?.startsWith(own))
        .filter((prefix) => !done.printed.some((line) => namesIn(line, prefix) && !isFalse(line, prefix)))
        .map((prefix) => `${machine.name} still holds ${prefix} of ${url}, which a run of this stack put there`);
    });
  },
};

const placeOf = (claim: Claim) => (claim.kind === "set" ? `${claim.node} ${claim.url}` : claim.receiver);

/** Declarations of a state, place by place: a group also has nodes that left the program and are not cleared. */
export function claimsIn(resources: readonly Kept[], now = 0): Claim[] {
  const declared = resources.map(({ type, name, inputs, outputs: { endpoints = {} } }) => {
    const all = [...Object.keys(Object(endpoints)), ...nodesOf(inputs)].map((node) => [node, {}]);
    const nodes = { ...Object.fromEntries(all), ...(Array.isArray(inputs.nodes) ? {} : Object(inputs.nodes)) };
    return { type, name, args: type === "PrefixSetGroup" ? { ...inputs, nodes } : inputs };
  });
  return claimsOf(declared, {}, now);
}

/** True where no client can know what its stack has put there. */
function isExcused(world: World, stack: number): boolean {
  const hasAliases = world.scenario.nodes.some(({ aliases }) => aliases !== undefined);
  const isRestored = world.acts.some(({ act }) => act.actor === "restore");
  const others = world.records.some(({ run }) => run.stack !== stack && claimsOf(run.program).length > 0);
  return hasAliases || isRestored || others;
}
