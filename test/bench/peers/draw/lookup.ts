import type { Figures, Row } from "../figures";
import { PEERS, type PeerName, STEPS, type Step, type Workload } from "../plan";

/** Figures to be asked for one by one. */
export class Lookup {
  constructor(readonly figures: Figures) {}

  /** The step of a peer. */
  row(workload: Workload, size: number, peer: PeerName, step: Step): Row | undefined {
    return this.figures.rows.find(
      (row) => row.workload === workload && row.size === size && row.peer === peer && row.step === step,
    );
  }

  /** Time of a step as a multiple of the engine's floor; `undefined` if one of both was not measured. */
  ratio({ workload, size, step, measured }: Row): number | undefined {
    const floor = this.row(workload, size, "floor", step)?.measured;
    return measured && floor && measured.seconds / floor.seconds;
  }

  /** Sizes, ascending. */
  sizes(workload: Workload): number[] {
    const rows = this.figures.rows.filter((row) => row.workload === workload);
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
