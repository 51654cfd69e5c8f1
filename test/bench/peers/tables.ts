import type { Figures, Row } from "./figures";
import { LINK_SIZES, PEERS, type PeerName, STEPS, type Step, USUAL, WORKLOADS, type Workload } from "./plan";
import { ABOUT, STEP_TITLES, WORKLOAD_TITLES } from "./texts";

/** A table of Markdown, numbers to the right. */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[], texts = 1): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  const rule = head.map((_, index) => (index < texts ? "---" : "---:"));
  return [line(head), line(rule), ...rows.map(line)].join("\n");
}

/** 1 234 567 */
export const number = (value: number) => value.toLocaleString("en").replaceAll(",", " ");
export const seconds = (value: number) => (value < 10 ? value.toFixed(2) : number(Number(value.toFixed(1))));
export const kilobytes = (bytes: number) => number(Number((bytes / 1_000).toFixed(bytes < 10_000 ? 1 : 0)));

/** Figures to be asked for one by one. */
export class Lookup {
  constructor(readonly figures: Figures) {}

  /** The step of a peer, on the usual link unless another is named. */
  row(workload: Workload, size: number, peer: PeerName, step: Step, link = USUAL): Row | undefined {
    return this.figures.rows.find(
      (row) =>
        row.workload === workload &&
        row.size === size &&
        row.peer === peer &&
        row.step === step &&
        row.latency === link.latency &&
        row.commit === link.commit,
    );
  }

  /** How many times as long as the engine's floor a step took; `undefined` where one of both was not measured. */
  ratio({ workload, size, step, latency, commit, measured }: Row): number | undefined {
    const floor = this.row(workload, size, "floor", step, { latency, commit })?.measured;
    return measured && floor && measured.seconds / floor.seconds;
  }

  /** Sizes on the usual link, ascending. */
  sizes(workload: Workload): number[] {
    const rows = this.figures.rows.filter((row) => row.workload === workload && isUsual(row));
    return [...new Set(rows.map(({ size }) => size))].sort((a, b) => a - b);
  }

  /** Peers of which there is anything, in their order. */
  peers(workload: Workload): PeerName[] {
    return PEERS.filter((peer) => this.figures.rows.some((row) => row.workload === workload && row.peer === peer));
  }

  /** Those that ask the node; none of the two floors. */
  contestants(workload: Workload): PeerName[] {
    return this.peers(workload).filter((peer) => peer !== "floor" && peer !== "terraform-map");
  }

  /** The largest size at which every peer that ran at all was measured in every step. */
  headline(workload: Workload): number | undefined {
    const measured = (size: number, peer: PeerName) =>
      STEPS.every((step) => this.row(workload, size, peer, step)?.measured !== undefined);
    const sizes = this.sizes(workload);
    const able = this.peers(workload).filter((peer) => sizes.some((size) => measured(size, peer)));
    return sizes.filter((size) => able.every((peer) => measured(size, peer))).at(-1);
  }
}

export const isUsual = ({ latency, commit }: Row) => latency === USUAL.latency && commit === USUAL.commit;

/** Seconds and, in brackets, how many times the floor that is. */
export function timeCell(lookup: Lookup, row: Row | undefined): string {
  if (row?.measured === undefined) return "–";
  const ratio = lookup.ratio(row);
  const times = row.peer === "floor" || ratio === undefined ? "" : ` (${ratio.toFixed(2)})`;
  return `${seconds(row.measured.seconds)}${times}`;
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

/** All steps at one size. */
export function headlineTable(lookup: Lookup, workload: Workload, size: number): string {
  const peers = lookup.peers(workload);
  const rows = STEPS.map((step) => [
    STEP_TITLES[step],
    ...peers.map((peer) => timeCell(lookup, lookup.row(workload, size, peer, step))),
  ]);
  return markdownTable([`${number(size)} entries`, ...titles(peers)], rows);
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
  return markdownTable([`${number(size)} entries`, ...titles(peers)], rows);
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

/** The links that were compared, with the usual one where there is the same size on it. */
export function linksOf(lookup: Lookup, workload: Workload): { size: number; latency: number; commit: number }[] {
  const rows = lookup.figures.rows.filter((row) => row.workload === workload && row.step === "create");
  const swept = rows.find((row) => !isUsual(row))?.size ?? LINK_SIZES[workload];
  const links = new Map(
    rows
      .filter(({ size }) => size === swept)
      .map(({ size, latency, commit }) => [`${commit} ${latency}`, { size, latency, commit }]),
  );
  return [...links.values()].sort((a, b) => a.commit - b.commit || a.latency - b.latency);
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
    const times = [measured.seconds, measured.shortest, measured.longest].map(seconds);
    const counts = [requests, commits, written, engine, provider, other].map(number);
    return [...where, String(runs), ...times, lookup.ratio(row)?.toFixed(2) ?? "", ...counts, kilobytes(state)];
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
