import { WHOLE_SET } from "../../deployment/node-in-use";
import type { Runtime } from "../../deployment/runtime";
import { type About, type Foresight, type Handler, type LookedAt, PartialFailure } from "../../engine/handler";
import { attempt } from "../../model/errors";
import { hasUnknown, type JsonObject, membersOf, without } from "../../model/json";
import { type CanonicalPrefix, Prefix } from "../../model/prefix";
import { formatUrl } from "../../model/resource-url";
import { RESTORES } from "../../reconcile/drift";
import { withdrawnOf } from "../../reconcile/entries";
import { addressOf, compare, hasOtherAddress, remember } from "../changes";
import { lookAgain } from "../look-at-set";
import { ResourceSet } from "../resource-set";
import { checkPrefixSet, isSameSet, normalPrefixSet } from "./check";
import { SetLifecycle, UnfinishedWrite } from "./lifecycle";
import {
  PREFIX_SET_OUTPUTS,
  type PrefixSetInputs,
  prefixSetSchema,
  readInputs,
  readReplaced,
  readState,
  storedSet,
  writeState,
} from "./state";

/** A whole prefix-set, whose content the program declares. */
export class PrefixSetHandler implements Handler {
  readonly args = Object.keys(prefixSetSchema.shape);
  private readonly lifecycle: SetLifecycle;

  constructor(private readonly runtime: Runtime) {
    this.lifecycle = new SetLifecycle(runtime);
  }

  normal(inputs: JsonObject) {
    return normalPrefixSet(this.runtime, inputs);
  }

  check(olds: JsonObject, news: JsonObject, about?: About) {
    return checkPrefixSet(this.runtime, olds, news, about);
  }

  addresses(inputs: JsonObject) {
    return addressOf(this.runtime, inputs);
  }

  async look(olds: JsonObject, inputs: JsonObject, foresight: Foresight): Promise<LookedAt> {
    if (hasUnknown(inputs.entries)) return {};
    const isNew = Object.keys(olds).length === 0;
    const looked = await ResourceSet.look(this.runtime, inputs, isNew);
    if (!looked) return {};
    if (isNew) return this.lifecycle.lookNew(looked, hasUnknown(inputs) ? undefined : readInputs(inputs), foresight);
    const isSame = isSameSet(olds, inputs) && !hasOtherAddress(olds, looked.set);
    const known = isSame ? storedSet(olds).entries() : new Map();
    return lookAgain(looked, known, storedSet(inputs).entries());
  }

  diff(olds: JsonObject, given: JsonObject, about?: About) {
    const isLeft = about?.ignored !== undefined && !this.restores(olds, given, about.ignored);
    const news = isLeft ? without(given, [RESTORES]) : given;
    const unsettled: CanonicalPrefix[] = [];
    remember(olds.node, () => {
      const state = readReplaced(olds);
      const { managed, existed } = ResourceSet.ofState(this.runtime, state);
      managed.take(state.entries);
      for (const prefix of state.existed) existed.add(prefix);
    });
    remember(olds.node, () => {
      const known = readReplaced(olds);
      const set = ResourceSet.open(this.runtime, known);
      const isKnown = !hasUnknown(news.entries);
      const state = isSameSet(olds, news) && isKnown ? set.recall(known, storedSet(news).entries()) : known;
      if (state !== known) unsettled.push(...state.unsettled);
      if (!isKnown || (state.foreign.size + state.lost.size + state.unsettled.size === 0 && !set.observedInLook))
        return;
      const desired = storedSet(news).entries();
      const exclusive = news.exclusive !== false;
      if (state.foreign.size > 0) this.lifecycle.reportForeign(set, state, { entries: desired, exclusive });
      if (isSameSet(olds, news) && set.endpoint === state.endpoint)
        this.lifecycle.reportDrift(set, state, desired, {
          exclusive,
          withdrawn: withdrawnOf(storedSet(news).notes(), state.notes),
          hasFailed: known.unsettled.size > 0,
        });
    });
    this.foresee(olds, news);
    return compare({
      // Shows an update that only the list of the look shows.
      olds: { ...this.withLost(olds), ...(unsettled.length > 0 && { unsettled }) },
      news,
      outputs: PREFIX_SET_OUTPUTS,
      identity: ["arena", "profile", "set"],
      connection: "node",
      leave: () => {
        const state = readState(olds);
        if (state.onDestroy !== "keep") ResourceSet.leave(this.runtime, state);
      },
      withdraw: () => ResourceSet.withdraw(this.runtime, news, WHOLE_SET),
      ofProgram: ResourceSet.ofProgram(this.runtime, news, WHOLE_SET),
      runtime: this.runtime,
      about,
    });
  }

