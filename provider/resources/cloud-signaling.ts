import { randomUUID } from "node:crypto";
import { z } from "zod";
import { SignalingIncomplete } from "../client/errors";
import { type CanonicalPrefix, Prefix } from "../model/prefix";
import { some } from "../model/text";
import { connectionSchema, hostBitsSchema, judge } from "./arguments";
import { compare, requireSameAddress } from "./changes";
import { ArgumentProblem, noteShape, parseAt } from "./entries";
import { type Handler, PartialFailure, type Properties } from "./handler";
import type { ReceiverInUse, Runtime } from "./runtime";
import { hasUnknown, UNKNOWN } from "./unknown";

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
    const started = await this.start(receiver, inputs, prefixesOf(inputs), (active) =>
      active.length > 0 ? new PartialOutputs(id, outputs(receiver, inputs, active, active)) : undefined,
    );
    return { id, outs: outputs(receiver, inputs, prefixesOf(inputs), started) };
  }

  async read(id: string, props: Properties) {
    const receiver = this.open(props, props);
    this.rememberStarted(props);
    const active = new Set((await receiver.reads.read()).map((prefix) => prefix.toString()));
    const prefixes = prefixesOf(props).filter((prefix) => active.has(prefix));
    const started = startedOf(props).filter((prefix) => active.has(prefix));
    const { started: _s, endpoint: _e, unsettled: _u, ...args } = props;
    const inputs = { ...args, prefixes };
    return { id, inputs, props: outputs(receiver, inputs, prefixes, started) };
  }

  async update(id: string, olds: Properties, news: Properties) {
    const receiver = this.open(news, olds);
    const wanted = prefixesOf(news);
    const before = prefixesOf(olds);
    const moved = olds.endpoint !== undefined && olds.endpoint !== receiver.endpoint;
    if (moved) {
      this.runtime.warn(
        `The receiver is now reached at ${receiver.endpoint}. What is active at ${olds.endpoint} is left as it is; if that is another receiver, stop it there.`,
      );
    }
    const open = olds.unsettled !== undefined;
    const added = moved || open ? wanted : wanted.filter((prefix) => !before.includes(prefix));
    const removed = before.filter((prefix) => !wanted.includes(prefix));
    const kept = startedOf(olds).filter((prefix) => wanted.includes(prefix));
    const leaving = startedOf(olds).filter((prefix) => !wanted.includes(prefix));
    const started = await this.start(receiver, news, added, (active) => {
      const now = [...before.filter((prefix) => !moved || active.includes(prefix)), ...active];
      return new PartialOutputs(id, outputs(receiver, news, now, [...kept, ...leaving, ...active]));
    });
    const mine = [...kept, ...started];
    const stopping = this.stoppable(receiver, news, removed, leaving);
    await this.stop(receiver, news, stopping, (active) => {
      const still = active.filter((prefix) => leaving.includes(prefix));
      return new PartialOutputs(id, outputs(receiver, news, [...wanted, ...active], [...mine, ...still]));
    });
    return { outs: outputs(receiver, news, wanted, mine) };
  }

  async delete(_id: string, props: Properties) {
    const receiver = this.open(props, props);
    await this.stop(receiver, props, this.stoppable(receiver, props, prefixesOf(props), startedOf(props)));
  }

  private open(props: Properties, state: Properties = {}): ReceiverInUse {
    const receiver = this.runtime.receiver(props.receiver);
    requireSameAddress("The signaling", receiver, state);
    return receiver;
  }

  /** Starts what is not active and returns what this resource owns now. */
  private async start(
    receiver: ReceiverInUse,
    props: Properties,
    prefixes: readonly CanonicalPrefix[],
    partial: (active: CanonicalPrefix[]) => PartialOutputs | undefined,
  ): Promise<CanonicalPrefix[]> {
    if (prefixes.length === 0) return [];
    this.requireWritable(receiver);
    receiver.reads.forget();
    try {
      const { started, already } = await receiver.client.ensureActive(parsed(prefixes));
      this.audit(receiver, props, texts(started), { from: null, to: 1 }, "applied");
      const inherited = texts(already).filter((prefix) => this.runtime.owned.has(receiver, OBJECT, prefix));
      return [...texts(started), ...inherited];
    } catch (error) {
      const active = error instanceof SignalingIncomplete ? texts(error.started) : [];
      this.audit(receiver, props, active, { from: null, to: 1 }, messageOf(error));
      throw asPartial(error, partial(active));
    }
  }

  private async stop(
    receiver: ReceiverInUse,
    props: Properties,
    prefixes: readonly CanonicalPrefix[],
    partial?: (active: CanonicalPrefix[]) => PartialOutputs,
  ): Promise<void> {
    if (prefixes.length === 0) return;
    this.requireWritable(receiver);
    receiver.reads.forget();
    try {
      const { stopped } = await receiver.client.ensureInactive(parsed(prefixes));
      this.audit(receiver, props, texts(stopped), { from: 1, to: null }, "applied");
    } catch (error) {
      const stopped = error instanceof SignalingIncomplete ? texts(error.stopped) : [];
      this.audit(receiver, props, stopped, { from: 1, to: null }, messageOf(error));
      throw asPartial(error, partial?.(prefixes.filter((prefix) => !stopped.includes(prefix))));
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
      this.runtime.owned.add(this.runtime.receiver(state.receiver), OBJECT, startedOf(state));
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

/** The outputs that are true after a failure. */
class PartialOutputs {
  constructor(
    readonly id: string,
    readonly outputs: Properties,
  ) {}
}

function asPartial(error: unknown, partial: PartialOutputs | undefined): unknown {
  return partial ? new PartialFailure(messageOf(error), partial.id, { ...partial.outputs, unsettled: true }) : error;
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
): Properties {
  return { ...args, prefixes: inOrder(prefixes), started: inOrder(started), endpoint: receiver.endpoint };
}
