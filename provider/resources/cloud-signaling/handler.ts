import { randomUUID } from "node:crypto";
import { z } from "zod";
import { SignalingIncomplete } from "../../client/errors";
import { type CanonicalPrefix, Prefix } from "../../model/prefix";
import { some } from "../../model/text";
import { connectionSchema, hostBitsSchema, judge } from "../arguments";
import { compare, requireSameAddress } from "../changes";
import { ArgumentProblem, noteShape, parseAt } from "../entries";
import { type Handler, PartialFailure, type Properties } from "../handler";
import { untouched } from "../remedy";
import type { ReceiverInUse, Runtime } from "../runtime";
import { hasUnknown, UNKNOWN } from "../unknown";

const { reason, ticket } = noteShape;
const schema = z.strictObject({
  prefixes: z.array(z.unknown(), { error: "is not an array of prefixes" }).min(1, "is empty: name at least one prefix"),
  stops: z.enum(["started", "all", "none"], { error: 'is none of "started", "all", "none"' }).optional(),
  reason,
  ticket,
  hostBits: hostBitsSchema.optional(),
  receiver: connectionSchema.optional(),
});

/** Outputs that are no arguments. */
const OUTPUTS = ["started", "endpoint", "unsettled"] as const;
const OBJECT = "signaling";

/** Recipient prefixes that are moved to the profile with rules for as long as the resource exists. */
export class CloudSignalingHandler implements Handler {
  constructor(private readonly runtime: Runtime) {}

  check(_olds: Properties, news: Properties) {
    const { args, problems } = judge(schema, news);
    if (!args) return { inputs: news, problems };
    const receiver = hasUnknown(news.receiver) ? undefined : this.runtime.receiver(args.receiver);
    if (hasUnknown(news.prefixes) || !Array.isArray(news.prefixes)) {
      return { inputs: { ...news, prefixes: UNKNOWN }, problems: [] };
    }
    const found: string[] = [];
    const prefixes = new Set<CanonicalPrefix>();
    for (const [index, spelling] of news.prefixes.entries()) {
      try {
        prefixes.add(parseAt(`prefixes[${index}]`, spelling, args.hostBits));
      } catch (error) {
        if (!(error instanceof ArgumentProblem)) throw error;
        found.push(error.message);
      }
    }
    if (found.length > 0) return { inputs: news, problems: found };
    if (receiver) this.runtime.wanted.add(receiver, OBJECT, prefixes);
    return { inputs: { ...news, prefixes: inOrder(prefixes) }, problems: [] };
  }

  diff(olds: Properties, news: Properties) {
    if (!hasUnknown(olds.receiver)) this.rememberStarted(olds);
    const inUse = hasUnknown(news.receiver) ? undefined : this.runtime.receiver(news.receiver);
    return compare({ olds, news, outputs: OUTPUTS, identity: [], connection: "receiver", inUse });
  }

  async create(inputs: Properties) {
    const id = randomUUID();
    const receiver = this.open(inputs);
    const started = await this.start(receiver, inputs, prefixesOf(inputs), new Set(), ({ active, ours, doubtful }) =>
      ours.length + doubtful.length > 0
        ? { id, outputs: outputs(receiver, inputs, active, ours, doubtful) }
        : undefined,
    );
    return { id, outs: outputs(receiver, inputs, prefixesOf(inputs), started) };
  }

  async read(id: string, props: Properties) {
    const receiver = this.open(props, props);
    this.rememberStarted(props);
    const active = new Set((await receiver.reads.read()).map((prefix) => prefix.toString()));
    const unsettled = unsettledOf(props);
    const prefixes = [...prefixesOf(props), ...unsettled].filter((prefix) => active.has(prefix));
    const started = [...startedOf(props), ...unsettled].filter((prefix) => active.has(prefix));
    const { started: _s, endpoint: _e, unsettled: _u, ...args } = props;
    const inputs = { ...args, prefixes: inOrder(prefixes) };
    return { id, inputs, props: outputs(receiver, inputs, prefixes, started) };
  }

