import type { CanonicalPrefix, Prefix } from "../model/prefix";
import { some } from "../model/text";
import { pause } from "./clock";
import { RequestError, SignalingIncomplete, SignalingRefused } from "./errors";
import { backoff } from "./pauses";
import type { Connection, Limits } from "./requester";
import type { World } from "./world";

/** The requests of {@link ensure}, with their common limits. */
interface SignalingOperations {
  readonly operation: "start" | "stop";
  readonly connection: Connection;
  readonly limits: Limits & { readonly until: number };
  readonly world: World;
  /** @param until Monotonic time of its deadline. Default: that of the limits. */
  status(until?: number): Promise<Prefix[]>;
  send(prefixes: readonly Prefix[]): Promise<void>;
  /** True once a status has shown an active prefix: an empty one then is not that of a wrong secret. */
  hasShown(): boolean;
  /** Prefixes whose start had no answer. */
  readonly unanswered: readonly Prefix[];
}

/** Most starts or stops of one group; each follows a status that still lacks a prefix. */
const MAX_SENDS = 5;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 2_000;

/** Pauses between two statuses that wait for a change, in milliseconds. */
export function* statusPauses(): Generator<number, never> {
  for (let wait = FIRST_PAUSE_MS; ; wait = Math.min(LONGEST_PAUSE_MS, wait * 2)) yield wait;
}

/**
 * Requests a status, sends what is needed, and requests the status until it shows. `changed` are the prefixes whose state
 * differs from the first status, except those that a refusal proves to have been changed by another client.
 *
 * A prefix that the receiver calls invalid does not hold up the others: a refused group is sent again in halves, at most
 * twice the binary logarithm of its size for each invalid prefix. In the end only prefixes refused alone are missing.
 *
 * If the first status fails, everything is sent, and the receiver's answer to the start or stop counts. `unseen` is the
 * error of that status. `refusal` is one after which the status shows `refused` in the desired state.
 *
 * @param untrusted Prefixes whose status is not trusted: they are sent even if it shows the desired state, and the answer
 * counts.
 * @param observed Result of a recent status, which replaces the first one.
 */
export async function ensure(
  requests: SignalingOperations,
  prefixes: readonly Prefix[],
  untrusted: readonly Prefix[],
  observed?: readonly Prefix[],
): Promise<{
  changed: Prefix[];
  already: Prefix[];
  unseen?: RequestError;
  refusal?: RequestError;
  refused?: Prefix[];
}> {
  const desired = new Map(prefixes.map((prefix) => [prefix.toString(), prefix]));
  if (desired.size === 0) return { changed: [], already: [] };
  const { active, unseen } = observed ? { active: observed } : await firstStatus(requests, prefixes);
  const progress = new Progress(requests, desired, active, unseen ? [...desired.values()] : untrusted, unseen);
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
  const { changed, already, unseen: unread, refusal: unknown, refused } = progress;
  return { changed, already, ...(unread && { unseen: unread }), ...(unknown && { refusal: unknown, refused }) };
}

/**
 * The first status, limited to the time of one request, so that time is left for starts and stops. Its failure ends the
 * operation only if the caller cancelled it or the receiver cannot be reached at all.
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
    // As if in the desired state but untrusted: each is then sent once, and the answer counts.
    return { active: operation === "start" ? prefixes : [], unseen: error };
  }
}

/**
 * Sends prefixes whose status is not trusted until the receiver reports their state: a receiver that answers a wrong secret
 * with an empty status refuses it here. A refused group is sent one by one.
 *
 * A refusal in words that are not those of the contract may be about the state: the status after it decides. That of a stop
 * does only where a status has shown an active prefix: one that shows none may be the answer to a wrong secret.
 *
 * A prefix that is not the client's counts as stopped only if its start had no answer. Any other may be active for another
 * client, with whose secret it was started.
 *
 * @returns the refusal, if the receiver calls one of the prefixes invalid
 * @throws {SignalingIncomplete} for any other end
 */
async function confirm(group: readonly Prefix[], progress: Progress): Promise<SignalingRefused | undefined> {
  const { operation, limits, world, send, hasShown, unanswered } = progress.requests;
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
  const isUnanswered = unanswered.some((prefix) => prefix.toString() === String(group[0]));
  const isOfNoClient = group.length === 1 && isUnanswered && isInvalid(failure);
  const mayBeDone = isOfNoClient || isUnknownRefusal(failure);
  if (mayBeDone && (await isShown(group, progress)) && (operation === "start" || isOfNoClient || hasShown())) {
    progress.refusal = failure;
    progress.refused.push(...group);
    progress.confirm(group, false);
    return undefined;
  }
  const hint = operation === "stop" ? ENDED : CHECK_SECRET;
  if (!settled && !isInvalid(failure))
    throw progress.incomplete(failure, true, isUnknownRefusal(failure) ? hint : undefined);
  if (group.length === 1) return isInvalid(failure) ? failure : undefined;
  let refusal: SignalingRefused | undefined;
  for (const prefix of group) refusal = (await confirm([prefix], progress)) ?? refusal;
  return refusal;
}

