import { randomUUID } from "node:crypto";
import type { ReceiverInUse } from "../../deployment/receiver-in-use";
import type { Runtime } from "../../deployment/runtime";
import type { About, Foresight, Handler, LookedAt } from "../../engine/handler";
import { attempt } from "../../model/errors";
import { hasUnknown, type JsonObject, sameJson, UNKNOWN, without } from "../../model/json";
import type { CanonicalPrefix } from "../../model/prefix";
import { count, some } from "../../model/text";
import { checkArguments } from "../../reconcile/arguments";
import { SIGNALING } from "../../reconcile/desired";
import { RESTORES } from "../../reconcile/drift";
import { noting, parseAt } from "../../reconcile/entries";
import { addressOf, compare, hasOtherAddress, remember } from "../changes";
import { ReceiverAccess, THE_SIGNALING } from "../receiver-access";
import { compareActive, planSignaling, stoppable } from "./plan";
import {
  CLOUD_SIGNALING_OUTPUTS,
  type CloudSignalingInputs,
  type CloudSignalingState,
  cloudSignalingSchema,
  inOrder,
  readInputs,
  readReplaced,
  readState,
  writeInputs,
  writeState,
} from "./state";

/** Recipient prefixes that are moved to the profile with rules for as long as the resource exists. */
export class CloudSignalingHandler implements Handler {
  readonly args = Object.keys(cloudSignalingSchema.shape);
  constructor(private readonly runtime: Runtime) {}

  normal(inputs: JsonObject) {
    const { prefixes, hostBits } = inputs;
    if (hasUnknown(prefixes) || !Array.isArray(prefixes)) return { ...inputs, prefixes: UNKNOWN };
    const bits = hostBits === "mask" ? hostBits : undefined;
    return { ...inputs, prefixes: inOrder(prefixes.map((spelling) => parseAt(() => "prefixes", spelling, bits))) };
  }

  check(_olds: JsonObject, news: JsonObject, about: About = {}) {
    const { given, args, problems } = checkArguments(cloudSignalingSchema, news);
    if (!args) return { inputs: news, problems };
    const receiver = hasUnknown(given.receiver) ? undefined : this.runtime.receiver(given.receiver);
    if (hasUnknown(given.prefixes) || !args.prefixes) return { inputs: { ...news, prefixes: UNKNOWN }, problems: [] };
    const found: string[] = [];
    const prefixes = args.prefixes.flatMap((spelling, index) => {
      const prefix = noting(found, () => parseAt(() => `prefixes[${index}]`, spelling, args.hostBits));
      return prefix ?? [];
    });
    if (found.length > 0) return { inputs: news, problems: found };
    receiver?.desired.add(prefixes);
    const ordered = inOrder(prefixes);
    receiver?.sent.declare(keyOf(ordered), about);
    return { inputs: { ...news, prefixes: ordered }, problems: [] };
  }

  addresses(inputs: JsonObject) {
    return addressOf(this.runtime, inputs, "receiver");
  }

  async look(olds: JsonObject, json: JsonObject, foresight: Foresight): Promise<LookedAt> {
    if (hasUnknown(json)) return {};
    const inputs = readInputs(json);
    const receiver = this.runtime.receiver(inputs.receiver);
    const { label } = receiver;
    const isNew = Object.keys(olds).length === 0;
    const { there, refused } = await this.runtime.look.at({ at: receiver, reads: receiver.reads, isNew });
    if (refused) this.runtime.notices.report({ kind: "receiverUnreadable", at: label, reason: refused.message });
    if (!there) return {};
    if (isNew) {
      this.startedBefore(ReceiverAccess.open(this.runtime, inputs), inputs);
      const already = inputs.prefixes.filter((prefix) => receiver.last()?.has(prefix) && !receiver.managed.has(prefix));
      const before = { prefixes: already, isPlanned: true, stopsAll: inputs.stops === "all" };
      if (foresight !== "nothing" && already.length > 0)
        this.runtime.notices.report({ kind: "activeBefore", at: label, ...before });
      return {};
    }
    const isSame = sameJson(olds.receiver, inputs.receiver) && !hasOtherAddress(olds, receiver);
    const lost = isSame ? inactive(receiver, readInputs(olds).prefixes, inputs) : [];
    if (lost.length === 0) return {};
    const text = `${count(lost.length, "signaling that is", "signalings that are")} not active: ${some(lost)}`;
    return { restores: this.runtime.secrets.hide(text, this.runtime.shared.secretObjects.has(SIGNALING, receiver)) };
  }

