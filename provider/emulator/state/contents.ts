import { MARK_TYPES } from "../../model/mark";
import { formatUrl } from "../../model/resource-url";
import type { MarkLimits } from "../marks";
import type { MarkCount } from "../marks/mark-history";
import type { VirtualClock } from "../time/clock";
import { Bindings } from "./bindings";
import { checkConsistency, clientsOf } from "./consistency";
import { defaultTestClients } from "./default-state";
import { Holdings } from "./holdings";
import { PacketPath } from "./packet-path";
import { SignalingDeployment } from "./signaling-deployment";
import { type EmulatorState, parseState, type SignalingClientState } from "./state";

interface Limits {
  /** Of the mark tables of each profile. */
  readonly marks: MarkLimits | undefined;
  /** Milliseconds of virtual time after which a signaling of the loaded state ends; 0: never. */
  readonly lease: number;
}

/**
 * The content of an emulator, made from a loaded state and exported as a state. Another state makes a new object; single
 * parts are never replaced.
 */
export class Contents {
  readonly holdings: Holdings;
  readonly signaling: SignalingDeployment;
  readonly testSignaling: SignalingDeployment;
  readonly bindings: Bindings;
  readonly packetPath: PacketPath;

  /**
   * @param changed Called after every change by signaling.
   * @throws {StateError} naming the mistake in the state.
   */
  constructor(state: EmulatorState, clock: VirtualClock, limits: Limits, changed: () => void) {
    const parsed = parseState(state);
    checkConsistency(parsed);
    const deployment = (clients: readonly SignalingClientState[]) =>
      new SignalingDeployment(clients, clock, limits.lease, changed);
    this.holdings = new Holdings(parsed);
    this.signaling = deployment(clientsOf(parsed));
    this.testSignaling = deployment(parsed.signaling?.testClients ?? defaultTestClients);
    this.bindings = new Bindings(this.holdings, this.signaling);
    this.packetPath = new PacketPath(this.holdings, this.bindings, clock, limits.marks);
  }

  /** The present state. */
  export(): EmulatorState {
    const clients = (deployment: SignalingDeployment) => [...deployment.clients.values()].map((it) => it.export());
    return {
      ...this.holdings.export((arena, profile) => this.packetPath.marks(arena, profile).export()),
      signaling: { clients: clients(this.signaling), testClients: clients(this.testSignaling) },
    };
  }

  secretKeys(): string[] {
    const clients = [...this.signaling.clients.values(), ...this.testSignaling.clients.values()];
    return clients.map(({ state }) => state.secretKey);
  }
}

/** Numbers of live records of each profile, by type and id. */
export function* liveMarks({ holdings, packetPath }: Contents): Generator<MarkCount, void> {
  for (const [arena, { profiles }] of holdings.arenas) {
    for (const name of profiles.keys()) {
      const profile = formatUrl({ kind: "profile", arena, profile: name });
      const marks = packetPath.marks(arena, name);
      for (const type of MARK_TYPES) {
        for (const [id, records] of marks.ids(type)) if (records > 0) yield { profile, type, id, records };
      }
    }
  }
}
