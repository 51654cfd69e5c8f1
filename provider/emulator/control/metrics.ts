import { MARK_TYPES } from "../../model/mark";
import { DURATION_BOUNDS, type RequestCount } from "../journal/journal";
import type { Simulation } from "../simulation";

type Labels = Record<string, string>;
type Sample = [labels: Labels, value: number];

const PREFIX = "packetfilter_emulator_";

/** Actions and content of the emulator, in the text format of Prometheus (version 0.0.4). */
export function metrics({ contents, counts, journal, clock }: Simulation): string {
  const { holdings, packetPath } = contents;
  const requests = [...counts.requests.values()];
  const sets = [...holdings.sets()];
  const profiles = [...holdings.arenas].flatMap(([arena, it]) =>
    [...it.profiles.keys()].map((profile) => ({
      name: `${arena}/${profile}`,
      marks: packetPath.marks(arena, profile),
    })),
  );
  const families: [name: string, kind: "counter" | "gauge", help: string, samples: Sample[]][] = [
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
      profiles.flatMap(({ name, marks }) =>
        MARK_TYPES.flatMap((type): Sample[] => {
          const { active, expired } = marks.count(type);
          return [
            [{ profile: name, type, state: "active" }, active],
            [{ profile: name, type, state: "expired" }, expired],
          ];
        }),
      ),
    ],
    [
      "mark_losses_total",
      "counter",
      "Live marks that a full table replaced (evicted), and new marks that it refused (refused).",
      profiles.flatMap(({ name, marks }) =>
        MARK_TYPES.flatMap((type): Sample[] =>
          Object.entries(marks.losses(type)).map(([reason, n]) => [{ profile: name, type, reason }, n]),
        ),
      ),
    ],
    [
      "mark_bytes",
      "gauge",
      "Memory of mark tables.",
      profiles.map(({ name, marks }) => [{ profile: name }, marks.bytes]),
    ],
    ["journal_entries", "gauge", "Requests in the journal.", [[{}, journal.entries.length]]],
    ["virtual_time_seconds", "gauge", "The virtual clock, in seconds since 1970.", [[{}, clock.ms / 1000]]],
  ];
  return [
    ...families.map(([name, kind, help, samples]) => family(PREFIX + name, kind, help, samples)),
    durations(`${PREFIX}request_duration_seconds`, requests),
  ].join("");
}

/** Durations as a histogram: for each bound the number at or below it, and the sum of all. */
function durations(name: string, requests: readonly RequestCount[]): string {
  const lines = requests.flatMap(({ labels, buckets, seconds, count }) => {
    let sum = 0;
    const bounds = [...DURATION_BOUNDS.map(String), "+Inf"];
    return [
      ...bounds.map((le, at) => {
        sum += buckets[at] ?? 0;
        return `${name}_bucket${write({ ...labels, le })} ${sum}`;
      }),
      `${name}_sum${write(labels)} ${Math.round(seconds * 1e6) / 1e6}`,
      `${name}_count${write(labels)} ${count}`,
    ];
  });
  const help = "Time from the arrival of a request until its answer was sent, in real time.";
  return [`# HELP ${name} ${help}`, `# TYPE ${name} histogram`, ...lines, ""].join("\n");
}

function family(name: string, kind: string, help: string, samples: readonly Sample[]): string {
  const lines = samples.map(([labels, value]) => `${name}${write(labels)} ${value}`);
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${kind}`, ...lines, ""].join("\n");
}

function write(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${value.replace(/[\\"\n]/g, escapeLabel)}"`);
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

function escapeLabel(sign: string): string {
  return sign === "\n" ? "\\n" : `\\${sign}`;
}