/**
 * Sends one group until all of it shows.
 *
 * @returns the refusal, if the receiver calls one of the prefixes invalid
 * @throws {SignalingIncomplete} for any other end; nothing else is sent then
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
    // One for several that is refused for one of them may start the others all the same.
    if (failure?.outcome === "unknown" || (failure && sent.length > 1)) progress.doubtful = true;

    // After "ok" or "already done", the missing prefixes must show in time. After any other error, one status shows
    // whether the request had its effect.
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

  /** Returns `undefined` once sending again can help, `"late"` at the deadline, or the error of a status. */
  async function waitUntilShown(
    before: number,
    patient: boolean,
    failure: RequestError | undefined,
  ): Promise<undefined | "late" | RequestError> {
    for (const wait of statusPauses()) {
      const lost = await failureOf(status().then((active) => progress.observe(active)));
      if (lost) return lost;
      const left = progress.missingOf(group).length;
      if (left === 0 || !patient) return undefined;
      // One of several prefixes may have caused the refusal: once it shows, the rest can be sent.
      if (failure && left < before) return undefined;
      if (world.monotonic() + wait >= limits.until) return "late";
      await pause(world, wait, limits.signal);
    }
    return undefined;
  }
}

const CHECK_SECRET =
  "Check `clientId`, `secretKey` and `url` of the receiver: a wrong secret may be answered in the same way.";
const ENDED = `${CHECK_SECRET} Where nothing is active any more, pulumi state delete '<urn>' removes the resource without a stop.`;

/** True for a refusal in other words than those of the contract, and not about credentials. */
function isUnknownRefusal(failure: RequestError | undefined): failure is RequestError {
  return failure?.outcome === "refused" && !(failure instanceof SignalingRefused);
}

/** True if a new status shows all of the group in the desired state. */
async function isShown(group: readonly Prefix[], progress: Progress): Promise<boolean> {
  const lost = await failureOf(progress.requests.status().then((active) => progress.observe(active)));
  return lost === undefined && progress.missingOf(group).length === 0;
}

/** True if the receiver cannot read one of the prefixes, or does not know it as the client's own. */
function isInvalid(failure: RequestError | undefined): failure is SignalingRefused {
  return failure instanceof SignalingRefused && failure.reason === "prefix-invalid";
}

/** True if the receiver reports that at least one of the sent prefixes is in the desired state already. */
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

/** Knowledge about each desired prefix. */
class Progress {
  unshown: Prefix[];
  /** In the desired state by a status that is not trusted, and not confirmed yet. */
  unconfirmed: readonly Prefix[];
  private readonly initially: ReadonlySet<CanonicalPrefix>;
  private readonly others = new Set<CanonicalPrefix>();
  /** A request that failed may have had an effect: its answer was lost, or it was refused for one of several prefixes. */
  doubtful = false;
  /** The last refusal after which the status showed the desired state, and the prefixes of all. */
  refusal: RequestError | undefined;
  readonly refused: Prefix[] = [];

  constructor(
    readonly requests: SignalingOperations,
    private readonly desired: ReadonlyMap<CanonicalPrefix, Prefix>,
    active: readonly Prefix[],
    untrusted: readonly Prefix[],
    public unseen?: RequestError,
  ) {
    this.unshown = this.missingIn(active);
    const unshown = new Set(this.unshown.map(String));
    this.unconfirmed = untrusted.filter((prefix) => desired.has(prefix.toString()) && !unshown.has(prefix.toString()));
    this.initially = new Set([...this.unshown, ...this.unconfirmed].map(String) as CanonicalPrefix[]);
  }

  /** Prefixes that are not in the desired state, or not known to be. */
  get missing(): Prefix[] {
    return [...this.unshown, ...this.unconfirmed];
  }

  observe(active: readonly Prefix[]): void {
    this.unshown = this.missingIn(active);
  }

  /** Trusts an "ok" that no status can confirm. */
  believe(prefixes: readonly Prefix[], unseen: RequestError): void {
    this.unseen = unseen;
    this.unshown = this.unshown.filter((prefix) => !prefixes.includes(prefix));
  }

  /** Notes that the receiver reports the desired state. @param isChanged True if our request caused it. */
  confirm(prefixes: readonly Prefix[], isChanged: boolean): void {
    if (!isChanged) this.creditOthers(prefixes);
    this.unconfirmed = this.unconfirmed.filter((prefix) => !prefixes.includes(prefix));
  }

  /** Prefixes of a group that are not in the desired state by the last status. */
  missingOf(group: readonly Prefix[]): Prefix[] {
    const keys = new Set(group.map(String));
    return this.unshown.filter((prefix) => keys.has(prefix.toString()));
  }

  /** A lone prefix refused as "already done", with no request of ours in doubt, was changed by another client. */
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

  incomplete(failure: RequestError | undefined, unverified = false, hint?: string): SignalingIncomplete {
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
      `Signaling on ${connection.label}: ${operation} is incomplete: ${missing.length} of ${this.desired.size} prefixes are not ${state}${doubt} (${some(missing)}).`,
      failure?.message ?? `The receiver said "ok", and its status did not show it before the deadline.`,
      ...(hint === undefined ? [] : [hint]),
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
    return [...this.desired.values()].filter(
      (prefix) => now.has(prefix.toString()) !== (this.requests.operation === "start"),
    );
  }

  private reached(test: (key: CanonicalPrefix) => boolean): Prefix[] {
    const missing = new Set(this.missing.map(String));
    return [...this.desired].flatMap(([key, prefix]) => (missing.has(key) || !test(key) ? [] : [prefix]));
  }
}
