import { z } from "zod";
import { type CanonicalPrefix, Prefix } from "../../model/prefix";
import type { PrefixMap } from "../../model/prefix-map";
import { formatUrl } from "../../model/resource-url";
import {
  connectionSchema,
  hostBitsSchema,
  judge,
  onExistingSchema,
  prefixListSchema,
  setShape,
  setUrl,
  shortestSchema,
} from "../arguments";
import { compare } from "../changes";
import { ArgumentProblem, isExpired, noteShape, parseAt, valueSchema } from "../entries";
import type { Handler, Properties } from "../handler";
import { railsOf } from "../prefix-set/check";
import { planUpdate } from "../prefix-set/plan";
import { entryProblems } from "../rails";
import type { Runtime } from "../runtime";
import { SetAccess, unsettledOf } from "../set-access";
import { hasUnknown, UNKNOWN } from "../unknown";

const schema = z.strictObject({
  ...setShape,
  prefix: z.string({ error: "is not a text with a prefix in it" }),
  value: valueSchema.optional(),
  ...noteShape,
  onExisting: onExistingSchema.optional(),
  onDestroy: z.enum(["remove", "keep"], { error: 'is neither "remove" nor "keep"' }).optional(),
  hostBits: hostBitsSchema.optional(),
  forbiddenPrefixes: prefixListSchema.optional(),
  shortestPrefix: shortestSchema.optional(),
  node: connectionSchema.optional(),
});

/** Outputs that are no arguments; `expired` is an input that `check` adds once the time has come. */
const OUTPUTS = ["url", "endpoint", "adopted", "absent", "unsettled"] as const;

/** One entry of a set that others also write to. */
export class PrefixSetEntryHandler implements Handler {
  constructor(private readonly runtime: Runtime) {}

  check(_olds: Properties, news: Properties) {
    const { args, problems } = judge(schema, news);
    if (!args) return { inputs: news, problems };
    const node = hasUnknown(news.node) ? undefined : this.runtime.node(args.node);
    if (news.prefix === UNKNOWN) return { inputs: news, problems: [] };
    try {
      const prefix = parseAt("prefix", news.prefix, args.hostBits);
      const found = entryProblems([prefix], railsOf(args, this.runtime.settings, ""));
      if (found.length > 0) return { inputs: news, problems: found };
      const expired = isExpired(args.expires, this.runtime.surroundings.now());
      const url = setUrl(news);
      if (node && url && !expired) this.runtime.wanted.add(node, formatUrl(url), [prefix]);
      return { inputs: { ...news, prefix, ...(expired ? { expired: true } : {}) }, problems: [] };
    } catch (error) {
      if (error instanceof ArgumentProblem) return { inputs: news, problems: [error.message] };
      throw error;
    }
  }

  diff(olds: Properties, news: Properties) {
    this.remember(olds);
    return compare({
      olds,
      news,
      outputs: OUTPUTS,
      identity: ["arena", "profile", "set", "prefix"],
      connection: "node",
      inUse: hasUnknown(news.node) ? undefined : this.runtime.node(news.node),
    });
  }

  async create(inputs: Properties) {
    const set = SetAccess.open(this.runtime, inputs);
    const desired = desiredOf(inputs);
    const id = `${set.url}#${inputs.prefix}`;
    let adopted: number | undefined;
    const plan = (observed: PrefixMap) => {
      const [[prefix, value] = []] = desired;
      const found = prefix && observed.get(prefix);
      adopted = found !== undefined && found !== value && prefix && !set.isOwned(prefix) ? found : undefined;
      if (adopted === undefined) return { put: desired, remove: new Set<CanonicalPrefix>() };
      if (inputs.onExisting === "adopt") return { put: new Map(), remove: new Set<CanonicalPrefix>() };
      throw new Error(
        `${set.label} already holds ${prefix} with the value ${adopted}, not ${value}. Nothing was sent. Give the entry that value, or take it over with onExisting: "adopt".`,
      );
    };
    if (desired.size > 0) {
      await set.write({ plan }, inputs, (failure) => ({
        id,
        outputs: outputs(set, inputs, truth(failure.applied, inputs)),
      }));
    }
    if (adopted === undefined) return { id, outs: outputs(set, inputs) };
    this.runtime.warn(
      `${set.label}: adopted ${inputs.prefix} with the value ${adopted}; the next preview shows its change.`,
    );
    return { id, outs: { ...outputs(set, inputs, { value: adopted }), adopted: true } };
  }

