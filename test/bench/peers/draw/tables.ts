import type { Figures, Row } from "../figures";
import { type PeerName, partTitle, STEPS, type Step, WORKLOADS, type Workload } from "../plan";
import { Lookup, linksOf } from "./lookup";
import { ABOUT, STEP_TITLES, WORKLOAD_TITLES } from "./texts";

/** A table of Markdown, numbers to the right. */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[], texts = 1): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  const rule = head.map((_, index) => (index < texts ? "---" : "---:"));
  return [line(head), line(rule), ...rows.map(line)].join("\n");
}

/** 1 234 567 */
function number(value: number, digits = 0): string {
  const form = { minimumFractionDigits: digits, maximumFractionDigits: digits };
  return Number(value.toFixed(digits)).toLocaleString("en", form).replaceAll(",", " ");
}
export const seconds = (value: number) => number(value, value < 10 ? 2 : 1);
/** How many times as long. */
export const times = (value: number) => value.toFixed(value < 10 ? 2 : 1);
const kilobytes = (bytes: number) => number(bytes / 1_000, bytes < 10_000 ? 1 : 0);

/** Seconds and, in brackets, how many times the floor that is. */
function timeCell(lookup: Lookup, row: Row | undefined): string {
  if (row?.measured === undefined) return "–";
  const ratio = lookup.ratio(row);
  const compared = row.peer === "floor" || ratio === undefined ? "" : ` (${times(ratio)})`;
  return `${seconds(row.measured.seconds)}${compared}`;
}

const titles = (peers: readonly PeerName[]) => peers.map((peer) => ABOUT[peer].title);

/** One step by size. */
export function stepTable(lookup: Lookup, workload: Workload, step: Step): string {
  const peers = lookup.peers(workload);
  const rows = lookup
    .sizes(workload)
    .map((size) => [number(size), ...peers.map((peer) => timeCell(lookup, lookup.row(workload, size, peer, step)))]);
  return markdownTable(["entries", ...titles(peers)], rows, 0);
}

/** Requests, commits and entries that commits wrote, by step, at one size. */
export function trafficTable(lookup: Lookup, workload: Workload, size: number): string {
  const peers = lookup.contestants(workload);
  const rows = STEPS.map((step) => [
    STEP_TITLES[step],
    ...peers.map((peer) => {
      const measured = lookup.row(workload, size, peer, step)?.measured;
      return measured ? [measured.requests, measured.commits, measured.written].map(number).join(" / ") : "–";
    }),
  ]);
  return markdownTable([partTitle(workload, size), ...titles(peers)], rows);
}

/** What all steps of a size came to at most: memory of engine, provider and any other process. */
export function memoryTable(lookup: Lookup, workload: Workload): string {
  const peers = lookup.peers(workload);
  const rows = lookup.sizes(workload).map((size) => [
    number(size),
    ...peers.map((peer) => {
      const all = STEPS.flatMap((step) => lookup.row(workload, size, peer, step)?.measured ?? []);
      const most = (pick: (one: (typeof all)[number]) => number) => {
        const value = Math.max(0, ...all.map(pick));
        return value === 0 ? "–" : number(value);
      };
      return all.length === 0
        ? "–"
        : [most(({ engine }) => engine), most(({ provider }) => provider), most(({ other }) => other)].join(" / ");
    }),
  ]);
  return markdownTable(["entries", ...titles(peers)], rows, 0);
}

/** Kilobytes of state after the create. */
export function stateTable(lookup: Lookup, workload: Workload): string {
  const peers = lookup.peers(workload).filter((peer) => peer !== "script");
  const rows = lookup.sizes(workload).map((size) => [
    number(size),
    ...peers.map((peer) => {
      const measured = lookup.row(workload, size, peer, "create")?.measured;
      return measured ? kilobytes(measured.state) : "–";
    }),
  ]);
  return markdownTable(["entries", ...titles(peers)], rows, 0);
}

/** The create by link. */
export function linkTable(lookup: Lookup, workload: Workload): string {
  const peers = lookup.peers(workload);
  const rows = linksOf(lookup, workload).map(({ size, ...link }) => [
    `${link.latency} ms`,
    `${link.commit / 1_000} s`,
    ...peers.map((peer) => timeCell(lookup, lookup.row(workload, size, peer, "create", link))),
  ]);
  return markdownTable(["a request", "a commit", ...titles(peers)], rows, 0);
}

/** Every row of the figures. */
export function allRows(lookup: Lookup): string {
  const head = [
    "part",
    "peer",
    "step",
    "why not",
    "entries",
    "ms a request",
    "s a commit",
    "runs",
    "seconds",
    "from",
    "to",
  ];
  const more = ["× floor", "requests", "commits", "written", "engine MiB", "provider MiB", "other MiB", "state kB"];
  const rows = lookup.figures.rows.map((row) => {
    const { workload, size, latency, commit, peer, step, runs, measured, note = "" } = row;
    const where = [
      workload,
      ABOUT[peer].title,
      STEP_TITLES[step],
      note,
      number(size),
      String(latency),
      String(commit / 1_000),
    ];
    if (measured === undefined) return [...where, String(runs), ...Array(head.length + more.length - 8).fill("")];
    const { requests, commits, written, engine, provider, other, state } = measured;
    const durations = [measured.seconds, measured.shortest, measured.longest].map(seconds);
    const ratio = lookup.ratio(row);
    const counts = [requests, commits, written, engine, provider, other].map(number);
    return [...where, String(runs), ...durations, ratio === undefined ? "" : times(ratio), ...counts, kilobytes(state)];
  });
  return markdownTable([...head, ...more], rows, 4);
}

/** The tables of seconds, for a terminal. */
export function summaryTables(figures: Figures): string {
  const lookup = new Lookup(figures);
  return WORKLOADS.filter((workload) => lookup.peers(workload).length > 0)
    .flatMap((workload) => [
      ...STEPS.map(
        (step) => `${WORKLOAD_TITLES[workload]}, ${STEP_TITLES[step]}\n${stepTable(lookup, workload, step)}\n`,
      ),
      `${WORKLOAD_TITLES[workload]}, create by link\n${linkTable(lookup, workload)}\n`,
    ])
    .join("\n");
}
