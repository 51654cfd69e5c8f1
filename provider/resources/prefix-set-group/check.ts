import { type NodeInUse, WHOLE_SET } from "../../deployment/node-in-use";
import type { Runtime } from "../../deployment/runtime";
import type { About, Checked } from "../../engine/handler";
import { nameOf } from "../../messages/sentences/plans";
import { sentPlace } from "../../model/entry";
import { attempt } from "../../model/errors";
import { hasUnknown, isObject, type JsonObject, membersOf, sameJson, UNKNOWN } from "../../model/json";
import { formatUrl, type PrefixSetUrl, setUrl } from "../../model/resource-url";
import { checkArguments } from "../../reconcile/arguments";
import { NOTHING_HELD, type NormalEntries, normaliseEntries } from "../../reconcile/entries";
import { contentLimits } from "../../reconcile/limits/content";
import type { RemovalArguments } from "../../reconcile/limits/removals";
import { expiredUntil } from "../../reconcile/written-inputs";
import { flat, heldHere, isSameSet, sayExpired, sayExpiredRemovals, setProblems, whose } from "../prefix-set/check";
import { type Differences, differing, overridden, readDiffers } from "./content";
import { placed } from "./diff";
import { type GivenNode, givenNodes } from "./given-nodes";
import { type Kind, sayGroupPlan, sayGroupWithdrawn } from "./plan";
import { askForDistinct } from "./removed-nodes";
import { begun } from "./rollout/facts";
import { FormerRollouts } from "./rollout/former";
import { reportNextWave } from "./rollout/say";
import { rolloutProblem } from "./rollout/waves";
import { type GroupInputs, prefixSetGroupSchema, readInputs } from "./state";

/** `check` of a `PrefixSetGroup`: all that needs no request, for every node. */
export function checkPrefixSetGroup(runtime: Runtime, olds: JsonObject, news: JsonObject, about: About = {}): Checked {
  const { differs, ...program } = news;
  const isHanded = differs !== undefined && sameJson(olds.differs, differs);
  const rest = isHanded ? program : news;
  const { given, args, problems } = checkArguments(prefixSetGroupSchema, rest);
  if (!args) return { inputs: news, problems };
  const { hostBits } = args;
  const before = heldBefore(olds, news);
  const left = before && leftAsFound(olds.differs, isHanded || about.ignored);
  const address = setUrl(given);
  const url = address && formatUrl(address);
  const options = { hostBits, now: runtime.today };
  const placeOf = sentPlaces(runtime, url);
  const nodes = givenNodes(given.nodes, { ...options, placeOf });
  const inSet = url ? `${url}: ` : "";
  const failed = (sentences: readonly string[]) => ({
    inputs: news,
    problems: sentences.map((sentence) => `${inSet}${sentence}`),
  });
  if (nodes.problems.length > 0) return failed(nodes.problems);
  const names = [...nodes.nodes.keys()];
  const inUse = new Map(names.map((name) => [name, runtime.node(name)]));
  const normal = normaliseEntries(given.entries, {
    ...options,
    held: before?.common.entries,
    at: byNode(names, placeOf),
  });
  if (!normal) return { inputs: { ...news, nodes: nodes.json, entries: UNKNOWN }, problems: [] };
  const waves = rolloutProblem(names, given.rollout);
  if (waves !== undefined) return failed([waves]);
  const { former } = placed(runtime, names, before && { endpoints: formerPlaces(runtime, olds, before) });
  const kinds = groupEqualNodes([...nodes.nodes], normal, {
    ...{ address, before, former, inUse, left: readDiffers(left) },
    ...args,
  });
  const refused = [
    ...normal.problems,
    ...kinds.flatMap((kind) => kindProblems(runtime, { ...args, ...kind.limits }, url, kind)),
  ];
  if (refused.length > 0) return failed([...new Set(refused)]);
  const conflicts = kinds.flatMap(({ nodes: equalNodes, normal: { entries } }) =>
    equalNodes.flatMap((at) => {
      const exclusive = nodes.nodes.get(at)?.exclusive ?? args.exclusive ?? true;
      const declared = { type: "PrefixSetGroup", at, entries, exclusive } as const;
      return (address && inUse.get(at)?.set(address).declare(about, declared)) ?? [];
    }),
  );
  if (conflicts.length > 0) return { inputs: news, problems: conflicts };
  const limits = contentLimits(args, runtime.settings);
  const wide = kinds.flatMap(({ nodes: equalNodes, normal: { entries } }) => {
    const prefixes = [...entries.keys()];
    return equalNodes.flatMap(
      (at) => (address && inUse.get(at)?.set(address).coverage.add(about.urn, prefixes, limits)) ?? [],
    );
  });
  if (wide.length > 0) return failed([...new Set(wide)]);
  for (const warning of [...normal.warnings, ...nodes.warnings])
    runtime.notices.report({ kind: "dubious", type: "PrefixSetGroup", url, warning });
  const isNew = Object.keys(olds).length === 0;
  if (address) want(runtime, address, { kinds, inUse, args, about });
  const where = { url, type: "PrefixSetGroup", name: whose(args, about) };
  if (url) sayGroupPlan(runtime, where, { kinds, before, isNew });
  if (url && isNew)
    askForDistinct(
      runtime,
      url,
      [...inUse.values()].map(({ endpoint }) => endpoint),
    );
  for (const kind of kinds) {
    const here = { ...where, nodes: kind.nodes };
    if (url) sayExpiredRemovals(runtime, here, { ...kind, isNew });
    if (url) sayGroupWithdrawn(runtime, where, kind);
    sayExpired(runtime, here, kind.normal, kind.before);
  }
  const inputs = { ...rest, nodes: nodes.json, ...flat(normal) };
  const places = new Map([...inUse].map(([name, { endpoint }]) => [name, endpoint]));
  const formers = FormerRollouts.in(runtime);
  if (url && !hasUnknown(inputs)) formers.declare(inputs, places.values(), isNew);
  if (url && isNew && !hasUnknown(inputs)) {
    const program = readInputs(inputs);
    const replaced = formers.at(program, places);
    const beginning = { runtime, inputs: program, replaced, former: new Map(), left: [] };
    const start = { ...beginning, observed: new Map(), silent: new Set<string>() };
    reportNextWave(start, begun(start));
  }
  return { inputs: left ? { ...inputs, differs: left } : inputs, problems: [] };
}