  async update(id: string, olds: Properties, news: Properties) {
    const receiver = this.open(news, olds);
    const wanted = prefixesOf(news);
    const before = prefixesOf(olds);
    const unsettled = unsettledOf(olds);
    const moved = olds.endpoint !== undefined && olds.endpoint !== receiver.endpoint;
    if (moved) {
      this.runtime.warn(
        `The receiver is now reached at ${receiver.endpoint}. What is active at ${olds.endpoint} is left as it is; if that is another receiver, stop it there.`,
      );
    }
    const mayBeOurs = new Set([...startedOf(olds), ...unsettled]);
    const added = moved || unsettled.length > 0 ? wanted : wanted.filter((prefix) => !before.includes(prefix));
    const kept = startedOf(olds).filter((prefix) => wanted.includes(prefix) && !added.includes(prefix));
    const removed = [...new Set([...before, ...unsettled])].filter((prefix) => !wanted.includes(prefix));
    const leaving = removed.filter((prefix) => mayBeOurs.has(prefix));
    const started = await this.start(receiver, news, added, mayBeOurs, ({ active, ours, doubtful }) => {
      const untouched = before.filter((prefix) => !added.includes(prefix));
      const open = [...doubtful, ...unsettled.filter((prefix) => removed.includes(prefix))];
      const owned = [...kept, ...leaving, ...ours];
      return { id, outputs: outputs(receiver, news, [...untouched, ...active], owned, open) };
    });
    const mine = [...kept, ...started];
    await this.stop(receiver, news, this.stoppable(receiver, news, removed, leaving), (left) => {
      const owned = [...mine, ...left.filter((prefix) => mayBeOurs.has(prefix))];
      return { id, outputs: outputs(receiver, news, [...wanted, ...left], owned, left) };
    });
    return { outs: outputs(receiver, news, wanted, mine) };
  }

  async delete(_id: string, props: Properties) {
    const receiver = this.open(props, props);
    const unsettled = unsettledOf(props);
    const leaving = [...new Set([...prefixesOf(props), ...unsettled])];
    await this.stop(receiver, props, this.stoppable(receiver, props, leaving, [...startedOf(props), ...unsettled]));
  }

  private open(props: Properties, state: Properties = {}): ReceiverInUse {
    const receiver = this.runtime.receiver(props.receiver);
    requireSameAddress("The signaling", receiver, state);
    return receiver;
  }

  /**
   * Starts what is not active and returns what this resource owns now.
   *
   * @param mayBeOurs prefixes that an earlier run of this resource started, or may have started
   * @param partial the outputs that are true when only a part was reached
   */
  private async start(
    receiver: ReceiverInUse,
    props: Properties,
    prefixes: readonly CanonicalPrefix[],
    mayBeOurs: ReadonlySet<CanonicalPrefix>,
    partial: (reached: Reached) => PartialOutputs | undefined,
  ): Promise<CanonicalPrefix[]> {
    if (prefixes.length === 0) return [];
    this.requireWritable(receiver);
    receiver.reads.forget();
    const ours = (already: readonly Prefix[]) =>
      texts(already).filter((prefix) => mayBeOurs.has(prefix) || this.runtime.owned.has(receiver, OBJECT, prefix));
    try {
      const { started, already } = await receiver.client.ensureActive(parsed(prefixes));
      this.audit(receiver, props, texts(started), { from: null, to: 1 }, "applied");
      return [...texts(started), ...ours(already)];
    } catch (error) {
      const truth = error instanceof SignalingIncomplete ? error : undefined;
      const started = texts(truth?.started ?? []);
      this.audit(receiver, props, started, { from: null, to: 1 }, messageOf(error));
      if (!truth) throw untouched(error);
      throw failure(
        truth,
        partial({
          active: [...started, ...texts(truth.already)],
          ours: [...started, ...ours(truth.already)],
          // The receiver may have done what it did not show yet; only a clear refusal says that it did not.
          doubtful: truth.verified && truth.outcome === "refused" ? [] : texts(truth.missing),
        }),
      );
    }
  }

  /** @param partial the outputs that are true while these prefixes may still be active */
  private async stop(
    receiver: ReceiverInUse,
    props: Properties,
    prefixes: readonly CanonicalPrefix[],
    partial?: (left: CanonicalPrefix[]) => PartialOutputs,
  ): Promise<void> {
    if (prefixes.length === 0) return;
    this.requireWritable(receiver);
    receiver.reads.forget();
    try {
      const { stopped } = await receiver.client.ensureInactive(parsed(prefixes));
      this.audit(receiver, props, texts(stopped), { from: 1, to: null }, "applied");
    } catch (error) {
      const truth = error instanceof SignalingIncomplete ? error : undefined;
      this.audit(receiver, props, texts(truth?.stopped ?? []), { from: 1, to: null }, messageOf(error));
      const gone = new Set(texts([...(truth?.stopped ?? []), ...(truth?.already ?? [])]));
      throw failure(truth ?? untouched(error), partial?.(prefixes.filter((prefix) => !gone.has(prefix))));
    }
  }

