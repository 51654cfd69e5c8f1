import type { World } from "../simulation";
import { type Claim, isIgnored, isSaidSilent, lastChange, requestsOf } from "./model";
import type { Promised } from "./promise";

/** A run leaves no change of a declared entry staged, which the next commit of any writer would apply: a failed one no removal, where the node still answers. */
export const nothingStaged: Promised = {
  number: 1,
  name: "no run leaves a change staged",
  judge: ({ world, record: { done, run, hasCompany }, before, now }) => {
    const isOver = run.command === "up" && !done.isPreview && !done.wasKilled && !done.wasCancelled && !hasCompany;
    if (!isOver || run.options.targets || run.options.excludes) return [];
    const own = `${world.stacks[run.stack]?.plan.name} `;
    const isGreen = done.errors.length === 0;
    return now.flatMap((claim) => {
      const machine = claim.kind === "set" ? world.nodes.get(claim.node) : undefined;
      if (claim.kind !== "set" || !machine || isSaidSilent(done, claim.node)) return [];
      // After the deadline nothing more is sent, and the message says so.
      const isLate = done.errors.some(
        (error) => error.includes(`${claim.node}.`) && error.includes("deadline is reached"),
      );
      if (isLate) return [];
      const { applied, staged } = machine.emulator.prefixSet(claim.url);
      const list = requestsOf(world, done, machine.name).findLast(
        ({ cmd, url, status, fault }) => cmd === "list" && url === claim.url && status === 200 && fault === undefined,
      );
      const isOpen = (prefix: string) => {
        const { label, index = 0 } = lastChange(machine.journal, claim.url, prefix) ?? {};
        if (!label?.startsWith(own)) return false;
        if (isGreen) return staged[prefix] !== applied[prefix];
        const isGap = prefix in applied && !(prefix in staged) && isDeclared(before, claim, prefix);
        return isGap && label === done.label && index < (list?.index ?? 0);
      };
      return Object.keys(claim.entries)
        .filter((prefix) => !isIgnored(claim, prefix) && isOpen(prefix))
        .map(
          (prefix) =>
            `${claim.node} has ${applied[prefix]} for ${prefix} of ${claim.url}, and ${staged[prefix]} after its next commit`,
        );
    });
  },
};

function isDeclared(claims: readonly Claim[], { node, url }: Extract<Claim, { kind: "set" }>, prefix: string): boolean {
  return claims.some((it) => it.kind === "set" && it.node === node && it.url === url && prefix in it.entries);
}

/** A run removes nothing that others have put there, and that no state of its stack has. */
export const unknownStays: Promised = {
  number: 2,
  name: "what no state has stays",
  judge: ({ world, record: { done, run } }) => {
    if (run.options.refresh || done.isPreview) return [];
    const known = JSON.stringify(done.before.resources.map(({ outputs: { notes: _, ...rest } }) => rest));
    return [...world.machines.values()].flatMap((machine) =>
      requestsOf(world, done, machine.name).flatMap(({ commit, url = "", index }) =>
        Object.keys(commit?.removed ?? {})
          .filter((prefix) => !known.includes(`"${prefix}"`))
          .filter((prefix) => isOfColleague(world, machine.name, url, prefix, index))
          .map((prefix) => `request ${index} to ${machine.name} removes ${prefix} of ${url}, which others put there`),
      ),
    );
  },
};

function isOfColleague({ machines }: World, machine: string, url: string, prefix: string, before: number): boolean {
  const { journal = [] } = machines.get(machine) ?? {};
  const put = journal.findLast(
    ({ url: at, commit, index }) =>
      at === url && index < before && commit && prefix in { ...commit.inserted, ...commit.changed },
  );
  return put?.label === "colleague" && lastChange(journal, url, prefix, before)?.label !== "colleague";
}
