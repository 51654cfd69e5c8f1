import { expositionOf, type Family } from "../../model/exposition";
import { MARK_TYPES } from "../../model/mark";
import { DURATION_BOUNDS } from "../journal/journal";
import type { Simulation } from "../simulation";

type Sample = [labels: Readonly<Record<string, string>>, value: number];

const PREFIX = "packetfilter_emulator_";

/** Actions and content of the emulator, in the text format of Prometheus. */
export function metrics({ contents, counts, journal, clock }: Simulation): string {
  const { holdings, packetPath } = contents;
  const requests = [...counts.requests.values()];
  const sets = [...holdings.sets()];
  const tables = [...holdings.arenas].flatMap(([arena, { profiles }]) =>
    [...profiles.keys()].flatMap((profile) => {
      const marks = packetPath.marks(arena, profile);
      return MARK_TYPES.map((type) => ({ labels: { profile: `${arena}/${profile}`, type }, type, marks }));
    }),
  );
  const families: [name: string, kind: Family["kind"], help: string, samples: Sample[]][] = [
    [
      "requests_total",
      "counter",
      "Requests by API, operation and status.",
      requests.map((it) => [it.labels, it.count]),
    ],
    ["answer_bytes_total", "counter", "Bytes of answers.", requests.map((it) => [it.labels, it.bytes])],
    ["faults_total", "counter", "Requests affected by a fault.", [...counts.faults].map(([kind, n]) => [{ kind }, n])],
    ["set_entries", "gauge", "Applied entries of a prefix-set.", sets.map(([set, it]) => [{ set }, it.applied.size])],
    [
      "set_staged_changes",
      "gauge",
      "Staged changes of a prefix-set.",
      sets.map(([set, it]) => [{ set }, it.changes.size]),
    ],
    [
      "signalings_active",
      "gauge",
      "Prefixes with active signaling.",
      [...contents.signaling.clients].map(([client, it]) => [{ client }, it.active().length]),
    ],
    [
      "marks",
      "gauge",
      "Mark records.",
      tables.flatMap(({ labels, type, marks }) =>
        Object.entries(marks.count(type)).map(([state, n]): Sample => [{ ...labels, state }, n]),
      ),
    ],
    [
      "mark_losses_total",
      "counter",
      "Live marks that a full table replaced (evicted), and new marks that it refused (refused).",
      tables.flatMap(({ labels, type, marks }) =>
        Object.entries(marks.losses(type)).map(([reason, n]): Sample => [{ ...labels, reason }, n]),
      ),
    ],
    [
      "mark_bytes",
      "gauge",
      "Memory of mark tables.",
      tables
        .filter(({ type }) => type === MARK_TYPES[0])
        .map(({ labels: { profile }, marks }) => [{ profile }, marks.bytes]),
    ],
    ["journal_entries", "gauge", "Requests in the journal.", [[{}, journal.entries.length]]],
    ["virtual_time_seconds", "gauge", "The virtual clock, in seconds since 1970.", [[{}, clock.ms / 1000]]],
  ];
  return expositionOf([
    ...families.map(([name, kind, help, samples]): Family => {
      return { name: PREFIX + name, kind, help, samples: samples.map(([labels, value]) => ({ labels, value })) };
    }),
    {
      name: `${PREFIX}request_duration_seconds`,
      kind: "histogram",
      help: "Time from the arrival of a request until its answer was sent, in real time.",
      bounds: DURATION_BOUNDS,
      samples: requests.map(({ labels, buckets, seconds }) => {
        return { labels, counts: buckets, value: Math.round(seconds * 1e6) / 1e6 };
      }),
    },
  ]);
}
