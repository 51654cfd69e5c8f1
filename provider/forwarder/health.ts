import { formatDuration } from "../client/pauses";
import { UNHELD } from "./cluster/leases";
import { TIMES } from "./defaults";
import type { Delivery } from "./delivery/delivery";
import type { SinkView } from "./delivery/spool-view";
import type { NodePollers } from "./polling/node-poller";
import { DISK } from "./polling/table-poller";
import type { Troubles } from "./telling/troubles";

/** Checks of one question by name, each with its fault if it does not hold. */
export type Checks = Readonly<Record<string, ReturnType<typeof checkOf>>>;

interface HealthParts {
  readonly pollers: Pick<NodePollers, "standing" | "untried">;
  readonly delivery: Pick<Delivery, "silentMs" | "view">;
  readonly troubles: Troubles;
  /** False once it was asked to stop. */
  isPolling(): boolean;
  /** False until this member of a cluster has had all its nodes; `undefined` without a cluster. */
  isShared(): boolean | undefined;
}

/**
 * Answers of `/healthz` and `/readyz`. Not alive: polling or the state is blocked, the only cases in which a restart helps. Not
 * ready: part of its work is not done. A node that is down does not count: every forwarder would then be unready.
 */
export class Health {
  constructor(private readonly parts: HealthParts) {}

  get alive(): Checks {
    const { pollers, delivery } = this.parts;
    const seconds = TIMES.standstillMs / 1_000;
    const standing = pollers.standing(TIMES.standstillMs).map((name) => `Node ${name} was due ${seconds} s ago.`);
    const isSilent = delivery.silentMs > TIMES.standstillMs;
    const silent = isSilent
      ? [`The state has not answered for ${formatDuration(Math.floor(delivery.silentMs / 1_000) * 1_000)}.`]
      : [];
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
      sinks: checkOf(messages("full", "behind", "rejected-full", "stuck")),
      disk: checkOf(messages(DISK)),
      cluster: checkOf([...unshared, ...cluster]),
    };
  }

  /** Fill of the spool for each sink, and the tables that wait for it. */
  get spool(): readonly SinkView[] {
    return this.parts.delivery.view;
  }
}

export function allHold(checks: Checks): boolean {
  return Object.values(checks).every(({ ok }) => ok);
}

function checkOf(reasons: readonly string[]) {
  return { ok: reasons.length === 0, reasons };
}