  diff(olds: JsonObject, given: JsonObject, about?: About) {
    remember(olds.receiver, () => this.own(readReplaced(olds)));
    const news = this.restores(olds, given) ? given : without(given, [RESTORES]);
    return compare({
      olds: this.withSent(withLost(olds), news),
      news,
      outputs: CLOUD_SIGNALING_OUTPUTS,
      identity: [],
      connection: "receiver",
      leave: () => {
        const state = readState(olds);
        ReceiverAccess.leave(this.runtime, state, stoppedWith(state));
      },
      ofProgram: this.isChecked(news) ? THE_SIGNALING : undefined,
      runtime: this.runtime,
      about,
    });
  }

  async create(json: JsonObject) {
    const [id, inputs] = [randomUUID(), readInputs(json)];
    return { id, outs: await this.apply(id, { ...inputs, ...NOTHING_STARTED }, inputs) };
  }

  async read(id: string, json: JsonObject) {
    const before = readState(json);
    const receiver = ReceiverAccess.ofState(this.runtime, before);
    this.own(before);
    const active = await receiver.active();
    const state = withStarted(before, receiver.claim(keyOf(before.prefixes), id).startedBefore(knownOf(before)));
    const prefixes = [...state.prefixes, ...state.unsettled].filter((prefix) => active.has(prefix));
    // A started prefix stays owned until its stop: a receiver may answer a wrong secret with an empty list.
    const started = [...state.started, ...state.unsettled.filter((prefix) => active.has(prefix))];
    const { endpoint } = receiver;
    // A refresh knows no program: what the state holds was declared last.
    const { missing: lost } = compareActive(active, state.prefixes, state.prefixes);
    // A start without an answer may show later.
    const unsettled = state.unsettled.filter((prefix) => !active.has(prefix));
    const props = writeState(state, { endpoint, prefixes, started, lost, unsettled });
    // A loss is no wish: the inputs stay those of the program.
    return { id, inputs: writeInputs(state, [...state.prefixes, ...state.unsettled]), props };
  }

  async update(id: string, olds: JsonObject, news: JsonObject) {
    return { outs: await this.apply(id, readReplaced(olds), readInputs(news)) };
  }

  async delete(id: string, json: JsonObject) {
    const before = readState(json);
    const receiver = attempt(() => ReceiverAccess.ofState(this.runtime, before).claim(keyOf(before.prefixes), id));
    const sent = await receiver?.interrupted(knownOf(before), before.stops !== "none");
    const state = withStarted(before, sent ?? new Set());
    const stopped = stoppedWith(state);
    await ReceiverAccess.stopLeft(this.runtime, state, stopped);
    const left = [...new Set([...state.prefixes, ...state.started, ...state.unsettled])].filter(
      (prefix) => !stopped.includes(prefix),
    );
    this.sayLeft(state.endpoint, state, left);
    receiver?.settleSent();
  }

