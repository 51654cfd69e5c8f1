import * as pulumi from "@pulumi/pulumi";
import { nearest } from "../../model/nearest";
import { FLEET_KEY } from "../../resources/provider-text";
import { isPlain, settled } from "../inputs";
import { PrefixSet, type PrefixSetArgs } from "../prefix-set";
import { merged } from "../prefix-set-group";
import { getPrefixSet } from "../read-functions";
import type { EntriesInput } from "../types";
import { Gate, type WaveCheck } from "./gate";
import { inWaves, type WaveSize, type Waves, WavesError } from "./waves";

/** What is different at one node of a {@link PrefixSetFleet}. */
export interface FleetNodeArgs {
  /** Entries of this node alone: of a prefix that the fleet declares, too, these count. */
  entries?: EntriesInput;
  /** For this node instead of the fleet's, see {@link PrefixSetArgs.exclusive}. */
  exclusive?: PrefixSetArgs["exclusive"];
  /** For this node, a number or percent; default: the fleet's; see {@link PrefixSetArgs.maxRemovals}. */
  maxRemovals?: PrefixSetArgs["maxRemovals"];
  /** For this node instead of the fleet's, see {@link PrefixSetArgs.onExisting}. */
  onExisting?: PrefixSetArgs["onExisting"];
}

/** Arguments of a {@link PrefixSetFleet}: those of a {@link PrefixSet}, for many nodes. */
export interface PrefixSetFleetArgs extends Omit<PrefixSetArgs, "node"> {
  /** Names of nodes in the stack's configuration (`packetfilter:nodes`), alone or each with what is different there. */
  nodes: readonly string[] | Readonly<Record<string, FleetNodeArgs>>;
  /** In which order nodes change; default: all at once. A failure stops the waves that follow. */
  waves?: Waves;
  /**
   * So many nodes, a number or percent of all, may not answer: an `up` leaves them as they are with a warning, the next one
   * goes on there, and a refresh keeps their state; more fail. Default 0.
   */
  maxUnreachable?: WaveSize;
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
 * One set on many nodes: a {@link PrefixSet} named `<fleet>-<node>` on each, changed wave by wave. A wave begins when
 * every resource of the one before has succeeded; deletion goes in reverse order. A node that leaves `nodes` is cleaned
 * up like a `PrefixSet` that leaves the program.
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
   * @param name The fleet's name in the stack; the sets are named `<name>-<node>`.
   * @throws {pulumi.RunError} for a node or a wave that cannot be, and for what a `PrefixSet` refuses.
   */
  constructor(name: string, args: PrefixSetFleetArgs, options?: pulumi.ComponentResourceOptions) {
    const { nodes, waves, maxUnreachable, pauseMs, check, ...common } = args;
    const fleet = `PrefixSetFleet ${JSON.stringify(name)}`;
    const own = nodesOf(fleet, nodes);
    const order = ordered(fleet, [...own.keys()], waves);
    refusePause(fleet, pauseMs, check);
    const member = maxUnreachable === undefined ? {} : { [FLEET_KEY]: memberOf(name, maxUnreachable, own.size) };
    super(PrefixSetFleet.__pulumiType, name, {}, options);
    const { arena, profile, set } = common;
    const list = async (node: string) => {
      const place = await settled({ arena, set, ...(profile !== undefined && { profile }) });
      return place.known ? getPrefixSet({ ...place.value, node }).catch(() => undefined) : undefined;
    };
    const gate = new Gate(this, name, { pauseMs, check, list });
    const sets = new Map<string, PrefixSet>();
    for (const [index, names] of order.entries()) {
      gate.pass(names, { number: index + 1, isFinal: index === order.length - 1 }, (dependsOn) =>
        names.map((node) => {
          const { entries, ...overrides } = own.get(node) ?? {};
          const setArgs = {
            ...common,
            ...overrides,
            ...member,
            node,
            entries: entriesOf(common.entries, entries, common.hostBits),
          };
          const made = new PrefixSet(`${name}-${node}`, setArgs, { parent: this, dependsOn });
          sets.set(node, made);
          return made;
        }),
      );
    }
    this.sets = pulumi.output(
      Object.fromEntries([...sets].map(([node, { url, count, endpoint }]) => [node, { url, count, endpoint }])),
    );
    this.count = this.sets.apply((known) => Object.values(known).reduce((sum, { count }) => sum + count, 0));
    this.registerOutputs({ sets: this.sets, count: this.count });
  }
}

/** The fleet's entries with those of one node over them. */
function entriesOf(common: EntriesInput, own: EntriesInput | undefined, hostBits: unknown): EntriesInput {
  if (own === undefined || (isPlain(common) && isPlain(own))) return merged(common, own, hostBits) as EntriesInput;
  return pulumi.all([common, own]).apply(([all, one]) => merged(all, one, hostBits) as pulumi.Unwrap<EntriesInput>);
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

/** What each member is told: percent become nodes here, where all are known. @throws {pulumi.RunError} */
function memberOf(name: string, maxUnreachable: WaveSize, nodes: number): { name: string; maxUnreachable: number } {
  const [, percent] = /^(\d{1,3})%$/.exec(String(maxUnreachable)) ?? [];
  const share = percent === undefined ? maxUnreachable : Math.floor((nodes * Number(percent)) / 100);
  if (typeof share === "number" && Number.isInteger(share) && share >= 0 && Number(percent ?? 0) <= 100)
    return { name, maxUnreachable: share };
  throw new pulumi.RunError(
    `PrefixSetFleet ${JSON.stringify(name)}: maxUnreachable is ${JSON.stringify(maxUnreachable)}: write a number of nodes from 0, or a percentage of all such as "20%".`,
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
