import * as pulumi from "@pulumi/pulumi";
import type { JsonObject } from "../../model/json";
import { nearest } from "../../model/nearest";
import { OTHER_WAVES_KEY } from "../../resources/provider-text";
import { settled } from "../inputs";
import { type GroupNode, type GroupNodeArgs, PrefixSetGroup, type PrefixSetGroupArgs } from "../prefix-set-group";
import { getPrefixSet } from "../read-functions";
import { Gate, type WaveCheck } from "./gate";
import { inWaves, type WaveSize, type Waves, WavesError } from "./waves";

/** What is different at one node of a {@link PrefixSetFleet}. */
export type FleetNodeArgs = GroupNodeArgs;

/** Arguments of a {@link PrefixSetFleet}: those of a {@link PrefixSetGroup}, with waves. */
export interface PrefixSetFleetArgs extends Omit<PrefixSetGroupArgs, "nodes" | "maxUnreachable"> {
  /** Names of nodes in the stack's configuration (`packetfilter:nodes`), alone or each with what is different there. */
  nodes: readonly string[] | Readonly<Record<string, FleetNodeArgs>>;
  /** In which order nodes change; default: all at once. A failure stops the waves that follow. */
  waves?: Waves;
  /**
   * So many nodes of a wave, a number or percent of the fleet's, may not answer: an `up` leaves them as they are with a
   * warning, the next one goes on there, and a refresh keeps their state; more fail. Default 0.
   */
  maxUnreachable?: WaveSize;
  /** So many nodes of a wave are changed at a time; default 16. */
  atOnce?: PrefixSetGroupArgs["atOnce"];
  /** Milliseconds of rest after a wave that changed something, in `up` only; default 0. */
  pauseMs?: number;
  /**
   * Is called after a wave that changed something, in `up` only, with the names of the nodes that were changed; what it
   * throws stops the waves that follow. Default: none.
   */
  check?: WaveCheck;
}

/** What a {@link PrefixSetFleet} says of one of its sets. */
export interface FleetSet {
  /** The set's url. */
  url: string;
  /** How many entries of the set are kept. */
  count: number;
  /** The node's address in use, without secrets. */
  endpoint: string;
}

const OVERRIDES = ["entries", "exclusive", "maxRemovals", "onExisting"] as const;

/**
 * One set on many nodes, changed wave by wave: a {@link PrefixSetGroup} named `<fleet>-<wave number>` for each wave. A wave
 * begins when the one before has succeeded; deletion goes in reverse order. A node that leaves `nodes` is cleared, and one
 * that goes to another wave keeps what is wanted there.
 *
 * @example
 * ```ts
 * const blocked = new PrefixSetFleet("blocked", {
 *   arena: "edge",
 *   set: "blocked",
 *   entries: readPrefixFile("blocks.yaml"),
 *   nodes: { lab1: {}, fra1: {}, ams1: { entries: { "203.0.113.9": 2 } } },
 *   waves: { canary: ["lab1"], size: "20%" },
 *   check: async (names) => { for (const name of names) await assertHealthy(name); },
 * });
 * ```
 */
export class PrefixSetFleet extends pulumi.ComponentResource {
  /** The type token by which policies recognise the component. */
  static readonly __pulumiType = "packetfilter:index:PrefixSetFleet";

  /** True for an instance of this class, whichever copy of the package made it. */
  static override isInstance(object: unknown): object is PrefixSetFleet {
    return (
      pulumi.ComponentResource.isInstance(object) &&
      (object as { __pulumiType?: string }).__pulumiType === PrefixSetFleet.__pulumiType
    );
  }

  /** Name of a node to what its set is. */
  readonly sets: pulumi.Output<Record<string, FleetSet>>;
  /** How many entries are kept, all nodes together. */
  readonly count: pulumi.Output<number>;

  /**
   * @param name The fleet's name in the stack; the groups are named `<name>-<wave number>`.
   * @throws {pulumi.RunError} for a node or a wave that cannot be, and for what a `PrefixSetGroup` refuses.
   */
  constructor(name: string, args: PrefixSetFleetArgs, options?: pulumi.ComponentResourceOptions) {
    const { nodes, waves, maxUnreachable, pauseMs, check, ...common } = args;
    const fleet = `PrefixSetFleet ${JSON.stringify(name)}`;
    const own = nodesOf(fleet, nodes);
    const order = ordered(fleet, [...own.keys()], waves);
    refusePause(fleet, pauseMs, check);
    const silent =
      maxUnreachable === undefined ? {} : { maxUnreachable: nodesOfShare(fleet, maxUnreachable, own.size) };
    super(PrefixSetFleet.__pulumiType, name, {}, options);
    const { arena, profile, set } = common;
    const list = async (node: string) => {
      const place = await settled({ arena, set, ...(profile !== undefined && { profile }) });
      return place.known ? getPrefixSet({ ...place.value, node }).catch(() => undefined) : undefined;
    };
    const gate = new Gate(this, name, { pauseMs, check, list });
    const groups = order.map((names, index) => {
      const nodes = Object.fromEntries(names.map((node) => [node, own.get(node) ?? {}]));
      const others = Object.fromEntries([...own].filter(([node]) => !names.includes(node)));
      const wave = { number: index + 1, isFinal: index === order.length - 1 };
      const hidden = order.length > 1 ? { [OTHER_WAVES_KEY]: others } : {};
      return gate.pass(names, wave, (dependsOn) => {
        const groupArgs = { ...common, ...silent, ...hidden, nodes };
        return new PrefixSetGroup(`${name}-${wave.number}`, groupArgs, { parent: this, dependsOn });
      });
    });
    this.sets = pulumi
      .all(groups.map((group) => pulumi.output(group).apply(setsOf)))
      .apply((sets): Record<string, FleetSet> => Object.assign({}, ...sets));
    this.count = this.sets.apply((known) => Object.values(known ?? {}).reduce((sum, { count }) => sum + count, 0));
    this.registerOutputs({ sets: this.sets, count: this.count });
  }
}