  async read(id: string, props: Properties) {
    const set = SetAccess.open(this.runtime, props, props);
    const prefix = prefixOf(props);
    const observed = (await set.observed()).get(prefix);
    if (observed === undefined) return props.expired === true ? { id, inputs: argumentsOf(props), props } : undefined;
    this.runtime.owned.add(set.node, set.url, [prefix]);
    const { expired: _, ...args } = argumentsOf(props);
    const inputs = { ...args, ...(observed === wantedValue(props) ? {} : { value: observed }) };
    return { id, inputs, props: { ...outputs(set, inputs), unsettled: props.unsettled } };
  }

  async update(_id: string, olds: Properties, news: Properties) {
    const set = SetAccess.open(this.runtime, news, olds);
    const desired = desiredOf(news);
    const known = desiredOf(olds);
    const unsettled = unsettledOf(olds);
    const moved = set.hasMovedFrom(olds);
    const outs = outputs(set, news);
    const prefix = prefixOf(news);
    if (!moved && unsettled.size === 0 && known.get(prefix) === desired.get(prefix)) return { outs };
    const isWantedElsewhere = (wanted: CanonicalPrefix) => set.isWanted(wanted);
    await set.write(
      { plan: (observed) => planUpdate(observed, { known, desired, unsettled, isWantedElsewhere, moved }) },
      news,
      ({ applied }) => ({ id: `${set.url}#${prefix}`, outputs: outputs(set, news, truth(applied, news)) }),
    );
    return { outs };
  }

  async delete(_id: string, props: Properties) {
    const prefix = prefixOf(props);
    const unsettled = unsettledOf(props);
    if (props.onDestroy === "keep" || (desiredOf(props).size === 0 && unsettled.size === 0)) return;
    const set = SetAccess.open(this.runtime, props, props);
    if (set.isWanted(prefix)) {
      this.runtime.say(`${set.label}: ${prefix} stays, wanted by another resource of this stack.`);
      return;
    }
    await set.write({ plan: () => ({ put: new Map(), remove: new Set([prefix]), unsettled }), isLast: true }, props);
  }

  /** What the state holds is not foreign to another entry that takes the prefix over, as in a loop whose index shifts. */
  private remember(olds: Properties): void {
    if (hasUnknown(olds.node)) return;
    try {
      const set = SetAccess.open(this.runtime, olds);
      this.runtime.owned.add(set.node, set.url, desiredOf(olds).keys());
    } catch {
      // An old connection that is no longer in the configuration is reported when it is needed.
    }
  }
}

/** What the set holds or must hold for this resource: nothing once it has expired, or where a failure left it out. */
function desiredOf(props: Properties): Map<CanonicalPrefix, number> {
  return props.expired === true || props.absent === true ? new Map() : new Map([[prefixOf(props), wantedValue(props)]]);
}

function prefixOf(props: Properties): CanonicalPrefix {
  return Prefix.parse(String(props.prefix)).toString();
}

function wantedValue(props: Properties): number {
  return typeof props.value === "number" ? props.value : 1;
}

function argumentsOf(props: Properties): Properties {
  const names: readonly string[] = OUTPUTS;
  return Object.fromEntries(Object.entries(props).filter(([key]) => !names.includes(key)));
}

function outputs(set: SetAccess, args: Properties, observed: Properties = {}): Properties {
  return { ...args, ...observed, url: set.url, endpoint: set.node.endpoint };
}

/** What the outputs say after a failure: that the entry is not there, or with another value. */
function truth(applied: PrefixMap, props: Properties): Properties {
  const value = applied.get(prefixOf(props));
  if (value === undefined) return { absent: true };
  return value === wantedValue(props) ? {} : { value };
}