/** Checked inputs of a group in canonical form. Entries have expired by the mark of the check. */
export function normalPrefixSetGroup(runtime: Runtime, inputs: JsonObject): JsonObject {
  const { expired: _, ...rest } = inputs;
  const hostBits = rest.hostBits === "mask" ? ("mask" as const) : undefined;
  const options = { hostBits, now: expiredUntil(inputs), held: "any" as const };
  const url = setUrl(rest);
  const placeOf = sentPlaces(runtime, url && formatUrl(url));
  const { nodes, json } = givenNodes(rest.nodes, { ...options, placeOf });
  const normal = normaliseEntries(rest.entries, { ...options, at: byNode([...nodes.keys()], placeOf) });
  return { ...rest, nodes: json, ...(normal ? flat(normal) : { entries: UNKNOWN }) };
}

/** Names of the set in `sent`, by node; `undefined` for an unknown node or set. */
function sentPlaces(runtime: Runtime, url: string | undefined) {
  return (name: string): string | undefined => {
    const node = attempt(() => runtime.node(name));
    return node && url && sentPlace(node.endpoint, url);
  };
}

function byNode(names: readonly string[], placeOf: (name: string) => string | undefined): Map<string, string> {
  const places = names.map((name) => [name, placeOf(name)] as const);
  return new Map(places.flatMap(([name, place]) => (place === undefined ? [] : [[name, place] as const])));
}

/** Inputs with the differences of a refresh that stay, where the engine tells the option only after the check. */
export function leavingFound(olds: JsonObject, news: JsonObject, { ignored }: About = {}): JsonObject {
  const left = ignored === undefined || news.differs !== undefined ? undefined : leftAsFound(olds.differs, ignored);
  return left ? { ...news, differs: left } : news;
}

/**
 * Differences of a refresh that stay: the program ignores changes of all entries, or of these (`ignoreChanges`). A missing
 * entry (`null`) is a loss, which no program can ignore.
 */
function leftAsFound(differs: unknown, ignored: unknown): JsonObject | undefined {
  const prefixes: readonly unknown[] = Array.isArray(ignored) ? ignored : [];
  const isLeft = ([prefix, value]: [string, unknown]) =>
    value !== null && (ignored === true || prefixes.includes(prefix));
  const left = Object.entries(membersOf(differs)).flatMap(([node, found]) => {
    const kept = Object.entries(membersOf(found)).filter(isLeft);
    return kept.length > 0 ? [[node, Object.fromEntries(kept)] as const] : [];
  });
  return left.length > 0 ? Object.fromEntries(left) : undefined;
}

