import { attempt } from "../../model/errors";
import { type CanonicalPrefix, Prefix, PrefixError } from "../../model/prefix";
import type { VirtualClock } from "../time/clock";
import { type SignalingClientState, StateError } from "./state";

/** The four error texts (docs/contributing/contract.md#signaling-errors) with their default statuses (our choice). */
export const SIGNALING_ERRORS = {
  "secret_key invalid": 403,
  "ip_prefix invalid": 400,
  "cloud signaling already active": 409,
  "cloud signaling is not active": 409,
} as const;

/** One of the four error texts of the contract. */
export type SignalingErrorText = keyof typeof SIGNALING_ERRORS;

/** Accepted prefixes of a client, by switches of the dialect; an absent switch accepts all. */
interface Acceptance {
  readonly signalingAddress?: "cidr" | "any";
  readonly signalingIpv6?: "accepted" | "error";
  readonly signalingPrefixes?: "within" | "registered";
}

/** Treatment of a start or a stop, by switches of the dialect. */
interface Starting {
  readonly signalingPartial: "all-or-nothing" | "valid-ones" | "before";
  readonly signalingOverlap: "accepted" | "invalid";
  /** Milliseconds of virtual time; 0 is without an end. */
  readonly lease: number;
}

/** A prefix of a request; `undefined` if the client cannot signal it. */
type ReadPrefix = CanonicalPrefix | undefined;

interface Active {
  /** Virtual time of the start, in milliseconds. */
  readonly since: number;
  readonly cancelLease: () => void;
}

export class DeploymentClient {
  readonly prefixes: readonly Prefix[];
  private readonly running = new Map<CanonicalPrefix, Active>();

  constructor(
    readonly state: SignalingClientState,
    private readonly clock: VirtualClock,
    lease: number,
    private readonly changed: () => void,
  ) {
    this.prefixes = state.prefixes.map((text) => Prefix.parse(text));
    for (const text of state.active ?? []) {
      const prefix = Prefix.parse(text);
      if (!this.mayMove(prefix)) {
        throw new StateError(
          `The state is not valid: signaling client ${state.clientId} has ${prefix} active, which is not among its prefixes.`,
        );
      }
      this.activate(prefix.toString(), lease);
    }
  }

  /**
   * Prefixes with active signaling, in order.
   *
   * @param delay Milliseconds during which a start does not show. It shows if the clock was set back to before it.
   */
  active(delay = 0): CanonicalPrefix[] {
    const now = this.clock.ms;
    const prefixes = [...this.running]
      .filter(([, { since }]) => now < since || now >= since + delay)
      .map(([text]) => Prefix.fromCanonical(text));
    return prefixes.sort(Prefix.compare).map((prefix) => prefix.toString());
  }

  /** Parses prefixes, each once; `undefined` stands for one that is none, has host bits, is not the client's or not accepted. */
  read(texts: readonly string[], accepted: Acceptance = {}): readonly ReadPrefix[] {
    return [...new Set(texts.map((text) => this.readOne(text, accepted)))];
  }

  /** Starts signaling; returns the error text if not all were started. */
  start(prefixes: readonly ReadPrefix[], how: Starting): SignalingErrorText | undefined {
    const { signalingPartial: mode, signalingOverlap, lease } = how;
    const readable = prefixes.filter((prefix) => prefix !== undefined);
    const inactive = readable.filter((prefix) => !this.running.has(prefix));
    const startable = signalingOverlap === "invalid" ? this.disjoint(inactive) : inactive;
    for (const prefix of possible(prefixes, startable, mode)) this.activate(prefix, lease);
    if (startable.length === prefixes.length) return undefined;
    const isOnlyActive = readable.length === prefixes.length && inactive.length < readable.length;
    return isOnlyActive ? "cloud signaling already active" : "ip_prefix invalid";
  }

