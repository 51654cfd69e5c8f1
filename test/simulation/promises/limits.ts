import { groupBy } from "../../../provider/model/group";
import { Prefix } from "../../../provider/model/prefix";
import { isMutating, requestsOf } from "./model";
import type { Case, Promised } from "./promise";

/** No resource, by whichever door, brings or removes what the settings of the stack forbid; a stack that is read-only sends nothing that changes anything. */
export const limitsHold: Promised = {
  number: 13,
  name: "one rule for every entry point",
  judge: (given) => [...forbiddenIn(given), ...removedBy(given), ...changedBy(given)],
};

function settingsOf({ world, record: { run } }: Case): Readonly<Record<string, unknown>> {
  return { ...world.scenario.stacks[run.stack]?.settings, ...run.settings };
}

function forbiddenIn(given: Case): string[] {
  const { world, record } = given;
  const { forbiddenPrefixes } = settingsOf(given);
  if (typeof forbiddenPrefixes !== "string") return [];
  const forbidden = (JSON.parse(forbiddenPrefixes) as string[]).map((text) => Prefix.parse(text));
  const isForbidden = (text: string) => {
    const prefix = Prefix.parse(text);
    return forbidden.some((other) => other.contains(prefix) || prefix.contains(other));
  };
  return [...world.machines.keys()].flatMap((machine) =>
    requestsOf(world, record.done, machine)
      .filter(({ cmd }) => cmd === "insert")
      .flatMap(({ data = [], index }) => data.map((item) => [String((item as { p?: unknown }).p), index] as const))
      .filter(([prefix]) => isForbidden(prefix))
      .map(([prefix, index]) => `request ${index} to ${machine} inserts ${prefix}, which the stack forbids`),
  );
}

/** Removals of one deployment from a set that are more than the stack allows. */
function removedBy(given: Case): string[] {
  const { world, record } = given;
  const most = Number(settingsOf(given).maxRemovals ?? Number.NaN);
  return [...world.machines.keys()].flatMap((machine) => {
    const requests = requestsOf(world, record.done, machine).filter(({ commit }) => commit !== undefined);
    return [...groupBy(requests, ({ url }) => url)].flatMap(([url, commits]) => {
      const { size } = new Set(commits.flatMap(({ commit }) => Object.keys(commit?.removed ?? {})));
      return size > most
        ? [`a deployment removes ${size} entries of ${url} at ${machine}, and the stack allows ${most}`]
        : [];
    });
  });
}

function changedBy(given: Case): string[] {
  const { world, record } = given;
  if (settingsOf(given).readOnly !== "true") return [];
  return [...world.machines.keys()].flatMap((machine) =>
    requestsOf(world, record.done, machine)
      .filter(isMutating)
      .map(({ cmd, op, index }) => `request ${index} to ${machine}: ${cmd ?? op} of a stack that is read-only`),
  );
}
