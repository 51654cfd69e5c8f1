import type { PrefixMap } from "../../model/prefix-map";
import { compare } from "../changes";
import { isExpired } from "../entries";
import type { Handler } from "../handler";
import type { JsonObject } from "../json";
import { remember } from "../remember";
import type { Runtime } from "../runtime";
import { type Reached, SetAccess } from "../set-access";
import { planUpdate } from "../set-plan";
import { hasUnknown } from "../unknown";
import { checkPrefixSetEntry } from "./check";
import { planCreate } from "./plan";
import {
  desiredOf,
  heldOf,
  PREFIX_SET_ENTRY_OUTPUTS,
  type PrefixSetEntryInputs,
  readInputs,
  readState,
  writeInputs,
  writeState,
} from "./state";

/** One entry of a set that others also write to. */
export class PrefixSetEntryHandler implements Handler {
  constructor(private readonly runtime: Runtime) {}

  check(olds: JsonObject, news: JsonObject) {
    return checkPrefixSetEntry(this.runtime, olds, news);
  }

  diff(olds: JsonObject, news: JsonObject) {
    const [from, to] = [olds.node, news.node];
    remember(from, () => {
      const state = readState(olds);
      SetAccess.open(this.runtime, state).owned.add(heldOf(state).keys());
    });
    return compare({
      olds,
      news,
      outputs: PREFIX_SET_ENTRY_OUTPUTS,
      identity: ["arena", "profile", "set", "prefix"],
      connection: "node",
      leave: () => {
        const state = readState(olds);
        if (state.onDestroy !== "keep") SetAccess.leave(this.runtime, state, heldOf(state).keys());
      },
      inUse: hasUnknown(to) ? undefined : this.runtime.node(to),
    });
  }

  async create(json: JsonObject) {
    const inputs = readInputs(json);
    const set = SetAccess.open(this.runtime, inputs);
    const { label, owned, endpoint } = set;
    const { prefix, value, expired, onExisting } = inputs;
    const id = `${set.url}#${prefix}`;
    if (expired) return { id, outs: writeState(inputs, { endpoint }) };
    const plan = (observed: PrefixMap) => planCreate(observed, { label, prefix, value, onExisting, owned });
    const written = await set.write({ plan }, (reached) => ({ id, outputs: partial(inputs, reached) }));
    const adopted = written.plan.left?.get(prefix);
    if (adopted === undefined) return { id, outs: writeState(inputs, { endpoint }) };
    this.runtime.notices.warn(
      `${label}: adopted ${prefix} with the value ${adopted}; the next preview shows its change.`,
    );
    return { id, outs: writeState(inputs, { endpoint, value: adopted, adopted: true }) };
  }

  async read(id: string, json: JsonObject) {
    const state = readState(json);
    const set = SetAccess.ofState(this.runtime, state);
    const observed = (await set.observed()).get(state.prefix);
    if (observed === undefined) return state.expired ? { id, inputs: { ...state.verbatim }, props: json } : undefined;
    set.owned.add([state.prefix]);
    const inputs = writeInputs(state, observed);
    const { address } = state;
    const unsettled = state.unsettled.size > 0 ? state.unsettled : undefined;
    return { id, inputs, props: writeState({ verbatim: inputs, address }, { endpoint: set.endpoint, unsettled }) };
  }

  async update(_id: string, olds: JsonObject, news: JsonObject) {
    const [state, inputs] = [readState(olds), readInputs(news)];
    const set = SetAccess.open(this.runtime, inputs, state);
    const { unsettled } = state;
    const { prefix } = inputs;
    const [known, desired] = [heldOf(state), desiredOf(inputs)];
    const moved = set.hasMovedFrom(state);
    const outs = writeState(inputs, { endpoint: set.endpoint });
    if (!moved && unsettled.size === 0 && known.get(prefix) === desired.get(prefix)) return { outs };
    const intent = { known, desired, unsettled, moved, wanted: set.wanted };
    const expired = new Set(inputs.expired ? known.keys() : []);
    const plan = (observed: PrefixMap) => ({ ...planUpdate(observed, intent), expired });
    await set.write({ plan }, (reached) => ({ id: `${set.url}#${prefix}`, outputs: partial(inputs, reached) }));
    return { outs };
  }

  async delete(_id: string, json: JsonObject) {
    const state = readState(json);
    const { prefix, unsettled, onDestroy } = state;
    if (onDestroy === "keep" || (heldOf(state).size === 0 && unsettled.size === 0)) return;
    const set = SetAccess.ofState(this.runtime, state);
    if (set.wanted.has(prefix)) {
      this.runtime.notices.say(`${set.label}: ${prefix} stays, wanted by another resource of this stack.`);
      return;
    }
    const remove = new Set([prefix]);
    const expired = new Set(isExpired(state.expires, this.runtime.today) ? [prefix] : []);
    await set.write({ plan: () => ({ put: new Map(), remove, unsettled, expired }), isLast: true });
  }
}

/** The outputs that are true after a write that failed half-way: the entry is not there, or with another value. */
function partial(inputs: PrefixSetEntryInputs, { applied, endpoint, unsettled }: Reached): JsonObject {
  const value = applied.get(inputs.prefix);
  if (value === undefined) return writeState(inputs, { endpoint, unsettled, absent: true });
  return writeState(inputs, { endpoint, unsettled, ...(value !== inputs.value && { value }) });
}
