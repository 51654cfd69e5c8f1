import type { CanonicalPrefix, Prefix } from "../model/prefix";
import { some } from "../model/text";
import { RequestError, SignalingIncomplete, SignalingRefused } from "./errors";
import type { Limits } from "./requester";
import { backoff, type RetryPolicy } from "./retry";
import type { World } from "./world";

/** The two requests that {@link ensure} is made of, each with its own limits bound in. */
export interface SignalingRequests {
  readonly operation: "start" | "stop";
  readonly endpoint: string;
  readonly label: string;
  /** Pauses between sends follow it, too. */
  readonly retry: RetryPolicy;
  status(): Promise<Prefix[]>;
  send(prefixes: readonly Prefix[]): Promise<void>;
}

/** Starts or stops that are sent at most; each follows a status that still lacks something. */
const MAX_SENDS = 5;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 2_000;

/**
 * Observe, send what is needed, observe until it shows. `changed` are the prefixes whose state differs from the first
 * status, whoever's request did it, except those that a refusal proves to have changed before ours.
 */
export async function ensure(
  requests: SignalingRequests,
  prefixes: readonly Prefix[],
  limits: Limits & { readonly until: number },
  world: World,
): Promise<{ changed: Prefix[]; already: Prefix[] }> {
  const wanted = new Map(prefixes.map((prefix) => [prefix.toString(), prefix]));
  if (wanted.size === 0) return { changed: [], already: [] };
  const progress = new Progress(requests, wanted, await requests.status());
  let failure: RequestError | undefined;

  for (let sends = 1; progress.missing.length > 0; sends++) {
    const sent = progress.missing;
    failure = await failureOf(requests.send(sent));
    if (failure?.code === "request-cancelled" && failure.outcome === "not-sent") throw progress.incomplete(failure);
    if (isSettled(failure, requests.operation)) progress.creditOthers(sent);
    else if (failure?.outcome === "unknown") progress.doubtful = true;

    // After "ok", and where the receiver says that it is done already, what is missing must show in time. After any
    // other error one look tells whether it had its effect.
    const patient = failure === undefined || isSettled(failure, requests.operation);
    const look = await waitUntilShown(progress, sent.length, patient);
    if (look) throw progress.incomplete(look === "late" ? failure : look, look !== "late");
    const stuck = failure?.outcome === "refused" && progress.missing.length === sent.length;
    if (progress.missing.length === 0) break;
    const pause = backoff(sends, requests.retry, world.random);
    const late = world.monotonic() + pause >= limits.until;
    if (stuck || late || sends >= MAX_SENDS) throw progress.incomplete(failure);
    await world.sleep(pause, limits.signal).catch(() => undefined);
  }
  return { changed: progress.changed, already: progress.already };

  /** Ends with `undefined` once sending again can help, `"late"` at the deadline, or the error of a status. */
  async function waitUntilShown(
    state: Progress,
    before: number,
    patient: boolean,
  ): Promise<undefined | "late" | RequestError> {
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(LONGEST_PAUSE_MS, pause * 2)) {
      const lost = await failureOf(requests.status().then((active) => state.observe(active)));
      if (lost) return lost;
      if (state.missing.length === 0 || !patient) return undefined;
      // A refusal of several may have been for one of them: with that one shown, the rest can be sent.
      if (failure && state.missing.length < before) return undefined;
      if (world.monotonic() + pause >= limits.until) return "late";
      await world.sleep(pause, limits.signal).catch(() => undefined);
    }
  }
}

/** The receiver says that the wanted state holds already: true for at least one of the prefixes that were sent. */
function isSettled(failure: RequestError | undefined, operation: "start" | "stop"): failure is SignalingRefused {
  return (
    failure instanceof SignalingRefused && failure.reason === (operation === "start" ? "already-active" : "not-active")
  );
}

async function failureOf(request: Promise<unknown>): Promise<RequestError | undefined> {
  try {
    await request;
    return undefined;
  } catch (error) {
    if (error instanceof RequestError) return error;
    throw error;
  }
}

/** What is known about each wanted prefix. */
class Progress {
  missing: Prefix[];
  private readonly initially: ReadonlySet<CanonicalPrefix>;
  private readonly others = new Set<CanonicalPrefix>();
  /** A request of ours was lost, and may have had its effect. */
  doubtful = false;

  constructor(
    private readonly requests: SignalingRequests,
    private readonly wanted: ReadonlyMap<CanonicalPrefix, Prefix>,
    active: readonly Prefix[],
  ) {
    this.missing = this.missingIn(active);
    this.initially = new Set(this.missing.map(String) as CanonicalPrefix[]);
  }

  observe(active: readonly Prefix[]): void {
    this.missing = this.missingIn(active);
  }

  /** A lone prefix that is refused as done, with no request of ours in doubt, was changed by somebody else. */
  creditOthers(sent: readonly Prefix[]): void {
    const [only] = sent;
    if (only && sent.length === 1 && !this.doubtful) this.others.add(only.toString());
  }

  get changed(): Prefix[] {
    return this.reached((key) => this.initially.has(key) && !this.others.has(key));
  }

  get already(): Prefix[] {
    return this.reached((key) => !this.initially.has(key) || this.others.has(key));
  }

  incomplete(failure: RequestError | undefined, unverified = false): SignalingIncomplete {
    const { operation, endpoint, label } = this.requests;
    const { changed, already, missing } = this;
    const truth = {
      started: operation === "start" ? changed : [],
      stopped: operation === "stop" ? changed : [],
      already,
      missing,
      verified: !unverified,
    };
    const state = operation === "start" ? "active" : "inactive";
    const doubt = unverified ? ", as far as is known" : "";
    const message = [
      `Signaling on ${label}: ${operation} is incomplete: ${missing.length} of ${this.wanted.size} prefixes are not ${state}${doubt} (${some(missing)}).`,
      failure?.message ?? `The receiver said "ok", and its status did not show it before the deadline.`,
    ].join(" ");
    return new SignalingIncomplete(
      message,
      truth,
      {
        outcome: failure?.outcome ?? "unknown",
        ...(failure?.status !== undefined && { status: failure.status }),
        endpoint,
        object: some(missing),
        operation,
        tries: failure?.tries ?? 1,
        ...(failure && { cause: failure }),
      },
      failure instanceof SignalingRefused ? failure.reason : undefined,
    );
  }

  private missingIn(active: readonly Prefix[]): Prefix[] {
    const now = new Set(active.map(String));
    return [...this.wanted.values()].filter(
      (prefix) => now.has(prefix.toString()) !== (this.requests.operation === "start"),
    );
  }

  private reached(test: (key: CanonicalPrefix) => boolean): Prefix[] {
    const missing = new Set(this.missing.map(String));
    return [...this.wanted].flatMap(([key, prefix]) => (missing.has(key) || !test(key) ? [] : [prefix]));
  }
}
