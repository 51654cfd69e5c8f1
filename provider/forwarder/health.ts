import { UNHELD } from "./cluster/leases";
import { TIMES } from "./defaults";
import type { Delivery } from "./delivery/delivery";
import type { SinkView } from "./delivery/spool-view";
import type { NodePollers } from "./polling/node-poller";
import { DISK } from "./polling/table-poller";
import type { Troubles } from "./telling/troubles";

/** Checks of one question by name, each with its fault if it does not hold. */
export type Checks = Readonly<Record<string, ReturnType<typeof checkOf>>>;

/** Parts that `/healthz` and `/readyz` look at. */
interface HealthParts {
  readonly pollers: Pick<NodePollers, "standing" | "untried">;
  readonly delivery: Pick<Delivery, "silentMs" | "view">;
  readonly troubles: Troubles;
  /** False once it is told to stop, as before another one takes its place. */
  isPolling(): boolean;
  /** False until this member of a cluster had all its nodes; nothing without a cluster. */
  isShared(): boolean | undefined;
}

/**
 * Two questions. Is it alive: a restart helps where polling or the state stands still, and nowhere else. Is it ready: does all that
 * it is there for happen; a node that is down is no reason, since its failure is seen elsewhere and every forwarder has it.
 */
export class Health {
  constructor(private readonly parts: HealthParts) {}

  get alive(): Checks {
    const { pollers, delivery } = this.parts;
    const seconds = TIMES.standstillMs / 1_000;
    const standing = pollers.standing(TIMES.standstillMs).map((name) => `Node ${name} was due ${seconds} s ago.`);
    const isSilent = delivery.silentMs > TIMES.standstillMs;
    const silent = isSilent ? [`The state has not answered for ${Math.floor(delivery.silentMs / 1_000)} s.`] : [];
    return { polling: checkOf(standing), state: checkOf(silent) };
  }

  get ready(): Checks {
    const { pollers, troubles, isPolling, isShared } = this.parts;
    const messages = (...about: string[]) =>
      [...troubles.all].flatMap(([key, message]) => (about.includes(key.split("/")[0] ?? "") ? [message] : []));
    const cluster = messages("cluster", UNHELD);
    const unshared =
      (isShared() ?? true) || cluster.length > 0
        ? []
        : ["This forwarder has not had all its nodes yet since it started."];
    const untried = pollers.untried.map((name) => `Node ${name} was not tried yet.`);
    return {
      nodes: checkOf(isPolling() ? untried : ["Polling has ended."]),
      sinks: checkOf(messages("full", "behind", "rejected-full")),
      disk: checkOf(messages(DISK)),
      cluster: checkOf([...unshared, ...cluster]),
    };
  }

  /** Fill of the spool for each sink, and the tables that wait for it. */
  get spool(): readonly SinkView[] {
    return this.parts.delivery.view;
  }
}

/** Whether all of it holds. */
export function allHold(checks: Checks): boolean {
  return Object.values(checks).every(({ ok }) => ok);
}

function checkOf(reasons: readonly string[]) {
  return { ok: reasons.length === 0, reasons };
}
