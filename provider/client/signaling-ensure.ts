import type { CanonicalPrefix, Prefix } from "../model/prefix";
import { some } from "../model/text";
import { pause } from "./clock";
import { RequestError, SignalingIncomplete, SignalingRefused } from "./errors";
import type { Connection, Limits } from "./requester";
import { backoff } from "./retry";
import type { World } from "./world";

/** The two requests that {@link ensure} is made of, each with its own limits bound in, and what bounds them together. */
interface SignalingOperations {
  readonly operation: "start" | "stop";
  /** Pauses between sends follow it, too. */
  readonly connection: Connection;
  readonly limits: Limits & { readonly until: number };
  readonly world: World;
  /** @param until Monotonic time at which it is given up; default: that of the limits. */
  status(until?: number): Promise<Prefix[]>;
  send(prefixes: readonly Prefix[]): Promise<void>;
}

/** Starts or stops that are sent at most; each follows a status that still lacks something. */
const MAX_SENDS = 5;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 2_000;

/**
 * Observe, send what is needed, observe until it shows. `changed` are the prefixes whose state differs from the first
 * status, by any client's request, except those that a refusal proves to have changed before ours.
 *
 * One prefix that the receiver takes for invalid keeps none of the others waiting: what was refused together is sent again
 * in halves, at most twice the binary logarithm of their number for each bad one, and only what is refused alone is missing
 * in the end.
 *
 * A status that fails keeps nothing from being sent: what the receiver answers to the start or stop itself counts then, and
 * `unseen` is what the status failed with.
 *
 * @param untrusted Prefixes of which no status is believed that shows them as they are wanted: the receiver is asked to
 * change them all the same, and what it answers counts.
 * @param seen What a status of a moment ago showed: it is the first one then.
 */
export async function ensure(
  requests: SignalingOperations,
  prefixes: readonly Prefix[],
  untrusted: readonly Prefix[],
  seen?: readonly Prefix[],
): Promise<{ changed: Prefix[]; already: Prefix[]; unseen?: RequestError }> {
  const wanted = new Map(prefixes.map((prefix) => [prefix.toString(), prefix]));
  if (wanted.size === 0) return { changed: [], already: [] };
  const { active, unseen } = seen ? { active: seen } : await firstStatus(requests, prefixes);
  const progress = new Progress(requests, wanted, active, unseen ? [...wanted.values()] : untrusted, unseen);
  const groups: (readonly Prefix[])[] = [progress.unshown];
  let refusal: SignalingRefused | undefined;
  for (let group = groups.shift(); group; group = groups.shift()) {
    const refused = await ensureGroup(group, progress);
    if (!refused) continue;
    const rest = progress.missingOf(group);
    const half = Math.ceil(rest.length / 2);
    if (rest.length > 1) groups.unshift(rest.slice(0, half), rest.slice(half));
    else refusal ??= refused;
  }
  refusal = (await confirm(progress.unconfirmed, progress)) ?? refusal;
  if (refusal) throw progress.incomplete(refusal);
  const { changed, already } = progress;
  return { changed, already, ...(progress.unseen && { unseen: progress.unseen }) };
}

/**
 * A status that fails prevents no start and no stop: all is sent then. It gets the time of one request and its answer, so that
 * there is time left. Ends only where the caller cancelled it, or nothing can be sent to the receiver at all.
 */
async function firstStatus(
  { operation, status, connection, limits, world }: SignalingOperations,
  prefixes: readonly Prefix[],
): Promise<{ readonly active: readonly Prefix[]; readonly unseen?: RequestError }> {
  try {
    return { active: await status(Math.min(limits.until, world.monotonic() + connection.timeoutMs)) };
  } catch (error) {
    const isAsked = error instanceof RequestError && (error.outcome !== "not-sent" || error.status !== undefined);
    if (!isAsked || error.code === "request-cancelled") throw error;
    // As they are wanted, so that they are sent once, and their answer is what is known of them.
    return { active: operation === "start" ? prefixes : [], unseen: error };
  }
}

/**
 * Sends what a status shows as it is wanted and may not be so, until the receiver itself says what holds: a receiver that
 * answers a wrong secret with an empty status refuses it here. What is refused together is sent one by one.
 *
 * @returns the refusal, if one of the prefixes is invalid in the receiver's eyes
 * @throws {SignalingIncomplete} for any other end
 */
async function confirm(group: readonly Prefix[], progress: Progress): Promise<SignalingRefused | undefined> {
  const { operation, limits, world, send } = progress.requests;
  if (group.length === 0) return undefined;
  let failure: RequestError | undefined;
  for (let sends = 1; ; sends++) {
    failure = await failureOf(send(group));
    if (failure?.outcome !== "unknown") break;
    progress.doubtful = true;
    const wait = backoff(sends, world.random);
    if (world.monotonic() + wait >= limits.until || sends >= MAX_SENDS) break;
    await pause(world, wait, limits.signal);
  }
  const settled = isSettled(failure, operation);
  if (failure === undefined || (settled && group.length === 1)) {
    progress.confirm(group, failure === undefined);
    return undefined;
  }
  if (!settled && !isInvalid(failure)) throw progress.incomplete(failure, true);
  if (group.length === 1) return isInvalid(failure) ? failure : undefined;
  let refusal: SignalingRefused | undefined;
  for (const prefix of group) refusal = (await confirm([prefix], progress)) ?? refusal;
  return refusal;
}

/**
 * Sends one group until all of it shows.
 *
 * @returns the refusal, if one of the prefixes is invalid in the receiver's eyes
 * @throws {SignalingIncomplete} for any other end: then it makes no sense to send anything else
 */