  /** Stops signaling; returns the error text if not all were stopped. */
  stop(
    prefixes: readonly ReadPrefix[],
    { signalingPartial: mode }: Pick<Starting, "signalingPartial">,
  ): SignalingErrorText | undefined {
    const readable = prefixes.filter((prefix) => prefix !== undefined);
    const stoppable = readable.filter((prefix) => this.running.has(prefix));
    for (const prefix of possible(prefixes, stoppable, mode)) this.deactivate(prefix);
    if (stoppable.length === prefixes.length) return undefined;
    return readable.length < prefixes.length ? "ip_prefix invalid" : "cloud signaling is not active";
  }

  export(): SignalingClientState {
    const { active: _, ...state } = this.state;
    const active = this.active();
    return active.length > 0 ? { ...state, active } : state;
  }

  private readOne(text: string, accepted: Acceptance): ReadPrefix {
    const prefix = attempt(() => Prefix.parse(text), PrefixError);
    if (!prefix || (accepted.signalingAddress === "cidr" && !text.includes("/"))) return undefined;
    if (accepted.signalingIpv6 === "error" && prefix.family === 6) return undefined;
    const isOwn =
      accepted.signalingPrefixes === "registered"
        ? this.prefixes.some((own) => own.equals(prefix))
        : this.mayMove(prefix);
    return isOwn ? prefix.toString() : undefined;
  }

  /** The prefixes that no running signaling and none before them covers, and that cover none. */
  private disjoint(texts: readonly CanonicalPrefix[]): CanonicalPrefix[] {
    const active = [...this.running.keys()].map((other) => Prefix.fromCanonical(other));
    return texts.filter((text) => {
      const prefix = Prefix.fromCanonical(text);
      const isFree = !active.some((other) => other.contains(prefix) || prefix.contains(other));
      if (isFree) active.push(prefix);
      return isFree;
    });
  }

  private mayMove(prefix: Prefix): boolean {
    return this.prefixes.some((own) => own.contains(prefix));
  }

  private activate(prefix: CanonicalPrefix, lease: number): void {
    const cancelLease = lease > 0 ? this.clock.after(lease, () => this.deactivate(prefix)) : () => {};
    this.running.set(prefix, { since: this.clock.ms, cancelLease });
    this.changed();
  }

  private deactivate(prefix: CanonicalPrefix): void {
    this.running.get(prefix)?.cancelLease();
    this.running.delete(prefix);
    this.changed();
  }
}

/** The prefixes of a request that are started or stopped, if these ones can be. */
function possible(
  all: readonly ReadPrefix[],
  able: readonly CanonicalPrefix[],
  mode: Starting["signalingPartial"],
): readonly CanonicalPrefix[] {
  if (able.length === all.length || mode === "valid-ones") return able;
  if (mode === "all-or-nothing") return [];
  // They have the order of `all`, so each one after the first that cannot be is at another place there.
  return able.filter((prefix, at) => prefix === all[at]);
}

/** A deployment of the signaling API: its clients by id. The test deployment is another one. */
export class SignalingDeployment {
  readonly clients = new Map<string, DeploymentClient>();
  /** Version, which grows with every start and stop. */
  revision = 0;

  /** @param lease Milliseconds of virtual time after which the signalings that are active in the states end; 0: never. */
  constructor(
    states: readonly SignalingClientState[],
    clock: VirtualClock,
    lease: number,
    onChange: () => void = () => {},
  ) {
    for (const state of states) {
      if (this.clients.has(state.clientId)) {
        throw new StateError(`The state is not valid: two signaling clients have the id ${state.clientId}.`);
      }
      const changed = () => {
        this.revision += 1;
        onChange();
      };
      this.clients.set(state.clientId, new DeploymentClient(state, clock, lease, changed));
    }
  }

  /** The client with this id and secret. Like the API, it does not reveal which of the two is wrong. */
  authenticate(clientId: string, secretKey: string): DeploymentClient | undefined {
    const client = this.clients.get(clientId);
    return client?.state.secretKey === secretKey ? client : undefined;
  }
}