  private foresee(olds: JsonObject, news: JsonObject): void {
    if (hasUnknown(news) || !isSameSet(olds, news)) return;
    const set = attempt(() => ResourceSet.open(this.runtime, readInputs(news)));
    if (set?.isChecked(WHOLE_SET)) this.lifecycle.foresee(set, readReplaced(olds), readInputs(news));
  }

  /** The state with the entries that it should hold; `lost` remains if an update restores something. */
  private withLost({ lost, ...olds }: JsonObject): JsonObject {
    if (lost === undefined) return olds;
    const declared = { ...olds, entries: { ...membersOf(olds.entries), ...membersOf(lost) } };
    const isLeft = (prefix: string) => prefix in membersOf(olds.entries) && this.ignores(olds, prefix);
    return Object.keys(membersOf(lost)).every(isLeft) ? declared : { ...declared, lost };
  }

  /** False if all that the look did not see as in the state is ignored by the program. */
  private restores(olds: JsonObject, news: JsonObject, ignored: About["ignored"]): boolean {
    const set = attempt(() => ResourceSet.open(this.runtime, readInputs(news)));
    if (!set || hasUnknown(news.entries)) return true;
    return set.ignoreLate(ignored, storedSet(olds).entries(), storedSet(news).entries());
  }

  private ignores(olds: JsonObject, prefix: string): boolean {
    const set = attempt(() => ResourceSet.open(this.runtime, readReplaced(olds)));
    return set?.ignores(Prefix.canonical(prefix)) === true;
  }

  async create(json: JsonObject) {
    const inputs = readInputs(json);
    const set = ResourceSet.open(this.runtime, inputs).claim(WHOLE_SET);
    const kept = await this.lifecycle.create(set, inputs).catch(partial(inputs, set.url));
    return { id: set.url, outs: writeState(inputs, kept) };
  }

  async read(_id: string, json: JsonObject) {
    const state = readState(json);
    const id = formatUrl(state.address);
    const kept = await this.lifecycle.refresh(ResourceSet.ofState(this.runtime, state), state);
    if (!kept) return { id, inputs: { ...state.verbatim }, props: json };
    const props = writeState(state, kept);
    // A loss is no wish: the inputs stay those of the program, and have what a refresh found beside them.
    const entries = { ...membersOf(props.entries), ...membersOf(props.lost) };
    return { id, inputs: { ...state.verbatim, entries }, props };
  }

  async update(_id: string, olds: JsonObject, news: JsonObject) {
    const [state, inputs] = [readReplaced(olds), readInputs(news)];
    const set = ResourceSet.open(this.runtime, inputs, state).claim(WHOLE_SET);
    const kept = await this.lifecycle.update(set, state, inputs).catch(partial(inputs, set.url));
    return { outs: writeState(inputs, kept) };
  }

  async delete(_id: string, json: JsonObject) {
    await this.lifecycle.delete(readState(json));
  }
}

/** The failure for the engine: after a write that failed half-way it has the true outputs. */
function partial(inputs: PrefixSetInputs, id: string): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof UnfinishedWrite)) throw error;
    throw new PartialFailure(error.message, id, writeState(inputs, error.kept));
  };
}
