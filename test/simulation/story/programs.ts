import type { Declared, Entries, ResourceOptions } from "../scenario";
import type { Random } from "../world/random";
import { HEALTH, withNodes } from "./group-changes";

export const BLOCKED = "prefixset://edge/blocked";
export const PARTNERS = "prefixset://edge/partners";
/** Url of a commit that publishes both. */
export const COMMON_COMMIT = "prefixset://{arena}";

/** Prefixes that programs declare in sets, by stack: two stacks that share a set declare different ones. */
const PREFIXES = [
  ["192.0.2.0/25", "192.0.2.128/25", "203.0.113.0/24", "203.0.113.7/32", "2001:db8::/32", "2001:db8:1::/48"],
  ["198.51.100.0/25", "198.51.100.128/25", "198.51.100.9/32", "2001:db8:2::/48"],
] as const;
/** Prefixes that only others write. */
export const FOREIGN = ["198.18.0.0/15", "198.18.7.0/24"] as const;
/** The prefix that the on-call engineer blocks. */
export const URGENT = "198.18.9.9/32";
/** The prefix of programs that some stacks forbid. */
export const FORBIDDEN = "192.0.2.128/25";
/** Prefixes that programs signal, by stack, all within those of the client. */
const SIGNALED = [
  ["198.51.100.1/32", "198.51.100.2/32", "198.51.100.64/26"],
  ["198.51.100.200/32", "198.51.100.201/32"],
] as const;

/** Resources of a stack's next program; they change from run to run. */
export interface Design {
  readonly stack: number;
  readonly resources: readonly Declared[];
}

/** Parts of the world that a program may use. */
export interface Sites {
  readonly nodes: readonly string[];
  readonly receivers: readonly string[];
  /** Nodes whose set `blocked` belongs to this stack alone. */
  readonly own: readonly string[];
  /** True for a stack with more than one provider process. */
  readonly instances: number;
  /** True if each node has a second name in the configuration, with another address of the same machine. */
  readonly hasTwins: boolean;
}

/** The second name of a node. */
export function twinOf(name: string): string {
  return name.endsWith("b") ? name.slice(0, -1) : `${name}b`;
}

/** The first name of a node. */
export function machineOf(name: unknown): string {
  return String(name).replace(/b$/, "");
}

/** The first program of a stack. */
export function firstProgram(random: Random, stack: number, sites: Sites): Design {
  const resources: Declared[] = [];
  const [lone, ...group] = sites.own;
  if (group.length > 0 && random.chance(0.7)) resources.push(groupOf(random, stack, group));
  if (lone !== undefined && random.chance(0.6)) resources.push(setOf(random, stack, lone));
  const node = random.pick(sites.nodes);
  for (const prefix of random.some(PREFIXES[stack] ?? [], 0.3)) resources.push(entryOf(random, node, prefix));
  if (sites.receivers.length > 0 && random.chance(0.5)) {
    const prefixes = atLeastOne(random, SIGNALED[stack] ?? []);
    resources.push({
      type: "CloudSignaling",
      name: "signal",
      args: { receiver: random.pick(sites.receivers), prefixes },
    });
  }
  if (resources.length === 0)
    resources.push(
      lone === undefined ? entryOf(random, node, (PREFIXES[stack] ?? [])[0] ?? "") : setOf(random, stack, lone),
    );
  return { stack, resources: resources.map((one) => withInstance(random, one, sites.instances)) };
}

function withInstance(random: Random, declared: Declared, instances: number): Declared {
  if (instances === 0 || random.chance(0.5)) return declared;
  return { ...declared, options: { ...declared.options, instance: random.int(1, instances) } };
}

function setOf(random: Random, stack: number, node: string): Declared {
  const args = { arena: "edge", set: "blocked", node, entries: entries(random, stack), onExisting: "adopt" };
  return { type: "PrefixSet", name: "blocked", args };
}

export function entryOf(random: Random, node: string, prefix: string): Declared {
  const args = {
    arena: "edge",
    set: "partners",
    node,
    prefix: spelling(random, prefix),
    value: random.int(1, 3),
    onExisting: "adopt",
  };
  return { type: "PrefixSetEntry", name: `entry-${prefix.replace(/[^\da-f]/g, "-")}`, args };
}

