import type { Figures, Row } from "../figures";
import { LINK_SIZES, PEERS, type PeerName, STEPS, type Step, USUAL, type Workload } from "../plan";

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

  /** Time of a step as a multiple of the engine's floor; `undefined` if one of both was not measured. */
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