  /** What may be stopped: by `stops` what this resource started, everything or nothing, and never what others want. */
  private stoppable(
    receiver: ReceiverInUse,
    { stops = "started" }: Properties,
    leaving: readonly CanonicalPrefix[],
    started: readonly CanonicalPrefix[],
  ): CanonicalPrefix[] {
    const candidates =
      stops === "none" ? [] : stops === "all" ? leaving : leaving.filter((prefix) => started.includes(prefix));
    const kept = candidates.filter((prefix) => this.runtime.wanted.has(receiver, OBJECT, prefix));
    if (kept.length > 0) {
      this.runtime.say(
        `Signaling at ${receiver.label}: ${some(kept)} stays active, wanted by another resource of this stack. If that is this resource under another name, an alias keeps it its owner.`,
      );
    }
    return candidates.filter((prefix) => !kept.includes(prefix));
  }

  /** Ownership passes on to whoever wants the prefix next: see `start`. */
  private rememberStarted(state: Properties): void {
    try {
      const ours = [...startedOf(state), ...unsettledOf(state)];
      this.runtime.owned.add(this.runtime.receiver(state.receiver), OBJECT, ours);
    } catch {
      // An old connection that is no longer in the configuration is reported when it is needed.
    }
  }

  private requireWritable(receiver: ReceiverInUse): void {
    if (this.runtime.settings.readOnly) {
      throw new Error(
        `Signaling at ${receiver.label}: this stack is read-only (packetfilter:readOnly), nothing was sent.`,
      );
    }
  }

  private audit(
    receiver: ReceiverInUse,
    props: Properties,
    prefixes: readonly CanonicalPrefix[],
    { from, to }: { from: 1 | null; to: 1 | null },
    outcome: string,
  ): void {
    if (prefixes.length === 0 && outcome === "applied") return;
    const changes = Object.fromEntries(prefixes.map((prefix) => [prefix, { old: from, new: to }]));
    const reason = typeof props.reason === "string" ? props.reason : undefined;
    this.runtime.audit({ node: receiver.label, set: OBJECT, prefixes: changes, reason, outcome });
  }
}

/** How far a start came that did not reach everything. */
interface Reached {
  /** Active for certain. */
  readonly active: readonly CanonicalPrefix[];
  /** Those of them that this resource started. */
  readonly ours: readonly CanonicalPrefix[];
  /** Asked for, and nobody knows. */
  readonly doubtful: readonly CanonicalPrefix[];
}

/** The outputs that are true after a failure. */
interface PartialOutputs {
  readonly id: string;
  readonly outputs: Properties;
}

function failure(error: unknown, partial: PartialOutputs | undefined): Error {
  const remedy =
    error instanceof SignalingIncomplete ? ` Run the same pulumi command again: it asks first what is active.` : "";
  const message = `${messageOf(error)}${remedy}`;
  return partial ? new PartialFailure(message, partial.id, partial.outputs) : new Error(message, { cause: error });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function prefixesOf(props: Properties): CanonicalPrefix[] {
  return Array.isArray(props.prefixes) ? props.prefixes : [];
}

function startedOf(props: Properties): CanonicalPrefix[] {
  return Array.isArray(props.started) ? props.started : [];
}

/** Prefixes whose last start or stop ended without a known result. */
function unsettledOf(props: Properties): CanonicalPrefix[] {
  return Array.isArray(props.unsettled) ? props.unsettled : [];
}

function parsed(prefixes: readonly CanonicalPrefix[]): Prefix[] {
  return prefixes.map((prefix) => Prefix.fromCanonical(prefix));
}

function texts(prefixes: readonly Prefix[]): CanonicalPrefix[] {
  return prefixes.map((prefix) => prefix.toString());
}

function inOrder(prefixes: Iterable<CanonicalPrefix>): CanonicalPrefix[] {
  return texts(parsed([...new Set(prefixes)]).sort(Prefix.compare));
}

function outputs(
  receiver: ReceiverInUse,
  args: Properties,
  prefixes: Iterable<CanonicalPrefix>,
  started: Iterable<CanonicalPrefix>,
  unsettled: readonly CanonicalPrefix[] = [],
): Properties {
  const open = unsettled.length > 0 ? { unsettled: inOrder(unsettled) } : {};
  return { ...args, prefixes: inOrder(prefixes), started: inOrder(started), endpoint: receiver.endpoint, ...open };
}
