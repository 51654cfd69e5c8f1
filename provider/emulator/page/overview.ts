import { addTo } from "../../model/group";
import { MARK_TYPES } from "../../model/mark";
import { formatUrl } from "../../model/resource-url";
import { deviations } from "../behaviour/dialect";
import { PAGE } from "../defaults";
import { describeRun } from "../journal/journal-text";
import type { Simulation } from "../simulation";
import type { Contents } from "../state/contents";
import type { ArenaHoldings, ProfileHoldings } from "../state/holdings";
import type { PrefixSetStore } from "../state/prefix-set-store";
import type { DeploymentClient, SignalingDeployment } from "../state/signaling-deployment";

type Bound = ReturnType<typeof boundPrefixes>;

/** Everything on one page: names and numbers, no entries and no records. */
export function describeOverview(simulation: Simulation) {
  const { contents, journal, clock, addresses } = simulation;
  const { endpoint, signalingUrl, testSignalingUrl } = addresses;
  const bound = boundPrefixes(contents);
  // The page is open: the chart goes on whatever view it shows.
  simulation.markHistory.follow();
  return {
    endpoint,
    signalingUrl,
    testSignalingUrl,
    // Another one after the emulator was started again.
    started: simulation.started.toISOString(),
    seed: simulation.options.seed,
    clock: { now: clock.now.toISOString(), frozen: clock.frozen },
    deviations: deviations(simulation.dialect) as Readonly<Record<string, unknown>>,
    snapshots: [...simulation.snapshots.keys()],
    isolated: simulation.isolated.list(),
    sources: simulation.sources,
    journal: { entries: journal.entries.length, first: journal.entries[0]?.index ?? null },
    runs: journal.runs
      .list()
      .slice(-PAGE.runs)
      .map((run) => ({ run: run.run, text: describeRun(run) })),
    faults: simulation.faults.list(),
    arenas: [...contents.holdings.arenas.values()].map((it) => describeArena(contents, it, bound)),
    clients: [...describeClients(contents.signaling, "signaling"), ...describeClients(contents.testSignaling, "test")],
  };
}

function describeArena(contents: Contents, { name, sets, profiles }: ArenaHoldings, bound: Bound) {
  return {
    name,
    sets: describeSets(sets, { arena: name }),
    profiles: [...profiles.values()].map((profile) => describeProfile(contents, name, profile, bound)),
  };
}

function describeProfile(contents: Contents, arena: string, it: ProfileHoldings, bound: Bound) {
  const url = formatUrl({ kind: "profile", arena, profile: it.name });
  const marks = contents.packetPath.marks(arena, it.name);
  const counters = contents.packetPath.counters(arena, it.name);
  return {
    name: it.name,
    url,
    bound: bound.get(url) ?? [],
    rules: it.rules.map((rule, index) => ({ rule, counter: counters[index] ?? null })),
    sets: describeSets(it.sets, { arena, profile: it.name }),
    marks: MARK_TYPES.map((type) => {
      const ids = [...marks.ids(type)].sort((a, b) => b[1] - a[1]);
      const shown = ids.slice(0, PAGE.markIds).map(([id, records]) => ({ id, records }));
      return { type, ...marks.count(type), ...marks.losses(type), ids: shown };
    }),
  };
}

function describeSets(sets: ReadonlyMap<string, PrefixSetStore>, where: { arena: string; profile?: string }) {
  return [...sets].map(([name, set]) => ({
    name,
    url: formatUrl({ kind: "prefixset", ...where, set: name }),
    applied: set.applied.size,
    changes: set.changes.size,
    revision: set.revision,
  }));
}

/** Prefixes that are bound to profiles now, by url of the profile; `signaling` where an active one brought them. */
function boundPrefixes(contents: Contents) {
  const bound = new Map<string, { prefix: string; signaling: boolean }[]>();
  const clients = [...contents.signaling.clients.values()];
  const moved = new Set(clients.flatMap((it) => it.active().map((prefix) => `${activeProfile(it)} ${prefix}`)));
  for (const { prefix, arena, profile } of contents.bindings.all()) {
    const url = formatUrl({ kind: "profile", arena, profile });
    addTo(bound, url, { prefix: prefix.toString(), signaling: moved.has(`${url} ${prefix}`) });
  }
  return bound;
}

function activeProfile({ state: { arena, activeProfile } }: DeploymentClient): string | undefined {
  return arena && activeProfile && formatUrl({ kind: "profile", arena, profile: activeProfile });
}

function describeClients({ clients }: SignalingDeployment, deployment: "signaling" | "test") {
  return [...clients.values()].map((it) => {
    const { clientId, prefixes, arena, idleProfile } = it.state;
    const moves = arena && idleProfile && activeProfile(it);
    return {
      clientId,
      deployment,
      prefixes,
      active: it.active() as readonly string[],
      ...(moves && { from: formatUrl({ kind: "profile", arena, profile: idleProfile }), to: moves }),
    };
  });
}
