import { randomUUID } from "node:crypto";
import { hasUnknown, type JsonObject, UNKNOWN } from "../../model/json";
import type { CanonicalPrefix } from "../../model/prefix";
import { inLines } from "../../model/text";
import { checkArguments } from "../arguments";
import { compare, remember } from "../changes";
import { noting, parseAt } from "../entries";
import type { Handler } from "../handler";
import { ReceiverAccess } from "../receiver-access";
import type { Runtime } from "../runtime";
import { planUpdate, stoppable } from "./plan";
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
  constructor(private readonly runtime: Runtime) {}

  check(_olds: JsonObject, news: JsonObject) {
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
    receiver?.wanted.add(prefixes);
    return { inputs: { ...news, prefixes: inOrder(prefixes) }, problems: [] };
  }

  diff(olds: JsonObject, news: JsonObject) {
    remember(olds.receiver, () => this.own(readReplaced(olds)));
    return compare({
      olds,
      news,
      outputs: CLOUD_SIGNALING_OUTPUTS,
      identity: [],
      connection: "receiver",
      leave: () => {
        const state = readState(olds);
        ReceiverAccess.leave(this.runtime, state, stoppedWith(state));
      },
      runtime: this.runtime,
    });
  }

  async create(json: JsonObject) {
    const inputs = readInputs(json);
    const id = randomUUID();
    const receiver = ReceiverAccess.open(this.runtime, inputs);
    const { endpoint } = receiver;
    const { prefixes } = inputs;
    const started = await receiver.start(prefixes, new Set(), ({ active, ours, doubtful }) => {
      if (ours.length + doubtful.length === 0) return undefined;
      return { id, outputs: writeState(inputs, { endpoint, prefixes: active, started: ours, unsettled: doubtful }) };
    });
    this.sayAlready(receiver, inputs, prefixes, started);
    return { id, outs: writeState(inputs, { endpoint, prefixes, started }) };
  }

  async read(id: string, json: JsonObject) {
    const state = readState(json);
    const receiver = ReceiverAccess.ofState(this.runtime, state);
    remember(state.receiver, () => this.own(state));
    const active = await receiver.active();
    const prefixes = [...state.prefixes, ...state.unsettled].filter((prefix) => active.has(prefix));
    // What this resource started stays its own until it has stopped it: a receiver may answer a wrong secret with an empty list.
    const started = [...state.started, ...state.unsettled.filter((prefix) => active.has(prefix))];
    const { endpoint } = receiver;
    return { id, inputs: writeInputs(state, prefixes), props: writeState(state, { endpoint, prefixes, started }) };
  }

  async update(id: string, olds: JsonObject, news: JsonObject) {
    const [state, inputs] = [readReplaced(olds), readInputs(news)];
    const receiver = ReceiverAccess.open(this.runtime, inputs, state);
    const { endpoint } = receiver;
    const { prefixes } = inputs;
    const moved = receiver.hasMovedFrom(state);
    const { added, kept, removed, leaving, mayBeOurs } = planUpdate(state, inputs, moved);
    const newlyStarted = await receiver.start(added, mayBeOurs, ({ active, ours, doubtful }) => {
      const untouched = state.prefixes.filter((prefix) => !added.includes(prefix));
      const unsettled = [...doubtful, ...state.unsettled.filter((prefix) => removed.includes(prefix))];
      const started = [...kept, ...leaving, ...ours];
      return { id, outputs: writeState(inputs, { endpoint, prefixes: [...untouched, ...active], started, unsettled }) };
    });
    this.sayAlready(receiver, inputs, added, newlyStarted);
    const started = [...kept, ...newlyStarted];
    await receiver.stop(stoppable(inputs.stops, removed, leaving), mayBeOurs, (left) => {
      const owned = [...started, ...left.filter((prefix) => mayBeOurs.has(prefix))];
      const still = { endpoint, prefixes: [...prefixes, ...left], started: owned, unsettled: left };
      return { id, outputs: writeState(inputs, still) };
    });
    return { outs: writeState(inputs, { endpoint, prefixes, started }) };
  }

  async delete(_id: string, json: JsonObject) {
    const state = readState(json);
    const stopped = stoppedWith(state);
    await ReceiverAccess.stopLeft(this.runtime, state, stopped, new Set([...state.started, ...state.unsettled]));
    const left = [...new Set([...state.prefixes, ...state.started, ...state.unsettled])].filter(
      (prefix) => !stopped.includes(prefix),
    );
    const why = state.stops === "none" ? 'stops: "none"' : "this resource did not start it";
    for (const line of inLines(left)) {
      this.runtime.notices.info(`Signaling at ${state.endpoint}: left as it was (${why}): ${line}.`);
    }
  }

  /** Once, when they are added: prefixes that were active before. */
  private sayAlready(
    receiver: ReceiverAccess,
    { stops }: CloudSignalingInputs,
    prefixes: readonly CanonicalPrefix[],
    started: readonly CanonicalPrefix[],
  ): void {
    const already = prefixes.filter((prefix) => !started.includes(prefix));
    const fate =
      stops === "all"
        ? 'A destroy of this resource stops it all the same (stops: "all").'
        : 'A destroy of this resource leaves it active; stops: "all" would stop it.';
    for (const line of inLines(already)) {
      this.runtime.notices.info(`Signaling at ${receiver.label}: active before this resource: ${line}. ${fate}`);
    }
  }

  /** Ownership passes on to the resource that wants the prefix next. */
  private own({ receiver, started, unsettled }: CloudSignalingState): void {
    this.runtime.receiver(receiver).owned.add([...started, ...unsettled]);
  }
}

/** What goes with a resource that is deleted. */
function stoppedWith({ prefixes, started, stops, unsettled }: CloudSignalingState): readonly CanonicalPrefix[] {
  return stoppable(stops, [...new Set([...prefixes, ...started, ...unsettled])], [...started, ...unsettled]);
}
