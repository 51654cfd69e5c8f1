import type { Figures, Row } from "../figures";
import { type PeerName, STEPS, type Step, WORKLOADS, type Workload } from "../plan";
import { Lookup } from "./lookup";
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
/** A ratio of times. */
export const times = (value: number) => value.toFixed(value < 10 ? 2 : 1);

/** Seconds and, in brackets, how many times the floor that is. */
function timeCell(lookup: Lookup, row: Row | undefined): string {
  if (row?.measured === undefined) return "–";
  const ratio = lookup.ratio(row);
  const compared = row.peer === "floor" || ratio === undefined ? "" : ` (${times(ratio)})`;
  return `${seconds(row.measured.seconds)}${compared}`;
}

const titles = (peers: readonly PeerName[]) => peers.map((peer) => ABOUT[peer].title);

/** Milliseconds of the provider process by part and step. */
export function partsTable({ rows }: NonNullable<Figures["parts"]>): string {
  const cells = rows.map(({ what, ms }) => [what, ...STEPS.map((step) => number(ms[step] ?? 0))]);
  return markdownTable(["ms", ...STEPS.map((step) => STEP_TITLES[step])], cells);
}

/** One step by size. */
export function stepTable(lookup: Lookup, workload: Workload, step: Step): string {
  const peers = lookup.peers(workload);
  const rows = lookup
    .sizes(workload)
    .map((size) => [number(size), ...peers.map((peer) => timeCell(lookup, lookup.row(workload, size, peer, step)))]);
  return markdownTable(["entries", ...titles(peers)], rows, 0);
}

/** The tables of seconds, for a terminal. */
export function summaryTables(figures: Figures): string {
  const lookup = new Lookup(figures);
  return WORKLOADS.filter((workload) => lookup.peers(workload).length > 0)
    .flatMap((workload) =>
      STEPS.map((step) => `${WORKLOAD_TITLES[workload]}, ${STEP_TITLES[step]}\n${stepTable(lookup, workload, step)}\n`),
    )
    .join("\n");
}