function groupOf(random: Random, stack: number, nodes: readonly string[]): Declared {
  const args = {
    arena: "edge",
    set: "blocked",
    nodes: [...nodes],
    entries: entries(random, stack),
    onExisting: "adopt",
  };
  const rollout = random.chance(0.6) ? { rollout: rolloutOf(random, nodes) } : {};
  const unreachable = random.chance(0.4) ? { maxUnreachable: 1 } : {};
  return { type: "PrefixSetGroup", name: "group", args: { ...args, ...rollout, ...unreachable } };
}

function rolloutOf(random: Random, nodes: readonly string[]): Record<string, unknown> {
  const waves = random.chance(0.5) ? [1, 2] : { canary: [nodes[0]], size: random.pick([1, 2, "50%"]) };
  const check = random.chance(0.8) ? { check: HEALTH, checkTimeoutMs: 12_000 } : {};
  return { waves, ...check, ...(random.chance(0.3) && { pauseMs: 1_000 }) };
}

export function entries(random: Random, stack: number): Record<string, number> {
  const chosen = atLeastOne(random, PREFIXES[stack] ?? []);
  return Object.fromEntries(chosen.map((prefix) => [spelling(random, prefix), random.int(1, 3)]));
}

function atLeastOne<T>(random: Random, from: readonly T[]): T[] {
  const chosen = random.some(from, 0.6);
  return chosen.length > 0 ? chosen : [random.pick(from)];
}

/** Another spelling of the same prefix, now and then. */
function spelling(random: Random, prefix: string): string {
  if (random.chance(0.85)) return prefix;
  return prefix.endsWith("/32") && prefix.includes(".") ? prefix.replace("/32", "") : prefix.toUpperCase();
}

const CHANGES = {
  entries: 10,
  value: 4,
  remove: 2,
  add: 2,
  rename: 2,
  move: 1,
  option: 3,
  nodes: 3,
  nothing: 4,
  revert: 4,
} as const;

/** The next program of a stack: the one before, changed in one way, or an earlier one. */
export function nextProgram(random: Random, design: Design, earlier: readonly Design[], sites: Sites): Design {
  const { stack, resources } = design;
  const at = random.int(0, resources.length - 1);
  const one = resources[at] as Declared;
  const changed = (to: Declared): Design => ({ stack, resources: resources.map((it) => (it === one ? to : it)) });
  const more = { ...(sites.hasTwins && { move: 12 }), ...(sites.instances > 0 && { rename: 10 }) };
  switch (random.weighted({ ...CHANGES, ...more })) {
    case "nothing":
      return design;
    case "revert":
      return random.pick(earlier);
    case "remove":
      return resources.length > 1 ? { stack, resources: resources.filter((it) => it !== one) } : design;
    case "add": {
      const more = firstProgram(random, stack, sites).resources.filter(
        ({ name }) => !resources.some((it) => it.name === name),
      );
      const nodesOf = ({ args }: Declared) => [args.node, args.nodes].flat();
      const isFree = (it: Declared) =>
        it.type === "PrefixSetEntry" ||
        !nodesOf(it).some(
          (node) =>
            node !== undefined &&
            resources.some((other) => other.type !== "PrefixSetEntry" && nodesOf(other).includes(node)),
        );
      const free = more
        .filter(isFree)
        .filter(
          ({ type }) => !["PrefixSet", "PrefixSetGroup"].includes(type) || !resources.some((it) => it.type === type),
        );
      return { stack, resources: [...resources, ...free.slice(0, 1)] };
    }
    case "rename": {
      const name = one.name.endsWith("-2") ? one.name.slice(0, -2) : `${one.name}-2`;
      if (resources.some((it) => it.name === name)) return design;
      const options: ResourceOptions = {
        ...one.options,
        ...(random.chance(0.5) ? { aliases: [one.name] } : elsewhere(random, sites)),
      };
      return changed({ ...one, name, options });
    }
    case "move": {
      const free = sites.own.filter(
        (node) =>
          !resources.some(
            ({ args }) => machineOf(args.node) === node || (args.nodes as string[] | undefined)?.includes(node),
          ),
      );
      const twin = sites.hasTwins ? [twinOf(String(one.args.node))] : [];
      if (one.args.node === undefined || free.length + twin.length === 0) return design;
      const to = twin.length > 0 && random.chance(0.7) ? twin : one.type === "PrefixSet" ? free : twin;
      return to.length === 0 ? design : changed({ ...one, args: { ...one.args, node: random.pick(to) } });
    }
    case "option":
      return changed({ ...one, options: optionsOf(random, one) });
    case "nodes": {
      const nodes = one.args.nodes as readonly string[] | undefined;
      if (!nodes) return design;
      const taken = resources.flatMap(({ args }) => (args.node === undefined ? [] : [machineOf(args.node)]));
      const others = sites.own.filter((node) => !nodes.includes(node) && !taken.includes(node));
      const joins = others.length > 0 && (nodes.length === 1 || random.chance(0.5));
      const leaver = random.pick(nodes);
      const now = joins ? [...nodes, random.pick(others)] : nodes.filter((node) => node !== leaver);
      return now.length === 0 ? design : changed(withNodes(one, now));
    }
    case "value":
      return changed(withValue(random, one));
    case "entries":
      return changed(withOtherEntries(random, one, stack));
  }
}