async function ensureGroup(group: readonly Prefix[], progress: Progress): Promise<SignalingRefused | undefined> {
  const { operation, limits, world, send, status } = progress.requests;
  for (let sends = 1; ; sends++) {
    const sent = progress.missingOf(group);
    if (sent.length === 0) return undefined;
    const failure = await failureOf(send(sent));
    if (failure?.code === "request-cancelled" && failure.outcome === "not-sent") throw progress.incomplete(failure);
    const settled = isSettled(failure, operation);
    if (settled) progress.creditOthers(sent);
    else if (failure?.outcome === "unknown") progress.doubtful = true;

    // After "ok", and where the receiver says that it is done already, what is missing must show in time. After any
    // other error one status tells whether it had its effect.
    const end = await waitUntilShown(sent.length, failure === undefined || settled, failure);
    if (end instanceof RequestError && failure === undefined && end.code !== "request-cancelled") {
      progress.believe(sent, end);
      return undefined;
    }
    if (end) throw progress.incomplete(end === "late" ? failure : end, end !== "late");
    const left = progress.missingOf(group).length;
    if (left === 0) return undefined;
    const late = world.monotonic() >= limits.until;
    if (isInvalid(failure) && left === sent.length && !late) return failure;
    const stuck = failure?.outcome === "refused" && left === sent.length;
    const wait = backoff(sends, world.random);
    if (stuck || world.monotonic() + wait >= limits.until || sends >= MAX_SENDS) throw progress.incomplete(failure);
    await pause(world, wait, limits.signal);
  }

  /** Ends with `undefined` once sending again can help, `"late"` at the deadline, or the error of a status. */
  async function waitUntilShown(
    before: number,
    patient: boolean,
    failure: RequestError | undefined,
  ): Promise<undefined | "late" | RequestError> {
    for (let wait = FIRST_PAUSE_MS; ; wait = Math.min(LONGEST_PAUSE_MS, wait * 2)) {
      const lost = await failureOf(status().then((active) => progress.observe(active)));
      if (lost) return lost;
      const left = progress.missingOf(group).length;
      if (left === 0 || !patient) return undefined;
      // A refusal of several may have been for one of them: with that one shown, the rest can be sent.
      if (failure && left < before) return undefined;
      if (world.monotonic() + wait >= limits.until) return "late";
      await pause(world, wait, limits.signal);
    }
  }
}

/** The receiver does not know one of the prefixes as the client's own, or cannot read it. */
function isInvalid(failure: RequestError | undefined): failure is SignalingRefused {
  return failure instanceof SignalingRefused && failure.reason === "prefix-invalid";
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

/** Knowledge about each wanted prefix. */
class Progress {
  unshown: Prefix[];
  /** Shown as they are wanted by a status that is not believed, and not confirmed so far. */
  unconfirmed: readonly Prefix[];
  private readonly initially: ReadonlySet<CanonicalPrefix>;
  private readonly others = new Set<CanonicalPrefix>();
  /** A request of ours was lost, and may have had its effect. */
  doubtful = false;

  constructor(
    readonly requests: SignalingOperations,
    private readonly wanted: ReadonlyMap<CanonicalPrefix, Prefix>,
    active: readonly Prefix[],
    untrusted: readonly Prefix[],
    public unseen?: RequestError,
  ) {
    this.unshown = this.missingIn(active);
    const unshown = new Set(this.unshown.map(String));
    this.unconfirmed = untrusted.filter((prefix) => wanted.has(prefix.toString()) && !unshown.has(prefix.toString()));
    this.initially = new Set([...this.unshown, ...this.unconfirmed].map(String) as CanonicalPrefix[]);
  }

  /** All that are not in the wanted state, or not known to be. */
  get missing(): Prefix[] {
    return [...this.unshown, ...this.unconfirmed];
  }

  observe(active: readonly Prefix[]): void {
    this.unshown = this.missingIn(active);
  }

  /** The receiver said "ok", and no status can show it. */
  believe(prefixes: readonly Prefix[], unseen: RequestError): void {
    this.unseen = unseen;
    this.unshown = this.unshown.filter((prefix) => !prefixes.includes(prefix));
  }

  /** The receiver says of these that they are in the wanted state now. @param isChanged true where our request did it */
  confirm(prefixes: readonly Prefix[], isChanged: boolean): void {
    if (!isChanged) this.creditOthers(prefixes);
    this.unconfirmed = this.unconfirmed.filter((prefix) => !prefixes.includes(prefix));
  }

  /** Those of a group that are not in the wanted state by the last status. */
  missingOf(group: readonly Prefix[]): Prefix[] {
    const keys = new Set(group.map(String));
    return this.unshown.filter((prefix) => keys.has(prefix.toString()));
  }

  /** A lone prefix that is refused as done, with no request of ours in doubt, was changed by another client. */
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
    const { operation, connection } = this.requests;
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
      `Signaling on ${connection.label}: ${operation} is incomplete: ${missing.length} of ${this.wanted.size} prefixes are not ${state}${doubt} (${some(missing)}).`,
      failure?.message ?? `The receiver said "ok", and its status did not show it before the deadline.`,
    ].join(" ");
    return new SignalingIncomplete(
      message,
      truth,
      {
        outcome: failure?.outcome ?? "unknown",
        ...(failure?.status !== undefined && { status: failure.status }),
        endpoint: connection.endpoint,
        object: some(missing),
        operation,
        tries: failure?.tries ?? 1,
        ...(failure && { cause: failure, ...(failure.remedy !== undefined && { remedy: failure.remedy }) }),
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