  /** Starts and stops what leads from a state to the arguments: the outputs. A create has an empty state. */
  private async apply(id: string, before: CloudSignalingState, inputs: CloudSignalingInputs): Promise<JsonObject> {
    const { prefixes } = inputs;
    const receiver = ReceiverAccess.open(this.runtime, inputs, before).claim(keyOf(prefixes), id);
    const { endpoint } = receiver;
    const inUse = this.runtime.receiver(inputs.receiver);
    this.own(before);
    // What the state has started is at its address, which another receiver may have.
    const here = receiver.hasMovedFrom(before) ? { ...before, ...NOTHING_STARTED } : before;
    const sent = await receiver.interrupted(knownOf(here));
    this.reportSent([...sent], inputs);
    const state = withStarted(here, sent);
    // Without a look, a refresh has said what is not active.
    const active = [...(inUse.last()?.keys() ?? state.prefixes.filter((prefix) => !state.lost.includes(prefix)))];
    const { added, kept, removed, leaving, mayBeOurs } = planSignaling(state, inputs, active);
    const isAnswered = (prefix: CanonicalPrefix) => state.started.includes(prefix);
    const newlyStarted = await receiver.start(added, ({ active, ours, doubtful }) => {
      const untouched = state.prefixes.filter((prefix) => !added.includes(prefix));
      const unsettled = [...doubtful, ...state.unsettled.filter((prefix) => removed.includes(prefix))];
      // What it had started stays its own until its stop: a receiver may answer a wrong secret with an empty list.
      const started = [...state.started, ...ours];
      const isNothing = before.endpoint === undefined && started.length + unsettled.length === 0;
      if (isNothing) return undefined;
      return { id, outputs: writeState(inputs, { endpoint, prefixes: [...untouched, ...active], started, unsettled }) };
    });
    this.sayAlready(receiver, inputs, added, newlyStarted);
    const started = [...kept, ...newlyStarted];
    const stopped = stoppable(inputs.stops, removed, leaving);
    await receiver.stop(stopped, state, (left) => {
      const ours = left.filter((prefix) => mayBeOurs.has(prefix));
      const answered = [...started, ...ours.filter(isAnswered)];
      const still = { endpoint, prefixes: [...prefixes, ...left], started: answered, unsettled: ours };
      return { id, outputs: writeState(inputs, still) };
    });
    const [there, { desired }] = [new Set(active), inUse];
    const isLeft = (prefix: CanonicalPrefix) => there.has(prefix) && !stopped.includes(prefix) && !desired.has(prefix);
    this.sayLeft(receiver.label, inputs, removed.filter(isLeft));
    receiver.settleSent();
    return writeState(inputs, { endpoint, prefixes, started });
  }

  /** Reports prefixes that the resource had, and that stay active. */
  private sayLeft(
    at: string | undefined,
    { stops }: Pick<CloudSignalingInputs, "stops">,
    prefixes: readonly CanonicalPrefix[],
  ): void {
    if (prefixes.length > 0)
      this.runtime.notices.report({ kind: "leftAsFound", at, prefixes, isNone: stops === "none" });
  }

  /** `unsettled` shows an update that only the look shows. */
  private withSent(olds: JsonObject, news: JsonObject): JsonObject {
    if (hasUnknown(news)) return olds;
    const [state, inputs] = [readReplaced(olds), readInputs(news)];
    const receiver = ReceiverAccess.open(this.runtime, inputs);
    const sent = receiver.endpoint === state.endpoint ? this.startedBefore(receiver, inputs, knownOf(state)) : [];
    if (sent.length > 0) return { ...olds, unsettled: [...state.unsettled, ...sent] };
    receiver.settleSent();
    return olds;
  }

  /** Active prefixes that a killed run of the resource started; reports those that this run stops. */
  private startedBefore(
    receiver: ReceiverAccess,
    inputs: CloudSignalingInputs,
    known: ReadonlySet<CanonicalPrefix> = new Set(),
  ): readonly CanonicalPrefix[] {
    const sent = [...receiver.claim(keyOf(inputs.prefixes)).startedBefore(known)];
    this.reportSent(sent, inputs);
    return sent;
  }

