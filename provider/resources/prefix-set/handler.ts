import type { SetWriteFailure } from "../../batch/set-operation";
import type { CanonicalPrefix } from "../../model/prefix";
import { difference, equal, type PrefixMap } from "../../model/prefix-map";
import { count, some } from "../../model/text";
import { compare } from "../changes";
import type { Handler, Properties } from "../handler";
import { contentProblems, entryProblems, removalProblems } from "../rails";
import type { Runtime } from "../runtime";
import { SetAccess, unsettledOf } from "../set-access";
import { hasUnknown } from "../unknown";
import { argumentsOf, entriesOf, PREFIX_SET_OUTPUTS, type PrefixSetArguments } from "./arguments";
import { checkPrefixSet, railsOf, unexpiredRemovals } from "./check";
import { type Found, findExisting, planUpdate } from "./plan";

/** A whole prefix-set: what it holds is what the program says. */
export class PrefixSetHandler implements Handler {
  constructor(private readonly runtime: Runtime) {}

  check(olds: Properties, news: Properties) {
    return checkPrefixSet(this.runtime, olds, news);
  }

  diff(olds: Properties, news: Properties) {
    this.remember(olds);
    return compare({
      olds,
      news,
      outputs: PREFIX_SET_OUTPUTS,
      identity: ["arena", "profile", "set"],
      connection: "node",
      inUse: hasUnknown(news.node) ? undefined : this.runtime.node(news.node),
    });
  }

  async create(inputs: Properties) {
    const set = SetAccess.open(this.runtime, inputs);
    const desired = entriesOf(inputs);
    let adopted: PrefixMap = new Map();
    const plan = (observed: PrefixMap) => {
      const found = findExisting(observed, desired, inputs.exclusive !== false, (prefix) => set.isOwned(prefix));
      adopted = new Map([...found.undeclared, ...found.otherValue]);
      if (adopted.size > 0 && inputs.onExisting !== "adopt") throw inTheWay(set.label, found);
      const put = new Map([...desired].filter(([prefix]) => !found.otherValue.has(prefix)));
      this.requireContent(set, inputs, [...desired.keys(), ...found.undeclared.keys()]);
      return { put, remove: new Set<CanonicalPrefix>() };
    };
    await set.write({ plan }, inputs, (failure) => ({
      id: set.url,
      outputs: {
        ...outputs(set, inputs, truth(failure, new Map([...desired, ...adopted]))),
        ...(adopted.size > 0 && { adopted: [...adopted.keys()] }),
      },
    }));
    const outs = outputs(set, inputs, new Map([...desired, ...adopted]));
    if (adopted.size === 0) return { id: set.url, outs };
    this.runtime.warn(
      `${set.label}: adopted ${count(adopted.size, "entry", "entries")} that the program does not declare so: ${some([...adopted.keys()])}. Nothing of them was changed; the next preview shows what would be.`,
    );
    return { id: set.url, outs: { ...outs, adopted: [...adopted.keys()] } };
  }

  async read(id: string, props: Properties) {
    const set = SetAccess.open(this.runtime, props, props);
    const known = entriesOf(props);
    const observed = await set.observed();
    const entries = new Map([...observed].filter(([prefix]) => props.exclusive !== false || known.has(prefix)));
    this.runtime.owned.add(set.node, set.url, entries.keys());
    const inputs = { ...argumentsOf(props), entries: Object.fromEntries(entries) };
    return { id, inputs, props: { ...outputs(set, inputs, entries), unsettled: props.unsettled } };
  }

  async update(_id: string, olds: Properties, news: Properties) {
    const set = SetAccess.open(this.runtime, news, olds);
    const [known, desired, unsettled] = [entriesOf(olds), entriesOf(news), unsettledOf(olds)];
    const moved = set.hasMovedFrom(olds);
    const outs = outputs(set, news, desired);
    if (!moved && unsettled.size === 0 && equal(known, desired)) return { outs };
    const isWantedElsewhere = (prefix: CanonicalPrefix) => set.isWanted(prefix);
    const plan = (observed: PrefixMap) => {
      const plan = planUpdate(observed, { known, desired, unsettled, isWantedElsewhere, moved });
      const left = [...observed.keys()].filter((prefix) => !plan.remove.has(prefix));
      const after = [...new Set([...left, ...plan.put.keys()])];
      this.requireRemovals(set, olds, news, observed, plan.remove, after.length);
      this.requireContent(set, news, after);
      return plan;
    };
    const { before, after } = await set.write({ plan }, news, (failure) => ({
      id: set.url,
      outputs: outputs(set, news, truth(failure, new Map([...known, ...desired]))),
    }));
    this.warnOfOthers(set, news, before, after, desired);
    return { outs };
  }