/** What the sets of a group are. Only a count with entries of a node's own looks into them, which may be secret. */
function setsOf({ url, count, endpoints, nodes, entries }: PrefixSetGroup): pulumi.Output<Record<string, FleetSet>> {
  return pulumi.all([url, count, endpoints, nodes]).apply(([where, all, addresses, overrides]) =>
    pulumi.output(
      Object.fromEntries(
        Object.entries(overrides ?? {}).map(([node, own]) => {
          const isOwn = own.entries !== undefined || own.notes !== undefined;
          const counted = isOwn ? entries.apply((common) => countOf(common, own)) : all;
          return [node, { url: where, count: counted, endpoint: addresses?.[node] ?? "" }];
        }),
      ),
    ),
  );
}

/** An entry of the node's own that has expired has a note and no value: it is not wanted there. */
function countOf(common: JsonObject, { entries = {}, notes = {} }: GroupNode): number {
  const held = new Set([...Object.keys(common), ...Object.keys(entries)]);
  return [...held].filter((prefix) => prefix in entries || !(prefix in notes)).length;
}

function nodesOf(fleet: string, nodes: PrefixSetFleetArgs["nodes"]): ReadonlyMap<string, FleetNodeArgs> {
  if (typeof nodes !== "object" || nodes === null || pulumi.Output.isInstance(nodes)) {
    throw new pulumi.RunError(
      `${fleet}: nodes is neither an array of names nor an object with names as keys. They name resources, so that they must be known when the program runs.`,
    );
  }
  const pairs: [string, FleetNodeArgs][] = Array.isArray(nodes)
    ? nodes.map((node): [string, FleetNodeArgs] => [node, {}])
    : Object.entries(nodes);
  const own = new Map<string, FleetNodeArgs>();
  for (const [index, [node, overrides]] of pairs.entries()) {
    const place = Array.isArray(nodes) ? `nodes[${index}]` : `nodes[${JSON.stringify(node)}]`;
    if (typeof node !== "string" || node === "") throw new pulumi.RunError(`${fleet}: ${place} is not a name.`);
    if (own.has(node)) throw new pulumi.RunError(`${fleet}: ${place}: the node ${JSON.stringify(node)} comes twice.`);
    own.set(node, known(fleet, place, overrides));
  }
  if (own.size > 0) return own;
  throw new pulumi.RunError(
    `${fleet}: nodes is empty, which would clear the set on every node that the fleet had. To do that, take the fleet out of the program.`,
  );
}

function known(fleet: string, place: string, overrides: FleetNodeArgs | undefined): FleetNodeArgs {
  const given = Object.entries(overrides ?? {});
  const stray = given.map(([member]) => member).find((member) => !OVERRIDES.some((known) => known === member));
  if (stray !== undefined) {
    const near = nearest(stray, OVERRIDES);
    const advice = near === undefined ? `there may be ${OVERRIDES.join(", ")}` : `is ${near} meant?`;
    throw new pulumi.RunError(`${fleet}: ${place} has no member ${JSON.stringify(stray)}: ${advice}.`);
  }
  return Object.fromEntries(given.filter(([, value]) => value !== undefined));
}

function ordered(fleet: string, nodes: readonly string[], waves: Waves | undefined): string[][] {
  try {
    return inWaves(nodes, waves);
  } catch (error) {
    throw error instanceof WavesError ? new pulumi.RunError(`${fleet}: ${error.message}`) : error;
  }
}

/** Percent become nodes here, where all are known. @throws {pulumi.RunError} */
function nodesOfShare(fleet: string, maxUnreachable: WaveSize, nodes: number): number {
  const [, percent] = /^(\d{1,3})%$/.exec(String(maxUnreachable)) ?? [];
  const share = percent === undefined ? maxUnreachable : Math.floor((nodes * Number(percent)) / 100);
  if (typeof share === "number" && Number.isInteger(share) && share >= 0 && Number(percent ?? 0) <= 100) return share;
  throw new pulumi.RunError(
    `${fleet}: maxUnreachable is ${JSON.stringify(maxUnreachable)}: write a number of nodes from 0, or a percentage of all such as "20%".`,
  );
}

function refusePause(fleet: string, pauseMs: unknown, check: unknown): void {
  if (pauseMs !== undefined && !(typeof pauseMs === "number" && pauseMs >= 0 && pauseMs < 2 ** 31)) {
    throw new pulumi.RunError(`${fleet}: pauseMs is ${String(pauseMs)}: write milliseconds, from 0.`);
  }
  if (check !== undefined && typeof check !== "function") {
    throw new pulumi.RunError(`${fleet}: check is not a function.`);
  }
}