/** Groups nodes with the same content, state and limits, which are judged once. */
function groupEqualNodes(
  nodes: readonly (readonly [string, GivenNode])[],
  common: NormalEntries,
  {
    address,
    before,
    former: formers,
    inUse,
    left,
    exclusive,
  }: {
    address: PrefixSetUrl | undefined;
    before: GroupInputs | undefined;
    /** Node of the program to node of the state. */
    former: ReadonlyMap<string, string>;
    inUse: ReadonlyMap<string, NodeInUse>;
    left: ReadonlyMap<string, Differences>;
    exclusive?: boolean | undefined;
  },
): Kind[] {
  const kinds = new Map<string, Kind & { nodes: string[] }>();
  for (const [name, { own, maxRemovals, exclusive: is = exclusive }] of nodes) {
    const node = inUse.get(name) as NodeInUse;
    const former = formers.get(name);
    const isOwn = former !== undefined && (before?.nodes.get(former)?.own !== undefined || before?.differs.has(former));
    const isSpecial = own !== undefined || maxRemovals !== undefined || isOwn;
    const normal = own
      ? {
          ...common,
          ...overridden(common, own),
          expired: new Map([...common.expired, ...own.expired]),
          sent: new Map([...common.sent, ...own.sent]),
        }
      : common;
    const held = former === undefined ? undefined : before?.of(former);
    const here = held ? undefined : heldHere(address && node.set(address), normal, { exclusive: is });
    const dropped = here && [...here.entries.keys()].filter((prefix) => !normal.entries.has(prefix));
    // What a refresh found, or a create adopted, stays where the set is shared from now on.
    const isShared = held?.exclusive === true && is === false;
    const key = JSON.stringify([isSpecial ? name : "", node.maxValue, here?.entries.size, dropped, isShared]);
    const kind = kinds.get(key);
    if (kind) kind.nodes.push(name);
    else
      kinds.set(key, {
        nodes: [name],
        normal: left.has(name) ? { ...normal, entries: differing(normal.entries, left.get(name)) } : normal,
        before: here ?? (isShared && former !== undefined ? before?.contentOf(former) : held) ?? NOTHING_HELD,
        former,
        limits: maxRemovals === undefined ? {} : { maxRemovals },
        node,
      });
  }
  return [...kinds.values()];
}

function kindProblems(
  runtime: Runtime,
  args: Parameters<typeof setProblems>[1],
  url: string | undefined,
  { nodes, normal: { entries, problems: unread }, before, former, node }: Kind,
): string[] {
  const isNew = former === undefined;
  const problems = setProblems(runtime, args, { url, node, before, isNew, entries, problems: unread });
  return nodes.length === 1 ? problems.map((problem) => `on ${nameOf(nodes)}: ${problem}`) : problems;
}

/** Addresses of the nodes in the former run: those of the state, else those that the configuration has for their names now. */
function formerPlaces(runtime: Runtime, olds: JsonObject, { nodes }: GroupInputs): Map<string, string> {
  const known = membersOf(olds.endpoints);
  const placeOf = (name: string) => known[name] ?? attempt(() => runtime.node(name).endpoint) ?? "";
  return new Map([...nodes.keys()].map((name) => [name, String(placeOf(name))]));
}

/** Entries of the nodes by the inputs of the former run. */
function heldBefore(olds: JsonObject, news: JsonObject): GroupInputs | undefined {
  return isSameSet(olds, news) && isObject(olds.nodes) && !hasUnknown(olds) ? readInputs(olds) : undefined;
}

/** Records what is wanted at each node, and that the group will come for it. */
function want(
  runtime: Runtime,
  address: PrefixSetUrl,
  {
    kinds,
    inUse,
    args,
    about,
  }: {
    kinds: readonly Kind[];
    inUse: ReadonlyMap<string, NodeInUse>;
    args: RemovalArguments;
    about: About;
  },
): void {
  for (const { nodes, normal, before, limits } of kinds) {
    for (const name of nodes) {
      const set = inUse.get(name)?.set(address);
      if (!set) continue;
      set.announced.add(WHOLE_SET);
      set.sent.declare(normal.entries, about);
      set.takeSent(normal.sent);
      set.ignore(about.ignored, before.entries, normal.entries);
      set.declaring.push({ entries: normal.entries, limits: { ...args, ...limits } });
    }
    const places = nodes.flatMap((name) => inUse.get(name) ?? []);
    runtime.shared.desired.addAll(places, formatUrl(address), normal.entries);
  }
}