  async delete(_id: string, props: Properties) {
    if (props.onDestroy === "keep") return;
    const set = SetAccess.open(this.runtime, props, props);
    const unsettled = unsettledOf(props);
    const managed = [...new Set([...entriesOf(props).keys(), ...unsettled])];
    const kept = managed.filter((prefix) => set.isWanted(prefix));
    if (kept.length > 0) {
      this.runtime.say(
        `${set.label}: ${count(kept.length, "entry stays", "entries stay")}, wanted by another resource of this stack: ${some(kept)}.`,
      );
    }
    const remove = new Set(managed.filter((prefix) => !set.isWanted(prefix)));
    if (managed.length > 0 && remove.size === 0) return;
    const { after } = await set.write({ plan: () => ({ put: new Map(), remove, unsettled }), isLast: true }, props);
    const others = [...after.keys()].filter((prefix) => !kept.includes(prefix));
    if (others.length > 0 && props.exclusive !== false) {
      this.runtime.warn(`${set.label}: left ${some(others)}, which this stack did not know of.`);
    }
  }

  /** What the state holds is not foreign to a replacement that is created before the old resource goes. */
  private remember(olds: Properties): void {
    if (hasUnknown(olds.node)) return;
    try {
      const set = SetAccess.open(this.runtime, olds);
      this.runtime.owned.add(set.node, set.url, entriesOf(olds).keys());
    } catch {
      // An old connection that is no longer in the configuration is reported when it is needed.
    }
  }

  private requireContent(set: SetAccess, args: PrefixSetArguments, after: readonly CanonicalPrefix[]): void {
    const rails = railsOf(args, this.runtime.settings, set.url);
    const declared = [...entriesOf(args).keys()];
    stop(set, [...entryProblems(declared, rails), ...contentProblems(after, rails)]);
  }

  private requireRemovals(
    set: SetAccess,
    olds: Properties,
    args: PrefixSetArguments,
    observed: PrefixMap,
    remove: ReadonlySet<CanonicalPrefix>,
    left: number,
  ): void {
    const present = [...remove].filter((prefix) => observed.has(prefix));
    const removals = unexpiredRemovals(present, olds.notes, this.runtime.surroundings.now());
    const rails = railsOf(args, this.runtime.settings, set.url);
    stop(set, removalProblems(set.url, { size: observed.size, removals, left }, rails));
  }

  private warnOfOthers(
    set: SetAccess,
    news: Properties,
    before: PrefixMap,
    after: PrefixMap,
    desired: PrefixMap,
  ): void {
    const { remove, change } = difference(after, desired);
    const extra = news.exclusive === false ? [] : [...remove.keys()].filter((prefix) => before.has(prefix));
    if (extra.length + change.size === 0) return;
    const parts = [
      extra.length > 0 ? `entries that the program does not declare: ${some(extra)}` : "",
      change.size > 0 ? `other values of ${some([...change.keys()])}` : "",
    ].filter((part) => part !== "");
    this.runtime.warn(
      `${set.label}: left ${parts.join(" and ")}. "pulumi preview --refresh" shows them, "pulumi up --refresh" puts them right.`,
    );
  }
}

function outputs(set: SetAccess, args: Properties, entries: PrefixMap): Properties {
  return {
    ...args,
    entries: Object.fromEntries(entries),
    url: set.url,
    count: entries.size,
    endpoint: set.node.endpoint,
  };
}

/** What the node holds of the entries that are this resource's business. */
function truth({ applied }: SetWriteFailure, ours: PrefixMap): PrefixMap {
  return new Map([...applied].filter(([prefix]) => ours.has(prefix)));
}

function stop(set: SetAccess, problems: readonly string[]): void {
  if (problems.length > 0) throw new Error(`${set.label}: nothing was sent. ${problems.join(" ")}`);
}

function inTheWay(label: string, { undeclared, otherValue }: Found): Error {
  const parts = [
    undeclared.size > 0
      ? `${count(undeclared.size, "entry", "entries")} not declared here: ${some([...undeclared.keys()])}`
      : "",
    otherValue.size > 0
      ? `other values of ${some([...otherValue].map(([prefix, value]) => `${prefix} (${value})`))}`
      : "",
  ].filter((part) => part !== "");
  return new Error(
    `${label} already holds ${parts.join(" and ")}. Nothing was sent. Declare them, or take them over with onExisting: "adopt" (nothing of them is removed before a preview has shown it), or manage only your own entries with exclusive: false.`,
  );
}
