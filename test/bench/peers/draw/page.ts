import { type Figures, median } from "../figures";
import { LATENCY_MS, PEERS, WORKLOADS } from "../plan";
import { inShort } from "./in-short";
import { Lookup } from "./lookup";
import { markdownTable, partsTable, stepTable } from "./tables";
import { ABOUT, WORKLOAD_TITLES } from "./texts";

/** docs/benchmarks.md: nothing in it is written by hand that other figures could make wrong. */
export function pageOf(figures: Figures): string {
  const lookup = new Lookup(figures);
  const workloads = WORKLOADS.filter((workload) => lookup.sizes(workload).length > 0);
  return [
    "# Beside what people would use instead",
    notice(figures),
    `Made by \`npm run bench peers\` on ${figures.date}, on one machine; \`test/bench/peers\` has every program that took part. All of them ask the same packaged emulator, a process of its own on the same machine. Seconds are those of the whole command, its start included. In brackets: how many times as long as the engine's floor in the same row, which is what Pulumi takes for resources that do nothing. A dash is a step that was not run. Every figure, with the reason of each dash, is in \`docs/benchmarks.json\` of the repository.`,
    "## In short",
    `The largest sizes at which all were measured, ${LATENCY_MS} ms a request. In the last two columns: who was fastest of the others, in how many seconds, and how many times as long this package took. What those leave out for it is said below.`,
    ...workloads.map((workload) => inShort(lookup, workload)),
    "## By size",
    ...workloads.flatMap((workload) => [
      `${WORKLOAD_TITLES[workload]}: seconds of a create by number of entries.`,
      stepTable(lookup, workload, "create"),
    ]),
    "## Who is compared",
    peersTable(lookup),
    "## What a refresh notices",
    `Before each refresh another writer takes an entry out of the set, at the node's console.`,
    driftTable(lookup),
    ...look(figures),
    ...parts(figures),
    "## How it was measured",
    method(figures),
    madeOn(figures),
  ]
    .filter((part) => part !== "")
    .join("\n\n")
    .concat("\n");
}

function notice({ leftOut }: Figures): string {
  return leftOut.length > 0 ? `> **Not whole.** The time was not enough for: ${leftOut.join("; ")}.` : "";
}

function peersTable({ figures }: Lookup): string {
  const measured = PEERS.filter((name) => figures.rows.some(({ peer }) => peer === name)).map((name) => ABOUT[name]);
  const rows = measured.map(({ title, source, does, not }) => [`${title} (\`${source}\`)`, does, not]);
  return markdownTable(["", "Does", "Does not"], rows, 3);
}

function driftTable(lookup: Lookup): string {
  const peers = [...new Set(WORKLOADS.flatMap((workload) => lookup.contestants(workload)))];
  const rows = peers.map((peer) => [
    ABOUT[peer].title,
    ...WORKLOADS.map((workload) => {
      const seen = lookup.figures.rows
        .filter((row) => row.workload === workload && row.peer === peer)
        .flatMap(({ measured }) => (measured?.sawDrift === undefined ? [] : [measured.sawDrift]));
      if (seen.length === 0) return "–";
      return seen.every(Boolean) ? "seen" : seen.some(Boolean) ? "sometimes seen" : "**not seen**";
    }),
  ]);
  return markdownTable(["", ...WORKLOADS.map((workload) => WORKLOAD_TITLES[workload])], rows, 3);
}

/** Cost of the look of a plain `up`. */
function look({ look: measured }: Figures): string[] {
  if (measured === undefined) return [];
  const { date, rows } = measured;
  const cells = rows.map(({ what, goal, pairs, off, auto }) => [
    what,
    goal,
    String(pairs),
    ...[off, auto, auto / off, auto - off].map((number) => number.toFixed(2)),
  ]);
  return [
    "## What the look of a plain up costs",
    `A plain \`up\` lists each set once and restores what is missing. Measured on ${date} as \`npm run bench look\` does: pairs of runs that have nothing to do, with \`packetfilter:detectDrift\` \`off\` and \`auto\` in turn; medians, in seconds. The machine had other work in hand, so small differences are noise. Figures of this page that are older have no look in them.`,
    markdownTable(["", "Goal", "pairs", "off", "auto", "ratio", "more"], cells, 2),
  ];
}

/** Time of the provider process. */
function parts({ parts: measured }: Figures): string[] {
  if (measured === undefined) return [];
  const { date, entries, runs } = measured;
  return [
    "## Where the time of the provider process goes",
    `One set of ${entries.toLocaleString("en").replaceAll(",", " ")} entries. Made by \`npm run bench parts\` on ${date}: medians of ${runs} runs with V8's profiler, which itself takes a part. The parts are milliseconds of the main thread, without waits; by which function each sample counts stands in \`test/bench/parts\`. Where the machine has other work in hand, a sample also counts while the thread waits for a processor: then the parts are shares, and their sum is more than the time that was used. That stands in the last two rows, with the threads that compile and collect garbage: what they differ by is what this package costs beyond the floor there.`,
    partsTable(measured),
  ];
}

function method({ rows }: Figures): string {
  const repeated = rows.flatMap(({ runs, measured }) => (measured && runs > 1 ? [measured] : []));
  const spreads = repeated.map(({ shortest, longest, seconds: middle }) => (longest - shortest) / middle);
  const typical = median(spreads.sort((a, b) => a - b));
  const spread =
    repeated.length === 0
      ? "Nothing was repeated in this run."
      : `In this run ${repeated.length} of ${rows.length} rows were repeated; the longest and the shortest time of a row differed by ${Math.round(typical * 100)} % of its median (the median of all rows).`;
  return [
    "- All peers do a step before any does the next, and another one begins in each repetition, so that what else happens on the machine hits all alike.",
    "- Every group of a size is measured once, then the shortest are measured again, up to three times, as long as the time lasts. Seconds are medians. " +
      spread,
    `- Engines run with their own settings: \`pulumi up --yes --skip-preview\`, \`refresh\`, \`destroy\` with a file backend and its checkpoints; \`terraform apply -auto-approve\`, \`-refresh-only\`, \`destroy\`. Programs are JavaScript.`,
    "- After each create, change and destroy the emulator is asked what it holds; a peer that left anything else has failed, whatever it said. Requests and commits are counted by the emulator.",
    "- Entries are IPv6 prefixes of the documentation range. The 1 % change gives every hundredth another value, one at least.",
    "- Where requests wait for one another for more than a minute by latency alone, a peer is not run; the time that stands there is calculated.",
  ].join("\n");
}

function madeOn({ machine, versions }: Figures): string {
  const made = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  return `Measured on ${machine.cpu}, ${machine.cores} cores, ${machine.memoryGiB} GiB, ${machine.system}: ${made.join("; ")}.`;
}
