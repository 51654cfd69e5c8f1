import { groupBy } from "../../../provider/model/group";
import { Prefix } from "../../../provider/model/prefix";
import { entriesIn } from "./events";
import { adoptedAt, claimsOf, declaredAt, isMutating, requestsOf } from "./model";
import type { Case, Promised } from "./promise";

/** No resource, by whichever door, brings or removes what the settings of the stack, or its own arguments, forbid; a stack that is read-only sends nothing that changes anything. */
export const limitsHold: Promised = {
  number: 13,
  name: "one rule for every entry point",
  judge: (given) => [...forbiddenIn(given), ...tooMuchBy(given), ...changedBy(given)],
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

/** Removals and other values of one deployment that are more than the stack, or the resource of the whole set, allows. */
function tooMuchBy(given: Case): string[] {
  const { world, record, before, now } = given;
  const { run, done } = record;
  const settings = settingsOf(given);
  // An entry whose time is over is still in the program.
  const program = claimsOf(run.program);
  return [...world.machines.keys()].flatMap((machine) =>
    [...groupBy(requestsOf(world, done, machine), ({ url = "" }) => url)].flatMap(([url, requests]) => {
      if (run.env?.PACKETFILTER_ALLOW?.split(" ").includes(url)) return [];
      const [known, ended] = [before, program].map((claims) => declaredAt(claims, world, machine, url));
      const own = now.find(
        (claim) =>
          claim.kind === "set" && claim.exclusive && claim.url === url && world.nodes.get(claim.node)?.name === machine,
      );
      const { size } = entriesIn(requests.find(({ cmd }) => cmd === "list") ?? {});
      // The state has what the resource adopted, too.
      const adopted = done.before.resources.flatMap((kept) =>
        own?.kind === "set" && kept.name === own.resource.name ? adoptedAt(kept, own) : [],
      );
      const commits = requests.flatMap(({ commit }) => commit ?? []);
      const counted = {
        maxRemovals: commits.flatMap(({ removed }) =>
          Object.keys(removed).filter((prefix) => !(prefix in Object(ended))),
        ),
        // What an entry had before is only restored.
        maxChanges: commits.flatMap(({ changed }) =>
          Object.entries(changed).flatMap(([prefix, { to }]) => (known?.[prefix] === to ? [] : prefix)),
        ),
      };
      const limits = [
        { of: settings, size },
        {
          of: own ? { maxRemovals: "50%", ...own.resource.args } : {},
          size: Math.max(size, new Set([...Object.keys(Object(known)), ...adopted]).size),
        },
      ];
      return limits.flatMap(({ of, size }) =>
        (["maxRemovals", "maxChanges"] as const)
          .filter((name) => new Set(counted[name]).size > mostOf(of[name], size))
          .map((name) => `a deployment passes ${name} (${of[name]}) of ${url} at ${machine}`),
      );
    }),
  );
}

/** Number of entries of a set that a limit allows to be removed, or to get another value; few need no permission. */
export function mostOf(limit: unknown, size: number): number {
  if (limit === undefined) return Number.POSITIVE_INFINITY;
  const [, share] = /^([\d.]+)%$/.exec(String(limit)) ?? [];
  return Math.max(20, share === undefined ? Number(limit) : Math.floor((Number(share) * 1000 * size) / 100_000));
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