/** Another provider process, where there are several: the create is in one and the delete in another. */
function elsewhere(random: Random, { instances }: Sites): ResourceOptions {
  return instances > 0 ? { instance: random.int(1, instances) } : {};
}

function optionsOf(random: Random, { type, args, options = {} }: Declared): ResourceOptions {
  const { protect: _, retainOnDelete: __, ignoreChanges: ___, ...rest } = options;
  switch (random.weighted({ none: 3, protect: 2, retain: 1, ignore: 2 })) {
    case "protect":
      return { ...rest, protect: true };
    case "retain":
      return { ...rest, retainOnDelete: true };
    case "ignore": {
      if (type !== "PrefixSet" && type !== "PrefixSetGroup") return rest;
      const prefix = random.pick(Object.keys(args.entries as Entries));
      return { ...rest, ignoreChanges: [random.chance(0.5) ? "entries" : `entries["${prefix}"]`] };
    }
    case "none":
      return rest;
  }
}

function withValue(random: Random, one: Declared): Declared {
  if (one.type === "PrefixSetEntry") return { ...one, args: { ...one.args, value: random.int(1, 3) } };
  if (one.type === "CloudSignaling") return one;
  const now = Object.entries(one.args.entries as Entries).map(([prefix, value], index) => [
    prefix,
    index === 0 ? (value % 3) + 1 : value,
  ]);
  return { ...one, args: { ...one.args, entries: Object.fromEntries(now) } };
}

/** The same resource with other entries or prefixes. */
export function withOtherEntries(random: Random, one: Declared, stack: number): Declared {
  if (one.type === "PrefixSetEntry") return withValue(random, one);
  if (one.type === "CloudSignaling")
    return { ...one, args: { ...one.args, prefixes: atLeastOne(random, SIGNALED[stack] ?? []) } };
  const before = one.args.entries as Entries;
  const kept = Object.fromEntries(random.some(Object.entries(before), 0.7));
  const now = {
    ...kept,
    ...Object.fromEntries(
      random.some(Object.entries(entries(random, stack)), 0.4).filter(([prefix]) => !(prefix in before)),
    ),
  };
  const canonical = new Map(Object.entries(now).map(([prefix, value]) => [plain(prefix), [prefix, value] as const]));
  return {
    ...one,
    args: { ...one.args, entries: canonical.size > 0 ? Object.fromEntries(canonical.values()) : before },
  };
}

/** One spelling of each prefix of this file. */
function plain(prefix: string): string {
  const lower = prefix.toLowerCase();
  return lower.includes("/") ? lower : `${lower}/32`;
}

/** A resource without options, in its process: processes do not compare what they declare. */
function inSameProcess({ type, name, args, options }: Declared): Declared {
  const { instance } = options ?? {};
  return { type, name, args, ...(instance !== undefined && { options: { instance } }) };
}

/** A program with a mistake that must fail before anything is sent. */
export function withMistake(random: Random, { stack, resources }: Design): Design {
  const one = random.pick(resources);
  // Two resources that declare the same.
  if (one.type !== "CloudSignaling" && random.chance(0.3))
    return { stack, resources: [...resources, { ...inSameProcess(one), name: `${one.name}-again` }] };
  const broken = { ...one.args };
  if (one.type === "CloudSignaling") broken.prefixes = ["198.51.100.1/24"];
  else if (one.type === "PrefixSetEntry") broken.prefix = "203.0.113.1/24";
  else
    broken.entries = random.pick([
      { "192.0.2.1/24": 1 },
      { "2001:db8::/32": 1, "2001:DB8::/32": 2 },
      { "0.0.0.0/0": 1 },
    ]);
  return {
    stack,
    resources: resources.map((it) => (it === one ? { type: one.type, name: one.name, args: broken } : it)),
  };
}
