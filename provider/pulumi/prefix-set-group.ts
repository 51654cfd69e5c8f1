import type * as pulumi from "@pulumi/pulumi";
import { typeToken } from "../model/resource-kind";
import type { Waves } from "../resources/prefix-set-group/rollout/waves";
import { withSecretHeaders } from "./connection";
import { DeclaredSet, PREFIX_SET_OPTIONS, type PrefixSetArgs } from "./prefix-set";
import { declareOptional, type Kind } from "./registration";
import { isOf, registered } from "./resource";
import type { EntriesInput } from "./types";

export type { WaveSize, Waves } from "../resources/prefix-set-group/rollout/waves";

/** Overrides of one node of a {@link PrefixSetGroup}. */
export interface GroupNodeArgs {
  /** Entries of this node alone, in each form of the group's: of a prefix that the group declares, too, these count. Default: none. */
  entries?: EntriesInput;
  /** For this node instead of the group's, see {@link PrefixSetArgs.exclusive}. */
  exclusive?: PrefixSetArgs["exclusive"];
  /** For this node, a number or percent; default: the group's; see {@link PrefixSetArgs.maxRemovals}. */
  maxRemovals?: PrefixSetArgs["maxRemovals"];
  /** For this node instead of the group's, see {@link PrefixSetArgs.onExisting}. */
  onExisting?: PrefixSetArgs["onExisting"];
}

/** Names of nodes in the stack's configuration (`packetfilter:nodes`), alone or each with what is different there. */
export type GroupNodesInput = pulumi.Input<
  readonly pulumi.Input<string>[] | Readonly<Record<string, pulumi.Input<GroupNodeArgs>>>
>;

/** Health check of a wave: either `url` with its members, or `command`. */
export interface RolloutCheck {
  /** Asked by GET for each node that the wave changed, `{node}` being its name, for example `https://health.example/{node}`. */
  url?: pulumi.Input<string>;
  /** Request headers; secrets. Default: none. */
  headers?: pulumi.Input<Record<string, pulumi.Input<string>>>;
  /** The status that passes; default 200. */
  status?: pulumi.Input<number>;
  /**
   * A program and its arguments, run once a wave in the folder of the program, with `PACKETFILTER_NODES` (names, comma-separated)
   * and `PACKETFILTER_SET` (url) in its environment. It passes with exit code 0.
   */
  command?: pulumi.Input<pulumi.Input<string>[]>;
}

/** In which order the nodes of a group change, and what each wave has to pass. */
export interface RolloutArgs {
  /**
   * The waves by name or by size, as a list of lists of names and of numbers or percent (`[["lab1"], 5, "20%"]`), or as
   * `{ canary: ["lab1"], size: "20%" }`; nodes in no wave come last, all at once.
   */
  waves: pulumi.Input<Waves>;
  /** Milliseconds of rest after a wave that changed something, before its check; default 0. */
  pauseMs?: pulumi.Input<number>;
  /** Default: none, and a wave has passed when its nodes hold what they should. */
  check?: pulumi.Input<RolloutCheck>;
  /** Milliseconds after which a check fails that has not passed; it is tried again every 5 s. Default 60 000. */
  checkTimeoutMs?: pulumi.Input<number>;
}

/** Arguments of a {@link PrefixSetGroup}: those of a `PrefixSet`, for many nodes. */
export interface PrefixSetGroupArgs extends Omit<PrefixSetArgs, "node"> {
  /** Names of nodes in the stack's configuration (`packetfilter:nodes`), alone or each with what is different there; at least one. */
  nodes: GroupNodesInput;
  /** Nodes that are changed at a time; default 16. */
  atOnce?: pulumi.Input<number>;
  /**
   * Nodes, a number or percent of the group's, that may not answer: an `up` leaves them with a warning, the
   * next one goes on there, and a refresh keeps their state; more fail. Default 0.
   */
  maxUnreachable?: pulumi.Input<number | string>;
  /**
   * The nodes change wave by wave; default: all at once. A wave that has not passed stops all nodes after it, and the next
   * `up` begins with its check, whatever the program says then.
   */
  rollout?: pulumi.Input<RolloutArgs>;
}

