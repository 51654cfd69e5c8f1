import { z } from "zod";
import { MARK_TYPES } from "../../model/mark";
import { formatUrl } from "../../model/resource-url";
import { deviations } from "../behaviour/dialect";
import { activeFault, showFault } from "../control/fault-schema";
import { type ControlRoute, route } from "../control/route";
import type { ControlledEmulator, ControlledSimulation } from "../control/subject";
import { json } from "../http/reply";
import { describeRun } from "../journal/journal-text";
import type { DeploymentClient, SignalingDeployment } from "../signaling/signaling-deployment";
import type { Contents } from "../state/contents";
import type { ArenaHoldings, ProfileHoldings } from "../state/holdings";
import type { PrefixSetStore } from "../state/prefix-set-store";
import { arena, client } from "./overview-schema";

/** Ids of marks that are told one by one; others are summed up. */
const MOST_IDS = 50;

/** Runs that are told. */
const MOST_RUNS = 200;

/** Everything on one page: names and numbers, no entries and no records. */
export const overviewRoute: ControlRoute = route({
  method: "GET",
  path: "/page/overview",
  summary: "Names and numbers of everything that the emulator holds, without entries and records.",
  answer: z.object({
    endpoint: z.string(),
    started: z.string().describe("Another one after the emulator was started again."),
    seed: z.int(),
    clock: z.object({ now: z.string(), frozen: z.boolean() }),
    deviations: z.record(z.string(), z.unknown()).describe("Switches of the dialect that are not the default."),
    journal: z.object({ entries: z.int(), first: z.int().nullable().describe("Index of the oldest entry.") }),
    runs: z.array(z.object({ run: z.int(), text: z.string() })).describe("The newest runs of requests."),
    faults: z.array(activeFault),
    arenas: z.array(arena),
    clients: z.array(client),
  }),
  run: ({ simulation, emulator }) => {
    // Somebody looks: the chart goes on whatever view is open.
    simulation.markHistory.follow();
    return json(200, overview(simulation, emulator));
  },
});

function overview(simulation: ControlledSimulation, emulator: ControlledEmulator) {
  const { contents } = simulation;
  const bound = boundPrefixes(contents);
  return {
    endpoint: emulator.endpoint,
    started: simulation.started.toISOString(),
    seed: emulator.seedNumber,
    clock: { now: simulation.clock.now.toISOString(), frozen: simulation.clock.frozen },
    deviations: deviations(simulation.dialect),
    journal: { entries: simulation.journal.entries.length, first: simulation.journal.entries[0]?.index ?? null },
    runs: simulation.journal.runs
      .list()
      .slice(-MOST_RUNS)
      .map((run) => ({ run: run.run, text: describeRun(run) })),
    faults: simulation.faults.list().map(showFault),
    arenas: [...contents.holdings.arenas.values()].map((it) => describeArena(contents, it, bound)),
    clients: [...describeClients(contents.signaling, "signaling"), ...describeClients(contents.testSignaling, "test")],
  };
}

function describeArena(
  contents: Contents,
  { name, sets, profiles }: ArenaHoldings,
  bound: ReturnType<typeof boundPrefixes>,
) {
  return {
    name,
    sets: describeSets(sets, { arena: name }),
    profiles: [...profiles.values()].map((profile) => describeProfile(contents, name, profile, bound)),
  };
}

function describeProfile(
  contents: Contents,
  arena: string,
  it: ProfileHoldings,
  bound: ReturnType<typeof boundPrefixes>,
) {
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
      return { type, ...marks.count(type), ids: ids.slice(0, MOST_IDS).map(([id, records]) => ({ id, records })) };
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

/** What is bound to each profile, with what is there only as long as a signaling is active. */
function boundPrefixes(contents: Contents): Map<string, { prefix: string; signaling: boolean }[]> {
  const bound = new Map<string, { prefix: string; signaling: boolean }[]>();
  const clients = [...contents.signaling.clients.values()];
  const moved = new Set(clients.flatMap((it) => it.active().map((prefix) => `${activeProfile(it)} ${prefix}`)));
  for (const { prefix, arena, profile } of contents.bindings.all()) {
    const url = formatUrl({ kind: "profile", arena, profile });
    const entry = { prefix: prefix.toString(), signaling: moved.has(`${url} ${prefix}`) };
    bound.set(url, [...(bound.get(url) ?? []), entry]);
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
      active: it.active(),
      ...(moves && { from: formatUrl({ kind: "profile", arena, profile: idleProfile }), to: moves }),
    };
  });
}