  /** Reports those of the prefixes that a killed run started which this run stops. */
  private reportSent(
    sent: readonly CanonicalPrefix[],
    { receiver, prefixes, stops }: Pick<CloudSignalingInputs, "receiver" | "prefixes" | "stops">,
  ): void {
    const { desired, label } = this.runtime.receiver(receiver);
    const left = sent.filter((prefix) => stops !== "none" && !prefixes.includes(prefix) && !desired.has(prefix));
    if (left.length > 0) this.runtime.notices.report({ kind: "interruptedStart", at: label, prefixes: left });
  }

  /** True once the arguments of the program were checked in this process, or if a preview knows them only in part. */
  private isChecked(news: JsonObject): boolean {
    if (hasUnknown(news)) return true;
    const { receiver, prefixes } = readInputs(news);
    return prefixes.some((prefix) => this.runtime.receiver(receiver).wantedHere.has(prefix));
  }

  /** True if there is something to start again, which is reported, by this stack or by others. */
  private restores(olds: JsonObject, news: JsonObject): boolean {
    if (news[RESTORES] === undefined) return false;
    const [state, inputs] = [readReplaced(olds), readInputs(news)];
    const receiver = this.runtime.receiver(inputs.receiver);
    if (receiver.endpoint !== state.endpoint) return false;
    const lost = inactive(receiver, state.prefixes, inputs);
    if (lost.length === 0) return false;
    this.runtime.notices.report({ kind: "notActive", at: receiver.label, prefixes: lost });
    return true;
  }

  /** Reports, once when they are added, prefixes that were active before. */
  private sayAlready(
    receiver: ReceiverAccess,
    { stops }: CloudSignalingInputs,
    prefixes: readonly CanonicalPrefix[],
    started: readonly CanonicalPrefix[],
  ): void {
    const already = prefixes.filter((prefix) => !started.includes(prefix));
    const before = { prefixes: already, isPlanned: false, stopsAll: stops === "all" };
    if (already.length > 0) this.runtime.notices.report({ kind: "activeBefore", at: receiver.label, ...before });
  }

  /** Records ownership at the address of the state, which passes to the next resource that wants the prefix there. */
  private own({ endpoint, started, unsettled }: CloudSignalingState): void {
    if (endpoint !== undefined) this.runtime.shared.managed.of({ endpoint }, SIGNALING).add([...started, ...unsettled]);
  }
}

/** Facts of the state about another address. */
const NOTHING_STARTED = { prefixes: [], started: [], unsettled: [], lost: [] };

/** Key of the calls for a resource. */
function keyOf(prefixes: readonly CanonicalPrefix[]): string {
  return prefixes.join(" ");
}

/** Prefixes of the state that need no note. */
function knownOf({ prefixes, started, unsettled }: CloudSignalingState): ReadonlySet<CanonicalPrefix> {
  return new Set([...prefixes, ...started, ...unsettled]);
}

function withStarted(state: CloudSignalingState, sent: ReadonlySet<CanonicalPrefix>): CloudSignalingState {
  return sent.size > 0 ? { ...state, unsettled: [...state.unsettled, ...sent] } : state;
}

/** The state with the prefixes that should be active; `lost` remains, so that an update starts them. */
function withLost(olds: JsonObject): JsonObject {
  return olds.lost === undefined ? olds : { ...olds, prefixes: readReplaced(olds).prefixes };
}

/** Prefixes that are still wanted, and that are not active by the last status. */
function inactive(
  receiver: ReceiverInUse,
  before: readonly CanonicalPrefix[],
  { prefixes }: CloudSignalingInputs,
): readonly CanonicalPrefix[] {
  const active = receiver.last();
  return active ? compareActive(active.keys(), before, prefixes).missing : [];
}

/** Prefixes that the deletion of a resource stops. */
function stoppedWith({ prefixes, started, stops, unsettled }: CloudSignalingState): readonly CanonicalPrefix[] {
  return stoppable(stops, [...new Set([...prefixes, ...started, ...unsettled])], [...started, ...unsettled]);
}