const KIND: Kind = {
  type: "PrefixSetGroup",
  required: ["arena", "set", "entries", "nodes"],
  identity: ["arena", "profile", "set"],
  optional: [...PREFIX_SET_OPTIONS, "atOnce", "maxUnreachable", "rollout"],
  outputs: ["notes", "url", "count", "endpoints", "differs"],
  repeats: { argument: "entries", output: "notes" },
};

/**
 * One set that is kept equal on many nodes, as one resource: the state holds the entries once, and only what differs by
 * node and prefix. One changed entry is one line of a preview, however many nodes there are; drift is lines of its node.
 * A node that fails is named and is in {@link differs}, the others are done, and the next `up` goes on with it alone.
 *
 * The id is the set's url. Arena, profile and set replace the resource, everything else is updated: nodes that join are
 * filled, nodes that leave are cleared, and a node under another name at the same address is the same. With `rollout` the
 * nodes change wave by wave, and a wave that did not pass its check stops what follows until it does.
 *
 * @example
 * ```ts
 * const blocked = new PrefixSetGroup("blocked", {
 *   arena: "edge",
 *   set: "blocked",
 *   entries: readPrefixFile("blocks.yaml"),
 *   nodes: { lab1: {}, fra1: {}, ams1: { entries: { "203.0.113.9": 2 } } },
 *   rollout: { waves: { canary: ["lab1"], size: "20%" }, check: { url: "https://health.example/{node}" } },
 * });
 * ```
 */
export class PrefixSetGroup extends DeclaredSet {
  /** The type token by which policies recognise the resource. */
  static readonly __pulumiType = typeToken(KIND.type);

  /** True for an instance of this class, whichever copy of the package made it. */
  static override isInstance(object: unknown): object is PrefixSetGroup {
    return isOf(PrefixSetGroup, object);
  }

  /** Canonical prefix to value: what all nodes hold that have no entries of their own. */
  declare readonly entries: pulumi.Output<Record<string, number>>;
  /** Name of a node to what is different there; `entries` are canonical prefix to value, not merged with the group's. */
  declare readonly nodes: pulumi.Output<Record<string, GroupNode>>;
  /** As it was given. */
  declare readonly atOnce: pulumi.Output<number | undefined>;
  /** As it was given. */
  declare readonly maxUnreachable: pulumi.Output<number | string | undefined>;
  /** As it was given; while a wave has not passed, which one, and why. */
  declare readonly rollout: pulumi.Output<Rollout | undefined>;
  /** Number of entries that the group declares, not times the nodes. */
  declare readonly count: pulumi.Output<number>;
  /** Name of a node to its address in use, without secrets; a node that was never written is not there. */
  declare readonly endpoints: pulumi.Output<Record<string, string>>;
  /** Differences of nodes from the group: name to prefix to the value that the node holds, `null` for a missing entry. */
  declare readonly differs: pulumi.Output<Record<string, Record<string, number | null>> | undefined>;

  /**
   * @param name The resource's name in the stack.
   * @throws {pulumi.RunError} for the option `import`, for paths of `ignoreChanges` that mean nothing, and where the program declares one
   * entry twice.
   */
  constructor(name: string, args: PrefixSetGroupArgs, options?: pulumi.CustomResourceOptions) {
    const { rollout } = args;
    const given = rollout === undefined ? args : { ...args, rollout: withSecretHeaders(rollout) };
    const { token, props, accepted, whenRegistered } = registered(KIND, name, given, options);
    super(token, name, props, accepted);
    whenRegistered(this);
  }
}

declareOptional(PrefixSetGroup, KIND);

/** The given rollout, and the wave that has not passed, if there is one. */
export interface Rollout extends pulumi.Unwrap<RolloutArgs> {
  /** The number of the wave that has not passed, from 1. */
  wave?: number;
  /** Number of waves. */
  of?: number;
  /** The nodes that have not passed. */
  nodes?: string[];
  /** Why, as half a sentence. */
  reason?: string;
}

/** Overrides of a node, as the state has them. */
export interface GroupNode {
  /** Canonical prefix to value: its own entries alone. */
  entries?: Record<string, number>;
  /** Canonical prefix to reason, ticket and expiry as JSON text, of its own entries. */
  notes?: Record<string, string>;
  /** As it was given. */
  exclusive?: boolean;
  /** As it was given. */
  maxRemovals?: number | string;
  /** As it was given. */
  onExisting?: "fail" | "adopt";
}
